// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the JSON report: one mode
 *
 * Owns the object under "modes". What the device counted appears twice: the
 * counters by their own names under "counters", and a few under the names that
 * people look for.
 */
#include <stdio.h>

#include "report.h"

/* Points of a distribution: enough for a picture, few enough to read. */
#define CDF_POINTS	200

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 0;
}

static void add_shares(struct json_object *obj, const struct hr_result *r)
{
	uint64_t staged = r->moved.acquire_staged;
	uint64_t late = r->moved.acquire_late;
	uint64_t demand = r->moved.acquire_demand;
	uint64_t miss = r->moved.acquire_miss;
	uint64_t timeout = r->moved.acquire_timeout;
	uint64_t all = staged + late + demand + miss + timeout;

	hr_report_double(obj, "staged_share", share(staged, all));
	hr_report_double(obj, "late_share", share(late, all));
	hr_report_double(obj, "demand_share", share(demand, all));
	hr_report_double(obj, "miss_share", share(miss, all));
	hr_report_double(obj, "timeout_share", share(timeout, all));
}

static struct json_object *lead(const struct hr_result *r)
{
	struct json_object *obj = json_object_new_object();
	const uint64_t *hist = (const uint64_t *)r->moved.lead_hist;
	uint64_t n = r->moved.lead_count;

	hr_report_u64(obj, "n", n);
	hr_report_double(obj, "mean",
			 n ? r->moved.lead_ns_sum / 1e6 / n : 0);
	/* The histogram is in microseconds. */
	hr_report_double(obj, "p50",
			 hr_log2_percentile(hist, HYMC_LEAD_BUCKETS, 0.50) /
			 1e3);
	hr_report_double(obj, "p99",
			 hr_log2_percentile(hist, HYMC_LEAD_BUCKETS, 0.99) /
			 1e3);
	return obj;
}

static struct json_object *skipped(const struct hr_result *r)
{
	struct json_object *obj = json_object_new_object();

	hr_report_u64(obj, "buffer", r->moved.skip_buffer);
	hr_report_u64(obj, "frames", r->moved.skip_frames);
	hr_report_u64(obj, "ssd", r->moved.skip_ssd);
	hr_report_u64(obj, "withheld", r->tally.put_withheld);
	return obj;
}

static struct json_object *pool(const struct hr_result *r)
{
	struct json_object *obj = json_object_new_object();
	const char *policy = hymc_policy_name(r->info.policy);

	hr_report_u64(obj, "id", r->pool);
	hr_report_text(obj, "policy", policy ? policy : "?");
	hr_report_u64(obj, "dram_bytes", r->info.dram_bytes);
	hr_report_u64(obj, "ssd_bytes", r->info.ssd_bytes);
	hr_report_u64(obj, "frame_bytes", r->info.frame_bytes);
	hr_report_u64(obj, "window_bytes", r->info.window_bytes);
	return obj;
}

/* Counters as they moved, gauges as they were at the end. */
static struct json_object *counters(const struct hr_result *r)
{
	struct json_object *obj = json_object_new_object();
	const struct hymc_stat_desc *d;
	size_t i, nr;

	d = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++, d++)
		hr_report_u64(obj, d->name,
			      *(const uint64_t *)((const char *)&r->moved +
						  d->offset));
	return obj;
}

static struct json_object *counts(const struct hr_result *r)
{
	struct json_object *obj = json_object_new_object();
	const struct hr_tally_desc *d;
	unsigned int i;

	for (i = 0; (d = hr_tally_at(i)); i++)
		hr_report_u64(obj, d->name, hr_tally_get(&r->tally, d));
	return obj;
}

/* [[ms, share of requests at or below], ...] */
static struct json_object *cdf(struct hr_samples *s)
{
	struct json_object *points = json_object_new_array();
	size_t step = s->nr / CDF_POINTS + 1, i;
	struct json_object *point;

	/* Sorts. */
	hr_samples_percentile(s, 0);
	for (i = 0; i < s->nr; i++) {
		if (i % step && i + 1 < s->nr)
			continue;
		point = json_object_new_array();
		json_object_array_add(point, hr_report_number(s->v[i]));
		json_object_array_add(point,
				      hr_report_number((i + 1.0) / s->nr));
		json_object_array_add(points, point);
	}
	return points;
}

static struct json_object *new_column(struct json_object *obj,
				      const char *name)
{
	struct json_object *column = json_object_new_array();

	hr_report_add(obj, name, column);
	return column;
}

