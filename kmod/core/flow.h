/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: flow - in which order I/O is handed out
 *
 * Reads that somebody waits for, then reads for hints, then writes. flow.c owns
 * the read side and the order, wbuf.c the write side.
 */
#ifndef HYMC_FLOW_H
#define HYMC_FLOW_H

#include "core.h"

/**
 * struct hymc_flow - I/O in flight
 * @reads: block reads
 * @writes: block writes
 * @read_bytes: payload bytes of the reads
 * @dirty_bytes: payload bytes committed and not yet on the SSD
 * @filling_bytes: payload bytes reserved by writers
 * @gen_next: next generation to give
 * @sync_gen: everything below this generation is to be written now
 * @flushing: dirty passed its high mark and is not yet down to the low one
 * @stopped: no more I/O
 * @room: frames or dirty room came free since the host asked
 * @write_turn: in the LRU policy, it is a write's turn
 */
struct hymc_flow {
	u32 reads;
	u32 writes;
	u64 read_bytes;
	u64 dirty_bytes;
	u64 filling_bytes;
	u64 gen_next;
	u64 sync_gen;
	bool flushing;
	bool stopped;
	bool room;
	bool write_turn;
};

bool hymc_flow_budget(const struct hymc_core *c, u64 len);
void hymc_flow_describe(const struct hymc_core *c, u32 idx,
			struct hymc_act *act);
bool hymc_wbuf_next(struct hymc_core *c, bool idle, struct hymc_act *act);

#endif /* HYMC_FLOW_H */
