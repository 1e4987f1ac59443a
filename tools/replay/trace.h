/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: a request trace in memory
 */
#ifndef HR_TRACE_H
#define HR_TRACE_H

#include <stdint.h>

#include "err.h"

/* "No such block" */
#define HR_NIL		(~0U)

/**
 * struct hr_block - a distinct block of the trace
 * @id: its hash id in the file
 * @parent: index of the block before it, HR_NIL for the first of a prompt
 * @depth: how many blocks are before it
 * @tokens: 1..HR_BLOCK_TOKENS; fewer than the maximum ends a prompt
 */
struct hr_block {
	uint64_t id;
	uint32_t parent;
	uint32_t depth;
	uint32_t tokens;
};

/**
 * struct hr_request - one request of the trace
 * @time_ms: arrival, milliseconds of trace time
 * @line: its line in the file, from 1
 * @input_tokens: length of the prompt
 * @output_tokens: length of the answer
 * @block_nr: blocks of the prompt; the tokens behind them are never cached
 * @blocks: indices of the blocks, first to last
 */
struct hr_request {
	uint64_t time_ms;
	unsigned long line;
	uint32_t input_tokens;
	uint32_t output_tokens;
	uint32_t block_nr;
	uint32_t *blocks;
};

/**
 * struct hr_trace - a trace, validated as a whole; read-only afterwards
 * @requests: in order of arrival
 * @request_nr: how many
 * @blocks: all distinct blocks, in order of first use
 * @block_nr: how many
 */
struct hr_trace {
	struct hr_request *requests;
	uint32_t request_nr;
	struct hr_block *blocks;
	uint32_t block_nr;
};

/**
 * hr_trace_read() - read and validate a trace as a whole
 * @path: plain, gzip or xz
 * @trace: out; empty on failure
 * @err: where "FILE:LINE: what is wrong" goes
 *
 * Return: 0; -EINVAL for a line that is not a request; or as hr_lines_open()
 * and hr_lines_next().
 */
int hr_trace_read(const char *path, struct hr_trace *trace,
		  struct hr_err *err);

/**
 * hr_trace_cut() - keep only the first requests
 * @trace: the trace
 * @nr: how many; blocks that only others use go too
 */
void hr_trace_cut(struct hr_trace *trace, uint32_t nr);

/**
 * hr_trace_free() - free a trace
 * @trace: the trace, empty afterwards
 */
void hr_trace_free(struct hr_trace *trace);

#endif
