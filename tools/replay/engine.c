// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the model of a serving engine
 *
 * Requests arrive when the trace says, wait in one FIFO queue, and are served
 * by C slots (slot.c). Owns the queue, the engine's own prefix cache and what is
 * known about waiting requests: on arrival the pool is asked how much of the
 * prompt it has, and (mode hymc) told that this will be read, and by when. When
 * a request ends, waiting ones are looked at again: the prefix of those that
 * continue it has grown, and its blocks may have pushed theirs out of the
 * engine's own cache.
 *
 *	jobs	0 ......... started ......... arrived ......... request_nr
 *		 with a slot | in the queue    | to come
 *
 * One mutex. It is never held over a wait for I/O, a copy or a sleep.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "engine.h"
#include "model.h"
#include "progress.h"
#include "slot.h"

/* How often who sleeps looks up, for signals and to show progress. */
#define SLICE_NS	(100 * HR_NS_PER_MS)
/* Weight of the newest sample in the moving average: 1/8. */
#define AVERAGE_SHIFT	3

volatile sig_atomic_t hr_interrupted;

uint64_t hr_engine_block_bytes(const struct hr_engine *e, uint32_t block)
{
	return hr_block_bytes(e->trace->blocks[block].tokens,
			      e->cfg->token_bytes, &e->cfg->scale);
}

uint64_t hr_engine_prefill_ns(const struct hr_engine *e, uint64_t tokens)
{
	return tokens / e->cfg->prefill_rate / e->cfg->speed * HR_NS_PER_S;
}

