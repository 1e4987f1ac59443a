/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the model of a serving engine
 */
#ifndef HR_ENGINE_H
#define HR_ENGINE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "config.h"
#include "hbm.h"
#include "hint.h"
#include "keys.h"
#include "payload.h"
#include "pool.h"
#include "tally.h"
#include "trace.h"

/* Keep details of so many wrong blocks; all are counted. */
#define HR_WRONG_MAX	16

/**
 * struct hr_wrong - a block with wrong bytes
 * @line: line of the request in the trace
 * @id: hash id of the block
 * @depth: position in the prompt
 * @len: payload bytes the device says it has
 * @expected_len: payload bytes it should have
 * @mismatch: what is wrong
 */
struct hr_wrong {
	unsigned long line;
	uint64_t id;
	uint32_t depth;
	uint64_t len;
	uint64_t expected_len;
	struct hr_mismatch mismatch;
};

/**
 * struct hr_job - one request on its way through the engine
 * @rq: the request
 * @keys: its keys, in order of its blocks
 * @hint: what the device was told
 * @asked_first: first block of the prompt that the device was asked for; those
 *	before it are expected in the engine's own cache
 * @asked_end: block behind the last one
 * @arrived_ns: when it joined the queue
 * @started_ns: when a slot took it
 * @loaded_ns: when its prefix was loaded
 * @first_token_ns: when its prompt was computed
 * @ended_ns: when its new blocks were stored
 * @hbm_nr: leading blocks that the engine had itself
 * @hit_nr: blocks behind them that the pool had
 * @loaded_nr: of those, loaded
 * @load_ns: time from the first acquire to the last release
 * @new_nr: blocks behind them, to be stored
 * @store_ns: how long that took
 */
struct hr_job {
	const struct hr_request *rq;
	struct hymc_key *keys;
	struct hr_hint hint;
	uint32_t asked_first;
	uint32_t asked_end;
	uint64_t arrived_ns;
	uint64_t started_ns;
	uint64_t loaded_ns;
	uint64_t first_token_ns;
	uint64_t ended_ns;
	uint32_t hbm_nr;
	uint32_t hit_nr;
	uint32_t loaded_nr;
	uint64_t load_ns;
	uint32_t new_nr;
	uint64_t store_ns;
};

/**
 * struct hr_engine - one run of one mode
 * @cfg: how
 * @mode: which mode
 * @trace: what
 * @pool: on which pool
 * @terms: terms of hints
 * @keys: keys of all blocks
 * @block_bytes: longest block; stride of the slots' buffers
 * @block_nr_max: most blocks of one request
 * @start_ns: when the trace began
 * @lock: protects all below; held over hints, which do not wait, and over
 *	nothing that may wait for I/O
 * @changed: a request arrived or ended, or @stop was set
 * @jobs: all requests of the trace; [0, @started) left the queue, [@started,
 *	@arrived) wait in it, the others are to come
 * @arrived: number of requests that arrived
 * @started: number of requests that slots took
 * @ended: number of requests that are done
 * @idle: slots that wait for work
 * @stop: finish what is started and take no more
 * @code: first error of a slot, or 0
 * @err: its sentence
 * @service_ns: moving average of how long a request occupies a slot
 * @link_free_ns: when the link to the device has done what was asked of it
 * @hbm: the engine's own cache
 * @tally: counts of the arrival side and of all slots that ended
 * @wrong: the first wrong blocks
 * @wrong_nr: how many of them are filled
 */
struct hr_engine {
	const struct hr_config *cfg;
	const struct hr_mode *mode;
	const struct hr_trace *trace;
	struct hr_pool *pool;
	struct hr_hint_terms terms;
	struct hymc_key *keys;
	uint64_t block_bytes;
	uint32_t block_nr_max;
	uint64_t start_ns;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct hr_job *jobs;
	uint32_t arrived;
	uint32_t started;
	uint32_t ended;
	uint32_t idle;
	bool stop;
	int code;
	struct hr_err err;
	uint64_t service_ns;
	uint64_t link_free_ns;
	struct hr_hbm *hbm;
	struct hr_tally tally;
	struct hr_wrong wrong[HR_WRONG_MAX];
	uint32_t wrong_nr;
};

