// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the JSON report
 *
 * Owns the top of the report: parameters, totals, ratios. Documentation:
 * Documentation/replay.rst; a field, once there, keeps its sense. json-c only
 * fails for want of memory, which is noticed when the text is made.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "compare.h"
#include "model.h"
#include "report.h"

#define REPORT_FORMAT	1

struct json_object *hr_report_number(double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", v);
	return json_object_new_double_s(v, text);
}

void hr_report_add(struct json_object *obj, const char *key,
		   struct json_object *value)
{
	json_object_object_add(obj, key, value);
}

void hr_report_u64(struct json_object *obj, const char *key, uint64_t v)
{
	hr_report_add(obj, key, json_object_new_uint64(v));
}

void hr_report_double(struct json_object *obj, const char *key, double v)
{
	hr_report_add(obj, key, hr_report_number(v));
}

void hr_report_text(struct json_object *obj, const char *key, const char *v)
{
	hr_report_add(obj, key, json_object_new_string(v));
}

struct json_object *hr_report_samples(struct hr_samples *s)
{
	struct json_object *obj = json_object_new_object();

	hr_report_u64(obj, "n", s->nr);
	hr_report_double(obj, "mean", hr_samples_mean(s));
	hr_report_double(obj, "p50", hr_samples_percentile(s, 0.50));
	hr_report_double(obj, "p90", hr_samples_percentile(s, 0.90));
	hr_report_double(obj, "p99", hr_samples_percentile(s, 0.99));
	hr_report_double(obj, "max", hr_samples_max(s));
	return obj;
}

static void add_now(struct json_object *obj)
{
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	hr_report_text(obj, "created", text);
}

static void add_engine(struct json_object *p, const struct hr_config *cfg)
{
	hr_report_text(p, "model", cfg->model);
	hr_report_u64(p, "token_bytes", cfg->token_bytes);
	hr_report_double(p, "scale",
			 (double)cfg->scale.num / cfg->scale.den);
	hr_report_u64(p, "block_tokens", HR_BLOCK_TOKENS);
	hr_report_u64(p, "block_bytes",
		      hr_block_bytes(HR_BLOCK_TOKENS, cfg->token_bytes,
				     &cfg->scale));
	hr_report_double(p, "speed", cfg->speed);
	hr_report_u64(p, "slots", cfg->slots);
	hr_report_double(p, "prefill_rate", cfg->prefill_rate);
	hr_report_double(p, "link_rate", cfg->link_rate);
	hr_report_u64(p, "hbm_blocks", cfg->hbm_blocks);
	hr_report_u64(p, "load_timeout_ms", cfg->load_timeout_ms);
	hr_report_u64(p, "put_timeout_ms", cfg->put_timeout_ms);
	hr_report_u64(p, "put_batch", cfg->put_batch);
	hr_report_u64(p, "sample_ms", cfg->sample_ms);
}

static struct json_object *parameters(const struct hr_config *cfg,
				      const struct hr_trace *trace,
				      uint64_t generation)
{
	struct json_object *p = json_object_new_object();
	struct utsname name;

	hr_report_text(p, "trace", cfg->trace);
	hr_report_u64(p, "requests", trace->request_nr);
	hr_report_u64(p, "unique_blocks", trace->block_nr);
	add_engine(p, cfg);
	if (cfg->dram)
		hr_report_text(p, "dram", cfg->dram);
	if (cfg->ssd)
		hr_report_text(p, "ssd", cfg->ssd);
	if (cfg->dev)
		hr_report_text(p, "dev", cfg->dev);
	hr_report_u64(p, "generation", generation);
	if (!uname(&name)) {
		hr_report_text(p, "kernel", name.release);
		hr_report_text(p, "machine", name.machine);
	}
	return p;
}

static struct json_object *notes(const struct hr_config *cfg)
{
	struct json_object *obj = json_object_new_object();
	const char *equals;
	unsigned int i;
	char *key;

	for (i = 0; i < cfg->note_nr; i++) {
		equals = strchr(cfg->notes[i], '=');
		key = strndup(cfg->notes[i], equals - cfg->notes[i]);
		if (key)
			hr_report_text(obj, key, equals + 1);
		free(key);
	}
	return obj;
}

static struct json_object *ratio(struct hr_samples *slow,
				 struct hr_samples *fast)
{
	struct json_object *obj = json_object_new_object();

	hr_report_double(obj, "p50", hr_compare_ratio(slow, fast, 0.50));
	hr_report_double(obj, "p90", hr_compare_ratio(slow, fast, 0.90));
	hr_report_double(obj, "p99", hr_compare_ratio(slow, fast, 0.99));
	return obj;
}

