/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: one line of a trace
 */
#ifndef HR_TRACE_LINE_H
#define HR_TRACE_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

/**
 * struct hr_trace_line - the fields of a line
 * @time_ms: "timestamp"
 * @input_tokens: "input_length"
 * @output_tokens: "output_length"
 * @ids: "hash_ids"
 * @id_nr: how many
 * @id_max: room in @ids; the array is reused from line to line
 */
struct hr_trace_line {
	uint64_t time_ms;
	uint64_t input_tokens;
	uint64_t output_tokens;
	uint64_t *ids;
	uint32_t id_nr;
	uint32_t id_max;
};

/**
 * hr_trace_line_parse() - parse one line of a trace
 * @text: the line, NUL-terminated
 * @len: its length
 * @where: "FILE:LINE", the start of the sentence
 * @line: out; its array is reused from line to line
 * @err: where the sentence goes
 *
 * Checks what can be checked without the other lines.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int hr_trace_line_parse(const char *text, size_t len, const char *where,
			struct hr_trace_line *line, struct hr_err *err);

/**
 * hr_trace_line_free() - free the array of a line
 * @line: the line, usable afterwards
 */
void hr_trace_line_free(struct hr_trace_line *line);

#endif