/* Set by a signal handler: stop soon, tidily. */
extern volatile sig_atomic_t hr_interrupted;

/**
 * hr_engine_init() - make an engine
 * @e: out; to be destroyed also after a failure of the run
 * @cfg: how to run
 * @mode: which mode
 * @trace: what to replay
 * @pool: on which pool
 * @generation: makes the keys of this run its own
 * @err: where the sentence goes
 *
 * The referenced objects must outlive it.
 *
 * Return: 0 or -ENOMEM.
 */
int hr_engine_init(struct hr_engine *e, const struct hr_config *cfg,
		   const struct hr_mode *mode, const struct hr_trace *trace,
		   struct hr_pool *pool, uint64_t generation,
		   struct hr_err *err);

/**
 * hr_engine_destroy() - free an engine that does not run
 * @e: the engine
 */
void hr_engine_destroy(struct hr_engine *e);

/**
 * hr_engine_run() - replay the trace
 * @e: the engine
 *
 * Sleeps; all threads are gone when it returns.
 *
 * Return: 0 when all requests are done; the error of a slot, with its sentence
 * in @e->err; -EINTR after hr_interrupted.
 */
int hr_engine_run(struct hr_engine *e);

/**
 * hr_engine_block_bytes() - payload bytes of a block
 * @e: the engine
 * @block: its index in the trace
 *
 * Return: Bytes, scaled.
 */
uint64_t hr_engine_block_bytes(const struct hr_engine *e, uint32_t block);

/**
 * hr_engine_prefill_ns() - how long tokens take to compute
 * @e: the engine
 * @tokens: how many
 *
 * Return: Nanoseconds of our time, not of the trace.
 */
uint64_t hr_engine_prefill_ns(const struct hr_engine *e, uint64_t tokens);

/**
 * hr_engine_take() - get the next request, for slots
 * @e: the engine
 *
 * Waits for one to arrive.
 *
 * Return: The request, or NULL when the slot shall end.
 */
struct hr_job *hr_engine_take(struct hr_engine *e);

/**
 * hr_engine_hbm_prefix() - what the engine has itself, for slots
 * @e: the engine
 * @job: the request
 *
 * Return: The number of leading blocks.
 */
uint32_t hr_engine_hbm_prefix(struct hr_engine *e, const struct hr_job *job);

/**
 * hr_engine_link() - send bytes over the link to the device, for slots
 * @e: the engine
 * @bytes: how many
 *
 * Return: When the last of them will have arrived; 0 when the link is as fast
 * as memory is.
 */
uint64_t hr_engine_link(struct hr_engine *e, uint64_t bytes);

/**
 * hr_engine_compute_until() - sleep while computing, for slots
 * @e: the engine
 * @when_ns: until then, or until the run is to stop
 */
void hr_engine_compute_until(const struct hr_engine *e, uint64_t when_ns);

/**
 * hr_engine_finish() - a request is done and stored, for slots
 * @e: the engine
 * @job: the request
 * @tally: counts of the slot
 *
 * Takes the lock; hints waiting requests again under it.
 */
void hr_engine_finish(struct hr_engine *e, struct hr_job *job,
		      struct hr_tally *tally);

/**
 * hr_engine_wrong() - note a block with wrong bytes, for slots
 * @e: the engine
 * @wrong: what is wrong; only the first ones are kept
 */
void hr_engine_wrong(struct hr_engine *e, const struct hr_wrong *wrong);

/**
 * hr_engine_fail() - end the run with an error
 * @e: the engine
 * @code: negative errno
 * @what: what failed; the sentence goes on with what the library says
 *
 * May be called with and without the lock; the first error counts.
 */
void hr_engine_fail(struct hr_engine *e, int code, const char *what);

/**
 * hr_engine_count() - add the counts of a slot that ended
 * @e: the engine
 * @tally: the counts
 */
void hr_engine_count(struct hr_engine *e, const struct hr_tally *tally);

#endif
