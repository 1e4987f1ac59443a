// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the slots that serve requests
 *
 * A slot is a thread with a buffer for the KV cache of one request. It loads
 * what the pool has of the prompt, block by block (this is what is timed),
 * "computes" the rest by sleeping for as long as that takes, and stores what is
 * new. Checking the loaded bytes and making the new ones happens while the
 * computation is supposed to go on, outside of what is timed.
 *
 * A slot must never count a block as loaded that it did not compare, and never
 * waits without a bound. Its buffer and counts are its own: no lock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "slot.h"

/* A looked-up prefix shall not be evicted before it is loaded. */
#define LEASE_MS	10000

/**
 * struct slot - one slot
 * @e: its engine
 * @thread: its thread
 * @started: @thread exists
 * @tally: its counts
 * @link_done_ns: when the link will have delivered all copies
 * @kv: KV cache of the request in hand: block i at i times the longest block
 * @found: answers of a lookup
 * @descs: arguments of a put
 * @done: answers of a put
 * @runs: pieces of an acquired block
 * @runs_max: room in @runs
 */
struct slot {
	struct hr_engine *e;
	pthread_t thread;
	bool started;
	struct hr_tally tally;
	uint64_t link_done_ns;
	uint8_t *kv;
	struct hymc_found *found;
	struct hymc_desc *descs;
	struct hymc_done *done;
	struct hymc_run *runs;
	uint32_t runs_max;
};

/**
 * struct hr_slots - all slots of an engine
 * @nr: how many
 * @kv_bytes: size of each one's KV buffer
 * @slot: they
 */
struct hr_slots {
	uint32_t nr;
	size_t kv_bytes;
	struct slot slot[];
};

static uint8_t *kv_at(const struct slot *s, uint32_t pos)
{
	return s->kv + (size_t)pos * s->e->block_bytes;
}

static uint64_t block_bytes(const struct slot *s, const struct hr_job *job,
			    uint32_t pos)
{
	return hr_engine_block_bytes(s->e, job->rq->blocks[pos]);
}

/* --------------------------------------------------------------- load --- */

/* How much of the prompt the engine has, and the pool behind that. */
static int find_prefix(struct slot *s, struct hr_job *job)
{
	struct hr_pool *pool = s->e->pool;
	uint32_t nr, i;
	int hits = 0;

	job->hbm_nr = hr_engine_hbm_prefix(s->e, job);
	nr = job->rq->block_nr - job->hbm_nr;
	if (nr)
		hits = hymc_lookup(pool->dev, pool->ns,
				   job->keys + job->hbm_nr, nr, LEASE_MS,
				   s->found);
	if (hits < 0)
		return hits;
	for (i = 0; i < nr && !s->found[i].status; i++)
		;
	/* The count and the answers must agree about the leading hits. */
	if ((int)i != hits)
		return -EPROTO;
	s->tally.lookup_keys += nr;
	s->tally.lookup_hits += hits;
	job->hit_nr = hits;
	return 0;
}

/* One block, through the hint that named it when there is one. */
static int acquire(struct slot *s, const struct hr_job *job, uint32_t pos,
		   struct hymc_view *view)
{
	const struct hr_hint_part *part = hr_hint_find(&job->hint, pos);
	struct hr_pool *pool = s->e->pool;
	uint32_t ms = s->e->cfg->load_timeout_ms;
	int ret;

	if (part) {
		ret = hymc_acquire_request(pool->dev, pool->ns, part->request,
					   pos - part->first, 1, ms, view,
					   s->runs, s->runs_max);
		if (ret != -ENOENT)
			return ret;
		/* The device gave the hint up: then by name. */
	}
	s->tally.unhinted_blocks++;
	return hymc_acquire(pool->dev, pool->ns, job->keys + pos, 1, ms, view,
			    s->runs, s->runs_max);
}

static void count_tier(struct hr_tally *t, const struct hymc_view *view)
{
	if (view->tier == HYMC_TIER_SSD)
		t->tier_ssd++;
	else if (view->tier == HYMC_TIER_INFLIGHT)
		t->tier_inflight++;
	else
		t->tier_dram++;
}

