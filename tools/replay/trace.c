// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: a request trace in memory
 *
 * Owns the relations between lines: time never runs backwards, and a block has
 * one parent and one length wherever it occurs (the ids are hashes over the
 * whole prefix). A trace is taken as a whole or not at all. Read-only once
 * read, so any thread may look at it without a lock.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idmap.h"
#include "lines.h"
#include "model.h"
#include "trace.h"
#include "trace_line.h"

/* The sum of a trace's block references stays an int everywhere. */
#define REQUESTS_MAX	(1U << 24)
#define BLOCKS_MAX	(1U << 30)

/**
 * struct reader - a trace being read
 * @trace: what there is so far
 * @request_max: room in @trace->requests
 * @block_max: room in @trace->blocks
 * @map: hash id to index in @trace->blocks
 * @line: the line in hand
 * @where: "FILE:LINE" of it
 * @err: where the sentence goes
 */
struct reader {
	struct hr_trace *trace;
	uint32_t request_max;
	uint32_t block_max;
	struct hr_idmap map;
	struct hr_trace_line line;
	char where[512];
	struct hr_err *err;
};

static int out_of_memory(struct reader *r)
{
	return hr_err_set(r->err, -ENOMEM, "%s: out of memory", r->where);
}

/* Room for one more element of @size bytes in an array of @nr of *@max. */
static int reserve(void **array, uint32_t nr, uint32_t *max, size_t size)
{
	uint32_t more;
	void *next;

	if (nr < *max)
		return 0;
	more = *max ? 2 * *max : 1024;
	next = realloc(*array, more * size);
	if (!next)
		return -ENOMEM;
	*array = next;
	*max = more;
	return 0;
}

static int add_block(struct reader *r, const struct hr_block *block,
		     uint32_t *index)
{
	struct hr_trace *t = r->trace;

	if (t->block_nr == BLOCKS_MAX ||
	    reserve((void **)&t->blocks, t->block_nr, &r->block_max,
		    sizeof(*t->blocks)) ||
	    hr_idmap_add(&r->map, block->id, t->block_nr))
		return out_of_memory(r);
	*index = t->block_nr;
	t->blocks[t->block_nr++] = *block;
	return 0;
}

/* The block that @want describes: known and the same, or new. */
static int find_block(struct reader *r, const struct hr_block *want,
		      uint32_t *index)
{
	const struct hr_block *have;

	*index = hr_idmap_get(&r->map, want->id);
	if (*index == HR_NIL)
		return add_block(r, want, index);
	have = &r->trace->blocks[*index];
	if (have->parent != want->parent)
		return hr_err_set(r->err, -EINVAL,
				  "%s: hash id %" PRIu64 " occurred before behind another prefix",
				  r->where, want->id);
	if (have->tokens != want->tokens)
		return hr_err_set(r->err, -EINVAL,
				  "%s: hash id %" PRIu64 " has %u tokens here and %u before",
				  r->where, want->id, want->tokens,
				  have->tokens);
	return 0;
}

static int add_blocks(struct reader *r, struct hr_request *rq)
{
	struct hr_block want = { .parent = HR_NIL };
	uint32_t i, left = rq->input_tokens;
	int ret;

	for (i = 0; i < rq->block_nr; i++) {
		want.id = r->line.ids[i];
		want.depth = i;
		want.tokens = left < HR_BLOCK_TOKENS ? left : HR_BLOCK_TOKENS;
		ret = find_block(r, &want, &rq->blocks[i]);
		if (ret)
			return ret;
		want.parent = rq->blocks[i];
		left -= want.tokens;
	}
	return 0;
}

static int add_request(struct reader *r, unsigned long number)
{
	struct hr_trace *t = r->trace;
	struct hr_request *rq;

	if (t->request_nr &&
	    r->line.time_ms < t->requests[t->request_nr - 1].time_ms)
		return hr_err_set(r->err, -EINVAL,
				  "%s: \"timestamp\" is before that of the previous line",
				  r->where);
	if (t->request_nr == REQUESTS_MAX ||
	    reserve((void **)&t->requests, t->request_nr, &r->request_max,
		    sizeof(*t->requests)))
		return out_of_memory(r);
	rq = &t->requests[t->request_nr];
	*rq = (struct hr_request){
		.time_ms = r->line.time_ms,
		.line = number,
		.input_tokens = r->line.input_tokens,
		.output_tokens = r->line.output_tokens,
		.block_nr = r->line.id_nr,
		.blocks = calloc(r->line.id_nr + 1, sizeof(*rq->blocks)),
	};
	if (!rq->blocks)
		return out_of_memory(r);
	t->request_nr++;
	return add_blocks(r, rq);
}

static int read_lines(struct reader *r, const char *path,
		      struct hr_lines *lines)
{
	unsigned long number;
	size_t len;
	char *text;
	int ret;

	while ((ret = hr_lines_next(lines, &text, &len, r->err)) > 0) {
		number = hr_lines_number(lines);
		snprintf(r->where, sizeof(r->where), "%s:%lu", path, number);
		ret = hr_trace_line_parse(text, len, r->where, &r->line,
					  r->err);
		if (!ret)
			ret = add_request(r, number);
		if (ret)
			return ret;
	}
	if (!ret && !r->trace->request_nr)
		ret = hr_err_set(r->err, -EINVAL, "%s: no requests in it",
				 path);
	return ret;
}

int hr_trace_read(const char *path, struct hr_trace *trace,
		  struct hr_err *err)
{
	struct reader r = { .trace = trace, .err = err };
	struct hr_lines *lines;
	int ret;

	*trace = (struct hr_trace){ 0 };
	ret = hr_lines_open(path, &lines, err);
	if (ret)
		return ret;
	ret = read_lines(&r, path, lines);
	hr_lines_close(lines);
	hr_trace_line_free(&r.line);
	hr_idmap_free(&r.map);
	if (ret)
		hr_trace_free(trace);
	return ret;
}

void hr_trace_cut(struct hr_trace *trace, uint32_t nr)
{
	uint32_t i, j, end = 0;

	if (nr >= trace->request_nr)
		return;
	for (i = nr; i < trace->request_nr; i++)
		free(trace->requests[i].blocks);
	trace->request_nr = nr;
	/* Blocks are numbered in order of first use: cut behind the last. */
	for (i = 0; i < nr; i++)
		for (j = 0; j < trace->requests[i].block_nr; j++)
			if (trace->requests[i].blocks[j] >= end)
				end = trace->requests[i].blocks[j] + 1;
	trace->block_nr = end;
}

void hr_trace_free(struct hr_trace *trace)
{
	uint32_t i;

	for (i = 0; i < trace->request_nr; i++)
		free(trace->requests[i].blocks);
	free(trace->requests);
	free(trace->blocks);
	*trace = (struct hr_trace){ 0 };
}
