/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: one mode, from a fresh pool to its result
 */
#ifndef HR_RUN_H
#define HR_RUN_H

#include "audit.h"
#include "config.h"
#include "engine.h"
#include "hist.h"
#include "sampler.h"
#include "trace.h"

/**
 * struct hr_outcome - what became of one request
 * @hit_nr: blocks of its prefix that the pool had
 * @loaded_nr: of those, loaded
 * @load_ms: how long that took
 * @wait_ms: time in the queue
 * @first_token_ms: from arrival until its prompt was computed
 */
struct hr_outcome {
	uint32_t hit_nr;
	uint32_t loaded_nr;
	double load_ms;
	double wait_ms;
	double first_token_ms;
};

/**
 * struct hr_result - what a mode did
 * @mode: which
 * @pool: number of its pool
 * @info: what the pool was
 * @seconds: from the first arrival to the end of the last request
 * @start_ns: when the first request arrived
 * @tally: what the replay counted
 * @moved: how the device's counters moved until all was done and written back;
 *	gauges as they were then
 * @drive_read: bytes the kernel's block layer counted for the drive, or 0
 * @drive_write: the same, written
 * @outcomes: of each request of the trace, in its order
 * @load_ms: times of those that loaded something
 * @wait_ms: of all
 * @first_token_ms: of all
 * @store_ms: time to store new blocks, of those that had some
 * @sampler: counters over time
 * @audit: disagreements
 * @wrong: details of the first wrong blocks
 * @wrong_nr: how many
 */
struct hr_result {
	const struct hr_mode *mode;
	uint32_t pool;
	struct hymc_info info;
	double seconds;
	uint64_t start_ns;
	struct hr_tally tally;
	struct hymc_stats moved;
	uint64_t drive_read;
	uint64_t drive_write;
	struct hr_outcome *outcomes;
	struct hr_samples load_ms;
	struct hr_samples wait_ms;
	struct hr_samples first_token_ms;
	struct hr_samples store_ms;
	struct hr_sampler sampler;
	struct hr_audit audit;
	struct hr_wrong wrong[HR_WRONG_MAX];
	uint32_t wrong_nr;
};

/**
 * hr_run_mode() - run one mode
 * @cfg: the configuration
 * @mode: the mode
 * @trace: the trace
 * @generation: makes the keys of this run its own
 * @result: out, whatever was found out; to be freed after success
 * @err: where the sentence goes
 *
 * Return: 0, or a negative errno when it could not be run to its end.
 */
int hr_run_mode(const struct hr_config *cfg, const struct hr_mode *mode,
		const struct hr_trace *trace, uint64_t generation,
		struct hr_result *result, struct hr_err *err);

/**
 * hr_result_free() - free a result
 * @result: the result
 */
void hr_result_free(struct hr_result *result);

/**
 * hr_result_load_rate() - how fast prefixes were loaded
 * @result: the result
 *
 * Return: Bytes per second of loading; 0 when nothing was loaded.
 */
double hr_result_load_rate(const struct hr_result *result);

/**
 * hr_result_good() - the verdict
 * @result: the result
 *
 * Return: True when no byte was wrong and all counters agree.
 */
bool hr_result_good(const struct hr_result *result);

#endif
