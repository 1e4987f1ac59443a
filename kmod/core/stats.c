// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: counters and gauges
 *
 * Counters are kept in place by whoever decides; gauges are read off the
 * structures they describe, so that they cannot drift.
 */
#include "core_priv.h"

static void gauge_frames(const struct hymc_core *c, struct hymc_stats *st)
{
	const u32 *f = c->stage.frames;

	st->frames_total = c->cfg.frames;
	st->frames_free = c->stage.nr_free;
	st->frames_reading = f[HYMC_CL_READING];
	st->frames_wanted = (u64)f[HYMC_CL_WANTED] + f[HYMC_CL_HELD];
	st->frames_pinned = f[HYMC_CL_PINNED];
	st->frames_cold = (u64)f[HYMC_CL_COLD] + f[HYMC_CL_FRESH] +
			  f[HYMC_CL_CONSUMED];
	st->frames_dirty = (u64)f[HYMC_CL_DIRTY] + f[HYMC_CL_WRITING];
	st->frames_filling = f[HYMC_CL_FILLING];
}

static void gauge_rest(const struct hymc_core *c, u64 now,
		       struct hymc_stats *st)
{
	st->dirty_bytes = c->flow.dirty_bytes;
	st->ssd_bytes = c->log.nr * c->cfg.segment_bytes;
	st->ssd_used_bytes = hymc_log_used_bytes(c);
	st->reads_inflight = c->flow.reads;
	st->writes_inflight = c->flow.writes;
}

/**
 * hymc_core_stats() - fill counters and gauges
 * @c: the core
 * @now: present time
 * @st: out; size, flags, namespaces, files, requests, views, reservations and
 *	waiters are set to 0: the host knows them
 *
 * O(1).
 */
void hymc_core_stats(const struct hymc_core *c, u64 now, struct hymc_stats *st)
{
	*st = c->st;
	gauge_frames(c, st);
	gauge_rest(c, now, st);
}
