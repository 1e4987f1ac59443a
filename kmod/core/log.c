// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: segments, promises and placement
 *
 * See log.h for the picture and the words.
 */
#include "core_priv.h"

/**
 * hymc_log_segments() - segments of a log
 * @cfg: valid configuration
 *
 * Return: number of whole segments in the log's bytes.
 */
u64 hymc_log_segments(const struct hymc_core_cfg *cfg)
{
	return div64_u64(cfg->ssd_bytes, cfg->segment_bytes);
}

static void seg_free(struct hymc_log *l, u32 i)
{
	l->seg[i].state = HYMC_SEG_FREE;
	l->seg[i].next = l->free;
	l->free = i;
	l->nr_free++;
}

/**
 * hymc_log_init() - make all segments free
 * @c: the core, with the segment array set
 */
void hymc_log_init(struct hymc_core *c)
{
	struct hymc_log *l = &c->log;
	u32 i;

	l->nr = hymc_log_segments(&c->cfg);
	l->free = HYMC_NIL;
	l->open = HYMC_NIL;
	/* Backwards, so that the lowest addresses are used first. */
	for (i = l->nr; i > 0; i--)
		seg_free(l, i - 1);
}

/* Size class of a record: floor(log2(bytes / HYMC_ALIGN_BYTES)). */
static u32 size_class(u64 bytes)
{
	u64 units = div_u64(bytes, HYMC_ALIGN_BYTES);
	u32 cls = 0;

	while (units >>= 1)
		cls++;
	return cls;
}

/* No promised record is larger than this; 0 when there is none. */
static u64 promised_max(const struct hymc_core *c)
{
	u32 cls = HYMC_LOG_CLASSES;
	u64 max;

	while (cls && !c->log.promised_nr[cls - 1])
		cls--;
	if (!cls)
		return 0;
	max = ((1ULL << cls) - 1) * HYMC_ALIGN_BYTES;
	return max < c->cfg.segment_bytes ? max : c->cfg.segment_bytes;
}

/* Bytes that can still be appended to the open segment. */
static u64 log_room(const struct hymc_core *c)
{
	const struct hymc_log *l = &c->log;

	return l->open == HYMC_NIL ? 0 : c->cfg.segment_bytes - l->used;
}

/*
 * Do @total bytes of records, none larger than @max, fit in any order?
 *
 * A segment is closed when the next record does not fit, so its end wastes at
 * most @waste = @max - ALIGN. Suppose that with k free segments a record does not
 * fit. Then the open segment took at least room - waste, k - 1 segments took at
 * least S - waste each, and the last one and that record are together more than
 * S: @total exceeds by_waste. Likewise each segment and the first record of the
 * next one are together more than S, so @total exceeds by_pairs. When @total
 * exceeds neither, it fits; for records small against a segment the first bound
 * is near the whole space, for large ones the second is half of it.
 */
static bool log_fits(const struct hymc_core *c, u64 total, u64 max)
{
	u64 seg = c->cfg.segment_bytes, room = log_room(c);
	u64 k = c->log.nr_free, waste = max - HYMC_ALIGN_BYTES;
	u64 by_waste, by_pairs;

	if (total <= room)
		return true;
	if (!k)
		return false;
	by_waste = (k - 1) * (seg - waste) + seg;
	by_waste += room > waste ? room - waste : 0;
	by_pairs = (k + 1) / 2 * seg;
	return total <= by_waste || total <= by_pairs;
}

/* The open segment takes no more records. */
static void log_close(struct hymc_log *l)
{
	struct hymc_segment *s = &l->seg[l->open];

	if (s->failed)
		s->state = HYMC_SEG_BAD;
	else if (s->live)
		s->state = HYMC_SEG_FULL;
	else
		seg_free(l, l->open);
	l->open = HYMC_NIL;
	l->used = 0;
}

/*
 * An open segment in which nothing lives any more may as well start anew; not
 * one that would turn bad, as promises may count on the rest of it.
 */