static void count_load_failure(struct hr_tally *t, int status)
{
	if (status == -ENOENT)
		t->load_missing++;
	else if (status == -ETIMEDOUT)
		t->load_timeout++;
	else if (status == -EIO)
		t->load_lost++;
	else
		t->load_failed++;
}

/* The view's bytes to @to, at most @room of them. -ERANGE: outside the map. */
static int copy_view(const struct slot *s, const struct hymc_view *view,
		     uint8_t *to, uint64_t room)
{
	const struct hymc_run *run = s->runs + view->run_first;
	const struct hymc_run *end = run + view->run_nr;
	uint64_t n;

	for (; run < end && room; run++) {
		if (run->offset > s->e->pool->map_bytes ||
		    run->len > s->e->pool->map_bytes - run->offset)
			return -ERANGE;
		n = run->len < room ? run->len : room;
		memcpy(to, s->e->pool->base + run->offset, n);
		to += n;
		room -= n;
	}
	/* What the view lacks must not be what the buffer held before. */
	memset(to, 0, room);
	return 0;
}

static void wrong_length(struct slot *s, const struct hr_job *job,
			 uint32_t pos, uint64_t len)
{
	struct hr_wrong wrong = {
		.line = job->rq->line,
		.id = s->e->trace->blocks[job->rq->blocks[pos]].id,
		.depth = pos,
		.len = len,
		.expected_len = block_bytes(s, job, pos),
	};

	/* Bytes that are missing are found by the comparison itself. */
	if (len > wrong.expected_len)
		s->tally.wrong_bytes += len - wrong.expected_len;
	s->tally.wrong_blocks++;
	hr_engine_wrong(s->e, &wrong);
}

/* Acquire, copy, release. 1: loaded; 0: not, recompute; or the run fails. */
static int load_block(struct slot *s, const struct hr_job *job, uint32_t pos)
{
	uint64_t bytes = block_bytes(s, job, pos);
	struct hymc_view view = { 0 };
	uint64_t handle;
	int ret, copied;

	ret = acquire(s, job, pos, &view);
	if (ret < 0)
		return ret;
	if (view.status || !ret) {
		count_load_failure(&s->tally, view.status);
		return 0;
	}
	s->link_done_ns = hr_engine_link(s->e, view.len);
	copied = copy_view(s, &view, kv_at(s, pos),
			   view.len < bytes ? view.len : bytes);
	if (view.len < bytes)
		memset(kv_at(s, pos) + view.len, 0, bytes - view.len);
	handle = view.view;
	ret = hymc_release(s->e->pool->dev, &handle, 1, NULL);
	if (ret != 1)
		return ret < 0 ? ret : -EPROTO;
	if (copied < 0)
		return copied;
	count_tier(&s->tally, &view);
	s->tally.loaded_blocks++;
	s->tally.loaded_bytes += view.len;
	if (view.len != bytes)
		wrong_length(s, job, pos, view.len);
	return 1;
}

/* The timed part. */
static int load_prefix(struct slot *s, struct hr_job *job)
{
	uint32_t end = job->hbm_nr + job->hit_nr, pos;
	uint64_t begin = hr_clock_ns();
	int ret = 1;

	s->link_done_ns = 0;
	for (pos = job->hbm_nr; pos < end; pos++) {
		ret = load_block(s, job, pos);
		if (ret <= 0)
			break;
		job->loaded_nr++;
	}
	/*
	 * Memory is faster than the link that is modelled. Copies queue up on
	 * it, as with a DMA engine; the prefix is there when the last one is.
	 */
	hr_clock_sleep_until(s->link_done_ns);
	job->loaded_ns = hr_clock_ns();
	job->load_ns = job->loaded_ns - begin;
	s->tally.recomputed_blocks += end - job->hbm_nr - job->loaded_nr;
	return ret < 0 ? ret : 0;
}

/* ------------------------------------------------------------ compute --- */

