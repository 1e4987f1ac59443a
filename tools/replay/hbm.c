// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the prefix cache that an engine has in its own memory
 *
 * Engines keep the KV blocks of recent requests in the memory of the
 * accelerator, least recently used first to go, and a request's last blocks
 * before its first ones. A KV tier is only asked for what is not there. Holds
 * block numbers, no bytes. No lock: the engine's lock serialises.
 */
#include <stdlib.h>

#include "hbm.h"

/**
 * struct hr_hbm - an LRU list in arrays indexed by block
 * @capacity: most blocks
 * @nr: blocks in it
 * @head: index of the list's anchor in @next and @prev (= number of blocks)
 * @next: towards the least recently used; HR_NIL = not in the cache
 * @prev: towards the most recently used
 */
struct hr_hbm {
	uint32_t capacity;
	uint32_t nr;
	uint32_t head;
	uint32_t *next;
	uint32_t *prev;
};

struct hr_hbm *hr_hbm_new(uint32_t capacity, uint32_t block_nr)
{
	struct hr_hbm *hbm = calloc(1, sizeof(*hbm));
	uint32_t i;

	if (!hbm)
		return NULL;
	hbm->capacity = capacity;
	hbm->head = block_nr;
	hbm->next = calloc(block_nr + 1, sizeof(*hbm->next));
	hbm->prev = calloc(block_nr + 1, sizeof(*hbm->prev));
	if (!hbm->next || !hbm->prev) {
		hr_hbm_free(hbm);
		return NULL;
	}
	for (i = 0; i < block_nr; i++)
		hbm->next[i] = HR_NIL;
	hbm->next[hbm->head] = hbm->head;
	hbm->prev[hbm->head] = hbm->head;
	return hbm;
}

void hr_hbm_free(struct hr_hbm *hbm)
{
	if (!hbm)
		return;
	free(hbm->next);
	free(hbm->prev);
	free(hbm);
}

uint32_t hr_hbm_prefix(const struct hr_hbm *hbm, const struct hr_request *rq)
{
	uint32_t i;

	for (i = 0; i < rq->block_nr; i++)
		if (hbm->next[rq->blocks[i]] == HR_NIL)
			break;
	return i;
}

static void unlink_block(struct hr_hbm *hbm, uint32_t block)
{
	hbm->next[hbm->prev[block]] = hbm->next[block];
	hbm->prev[hbm->next[block]] = hbm->prev[block];
	hbm->next[block] = HR_NIL;
	hbm->nr--;
}

static void link_first(struct hr_hbm *hbm, uint32_t block)
{
	hbm->next[block] = hbm->next[hbm->head];
	hbm->prev[block] = hbm->head;
	hbm->prev[hbm->next[block]] = block;
	hbm->next[hbm->head] = block;
	hbm->nr++;
}

void hr_hbm_insert(struct hr_hbm *hbm, const struct hr_request *rq)
{
	uint32_t i, block;

	for (i = rq->block_nr; i-- > 0;) {
		block = rq->blocks[i];
		if (hbm->next[block] != HR_NIL)
			unlink_block(hbm, block);
		link_first(hbm, block);
	}
	while (hbm->nr > hbm->capacity)
		unlink_block(hbm, hbm->prev[hbm->head]);
}
