// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: pairing heap
 *
 * See heap.h. The root is the node that comes first. A node's children are
 * linked by @next; @prev leads back, from the first child to the parent.
 */
#include "heap.h"

static bool before(const struct hymc_heap_node *a,
		   const struct hymc_heap_node *b)
{
	if (a->deadline != b->deadline)
		return a->deadline < b->deadline;
	return a->seq < b->seq;
}

/* Make @child the first child of @parent. */
static void adopt(struct hymc_heap_node *parent, struct hymc_heap_node *child)
{
	child->prev = parent;
	child->next = parent->child;
	if (parent->child)
		parent->child->prev = child;
	parent->child = child;
}

/* Join two heaps, either of which may be empty; the siblings of both are lost. */
static struct hymc_heap_node *meld(struct hymc_heap_node *a,
				   struct hymc_heap_node *b)
{
	struct hymc_heap_node *first = a, *second = b;

	if (!a || !b)
		return a ? a : b;
	if (before(b, a)) {
		first = b;
		second = a;
	}
	adopt(first, second);
	first->next = NULL;
	first->prev = NULL;
	return first;
}

/*
 * Join a list of siblings: first pair by pair, from left to right, which leaves a
 * list of pairs in reverse order, then that list into one.
 */
static struct hymc_heap_node *meld_siblings(struct hymc_heap_node *n)
{
	struct hymc_heap_node *pairs = NULL, *a, *b, *root = NULL;

	while (n) {
		a = n;
		b = a->next;
		n = b ? b->next : NULL;
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		n = pairs->next;
		root = meld(root, pairs);
		pairs = n;
	}
	if (root) {
		root->next = NULL;
		root->prev = NULL;
	}
	return root;
}

/**
 * hymc_heap_insert() - add a node
 * @root: the heap
 * @n: node with deadline and seq set, in no heap
 */
void hymc_heap_insert(struct hymc_heap_node **root, struct hymc_heap_node *n)
{
	n->child = NULL;
	n->next = NULL;
	n->prev = NULL;
	*root = meld(*root, n);
}

/* Cut a node that is not the root, with all below it, out of the tree. */
static void cut(struct hymc_heap_node *n)
{
	if (n->prev->child == n)
		n->prev->child = n->next;
	else
		n->prev->next = n->next;
	if (n->next)
		n->next->prev = n->prev;
}

/**
 * hymc_heap_remove() - take a node out
 * @root: the heap
 * @n: a node in it, the first one or any other
 */
void hymc_heap_remove(struct hymc_heap_node **root, struct hymc_heap_node *n)
{
	struct hymc_heap_node *below = meld_siblings(n->child);

	if (*root == n) {
		*root = below;
	} else {
		cut(n);
		*root = meld(*root, below);
	}
	n->child = NULL;
	n->next = NULL;
	n->prev = NULL;
}
