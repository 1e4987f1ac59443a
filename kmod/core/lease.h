/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: lease - promises not to evict blocks from the SSD for a while
 *
 * A lease is a set of blocks that one lookup found. Its memory and its end belong to
 * the host, which ends it when its time is over or its owner goes away. A block
 * counts the leases it is in, and keeps its entry until the last of them ended;
 * deleting it wins over them.
 */
#ifndef HYMC_LEASE_H
#define HYMC_LEASE_H

#include "core.h"
#include "block.h"

/**
 * struct hymc_lease - a lease
 * @until: when the host should end it
 * @room: most blocks
 * @nr: blocks in it
 * @block: their indices; one may be in it several times
 */
struct hymc_lease {
	u64 until;
	u32 room;
	u32 nr;
	u32 block[];
};

void hymc_lease_add(struct hymc_core *c, struct hymc_lease *l, u32 idx);
bool hymc_lease_held(const struct hymc_block *b);

#endif /* HYMC_LEASE_H */