static void check_block(struct slot *s, const struct hr_job *job,
			uint32_t pos)
{
	struct hr_wrong wrong = {
		.line = job->rq->line,
		.id = s->e->trace->blocks[job->rq->blocks[pos]].id,
		.depth = pos,
		.len = block_bytes(s, job, pos),
	};

	wrong.expected_len = wrong.len;
	s->tally.checked_bytes += wrong.len;
	if (!hr_payload_check(&job->keys[pos], kv_at(s, pos), wrong.len,
			      &wrong.mismatch))
		return;
	s->tally.wrong_bytes += wrong.mismatch.wrong_bytes;
	s->tally.wrong_blocks++;
	hr_engine_wrong(s->e, &wrong);
}

static void check_prefix(struct slot *s, const struct hr_job *job)
{
	uint32_t pos, end = job->hbm_nr + job->loaded_nr;

	for (pos = job->hbm_nr; pos < end; pos++)
		check_block(s, job, pos);
}

static void make_new_blocks(struct slot *s, const struct hr_job *job)
{
	uint32_t pos = job->hbm_nr + job->loaded_nr;

	for (; pos < job->rq->block_nr; pos++)
		hr_payload_fill(&job->keys[pos], kv_at(s, pos),
				block_bytes(s, job, pos));
}

/* Tokens of the prompt that neither cache has. The last one is always due. */
static uint64_t missing_tokens(const struct slot *s, const struct hr_job *job)
{
	uint32_t pos, end = job->hbm_nr + job->loaded_nr;
	uint64_t missing = job->rq->input_tokens;

	for (pos = 0; pos < end; pos++)
		missing -= s->e->trace->blocks[job->rq->blocks[pos]].tokens;
	return missing ? missing : 1;
}

static void compute(struct slot *s, struct hr_job *job)
{
	check_prefix(s, job);
	make_new_blocks(s, job);
	hr_engine_compute_until(s->e, job->loaded_ns +
				hr_engine_prefill_ns(s->e,
						     missing_tokens(s, job)));
	job->first_token_ns = hr_clock_ns();
}

/* -------------------------------------------------------------- store --- */

/* True when the blocks behind this one can be found. */
static bool count_put(struct hr_tally *t, const struct hymc_done *done)
{
	switch (done->status) {
	case 0:
		if (done->tier == HYMC_TIER_NONE) {
			t->put_stored++;
			t->put_stored_bytes += done->len;
		} else {
			t->put_present++;
		}
		return true;
	case -EBUSY:
		t->put_busy++;
		return true;
	case -EAGAIN:
		t->put_skipped++;
		return false;
	case -ENOSPC:
		t->put_skipped_ssd++;
		return false;
	default:
		t->put_failed++;
		return false;
	}
}

/* One put of blocks @pos..@pos+@nr-1. 1: go on; 0: a block is missing now. */
static int put_batch(struct slot *s, const struct hr_job *job, uint32_t pos,
		     uint32_t nr)
{
	struct hr_pool *pool = s->e->pool;
	uint32_t i, flags = HYMC_PUT_CHAIN;
	bool whole = true;
	int ret;

	for (i = 0; i < nr; i++) {
		memcpy(s->descs[i].key, job->keys[pos + i].b, HYMC_KEY_BYTES);
		s->descs[i].len = block_bytes(s, job, pos + i);
		s->descs[i].addr = (uintptr_t)kv_at(s, pos + i);
	}
	if (pos)
		flags |= HYMC_PUT_PARENT;
	ret = hymc_put(pool->dev, pool->ns, s->descs, nr, flags,
		       pos ? &job->keys[pos - 1] : NULL,
		       s->e->cfg->put_timeout_ms, s->done);
	if (ret < 0)
		return ret;
	s->tally.put_offered += nr;
	for (i = 0; i < nr; i++)
		whole &= count_put(&s->tally, &s->done[i]);
	return whole;
}

/*
 * A block behind one that was skipped could not be found by a prefix lookup:
 * offering it would spend write buffer on bytes that nobody can load.
 */
