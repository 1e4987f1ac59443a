// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: commands that show counters
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hymcctl.h"

/**
 * struct stats_opts - options of stats
 * @delta: show what changed in so many seconds; 0 shows the counters
 */
struct stats_opts {
	double delta;
};

const struct ctl_opt stats_opts[] = {
	{ "delta", "SECONDS", CTL_SECONDS, offsetof(struct stats_opts, delta),
	  "show what changed while waiting so long" },
	{ 0 }
};

/**
 * seconds_now() - a clock that does not jump
 *
 * Return: seconds since some moment.
 */
static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/**
 * wait_seconds() - sleep, also through signals that are handled
 * @seconds: how long
 */
static void wait_seconds(double seconds)
{
	struct timespec ts = { .tv_sec = (time_t)seconds };

	ts.tv_nsec = (long)((seconds - floor(seconds)) * 1e9);
	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/**
 * add_lead() - add a summary of the lead times
 * @obj: the object, with "stats" and "lead_hist"
 *
 * A percentile is known to be below its bucket's upper bound only.
 */
static void add_lead(struct json_object *obj)
{
	static const struct { const char *name; double share; } pct[] = {
		{ "p50_below", 0.50 }, { "p90_below", 0.90 },
		{ "p99_below", 0.99 },
	};
	struct json_object *lead = json_object_new_object();
	struct json_object *hist = out_get(obj, "lead_hist");
	uint64_t sum, nr, seen = 0;
	size_t i, k = 0;

	sum = json_object_get_uint64(out_get(obj, "stats.lead_ns_sum"));
	nr = json_object_get_uint64(out_get(obj, "stats.lead_count"));
	out_add_u64(lead, "mean", nr ? sum / nr / 1000 : 0);
	for (i = 0; i < HYMC_LEAD_BUCKETS && nr; i++) {
		seen += json_object_get_uint64(json_object_array_get_idx(hist,
									 i));
		for (; k < CTL_ARRAY_SIZE(pct) &&
		     (double)seen >= pct[k].share * (double)nr; k++)
			out_add_u64(lead, pct[k].name, 1ULL << i);
	}
	out_add(obj, "lead_us", lead);
}

/**
 * add_rates() - add what grew per second
 * @obj: the object, with "stats"
 * @seconds: in what time
 */
static void add_rates(struct json_object *obj, double seconds)
{
	struct json_object *rates = json_object_new_object();
	const struct hymc_stat_desc *desc;
	struct json_object *stats = out_get(obj, "stats");
	double v;
	size_t i, nr;

	desc = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++) {
		if (desc[i].kind != 'C')
			continue;
		v = (double)json_object_get_uint64(out_get(stats,
							   desc[i].name));
		out_add(rates, desc[i].name,
			json_object_new_double(v / seconds));
	}
	out_add(obj, "seconds", json_object_new_double(seconds));
	out_add(obj, "per_second", rates);
}

/**
 * stats_json() - counters of one pool
 * @pool: the pool
 * @before: the same pool earlier, or NULL
 * @seconds: how much earlier
 *
 * Return: the object.
 */
static struct json_object *stats_json(const struct hymc_pool *pool,
				      const struct hymc_pool *before,
				      double seconds)
{
	const struct hymc_stats *s = hymc_pool_stats(pool);
	const struct hymc_stats *b = before ? hymc_pool_stats(before) : NULL;
	struct json_object *obj = json_object_new_object();
	char node[32];

	snprintf(node, sizeof(node), "/dev/hymc%u", hymc_pool_id(pool));
	out_add_u64(obj, "pool", hymc_pool_id(pool));
	out_add_text(obj, "node", node);
	out_add(obj, "stats", stats_to_json(s, b));
	out_add(obj, "lead_hist", hist_to_json(s, b));
	add_lead(obj);
	if (before)
		add_rates(obj, seconds);
	return obj;
}

/**
 * show_counter() - print one counter
 * @obj: the object of its pool
 * @desc: which
 */
static void show_counter(struct json_object *obj,
			 const struct hymc_stat_desc *desc)
{
	struct json_object *rates = out_get(obj, "per_second");
	struct json_object *rate = rates ? out_get(rates, desc->name) : NULL;
	uint64_t v = json_object_get_uint64(out_get(out_get(obj, "stats"),
						    desc->name));
	char human[32] = "";

	if (!strcmp(desc->unit, "bytes") && v >= 1024)
		out_bytes(human, sizeof(human), v);
	printf("%-18s %16" PRIu64 " %-12s %10s ", desc->name, v, desc->unit,
	       human);
	if (rate)
		printf("%14.1f/s ", json_object_get_double(rate));
	else if (rates)
		printf("%16s ", "");
	printf(" %s\n", desc->help);
}