static void add_row(struct json_object **column, const struct hr_result *r,
		    const struct hr_sample *at, const struct hr_sample *last)
{
	const struct hymc_stats *s = &at->stats;
	double dt = (at->ns - last->ns) / 1e9;
	const uint64_t frames[] = {
		s->frames_free, s->frames_reading, s->frames_wanted,
		s->frames_pinned, s->frames_cold, s->frames_dirty,
		s->frames_filling,
	};
	size_t i;

	json_object_array_add(column[0],
			      hr_report_number((int64_t)(at->ns - r->start_ns) /
					       1e9));
	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		json_object_array_add(column[1 + i],
				      json_object_new_uint64(frames[i]));
	json_object_array_add(column[8], hr_report_number(dt > 0 ?
		(s->ssd_read_bytes - last->stats.ssd_read_bytes) / dt : 0));
	json_object_array_add(column[9], hr_report_number(dt > 0 ?
		(s->ssd_write_bytes - last->stats.ssd_write_bytes) / dt : 0));
	json_object_array_add(column[10], json_object_new_uint64(s->requests));
}

/* Columns of equal length, one value per sample. */
static struct json_object *series(const struct hr_result *r)
{
	static const char * const names[] = {
		"seconds", "frames_free", "frames_reading", "frames_wanted",
		"frames_pinned", "frames_cold", "frames_dirty",
		"frames_filling", "read_bytes_per_s", "write_bytes_per_s",
		"hinted_requests",
	};
	struct json_object *column[sizeof(names) / sizeof(names[0])];
	struct json_object *obj = json_object_new_object();
	const struct hr_sample *at = r->sampler.samples;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		column[i] = new_column(obj, names[i]);
	for (i = 0; i < r->sampler.nr; i++)
		add_row(column, r, &at[i], &at[i ? i - 1 : 0]);
	return obj;
}

static struct json_object *hex(const uint8_t *b, uint32_t n)
{
	char text[2 * 8 + 1] = "";
	uint32_t i;

	for (i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", b[i]);
	return json_object_new_string(text);
}

static struct json_object *wrong(const struct hr_result *r)
{
	struct json_object *list = json_object_new_array();
	const struct hr_wrong *w = r->wrong;
	struct json_object *obj;
	uint32_t i;

	for (i = 0; i < r->wrong_nr; i++, w++) {
		obj = json_object_new_object();
		hr_report_u64(obj, "line", w->line);
		hr_report_u64(obj, "hash_id", w->id);
		hr_report_u64(obj, "block", w->depth);
		hr_report_u64(obj, "len", w->len);
		hr_report_u64(obj, "expected_len", w->expected_len);
		hr_report_u64(obj, "wrong_bytes", w->mismatch.wrong_bytes);
		hr_report_u64(obj, "offset", w->mismatch.offset);
		hr_report_add(obj, "expected",
			      hex(w->mismatch.expected, w->mismatch.shown));
		hr_report_add(obj, "got",
			      hex(w->mismatch.got, w->mismatch.shown));
		json_object_array_add(list, obj);
	}
	return list;
}

static struct json_object *disagreements(const struct hr_result *r)
{
	struct json_object *list = json_object_new_array();
	unsigned int i;

	for (i = 0; i < r->audit.nr; i++)
		json_object_array_add(list,
				      json_object_new_string(r->audit.text[i]));
	return list;
}

static void add_ssd(struct json_object *obj, const struct hr_result *r)
{
	hr_report_u64(obj, "ssd_read_bytes", r->moved.ssd_read_bytes);
	hr_report_u64(obj, "ssd_write_bytes", r->moved.ssd_write_bytes);
	hr_report_u64(obj, "drive_read_bytes", r->drive_read);
	hr_report_u64(obj, "drive_write_bytes", r->drive_write);
}

struct json_object *hr_report_mode(struct hr_result *r)
{
	struct json_object *obj = json_object_new_object();

	hr_report_u64(obj, "requests", r->tally.requests);
	hr_report_double(obj, "seconds", r->seconds);
	hr_report_double(obj, "requests_per_s",
			 r->tally.requests / r->seconds);
	hr_report_add(obj, "load_ms", hr_report_samples(&r->load_ms));
	hr_report_double(obj, "load_bytes_per_s", hr_result_load_rate(r));
	hr_report_add(obj, "wait_ms", hr_report_samples(&r->wait_ms));
	hr_report_add(obj, "first_token_ms",
		      hr_report_samples(&r->first_token_ms));
	hr_report_add(obj, "store_ms", hr_report_samples(&r->store_ms));
	add_shares(obj, r);
	hr_report_add(obj, "lead_ms", lead(r));
	add_ssd(obj, r);
	hr_report_add(obj, "skipped", skipped(r));
	hr_report_u64(obj, "bytes_checked", r->tally.checked_bytes);
	hr_report_u64(obj, "bytes_wrong", r->tally.wrong_bytes);
	hr_report_add(obj, "wrong", wrong(r));
	hr_report_add(obj, "disagreements", disagreements(r));
	hr_report_add(obj, "pool", pool(r));
	hr_report_add(obj, "counts", counts(r));
	hr_report_add(obj, "counters", counters(r));
	hr_report_add(obj, "load_cdf", cdf(&r->load_ms));
	hr_report_add(obj, "series", series(r));
	return obj;
}
