// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: leases
 *
 * See lease.h. Owns the gauge of blocks that are under a lease and visible.
 */
#include "core_priv.h"

/* So many leases may name one block; then its count could overflow. */
#define LEASES_MAX	(U32_MAX / 2)

/**
 * hymc_lease_bytes() - memory of a lease
 * @nr: most blocks
 *
 * Return: bytes.
 */
u64 hymc_lease_bytes(u32 nr)
{
	return sizeof(struct hymc_lease) + (u64)nr * sizeof(u32);
}

/**
 * hymc_lease_init() - set a lease up
 * @mem: hymc_lease_bytes() of zeroed memory
 * @nr: most blocks
 * @until: when the host will end it
 *
 * Return: the lease, without blocks.
 */
struct hymc_lease *hymc_lease_init(void *mem, u32 nr, u64 until)
{
	struct hymc_lease *l = mem;

	l->until = until;
	l->room = nr;
	return l;
}

/**
 * hymc_lease_add() - put a block under a lease
 * @c: the core
 * @l: the lease; when it is full, nothing happens
 * @idx: a visible block
 */
void hymc_lease_add(struct hymc_core *c, struct hymc_lease *l, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (l->nr == l->room || b->leases == LEASES_MAX)
		return;
	c->st.leases += !b->leases;
	b->leases++;
	l->block[l->nr++] = idx;
}

/**
 * hymc_lease_held() - is a block promised to anyone?
 * @b: visible block
 *
 * Return: true while a lease it is in has not ended.
 */
bool hymc_lease_held(const struct hymc_block *b)
{
	return b->leases;
}

/**
 * hymc_lease_until() - when the host should end a lease
 * @l: the lease
 *
 * Return: time in nanoseconds.
 */
u64 hymc_lease_until(const struct hymc_lease *l)
{
	return l->until;
}

/**
 * hymc_lease_nr() - blocks of a lease
 * @l: the lease
 *
 * Return: how often blocks were added to it.
 */
u32 hymc_lease_nr(const struct hymc_lease *l)
{
	return l->nr;
}

/**
 * hymc_lease_end() - end a lease
 * @c: the core
 * @l: the lease; the host may free it afterwards. O(its blocks)
 */
void hymc_lease_end(struct hymc_core *c, struct hymc_lease *l)
{
	struct hymc_block *b;

	for (; l->nr; l->nr--) {
		b = hymc_block_at(c, l->block[l->nr - 1]);
		b->leases--;
		if (!b->leases && b->state != HYMC_ST_DEAD)
			c->st.leases--;
		hymc_block_settle(c, l->block[l->nr - 1]);
	}
}
