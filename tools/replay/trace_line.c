// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: one line of a trace
 *
 * A line is a JSON object with "timestamp" (ms), "input_length",
 * "output_length" (tokens), "hash_ids" (one number per block of 512 tokens) and
 * optionally "session_id"; other fields are ignored. Checks everything that a
 * line can be checked for by itself; relations between lines are trace.c's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "model.h"
#include "trace_line.h"

#define JSON_DEPTH_MAX	8
/* A day in the life of a large cluster, and far below what overflows in ns. */
#define TIME_MS_MAX	(366ULL * 24 * 3600 * 1000)
#define TOKENS_MAX	(1ULL << 30)

static int out_of_memory(struct hr_err *err)
{
	return hr_err_set(err, -ENOMEM, "out of memory");
}

/* The JSON value of the whole line, with nothing behind it. */
static int parse_json(const char *text, size_t len, const char *where,
		      struct json_object **value, struct hr_err *err)
{
	struct json_tokener *tok;
	enum json_tokener_error jerr;
	size_t at;

	tok = json_tokener_new_ex(JSON_DEPTH_MAX);
	if (!tok)
		return out_of_memory(err);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	/* The NUL behind the line ends a bare number, so include it. */
	*value = json_tokener_parse_ex(tok, text, (int)len + 1);
	jerr = json_tokener_get_error(tok);
	at = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (jerr == json_tokener_success && at >= len)
		return 0;
	json_object_put(*value);
	*value = NULL;
	return hr_err_set(err, -EINVAL, "%s: not JSON: %s at column %zu", where,
			  jerr == json_tokener_success ?
			  "more data" : json_tokener_error_desc(jerr), at + 1);
}

static int get_number(struct json_object *v, uint64_t max, uint64_t *number)
{
	if (!json_object_is_type(v, json_type_int))
		return -EINVAL;
	/* A negative number would come out as 0. */
	if (json_object_get_int64(v) < 0)
		return -ERANGE;
	*number = json_object_get_uint64(v);
	return *number > max ? -ERANGE : 0;
}

static int get_field(struct json_object *obj, const char *name, uint64_t max,
		     const char *where, uint64_t *number, struct hr_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(obj, name, &v))
		return hr_err_set(err, -EINVAL, "%s: \"%s\" is missing", where,
				  name);
	if (!get_number(v, max, number))
		return 0;
	return hr_err_set(err, -EINVAL,
			  "%s: \"%s\" is not a whole number of 0..%" PRIu64,
			  where, name, max);
}

static int grow_ids(struct hr_trace_line *line, size_t nr, struct hr_err *err)
{
	uint64_t *ids;

	if (nr <= line->id_max)
		return 0;
	ids = realloc(line->ids, nr * sizeof(*ids));
	if (!ids)
		return out_of_memory(err);
	line->ids = ids;
	line->id_max = nr;
	return 0;
}

static int get_ids(struct json_object *obj, const char *where,
		   struct hr_trace_line *line, struct hr_err *err)
{
	struct json_object *array;
	size_t i, nr;

	if (!json_object_object_get_ex(obj, "hash_ids", &array))
		return hr_err_set(err, -EINVAL, "%s: \"hash_ids\" is missing",
				  where);
	if (!json_object_is_type(array, json_type_array))
		return hr_err_set(err, -EINVAL,
				  "%s: \"hash_ids\" is not an array", where);
	nr = json_object_array_length(array);
	if (grow_ids(line, nr, err))
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (get_number(json_object_array_get_idx(array, i), INT64_MAX,
			       &line->ids[i]))
			return hr_err_set(err, -EINVAL,
					  "%s: \"hash_ids\"[%zu] is not a whole number of 0..2^63",
					  where, i);
	line->id_nr = nr;
	return 0;
}

static int get_fields(struct json_object *obj, const char *where,
		      struct hr_trace_line *line, struct hr_err *err)
{
	struct json_object *v;
	uint64_t session;
	int ret;

	if (!json_object_is_type(obj, json_type_object))
		return hr_err_set(err, -EINVAL, "%s: not a JSON object", where);
	ret = get_field(obj, "timestamp", TIME_MS_MAX, where, &line->time_ms,
			err);
	if (!ret)
		ret = get_field(obj, "input_length", TOKENS_MAX, where,
				&line->input_tokens, err);
	if (!ret)
		ret = get_field(obj, "output_length", TOKENS_MAX, where,
				&line->output_tokens, err);
	if (!ret && json_object_object_get_ex(obj, "session_id", &v))
		ret = get_field(obj, "session_id", INT64_MAX, where, &session,
				err);
	return ret ? ret : get_ids(obj, where, line, err);
}

/*
 * A trace names either all blocks of the prompt, the last one partial, or only
 * the full ones.
 */
static int check_block_count(const struct hr_trace_line *line,
			     const char *where, struct hr_err *err)
{
	uint64_t least = line->input_tokens / HR_BLOCK_TOKENS;
	uint64_t most = least + !!(line->input_tokens % HR_BLOCK_TOKENS);

	if (!line->input_tokens)
		return hr_err_set(err, -EINVAL, "%s: \"input_length\" is 0",
				  where);
	if (line->id_nr >= least && line->id_nr <= most)
		return 0;
	return hr_err_set(err, -EINVAL,
			  "%s: %u hash_ids for %llu input tokens; blocks of %u make %llu",
			  where, line->id_nr,
			  (unsigned long long)line->input_tokens,
			  HR_BLOCK_TOKENS, (unsigned long long)most);
}

int hr_trace_line_parse(const char *text, size_t len, const char *where,
			struct hr_trace_line *line, struct hr_err *err)
{
	struct json_object *obj = NULL;
	int ret;

	if (!len)
		return hr_err_set(err, -EINVAL, "%s: the line is empty", where);
	if (memchr(text, '\0', len))
		return hr_err_set(err, -EINVAL, "%s: the line has a NUL byte",
				  where);
	ret = parse_json(text, len, where, &obj, err);
	if (ret)
		return ret;
	ret = get_fields(obj, where, line, err);
	json_object_put(obj);
	return ret ? ret : check_block_count(line, where, err);
}

void hr_trace_line_free(struct hr_trace_line *line)
{
	free(line->ids);
	*line = (struct hr_trace_line){ 0 };
}
