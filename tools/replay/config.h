/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: everything a replay can be told
 */
#ifndef HR_CONFIG_H
#define HR_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "parse.h"

#define HR_MODES_MAX	3
#define HR_NOTES_MAX	32

/**
 * struct hr_mode - one way to run the device
 * @name: name on the command line and in the report
 * @policy: enum hymc_policy of the pool
 * @hints: tell the device what queued requests will read
 */
struct hr_mode {
	const char *name;
	uint32_t policy;
	bool hints;
};

/**
 * struct hr_config - the parsed command line
 * @trace: path of the trace
 * @requests: replay only that many, 0 = all
 * @model: name of the model, or "custom"
 * @token_bytes: KV bytes per token of the model, unscaled
 * @scale: what block sizes are multiplied with
 * @speed: trace seconds per second
 * @slots: requests served at the same time
 * @prefill_rate: tokens per second of trace time and slot
 * @link_rate: bytes/s between the device and the engine, unscaled, of all slots
 *	together; 0 = as fast as memory is
 * @hbm_blocks: capacity of the engine's own prefix cache
 * @modes: what to run, in order
 * @mode_nr: how many
 * @dram: dax device for fresh pools
 * @dram_bytes: use only so much of it, 0 = all
 * @ssd: drive for fresh pools
 * @window_bytes: window of a hint, 0 = an eighth of the DRAM
 * @frame_bytes: frame size, 0 = largest power of two not above a block
 * @dirty_max_bytes: write buffer limit, 0 = the pool's default
 * @dev: use this existing pool instead
 * @force: format the drive whatever is on it
 * @take_dax: take the dax device from a stock driver
 * @load_timeout_ms: longest wait for one block
 * @put_timeout_ms: longest wait of one put, where the policy waits
 * @put_batch: blocks per put
 * @sample_ms: period of the time series
 * @generation: makes the keys of this run its own; 0 = random
 * @progress: show progress
 * @report: path of the JSON report, or NULL
 * @at_end: command to run before a pool is destroyed, or NULL
 * @notes: "KEY=VALUE" for the report, uninterpreted
 * @note_nr: how many
 */
struct hr_config {
	const char *trace;
	uint32_t requests;
	const char *model;
	uint64_t token_bytes;
	struct hr_ratio scale;
	double speed;
	uint32_t slots;
	double prefill_rate;
	double link_rate;
	uint32_t hbm_blocks;
	const struct hr_mode *modes[HR_MODES_MAX];
	unsigned int mode_nr;
	const char *dram;
	uint64_t dram_bytes;
	const char *ssd;
	uint64_t window_bytes;
	uint64_t frame_bytes;
	uint64_t dirty_max_bytes;
	const char *dev;
	bool force;
	bool take_dax;
	uint32_t load_timeout_ms;
	uint32_t put_timeout_ms;
	uint32_t put_batch;
	uint32_t sample_ms;
	uint64_t generation;
	bool progress;
	const char *report;
	const char *at_end;
	const char *notes[HR_NOTES_MAX];
	unsigned int note_nr;
};

/**
 * hr_mode_find() - look a mode up
 * @name: its name
 *
 * Return: The mode, or NULL.
 */
const struct hr_mode *hr_mode_find(const char *name);

/**
 * hr_config_parse() - parse a command line
 * @argc: as main() gets it
 * @argv: as main() gets it; must outlive @cfg
 * @cfg: out
 * @err: where the sentence goes
 *
 * Return: 0; 1 when help was asked for and printed to stdout; -EINVAL.
 */
int hr_config_parse(int argc, char **argv, struct hr_config *cfg,
		    struct hr_err *err);

#endif
