// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: the simulated host, see pool.h
 */
#include <stdio.h>
#include <stdlib.h>

#include "format.h"
#include "pool.h"

#define GARBAGE		0xdeadbeefdeadbeefULL

struct hymc_core_cfg pool_cfg(void)
{
	return (struct hymc_core_cfg) {
		.policy = HYMC_POLICY_STAGE,
		.frame_bytes = 4 * KB,
		.frames = 16,
		.writes_max = 2,
		.ssd_bytes = 16 * 128 * KB,
		.log_start = 1024 * KB,
		.segment_bytes = 128 * KB,
		.blocks_max = 2000,
		.window_bytes = 16 * KB,
		.read_bytes_max = 32 * KB,
		.dirty_max_bytes = 32 * KB,
		.dirty_high_bytes = 24 * KB,
		.dirty_low_bytes = 8 * KB,
		.hash_seed = 0x1234567890abcdefULL,
	};
}

struct pool *pool_new(const struct hymc_core_cfg *cfg)
{
	struct pool *p = calloc(1, sizeof(*p));
	const char *why;

	if (hymc_core_check(cfg, &why)) {
		fprintf(stderr, "# bad configuration: %s\n", why);
		abort();
	}
	p->cfg = *cfg;
	p->now = 1000;
	p->c = hymc_core_init(calloc(1, hymc_core_bytes(cfg)), cfg);
	p->frame = calloc(cfg->frames, sizeof(*p->frame));
	p->ssd_nr = cfg->ssd_bytes / HYMC_ALIGN_BYTES;
	p->ssd = calloc(p->ssd_nr, sizeof(*p->ssd));
	pool_feed(p);
	return p;
}

void pool_free(struct pool *p)
{
	void *chunk;

	while ((chunk = hymc_core_mem_take(p->c)))
		free(chunk);
	free(p->c);
	free(p->frame);
	free(p->ssd);
	free(p);
}

void pool_feed(struct pool *p)
{
	while (hymc_core_mem_short(p->c)) {
		void *chunk = malloc(HYMC_CHUNK_BYTES);

		memset(chunk, 0xa5, HYMC_CHUNK_BYTES);
		if (!hymc_core_mem_feed(p->c, chunk))
			abort();
	}
}

struct hymc_key pool_key(u64 id)
{
	struct hymc_key key = { { 0 } };

	/* Alike in front, so that only a full compare tells them apart. */
	memcpy(key.b + HYMC_KEY_BYTES - sizeof(id), &id, sizeof(id));
	return key;
}

int pool_reserve(struct pool *p, u64 id, u64 len, u64 parent, u32 *idx)
{
	struct hymc_key key = pool_key(id), pkey = pool_key(parent);

	pool_feed(p);
	return hymc_core_reserve(p->c, 1, &key, len, parent ? &pkey : NULL,
				 p->now, idx);
}

u64 pool_tag(u64 id, u64 version, u64 nr)
{
	return id << 40 | (version & 0xfffff) << 20 | (nr + 1);
}

void pool_fill(struct pool *p, u32 idx, u64 id, u64 version)
{
	u32 f = hymc_core_frame_first(p->c, idx), nr = 0;

	for (; f != HYMC_NIL; f = hymc_core_frame_next(p->c, f))
		p->frame[f] = pool_tag(id, version, nr++);
}

bool pool_right(struct pool *p, u32 idx, u64 id, u64 version)
{
	u32 f = hymc_core_frame_first(p->c, idx), nr = 0;
	u64 len = hymc_core_len(p->c, idx);

	for (; f != HYMC_NIL; f = hymc_core_frame_next(p->c, f)) {
		if (p->frame[f] != pool_tag(id, version, nr++))
			return false;
	}
	return nr == (len + p->cfg.frame_bytes - 1) / p->cfg.frame_bytes;
}

int pool_put(struct pool *p, u64 id, u64 len)
{
	u32 idx;
	int err = pool_reserve(p, id, len, 0, &idx);

	if (err)
		return err;
	pool_fill(p, idx, id, 0);
	hymc_core_commit(p->c, idx, p->now);
	return 0;
}

/* First tag of an action's record on the SSD; its payload follows the header. */
static u64 *ssd_at(struct pool *p, const struct hymc_act *act)
{
	u64 at = (act->addr - p->cfg.log_start) / HYMC_ALIGN_BYTES;
	u64 nr = hymc_record_bytes(act->len, p->cfg.frame_bytes) /
		 HYMC_ALIGN_BYTES;

	if (act->addr < p->cfg.log_start || at + nr > p->ssd_nr) {
		fprintf(stderr, "# I/O outside the log\n");
		abort();
	}
	return p->ssd + at;
}

/* A number that sums up the tags of an action's frames. */
static u64 frames_sum(struct pool *p, const struct hymc_act *act)
{
	u64 sum = 0;
	u32 f;

	for (f = act->frame; f != HYMC_NIL; f = hymc_core_frame_next(p->c, f))
		sum = sum * 1000003 + p->frame[f];
	return sum;
}

static void frames_spoil(struct pool *p, const struct hymc_act *act)
{
	u32 f;

	for (f = act->frame; f != HYMC_NIL; f = hymc_core_frame_next(p->c, f))
		p->frame[f] = GARBAGE;
}

