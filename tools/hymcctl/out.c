// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: printing results and errors
 *
 * Results go to stdout, sentences to stderr. With --json, stdout always carries
 * exactly one JSON value: the result, or an object with the member "error".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hymcctl.h"

/* Widest cell of a table, and most columns. */
#define CELL_BYTES	128
#define COLS_MAX	12
/* Longest sentence. */
#define TEXT_BYTES	1024

/**
 * print_json() - print a value
 * @obj: the value
 *
 * Return: CTL_OK, or CTL_FAILED when stdout cannot take it.
 */
static int print_json(struct json_object *obj)
{
	const char *text;

	text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
					      JSON_C_TO_STRING_SPACED |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	return text && puts(text) >= 0 ? CTL_OK : CTL_FAILED;
}

/**
 * ctl_result() - print a result
 * @ctl: the run
 * @obj: the result, freed here; NULL means that there was no memory
 * @show: prints it for people
 *
 * Return: CTL_OK or CTL_FAILED.
 */
int ctl_result(struct ctl *ctl, struct json_object *obj,
	       void (*show)(struct json_object *obj))
{
	int ret = CTL_OK;

	if (!obj) {
		fprintf(stderr, "hymcctl: out of memory\n");
		return CTL_FAILED;
	}
	if (ctl->json)
		ret = print_json(obj);
	else
		show(obj);
	json_object_put(obj);
	return ret;
}

/**
 * out_finish() - see that the output reached where it should
 * @ret: enum ctl_exit until now
 *
 * Return: @ret, or CTL_FAILED when it did not.
 */
int out_finish(int ret)
{
	if (!fflush(stdout) && !ferror(stdout))
		return ret;
	fprintf(stderr, "hymcctl: cannot write the output\n");
	return ret ? ret : CTL_FAILED;
}

/**
 * error_json() - the error as JSON
 * @ctl: the run; prints nothing without --json
 * @name: symbol of the error
 * @err: negative errno
 * @text: the sentence
 */
static void error_json(const struct ctl *ctl, const char *name, int err,
		       const char *text)
{
	struct json_object *obj, *error;

	if (!ctl->json)
		return;
	obj = json_object_new_object();
	error = json_object_new_object();
	out_add_text(error, "name", name ? name : "unknown");
	out_add(error, "errno", json_object_new_int(-err));
	out_add_text(error, "message", text);
	out_add(obj, "error", error);
	print_json(obj);
	json_object_put(obj);
}

/**
 * ctl_usage() - the command line makes no sense
 * @ctl: the run
 * @fmt: the sentence
 *
 * Return: CTL_USAGE.
 */
int ctl_usage(struct ctl *ctl, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "hymcctl: %s\n", text);
	error_json(ctl, "usage", -EINVAL, text);
	return CTL_USAGE;
}

/**
 * ctl_absent() - what was asked for does not exist
 * @ctl: the run
 * @fmt: the sentence
 *
 * Return: CTL_ABSENT.
 */
int ctl_absent(struct ctl *ctl, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "hymcctl: %s\n", text);
	error_json(ctl, "ENOENT", -ENOENT, text);
	return CTL_ABSENT;
}

/**
 * exit_code() - the exit code of an error
 * @err: negative errno
 *
 * Return: enum ctl_exit.
 */
static int exit_code(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return CTL_PERM;
	case -ENOPKG:
		return CTL_NO_MODULE;
	case -ENOENT:
	case -ENODEV:
		return CTL_ABSENT;
	case -EBUSY:
		return CTL_BUSY;
	case -EEXIST:
		return CTL_EXISTS;
	default:
		return CTL_FAILED;
	}
}

/**
 * ctl_fail() - a call of the library failed
 * @ctl: the run
 * @err: negative errno
 *
 * Return: enum ctl_exit, not CTL_OK.
 */
int ctl_fail(struct ctl *ctl, int err)
{
	const char *text = hymc_last_error(ctl->hymc);

	if (!*text)
		text = strerror(-err);
	fprintf(stderr, "hymcctl: %s\n", text);
	error_json(ctl, strerrorname_np(-err), err, text);
	return exit_code(err);
}

/**
 * out_add() - add a member
 * @obj: the object
 * @key: name of the member
 * @value: its value, which becomes @obj's
 */
void out_add(struct json_object *obj, const char *key,
	     struct json_object *value)
{
	if (json_object_object_add(obj, key, value))
		json_object_put(value);
}

/**
 * out_add_u64() - add a number
 * @obj: the object
 * @key: name of the member
 * @value: its value
 */
void out_add_u64(struct json_object *obj, const char *key, uint64_t value)
{
	out_add(obj, key, json_object_new_uint64(value));
}

/**
 * out_add_text() - add a text
 * @obj: the object
 * @key: name of the member
 * @text: its value; NULL becomes null
 */
