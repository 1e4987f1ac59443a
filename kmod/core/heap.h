/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: heap - requests by deadline
 *
 * A pairing heap of nodes embedded in requests: insert O(1), removal of any node
 * O(log n) amortised, no memory of its own. Ties go to the smaller sequence
 * number, so equal deadlines are served in order of arrival.
 */
#ifndef HYMC_HEAP_H
#define HYMC_HEAP_H

#include "hymc_platform.h"

/**
 * struct hymc_heap_node - a member of the heap
 * @child: first child
 * @next: next sibling
 * @prev: previous sibling, or the parent when this is its first child
 * @deadline: sorts first
 * @seq: sorts second; no two members share it
 */
struct hymc_heap_node {
	struct hymc_heap_node *child;
	struct hymc_heap_node *next;
	struct hymc_heap_node *prev;
	u64 deadline;
	u64 seq;
};

void hymc_heap_insert(struct hymc_heap_node **root, struct hymc_heap_node *n);
void hymc_heap_remove(struct hymc_heap_node **root, struct hymc_heap_node *n);

#endif /* HYMC_HEAP_H */
