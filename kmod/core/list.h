/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: lists of blocks, doubly linked by u32 index
 *
 * A block is on one list at a time: that of its class, or the woken list.
 * Included by core_priv.h only.
 */
#ifndef HYMC_LIST_H
#define HYMC_LIST_H

static inline void hymc_list_init(struct hymc_list *l)
{
	l->head = HYMC_NIL;
	l->tail = HYMC_NIL;
	l->nr = 0;
}

/* Link @idx between neighbours @prev and @next, either of which may be NIL. */
static inline void hymc_list_link(struct hymc_core *c, struct hymc_list *l,
				  u32 idx, u32 prev, u32 next)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	b->prev = prev;
	b->next = next;
	if (prev == HYMC_NIL)
		l->head = idx;
	else
		hymc_block_at(c, prev)->next = idx;
	if (next == HYMC_NIL)
		l->tail = idx;
	else
		hymc_block_at(c, next)->prev = idx;
	l->nr++;
}

static inline void hymc_list_add_head(struct hymc_core *c, struct hymc_list *l,
				      u32 idx)
{
	hymc_list_link(c, l, idx, HYMC_NIL, l->head);
}

static inline void hymc_list_add_tail(struct hymc_core *c, struct hymc_list *l,
				      u32 idx)
{
	hymc_list_link(c, l, idx, l->tail, HYMC_NIL);
}

static inline void hymc_list_del(struct hymc_core *c, struct hymc_list *l,
				 u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (b->prev == HYMC_NIL)
		l->head = b->next;
	else
		hymc_block_at(c, b->prev)->next = b->next;
	if (b->next == HYMC_NIL)
		l->tail = b->prev;
	else
		hymc_block_at(c, b->next)->prev = b->prev;
	l->nr--;
}

#endif /* HYMC_LIST_H */
