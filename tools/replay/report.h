/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the JSON report
 */
#ifndef HR_REPORT_H
#define HR_REPORT_H

#include <json-c/json.h>

#include "run.h"

/**
 * hr_report_write() - write the report
 * @cfg: the configuration
 * @trace: the trace
 * @generation: of this run
 * @results: results of all modes
 * @nr: how many modes
 * @err: where the sentence goes
 *
 * As a whole or not at all. Its fields are described in
 * Documentation/replay.rst.
 *
 * Return: 0 or a negative errno.
 */
int hr_report_write(const struct hr_config *cfg, const struct hr_trace *trace,
		    uint64_t generation, struct hr_result *results,
		    unsigned int nr, struct hr_err *err);

/**
 * hr_report_mode() - the part of one mode
 * @r: its result
 *
 * Return: A new object.
 */
struct json_object *hr_report_mode(struct hr_result *r);

/**
 * hr_report_samples() - percentiles and the like
 * @s: milliseconds
 *
 * Return: A new object.
 */
struct json_object *hr_report_samples(struct hr_samples *s);

/**
 * hr_report_number() - a number with six significant digits
 * @v: the number
 *
 * Return: A new object.
 */
struct json_object *hr_report_number(double v);

/**
 * hr_report_add() - add a member
 * @obj: to which object
 * @key: its name
 * @value: its value, taken over
 */
void hr_report_add(struct json_object *obj, const char *key,
		   struct json_object *value);

/**
 * hr_report_u64() - add a whole number
 * @obj: to which object
 * @key: its name
 * @v: its value
 */
void hr_report_u64(struct json_object *obj, const char *key, uint64_t v);

/**
 * hr_report_double() - add a number
 * @obj: to which object
 * @key: its name
 * @v: its value
 */
void hr_report_double(struct json_object *obj, const char *key, double v);

/**
 * hr_report_text() - add a text
 * @obj: to which object
 * @key: its name
 * @v: its value
 */
void hr_report_text(struct json_object *obj, const char *key, const char *v);

#endif
