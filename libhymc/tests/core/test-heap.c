// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of the pairing heap against a plain array
 */
#include "heap.h"
#include "random.h"
#include "tap.h"

#define NODES	200U

static struct hymc_heap_node node[NODES];
static bool in[NODES];

/* The member that comes first, found by looking at all. */
static struct hymc_heap_node *naive_first(void)
{
	struct hymc_heap_node *first = NULL;
	u32 i;

	for (i = 0; i < NODES; i++) {
		if (!in[i])
			continue;
		if (!first || node[i].deadline < first->deadline ||
		    (node[i].deadline == first->deadline &&
		     node[i].seq < first->seq))
			first = &node[i];
	}
	return first;
}

/* Every node is linked both ways and not before its parent. */
static u32 count_sound(const struct hymc_heap_node *n, u64 deadline)
{
	const struct hymc_heap_node *k, *prev = n;
	u32 nr = 1;

	EXPECT(n->deadline >= deadline);
	for (k = n->child; k; k = k->next) {
		EXPECT(k->prev == prev);
		nr += count_sound(k, n->deadline);
		prev = k;
	}
	return nr;
}

static void random_inserts_and_removals(void)
{
	struct hymc_heap_node *root = NULL;
	struct random rnd = { 42 };
	u32 i, step, nr = 0;
	u64 seq = 0;

	for (step = 0; step < 20000; step++) {
		i = random_below(&rnd, NODES);
		if (in[i]) {
			hymc_heap_remove(&root, &node[i]);
			nr--;
		} else {
			node[i].deadline = random_below(&rnd, 20);
			node[i].seq = seq++;
			hymc_heap_insert(&root, &node[i]);
			nr++;
		}
		in[i] = !in[i];
		EXPECT(root == naive_first());
		if (step % 50 == 0)
			EXPECT_EQ(root ? count_sound(root, 0) : 0, nr);
	}
}

static void drains_in_order(void)
{
	struct hymc_heap_node *root = NULL, *n;
	u64 last = 0;
	u32 i, nr = 0;

	for (i = 0; i < NODES; i++) {
		node[i].deadline = i * 7919 % NODES;
		node[i].seq = i;
		hymc_heap_insert(&root, &node[i]);
	}
	while ((n = root)) {
		EXPECT(n->deadline >= last);
		last = n->deadline;
		hymc_heap_remove(&root, n);
		nr++;
	}
	EXPECT_EQ(nr, NODES);
}

static void ties_go_by_arrival(void)
{
	struct hymc_heap_node *root = NULL;
	u32 i;

	for (i = 0; i < NODES; i++) {
		node[i].deadline = 5;
		node[i].seq = i;
	}
	for (i = NODES; i > 0; i--)
		hymc_heap_insert(&root, &node[i - 1]);
	for (i = 0; i < NODES; i++) {
		EXPECT(root == &node[i]);
		hymc_heap_remove(&root, root);
	}
	EXPECT(!root);
}

static const struct tap_test tests[] = {
	{ "heap: random inserts and removals keep the first in front",
	  random_inserts_and_removals },
	{ "heap: drains in order", drains_in_order },
	{ "heap: ties go by arrival", ties_go_by_arrival },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