void out_add_text(struct json_object *obj, const char *key, const char *text)
{
	out_add(obj, key, text ? json_object_new_string(text) : NULL);
}

/**
 * out_get() - a member, also of a member
 * @obj: the object
 * @key: "a" or "a.b"
 *
 * Return: the value, which stays @obj's, or NULL.
 */
struct json_object *out_get(struct json_object *obj, const char *key)
{
	char name[CELL_BYTES];
	size_t len = strcspn(key, ".");

	if (len >= sizeof(name))
		return NULL;
	memcpy(name, key, len);
	name[len] = '\0';
	if (!json_object_object_get_ex(obj, name, &obj))
		return NULL;
	return key[len] ? out_get(obj, key + len + 1) : obj;
}

/**
 * out_bytes() - a size as people write it
 * @buf: room
 * @size: bytes of it
 * @bytes: the size
 */
void out_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char * const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes;
	size_t i = 0;

	while (v >= 1024 && i + 1 < CTL_ARRAY_SIZE(unit)) {
		v /= 1024;
		i++;
	}
	if (bytes == (bytes >> (10 * i)) << (10 * i))
		snprintf(buf, size, "%" PRIu64 " %s", bytes >> (10 * i),
			 unit[i]);
	else
		snprintf(buf, size, "%.1f %s", v, unit[i]);
}

/**
 * processes() - "name (pid), name (pid)"
 * @buf: room
 * @size: bytes of it
 * @list: array of objects with "pid" and "name"
 */
static void processes(char *buf, size_t size, struct json_object *list)
{
	size_t i, nr = json_object_array_length(list), len = 0;
	struct json_object *p;
	int n;

	snprintf(buf, size, "-");
	for (i = 0; i < nr && len < size; i++) {
		p = json_object_array_get_idx(list, i);
		n = snprintf(buf + len, size - len, "%s%s (%s)", i ? ", " : "",
			     json_object_get_string(out_get(p, "name")),
			     json_object_get_string(out_get(p, "pid")));
		len += n > 0 ? (size_t)n : 0;
	}
}

/**
 * cell() - a value for people
 * @buf: room of CELL_BYTES
 * @obj: the object
 * @col: which value, and how
 */
static void cell(char *buf, struct json_object *obj, const struct out_col *col)
{
	struct json_object *v = out_get(obj, col->key);

	if (!v) {
		snprintf(buf, CELL_BYTES, "-");
		return;
	}
	switch (col->form) {
	case OUT_BYTES:
		out_bytes(buf, CELL_BYTES, json_object_get_uint64(v));
		break;
	case OUT_HEX:
		snprintf(buf, CELL_BYTES, "0x%" PRIx64,
			 json_object_get_uint64(v));
		break;
	case OUT_PROCS:
		processes(buf, CELL_BYTES, v);
		break;
	case OUT_TEXT:
		snprintf(buf, CELL_BYTES, "%s", json_object_get_string(v));
		break;
	}
}

/**
 * print_row() - a line of a table
 * @row: the object; NULL prints the titles
 * @cols: columns
 * @width: their widths
 * @nr: number of columns, at most COLS_MAX
 */
static void print_row(struct json_object *row, const struct out_col *cols,
		      const int *width, size_t nr)
{
	char text[CELL_BYTES];
	size_t i;

	for (i = 0; i < nr; i++) {
		if (row)
			cell(text, row, &cols[i]);
		else
			snprintf(text, sizeof(text), "%s", cols[i].title);
		if (i + 1 < nr)
			printf("%-*s  ", width[i], text);
		else
			printf("%s\n", text);
	}
}

/**
 * out_table() - print a table
 * @rows: array of objects
 * @cols: columns
 * @nr: number of columns, at most COLS_MAX
 */
void out_table(struct json_object *rows, const struct out_col *cols, size_t nr)
{
	size_t i, k, rows_nr = json_object_array_length(rows);
	int width[COLS_MAX], len;
	char text[CELL_BYTES];

	for (i = 0; i < nr; i++) {
		width[i] = (int)strlen(cols[i].title);
		for (k = 0; k < rows_nr; k++) {
			cell(text, json_object_array_get_idx(rows, k),
			     &cols[i]);
			len = (int)strlen(text);
			width[i] = len > width[i] ? len : width[i];
		}
	}
	print_row(NULL, cols, width, nr);
	for (k = 0; k < rows_nr; k++)
		print_row(json_object_array_get_idx(rows, k), cols, width, nr);
}

/**
 * out_facts() - print facts, one a line
 * @obj: the object
 * @facts: what to print
 * @nr: number of lines
 */
void out_facts(struct json_object *obj, const struct out_col *facts, size_t nr)
{
	char text[CELL_BYTES];
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!facts[i].key) {
			printf("%s\n", facts[i].title);
			continue;
		}
		cell(text, obj, &facts[i]);
		printf("  %-22s %s\n", facts[i].title, text);
	}
}