static bool must_stop(const struct hr_engine *e)
{
	return hr_interrupted || __atomic_load_n(&e->code, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------ arrival --- */

/*
 * When the request at @place of the queue (0 = next) will start, from now: one
 * slot becomes free every service time / slots.
 */
static uint32_t expected_wait_ms(const struct hr_engine *e, uint32_t place)
{
	uint64_t before;

	if (place < e->idle)
		return 0;
	before = place - e->idle + 1;
	return before * e->service_ns / e->cfg->slots / HR_NS_PER_MS;
}

/*
 * Ask how much the pool has of blocks @from..@end-1, and tell it that this will
 * be read. Returns how many leading ones it has.
 */
static uint32_t hint_range(struct hr_engine *e, struct hr_job *job,
			   uint32_t from, uint32_t end)
{
	uint32_t place = job - e->jobs - e->started;
	const struct hymc_key *keys = job->keys + from;
	int hits;

	if (from == end)
		return 0;
	hits = hymc_lookup(e->pool->dev, e->pool->ns, keys, end - from, 0,
			   NULL);
	if (hits < 0) {
		hr_engine_fail(e, hits, "lookup");
		return 0;
	}
	e->tally.lookup_keys += end - from;
	e->tally.lookup_hits += hits;
	hr_hint_give(&e->terms, &job->hint, keys, from, hits,
		     expected_wait_ms(e, place), &e->tally);
	return hits;
}

/* Hint what the pool has of the prompt behind what it was asked for. */
static void hint_behind(struct hr_engine *e, struct hr_job *job)
{
	job->asked_end += hint_range(e, job, job->asked_end,
				     job->rq->block_nr);
}

static int make_keys(struct hr_engine *e, struct hr_job *job)
{
	uint32_t i;

	job->keys = calloc(job->rq->block_nr + 1, sizeof(*job->keys));
	if (!job->keys)
		return -ENOMEM;
	for (i = 0; i < job->rq->block_nr; i++)
		job->keys[i] = e->keys[job->rq->blocks[i]];
	return 0;
}

static int arrive(struct hr_engine *e, struct hr_job *job)
{
	int ret = make_keys(e, job);

	if (ret)
		return ret;
	pthread_mutex_lock(&e->lock);
	job->arrived_ns = hr_clock_ns();
	if (e->mode->hints) {
		job->asked_first = hr_hbm_prefix(e->hbm, job->rq);
		job->asked_end = job->asked_first;
		hint_behind(e, job);
	}
	e->arrived++;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
	return 0;
}

/*
 * @done was stored. The ids are hashes over the whole prefix, so @job continues
 * it where the two have the same block at the same place.
 */
static bool continues(const struct hr_job *job, const struct hr_job *done)
{
	uint32_t at = job->asked_end;

	return at < job->rq->block_nr && at < done->rq->block_nr &&
	       job->rq->blocks[at] == done->rq->blocks[at];
}

/* The engine's own cache lost blocks that @job was to find there. */
static void hint_before(struct hr_engine *e, struct hr_job *job)
{
	uint32_t first = hr_hbm_prefix(e->hbm, job->rq);

	if (first >= job->asked_first)
		return;
	hint_range(e, job, first, job->asked_first);
	job->asked_first = first;
}

/*
 * A request ended: what waiting ones will need has changed when they continue
 * it, or when its blocks pushed theirs out of the engine's own cache.
 */
static void hint_again(struct hr_engine *e, const struct hr_job *done)
{
	struct hr_job *job = e->jobs + e->started;
	struct hr_job *end = e->jobs + e->arrived;

	for (; job < end; job++) {
		hint_before(e, job);
		if (continues(job, done))
			hint_behind(e, job);
	}
}

/* ---------------------------------------------------------- for slots --- */

struct hr_job *hr_engine_take(struct hr_engine *e)
{
	struct hr_job *job = NULL;

	pthread_mutex_lock(&e->lock);
	e->idle++;
	while (!e->stop && e->started == e->arrived &&
	       e->arrived < e->trace->request_nr)
		pthread_cond_wait(&e->changed, &e->lock);
	if (!e->stop && e->started < e->arrived) {
		job = &e->jobs[e->started++];
		job->started_ns = hr_clock_ns();
	}
	e->idle--;
	pthread_mutex_unlock(&e->lock);
	return job;
}

uint32_t hr_engine_hbm_prefix(struct hr_engine *e, const struct hr_job *job)
{
	uint32_t nr;

	pthread_mutex_lock(&e->lock);
	nr = hr_hbm_prefix(e->hbm, job->rq);
	pthread_mutex_unlock(&e->lock);
	return nr;
}

void hr_engine_finish(struct hr_engine *e, struct hr_job *job,
		      struct hr_tally *tally)
{
	int64_t delta;

	tally->requests++;
	free(job->keys);
	job->keys = NULL;
	pthread_mutex_lock(&e->lock);
	job->ended_ns = hr_clock_ns();
	delta = job->ended_ns - job->started_ns - e->service_ns;
	e->service_ns += delta / (1 << AVERAGE_SHIFT);
	e->ended++;
	hr_hbm_insert(e->hbm, job->rq);
	if (e->mode->hints)
		hint_again(e, job);
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
}

uint64_t hr_engine_link(struct hr_engine *e, uint64_t bytes)
{
	const struct hr_ratio *scale = &e->cfg->scale;
	uint64_t now = hr_clock_ns(), done;
	double rate;

	if (!e->cfg->link_rate)
		return 0;
	rate = e->cfg->link_rate * e->cfg->speed * scale->num / scale->den;
	pthread_mutex_lock(&e->lock);
	if (e->link_free_ns < now)
		e->link_free_ns = now;
	e->link_free_ns += bytes / rate * HR_NS_PER_S;
	done = e->link_free_ns;
	pthread_mutex_unlock(&e->lock);
	return done;
}

void hr_engine_compute_until(const struct hr_engine *e, uint64_t when_ns)
{
	uint64_t now;

	while ((now = hr_clock_ns()) < when_ns && !must_stop(e))
		hr_clock_sleep_until(when_ns - now < SLICE_NS ?
				     when_ns : now + SLICE_NS);
}

void hr_engine_wrong(struct hr_engine *e, const struct hr_wrong *wrong)
{
	pthread_mutex_lock(&e->lock);
	if (e->wrong_nr < HR_WRONG_MAX)
		e->wrong[e->wrong_nr++] = *wrong;
	pthread_mutex_unlock(&e->lock);
}

/* Callable with and without the lock: only the first caller's error counts. */
void hr_engine_fail(struct hr_engine *e, int code, const char *what)
{
	const char *why = hymc_last_error(e->pool->ctx);
	static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&first);
	if (!e->code) {
		__atomic_store_n(&e->code, code, __ATOMIC_RELAXED);
		hr_err_set(&e->err, code, "%s: %s", what,
			   *why ? why : strerror(-code));
	}
	pthread_mutex_unlock(&first);
}

void hr_engine_count(struct hr_engine *e, const struct hr_tally *tally)
{
	pthread_mutex_lock(&e->lock);
	hr_tally_add(&e->tally, tally);
	pthread_mutex_unlock(&e->lock);
}

/* ---------------------------------------------------------------- run --- */

/* True when all requests of the trace are done. */
static bool show_progress(struct hr_engine *e, struct hr_progress *progress)
{
	uint32_t ended, waiting;

	pthread_mutex_lock(&e->lock);
	ended = e->ended;
	waiting = e->arrived - e->started;
	pthread_mutex_unlock(&e->lock);
	hr_progress_show(progress, ended, waiting);
	return ended == e->trace->request_nr;
}

static uint64_t arrival_ns(const struct hr_engine *e, uint32_t i)
{
	uint64_t ms = e->trace->requests[i].time_ms -
		      e->trace->requests[0].time_ms;

	return e->start_ns + ms * HR_NS_PER_MS / e->cfg->speed;
}

static int arrivals(struct hr_engine *e, struct hr_progress *progress)
{
	uint64_t when, now;
	uint32_t i;
	int ret;

	for (i = 0; i < e->trace->request_nr; i++) {
		when = arrival_ns(e, i);
		while ((now = hr_clock_ns()) < when && !must_stop(e)) {
			show_progress(e, progress);
			hr_clock_sleep_until(when - now < SLICE_NS ?
					     when : now + SLICE_NS);
		}
		if (must_stop(e))
			return 0;
		ret = arrive(e, &e->jobs[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Wait for the slots, who wait for nothing unbounded. */
static void drain(struct hr_engine *e, struct hr_progress *progress)
{
	while (!must_stop(e) && !show_progress(e, progress))
		hr_clock_sleep_until(hr_clock_ns() + SLICE_NS / 2);
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
}

int hr_engine_run(struct hr_engine *e)
{
	struct hr_progress progress;
	struct hr_slots *slots;
	int ret;

	ret = hr_slots_start(e, &slots);
	if (ret)
		return hr_err_set(&e->err, ret, "cannot start the slots: %s",
				  strerror(-ret));
	hr_progress_begin(&progress, e->cfg->progress, e->mode->name,
			  e->trace->request_nr);
	e->start_ns = hr_clock_ns();
	ret = arrivals(e, &progress);
	if (ret)
		hr_engine_fail(e, ret, "arrival");
	drain(e, &progress);
	hr_slots_join(slots);
	hr_progress_end(&progress);
	if (e->code)
		return e->code;
	return hr_interrupted ? hr_err_set(&e->err, -EINTR, "interrupted") : 0;
}

/* -------------------------------------------------------------- setup --- */

/* Until requests have ended: as if nothing were cached. */
static uint64_t first_service_ns(const struct hr_engine *e)
{
	uint64_t tokens = 0;
	uint32_t i;

	for (i = 0; i < e->trace->request_nr; i++)
		tokens += e->trace->requests[i].input_tokens;
	return hr_engine_prefill_ns(e, tokens / e->trace->request_nr);
}

static int make_jobs(struct hr_engine *e)
{
	uint32_t i, nr = e->trace->request_nr;
	uint64_t bytes;

	e->block_nr_max = 1;
	e->block_bytes = 1;
	e->service_ns = first_service_ns(e);

	e->jobs = calloc(nr, sizeof(*e->jobs));
	if (!e->jobs)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		e->jobs[i].rq = &e->trace->requests[i];
		if (e->jobs[i].rq->block_nr > e->block_nr_max)
			e->block_nr_max = e->jobs[i].rq->block_nr;
	}
	for (i = 0; i < e->trace->block_nr; i++) {
		bytes = hr_engine_block_bytes(e, i);
		if (bytes > e->block_bytes)
			e->block_bytes = bytes;
	}
	return 0;
}

int hr_engine_init(struct hr_engine *e, const struct hr_config *cfg,
		   const struct hr_mode *mode, const struct hr_trace *trace,
		   struct hr_pool *pool, uint64_t generation,
		   struct hr_err *err)
{
	*e = (struct hr_engine){
		.cfg = cfg, .mode = mode, .trace = trace, .pool = pool,
		.terms = { pool, cfg->window_bytes },
	};
	if (!e->terms.window_bytes)
		e->terms.window_bytes = pool->info.dram_bytes / 8;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->changed, NULL);
	e->keys = hr_keys_make(trace, cfg->model, generation);
	e->hbm = hr_hbm_new(cfg->hbm_blocks, trace->block_nr);
	if (!e->keys || !e->hbm || make_jobs(e)) {
		hr_engine_destroy(e);
		return hr_err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

void hr_engine_destroy(struct hr_engine *e)
{
	uint32_t i;

	for (i = 0; e->jobs && i < e->trace->request_nr; i++)
		free(e->jobs[i].keys);
	free(e->jobs);
	free(e->keys);
	hr_hbm_free(e->hbm);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
}