/* Load times of every mode over those of every other: "lru/hymc". */
static struct json_object *ratios(struct hr_result *results, unsigned int nr,
				  struct hr_samples *load_ms)
{
	struct json_object *obj = json_object_new_object();
	unsigned int a, b;
	char key[32];

	for (a = 0; a < nr; a++) {
		for (b = 0; b < nr; b++) {
			if (a == b)
				continue;
			snprintf(key, sizeof(key), "%s/%s",
				 results[a].mode->name, results[b].mode->name);
			hr_report_add(obj, key,
				      ratio(&load_ms[a], &load_ms[b]));
		}
	}
	return obj;
}

/* The requests that load the same in every mode. */
static struct json_object *common(struct hr_result *results, unsigned int nr,
				  uint32_t request_nr)
{
	struct hr_samples load_ms[HR_MODES_MAX] = { 0 };
	struct json_object *obj = json_object_new_object();
	struct json_object *modes = json_object_new_object();
	long n = hr_compare_common(results, nr, request_nr, load_ms);
	unsigned int m;

	hr_report_u64(obj, "requests", n < 0 ? 0 : n);
	for (m = 0; m < nr; m++)
		hr_report_add(modes, results[m].mode->name,
			      hr_report_samples(&load_ms[m]));
	hr_report_add(obj, "load_ms", modes);
	hr_report_add(obj, "ratios", ratios(results, nr, load_ms));
	for (m = 0; m < nr; m++)
		hr_samples_free(&load_ms[m]);
	return obj;
}

static void add_totals(struct json_object *root,
		       const struct hr_result *results, unsigned int nr)
{
	uint64_t checked = 0, wrong = 0;
	bool good = true;
	unsigned int m;

	for (m = 0; m < nr; m++) {
		checked += results[m].tally.checked_bytes;
		wrong += results[m].tally.wrong_bytes;
		good &= hr_result_good(&results[m]);
	}
	hr_report_add(root, "good", json_object_new_boolean(good));
	hr_report_u64(root, "bytes_checked", checked);
	hr_report_u64(root, "bytes_wrong", wrong);
}

static struct json_object *build(const struct hr_config *cfg,
				 const struct hr_trace *trace,
				 uint64_t generation,
				 struct hr_result *results, unsigned int nr)
{
	struct hr_samples load_ms[HR_MODES_MAX];
	struct json_object *root = json_object_new_object();
	struct json_object *modes = json_object_new_object();
	unsigned int m;

	hr_report_u64(root, "format", REPORT_FORMAT);
	add_now(root);
	add_totals(root, results, nr);
	hr_report_add(root, "parameters", parameters(cfg, trace, generation));
	hr_report_add(root, "notes", notes(cfg));
	for (m = 0; m < nr; m++) {
		hr_report_add(modes, results[m].mode->name,
			      hr_report_mode(&results[m]));
		load_ms[m] = results[m].load_ms;
	}
	hr_report_add(root, "ratios", ratios(results, nr, load_ms));
	hr_report_add(root, "common", common(results, nr, trace->request_nr));
	hr_report_add(root, "modes", modes);
	return root;
}

/* Beside the file first, so that nobody ever sees half a report. */
static int write_file(const char *path, const char *text, struct hr_err *err)
{
	char *temp;
	FILE *f;
	int ret = 0;

	if (asprintf(&temp, "%s.tmp", path) < 0)
		return hr_err_set(err, -ENOMEM, "out of memory");
	f = fopen(temp, "we");
	if (!f || fputs(text, f) < 0 || fputc('\n', f) < 0)
		ret = -errno;
	if (f && fclose(f) && !ret)
		ret = -errno;
	if (!ret && rename(temp, path))
		ret = -errno;
	if (ret) {
		hr_err_set(err, ret, "%s: cannot write: %s", path,
			   strerror(-ret));
		if (f)
			remove(temp);
	}
	free(temp);
	return ret;
}

int hr_report_write(const struct hr_config *cfg, const struct hr_trace *trace,
		    uint64_t generation, struct hr_result *results,
		    unsigned int nr, struct hr_err *err)
{
	struct json_object *root = build(cfg, trace, generation, results, nr);
	const char *text;
	int ret;

	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
					      JSON_C_TO_STRING_SPACED |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	ret = text ? write_file(cfg->report, text, err) :
		     hr_err_set(err, -ENOMEM, "out of memory");
	json_object_put(root);
	return ret;
}