static int store_new_blocks(struct slot *s, struct hr_job *job)
{
	uint32_t pos = job->hbm_nr + job->loaded_nr;
	uint32_t nr, end = job->rq->block_nr;
	uint64_t begin = hr_clock_ns();
	int ret = 1;

	job->new_nr = end - pos;
	for (; pos < end && ret > 0; pos += nr) {
		nr = end - pos;
		if (nr > s->e->cfg->put_batch)
			nr = s->e->cfg->put_batch;
		ret = put_batch(s, job, pos, nr);
	}
	job->store_ns = hr_clock_ns() - begin;
	if (ret >= 0)
		s->tally.put_withheld += end - pos;
	return ret < 0 ? ret : 0;
}

/* ------------------------------------------------------------- thread --- */

static void count_job(struct hr_tally *t, const struct hr_job *job)
{
	t->requests_loading += !!job->loaded_nr;
	t->prompt_blocks += job->rq->block_nr;
	t->hbm_blocks += job->hbm_nr;
	t->hit_blocks += job->hit_nr;
	t->missing_blocks += job->rq->block_nr - job->hbm_nr - job->hit_nr;
}

/* 0, or a negative errno that ends the run, with *@what it came from. */
static int serve(struct slot *s, struct hr_job *job, const char **what)
{
	int ret;

	*what = "lookup";
	ret = find_prefix(s, job);
	if (ret)
		return ret;
	*what = "loading a prefix";
	ret = load_prefix(s, job);
	hr_hint_end(&s->e->terms, &job->hint);
	if (ret)
		return ret;
	compute(s, job);
	*what = "storing new blocks";
	ret = store_new_blocks(s, job);
	if (ret)
		return ret;
	count_job(&s->tally, job);
	return 0;
}

static void *slot_main(void *arg)
{
	struct slot *s = arg;
	struct hr_job *job;
	const char *what;
	int ret;

	while ((job = hr_engine_take(s->e))) {
		ret = serve(s, job, &what);
		if (ret) {
			hr_engine_fail(s->e, ret, what);
			break;
		}
		hr_engine_finish(s->e, job, &s->tally);
	}
	hr_engine_count(s->e, &s->tally);
	return NULL;
}

static int make_slot(struct slot *s, struct hr_engine *e, size_t kv_bytes)
{
	uint32_t batch = e->cfg->put_batch;
	void *kv;

	s->e = e;
	s->runs_max = e->block_bytes / e->pool->info.frame_bytes + 2;
	s->found = calloc(e->block_nr_max, sizeof(*s->found));
	s->descs = calloc(batch, sizeof(*s->descs));
	s->done = calloc(batch, sizeof(*s->done));
	s->runs = calloc(s->runs_max, sizeof(*s->runs));
	/* Populated: page faults would be timed as loading. */
	kv = mmap(NULL, kv_bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (kv != MAP_FAILED)
		s->kv = kv;
	if (!s->found || !s->descs || !s->done || !s->runs || !s->kv)
		return -ENOMEM;
	return -pthread_create(&s->thread, NULL, slot_main, s);
}

static void free_slot(struct slot *s, size_t kv_bytes)
{
	if (s->started)
		pthread_join(s->thread, NULL);
	free(s->found);
	free(s->descs);
	free(s->done);
	free(s->runs);
	if (s->kv)
		munmap(s->kv, kv_bytes);
}

int hr_slots_start(struct hr_engine *e, struct hr_slots **slots)
{
	uint32_t i, nr = e->cfg->slots;
	struct hr_slots *all;
	int ret = 0;

	all = calloc(1, sizeof(*all) + nr * sizeof(*all->slot));
	if (!all)
		return -ENOMEM;
	all->nr = nr;
	all->kv_bytes = (size_t)e->block_nr_max * e->block_bytes;
	for (i = 0; i < nr && !ret; i++) {
		ret = make_slot(&all->slot[i], e, all->kv_bytes);
		all->slot[i].started = !ret;
	}
	*slots = all;
	if (!ret)
		return 0;
	e->stop = true;
	pthread_cond_broadcast(&e->changed);
	hr_slots_join(all);
	return ret;
}

void hr_slots_join(struct hr_slots *slots)
{
	uint32_t i;

	for (i = 0; i < slots->nr; i++)
		free_slot(&slots->slot[i], slots->kv_bytes);
	free(slots);
}
