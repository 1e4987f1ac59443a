/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: the core's own view of itself; no host includes this
 *
 * The host serialises every call on one core, so nothing here is locked. All
 * memory is either the one piece given to hymc_core_init() or fed chunks.
 */
#ifndef HYMC_CORE_PRIV_H
#define HYMC_CORE_PRIV_H

#include "core.h"
#include "format.h"
#include "block.h"
#include "slab.h"
#include "index.h"
#include "stage.h"
#include "log.h"
#include "lease.h"
#include "request.h"
#include "flow.h"

/**
 * struct hymc_core - one pool's brain
 * @cfg: as given at creation
 * @spare: fed chunks not yet in use
 * @nr_spare: number of them
 * @requests_nr: started requests that protect something
 * @block_bytes_max: longest payload
 * @requests: all started requests
 * @heap: those that may have something to admit, by deadline
 * @request_seq: orders requests by arrival
 * @woken: blocks whose waiters have to look again
 * @slab: block entries
 * @index: keys
 * @stage: frames
 * @log: segments
 * @flow: I/O in flight
 * @st: counters; the gauges in it are filled on demand, but for leases, blocks,
 *	block_bytes and waiters
 */
struct hymc_core {
	struct hymc_core_cfg cfg;
	struct hymc_spare *spare;
	u32 nr_spare;
	u32 requests_nr;
	u64 block_bytes_max;
	struct hymc_request *requests;
	struct hymc_heap_node *heap;
	u64 request_seq;
	struct hymc_list woken;
	struct hymc_slab slab;
	struct hymc_index index;
	struct hymc_stage stage;
	struct hymc_log log;
	struct hymc_flow flow;
	struct hymc_stats st;
};

/* The entry of block @idx, which must be one the slab handed out. */
static inline struct hymc_block *hymc_block_at(const struct hymc_core *c,
					       u32 idx)
{
	struct hymc_block *chunk = c->slab.chunk[idx >> HYMC_SLAB_SHIFT];

	return &chunk[idx & HYMC_SLAB_MASK];
}

/* True when the pool plays the transparent LRU cache. */
static inline bool hymc_core_lru(const struct hymc_core *c)
{
	return c->cfg.policy == HYMC_POLICY_LRU;
}

#include "list.h"

#endif /* HYMC_CORE_PRIV_H */