int pool_pull(struct pool *p)
{
	struct hymc_act *act = &p->io[p->io_nr];

	if (p->io_nr == IO_MAX || !hymc_core_next(p->c, p->now, act))
		return -1;
	if (act->kind == HYMC_ACT_READ)
		frames_spoil(p, act);
	else
		p->before[p->io_nr] = frames_sum(p, act);
	return p->io_nr++;
}

/* Header: the generation. Payload: a frame's tag, at its first 4 KiB. */
static void ssd_write(struct pool *p, const struct hymc_act *act)
{
	u64 *to = ssd_at(p, act);
	u32 f, step = p->cfg.frame_bytes / HYMC_ALIGN_BYTES;

	*to = act->gen;
	to += act->hdr_bytes / HYMC_ALIGN_BYTES;
	for (f = act->frame; f != HYMC_NIL; f = hymc_core_frame_next(p->c, f)) {
		*to = p->frame[f];
		to += step;
	}
}

static void ssd_read(struct pool *p, const struct hymc_act *act)
{
	u64 *from = ssd_at(p, act);
	u32 f, step = p->cfg.frame_bytes / HYMC_ALIGN_BYTES;

	p->wrong += *from != act->gen;
	from += act->hdr_bytes / HYMC_ALIGN_BYTES;
	for (f = act->frame; f != HYMC_NIL; f = hymc_core_frame_next(p->c, f)) {
		p->frame[f] = *from;
		from += step;
	}
}

static void finish_read(struct pool *p, const struct hymc_act *act, int err)
{
	p->reads++;
	if (!err)
		ssd_read(p, act);
	hymc_core_read_done(p->c, act->block, err, p->now);
}

static void finish_write(struct pool *p, const struct hymc_act *act, u64 before,
			 int err)
{
	p->writes++;
	p->wrong += frames_sum(p, act) != before;
	if (!err)
		ssd_write(p, act);
	hymc_core_write_done(p->c, act->block, err, p->now);
}

void pool_finish(struct pool *p, u32 n, int err)
{
	struct hymc_act act = p->io[n];
	u64 before = p->before[n];

	p->io_nr--;
	p->io[n] = p->io[p->io_nr];
	p->before[n] = p->before[p->io_nr];
	if (act.kind == HYMC_ACT_READ)
		finish_read(p, &act, err);
	else
		finish_write(p, &act, before, err);
}

void pool_run(struct pool *p)
{
	do {
		while (p->io_nr)
			pool_finish(p, 0, 0);
	} while (pool_pull(p) >= 0);
	while (hymc_core_woken(p->c) != HYMC_NIL)
		;
}

void pool_evict(struct pool *p)
{
	u32 idx, nr;

	hymc_core_sync(p->c);
	pool_run(p);
	for (nr = p->cfg.frames; nr; nr--) {
		if (pool_reserve(p, ~0ULL, (u64)nr * p->cfg.frame_bytes, 0,
				 &idx))
			continue;
		hymc_core_abort(p->c, idx);
		return;
	}
}

void pool_stock(struct pool *p, u64 from, u64 to, u64 len)
{
	for (; from <= to; from++) {
		if (pool_put(p, from, len))
			abort();
		pool_evict(p);
		if (pool_tier(p, from) != HYMC_TIER_SSD)
			abort();
	}
}

struct hymc_stats pool_stats(struct pool *p)
{
	struct hymc_stats st;

	hymc_core_stats(p->c, p->now, &st);
	return st;
}

u32 pool_tier(struct pool *p, u64 id)
{
	struct hymc_key key = pool_key(id);
	struct hymc_hit hit;

	hymc_core_lookup(p->c, 1, &key, 0, p->now, &hit);
	return hit.tier;
}

int pool_get(struct pool *p, u64 id, u32 *idx)
{
	struct hymc_key key = pool_key(id);
	int got = hymc_acquire_key(p->c, 1, &key, p->now, idx);

	if (got != HYMC_GOT_WAIT)
		return got;
	pool_run(p);
	got = hymc_acquire_retry(p->c, *idx, p->now);
	if (got == HYMC_GOT_WAIT)
		hymc_acquire_abandon(p->c, *idx, true);
	return got;
}

bool pool_use(struct pool *p, u64 id)
{
	bool right;
	u32 idx;

	if (pool_get(p, id, &idx) != HYMC_GOT_READY)
		return false;
	right = pool_right(p, idx, id, 0);
	hymc_core_release(p->c, idx, NULL, 0, p->now);
	return right;
}

struct hymc_request *request_new(u32 nr, u64 window, u64 deadline)
{
	void *mem = calloc(1, hymc_request_bytes(nr));

	return hymc_request_init(mem, 1, nr, window, deadline, 0);
}

struct hymc_request *pool_hint(struct pool *p, u64 from, u64 to, u64 window,
			       u64 deadline)
{
	struct hymc_request *r = request_new(to - from + 1, window, deadline);

	for (; from <= to; from++) {
		struct hymc_key key = pool_key(from);

		hymc_request_add(p->c, r, &key);
	}
	hymc_request_start(p->c, r, p->now);
	return r;
}

void pool_end(struct pool *p, struct hymc_request *r)
{
	hymc_request_end(p->c, r, p->now);
	free(r);
}

bool pool_sound(struct pool *p)
{
	const char *why;

	if (!hymc_core_selfcheck(p->c, &why))
		return true;
	fprintf(stderr, "# selfcheck: %s\n", why);
	return false;
}