/**
 * show_lead() - print the lead times
 * @obj: the object of a pool
 */
static void show_lead(struct json_object *obj)
{
	json_object_object_foreach(out_get(obj, "lead_us"), name, value)
		printf("lead %-13s %16" PRIu64 " us\n", name,
		       json_object_get_uint64(value));
}

/**
 * show_stats() - print the counters of one pool
 * @obj: the object
 */
static void show_stats(struct json_object *obj)
{
	struct json_object *seconds = out_get(obj, "seconds");
	const struct hymc_stat_desc *desc;
	size_t i, nr;

	printf("%s", json_object_get_string(out_get(obj, "node")));
	if (seconds)
		printf(", change in %.1f s",
		       json_object_get_double(seconds));
	printf("\n");
	desc = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++)
		show_counter(obj, &desc[i]);
	show_lead(obj);
}

/**
 * show_all() - print the counters of all pools
 * @list: array of objects
 */
static void show_all(struct json_object *list)
{
	size_t i, nr = json_object_array_length(list);

	if (!nr)
		printf("there is no pool\n");
	for (i = 0; i < nr; i++) {
		if (i)
			printf("\n");
		show_stats(json_object_array_get_idx(list, i));
	}
}

/**
 * same_pool() - a pool of a list in an earlier list
 * @before: the earlier list, or NULL
 * @pool: the pool
 *
 * Return: the earlier snapshot; NULL when there is none, for instance because
 * the pool was made meanwhile.
 */
static const struct hymc_pool *same_pool(const struct hymc_pool_list *before,
					 const struct hymc_pool *pool)
{
	const struct hymc_pool *p;

	p = before ? hymc_pool_find(before, hymc_pool_id(pool)) : NULL;
	if (p && memcmp(hymc_pool_uuid(p), hymc_pool_uuid(pool), 16))
		return NULL;
	return p;
}

/**
 * print_stats() - print what was asked for
 * @ctl: the run
 * @id: the pool, or HYMC_POOL_ANY for all
 * @list: all pools
 * @before: all pools earlier, or NULL
 * @seconds: how much earlier
 *
 * Return: enum ctl_exit.
 */
static int print_stats(struct ctl *ctl, uint32_t id,
		       const struct hymc_pool_list *list,
		       const struct hymc_pool_list *before, double seconds)
{
	const struct hymc_pool *p;
	struct json_object *all;
	int ret;

	if (id != HYMC_POOL_ANY) {
		ret = pool_pick(ctl, list, id, &p);
		if (ret)
			return ret;
		return ctl_result(ctl, stats_json(p, same_pool(before, p),
						  seconds), show_stats);
	}
	all = json_object_new_array();
	for (p = hymc_pool_first(list); p; p = hymc_pool_next(list, p))
		json_object_array_add(all, stats_json(p, same_pool(before, p),
						      seconds));
	return ctl_result(ctl, all, show_all);
}

/**
 * sample() - take the snapshots and print
 * @ctl: the run
 * @id: the pool, or HYMC_POOL_ANY for all
 * @delta: seconds between two snapshots; 0 = one snapshot
 *
 * Return: enum ctl_exit.
 */
static int sample(struct ctl *ctl, uint32_t id, double delta)
{
	struct hymc_pool_list *list = NULL, *before = NULL;
	double start = seconds_now();
	int err = 0, ret;

	if (delta > 0) {
		err = hymc_pool_list_get(ctl->hymc, &before);
		if (!err)
			wait_seconds(delta);
	}
	if (!err)
		err = hymc_pool_list_get(ctl->hymc, &list);
	ret = err ? ctl_fail(ctl, err) :
	      print_stats(ctl, id, list, before, seconds_now() - start);
	hymc_pool_list_free(list);
	hymc_pool_list_free(before);
	return ret;
}

/**
 * cmd_stats() - show counters
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int cmd_stats(struct ctl *ctl, int argc, char **argv)
{
	struct stats_opts opts = { 0 };
	uint32_t id;
	int ret = opts_parse(ctl, &argc, &argv, &opts);

	if (!ret)
		ret = opts_pool(ctl, argc, argv, &id);
	return ret ? ret : sample(ctl, id, opts.delta);
}