static void log_tidy(struct hymc_log *l)
{
	if (l->open == HYMC_NIL)
		return;
	if (!l->seg[l->open].live && !l->seg[l->open].failed)
		log_close(l);
}

/**
 * hymc_log_promise() - promise space for a record
 * @c: the core
 * @bytes: record bytes, at most a segment
 *
 * Return: false when the record might not fit.
 */
bool hymc_log_promise(struct hymc_core *c, u64 bytes)
{
	struct hymc_log *l = &c->log;
	u64 max;

	l->promised_nr[size_class(bytes)]++;
	l->promised += bytes;
	max = promised_max(c);
	if (!log_fits(c, l->promised, max))
		log_tidy(l);
	if (log_fits(c, l->promised, max))
		return true;
	hymc_log_withdraw(c, bytes);
	return false;
}

/**
 * hymc_log_withdraw() - take a promise back
 * @c: the core
 * @bytes: as promised
 */
void hymc_log_withdraw(struct hymc_core *c, u64 bytes)
{
	c->log.promised_nr[size_class(bytes)]--;
	c->log.promised -= bytes;
}

/* Open a free segment. */
static bool log_open(struct hymc_log *l)
{
	u32 i = l->free;

	if (i == HYMC_NIL)
		return false;
	l->free = l->seg[i].next;
	l->nr_free--;
	l->seg[i].state = HYMC_SEG_OPEN;
	l->open = i;
	l->used = 0;
	return true;
}

/**
 * hymc_log_place() - redeem a promise: append a record
 * @c: the core
 * @bytes: as promised
 * @addr: out, byte address on the SSD
 *
 * Return: false when there is no room; that only happens when segments were lost
 * to write errors after the promise. The promise is gone in any case.
 */
bool hymc_log_place(struct hymc_core *c, u64 bytes, u64 *addr)
{
	struct hymc_log *l = &c->log;

	hymc_log_withdraw(c, bytes);
	if (bytes > log_room(c)) {
		if (l->open != HYMC_NIL)
			log_close(l);
		if (!log_open(l))
			return false;
	}
	*addr = c->cfg.log_start + l->open * c->cfg.segment_bytes + l->used;
	l->seg[l->open].live += bytes;
	l->used += bytes;
	return true;
}

static u32 seg_of(const struct hymc_core *c, u64 addr)
{
	return div64_u64(addr - c->cfg.log_start, c->cfg.segment_bytes);
}

/**
 * hymc_log_release() - a record is no longer needed
 * @c: the core
 * @addr: its address; no I/O on it is in flight
 * @bytes: its length
 */
void hymc_log_release(struct hymc_core *c, u64 addr, u64 bytes)
{
	struct hymc_log *l = &c->log;
	u32 i = seg_of(c, addr);

	l->seg[i].live -= bytes;
	if (!l->seg[i].live && l->seg[i].state == HYMC_SEG_FULL)
		seg_free(l, i);
}

/**
 * hymc_log_failed() - the SSD failed a record
 * @c: the core
 * @addr: its address
 * @writing: it failed to take it, so nothing more is appended there; when it
 *	failed to give it back, what was promised may still use up the segment
 */
void hymc_log_failed(struct hymc_core *c, u64 addr, bool writing)
{
	struct hymc_log *l = &c->log;
	u32 i = seg_of(c, addr);

	l->seg[i].failed = 1;
	if (l->seg[i].state == HYMC_SEG_FULL)
		l->seg[i].state = HYMC_SEG_BAD;
	else if (i == l->open && writing)
		log_close(l);
}

/**
 * hymc_log_used_bytes() - bytes of the SSD in use
 * @c: the core
 *
 * Return: whole segments that are full or bad, dead records in them included,
 * and what was appended to the open one.
 */
u64 hymc_log_used_bytes(const struct hymc_core *c)
{
	const struct hymc_log *l = &c->log;
	u64 whole = l->nr - l->nr_free - (l->open != HYMC_NIL);

	return whole * c->cfg.segment_bytes + l->used;
}
