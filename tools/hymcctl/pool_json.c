// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: pools and counters as JSON
 *
 * The objects that both --json and the tables are made of.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hymcctl.h"

#define NODE_BYTES	32
#define UUID_BYTES	37

/**
 * counter() - a counter's value
 * @stats: counters
 * @desc: which
 *
 * Return: its value.
 */
static uint64_t counter(const struct hymc_stats *stats,
			const struct hymc_stat_desc *desc)
{
	uint64_t v;

	memcpy(&v, (const char *)stats + desc->offset, sizeof(v));
	return v;
}

/**
 * stats_to_json() - all counters
 * @stats: the counters
 * @before: subtract these from what only grows; NULL subtracts nothing
 *
 * Return: the object.
 */
struct json_object *stats_to_json(const struct hymc_stats *stats,
				  const struct hymc_stats *before)
{
	struct json_object *obj = json_object_new_object();
	const struct hymc_stat_desc *desc;
	uint64_t v;
	size_t i, nr;

	desc = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++) {
		v = counter(stats, &desc[i]);
		if (before && desc[i].kind == 'C')
			v -= counter(before, &desc[i]);
		out_add_u64(obj, desc[i].name, v);
	}
	return obj;
}

/**
 * hist_to_json() - the histogram of lead times
 * @stats: the counters
 * @before: subtract these; NULL subtracts nothing
 *
 * Return: the array; element i counts lead times below 2^i microseconds.
 */
struct json_object *hist_to_json(const struct hymc_stats *stats,
				 const struct hymc_stats *before)
{
	struct json_object *list = json_object_new_array();
	uint64_t v;
	size_t i;

	for (i = 0; i < HYMC_LEAD_BUCKETS; i++) {
		v = stats->lead_hist[i] - (before ? before->lead_hist[i] : 0);
		json_object_array_add(list, json_object_new_uint64(v));
	}
	return list;
}

/**
 * gauges_to_json() - the counters that are not sums
 * @stats: the counters
 *
 * Return: the object.
 */
static struct json_object *gauges_to_json(const struct hymc_stats *stats)
{
	struct json_object *obj = json_object_new_object();
	const struct hymc_stat_desc *desc;
	size_t i, nr;

	desc = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++)
		if (desc[i].kind == 'G')
			out_add_u64(obj, desc[i].name,
				    counter(stats, &desc[i]));
	return obj;
}

/**
 * users_to_json() - who has the node open
 * @pool: the pool
 *
 * Return: array of objects with "pid" and "name".
 */
static struct json_object *users_to_json(const struct hymc_pool *pool)
{
	struct json_object *list = json_object_new_array(), *p;
	char path[NODE_BYTES], name[NODE_BYTES];
	const uint32_t *pids;
	size_t i, nr;
	FILE *f;

	pids = hymc_pool_pids(pool, &nr);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/proc/%u/comm", pids[i]);
		f = fopen(path, "re");
		if (!f || !fgets(name, sizeof(name), f))
			snprintf(name, sizeof(name), "?");
		if (f)
			fclose(f);
		name[strcspn(name, "\n")] = '\0';
		p = json_object_new_object();
		out_add_u64(p, "pid", pids[i]);
		out_add_text(p, "name", name);
		json_object_array_add(list, p);
	}
	return list;
}

/**
 * add_identity() - add number, node and UUID
 * @obj: the object
 * @pool: the pool
 */
static void add_identity(struct json_object *obj, const struct hymc_pool *pool)
{
	const uint8_t *uuid = hymc_pool_uuid(pool);
	char node[NODE_BYTES], text[UUID_BYTES], *p = text;
	int i;

	snprintf(node, sizeof(node), "/dev/hymc%u", hymc_pool_id(pool));
	for (i = 0; i < 16; i++)
		p += sprintf(p, "%s%02x", i >= 4 && i <= 10 && !(i % 2) ?
			     "-" : "", uuid[i]);
	out_add_u64(obj, "pool", hymc_pool_id(pool));
	out_add_text(obj, "node", node);
	out_add_text(obj, "uuid", text);
}

/**
 * add_devices() - add the two devices
 * @obj: the object
 * @pool: the pool
 */
static void add_devices(struct json_object *obj, const struct hymc_pool *pool)
{
	struct json_object *dram = json_object_new_object();
	struct json_object *ssd = json_object_new_object();

	out_add_text(dram, "name", hymc_pool_dram(pool));
	out_add_u64(dram, "start", hymc_pool_dram_start(pool));
	out_add_u64(dram, "bytes", hymc_pool_dram_bytes(pool));
	out_add(obj, "dram", dram);
	out_add_text(ssd, "path", hymc_pool_ssd(pool));
	out_add_u64(ssd, "bytes", hymc_pool_ssd_bytes(pool));
	out_add(obj, "ssd", ssd);
}

/**
 * pool_to_json() - a pool
 * @pool: the pool
 *
 * Return: the object.
 */
struct json_object *pool_to_json(const struct hymc_pool *pool)
{
	struct json_object *obj = json_object_new_object();

	add_identity(obj, pool);
	out_add_text(obj, "state",
		     hymc_pool_state_name(hymc_pool_state(pool)));
	out_add_text(obj, "policy", hymc_policy_name(hymc_pool_policy(pool)));
	add_devices(obj, pool);
	out_add_u64(obj, "frame_bytes", hymc_pool_frame_bytes(pool));
	out_add_u64(obj, "segment_bytes", hymc_pool_segment_bytes(pool));
	out_add_u64(obj, "window_bytes", hymc_pool_window_bytes(pool));
	out_add_u64(obj, "blocks_max", hymc_pool_blocks_max(pool));
	out_add_u64(obj, "dirty_max_bytes", hymc_pool_dirty_max_bytes(pool));
	out_add(obj, "now", gauges_to_json(hymc_pool_stats(pool)));
	out_add(obj, "open_by", users_to_json(pool));
	return obj;
}

/**
 * pool_pick() - the pool that a command is about
 * @ctl: the run
 * @list: all pools
 * @id: its number; HYMC_POOL_ANY means "the only one"
 * @pool: out
 *
 * Return: CTL_OK, CTL_USAGE or CTL_ABSENT.
 */
int pool_pick(struct ctl *ctl, const struct hymc_pool_list *list, uint32_t id,
	      const struct hymc_pool **pool)
{
	if (id != HYMC_POOL_ANY) {
		*pool = hymc_pool_find(list, id);
		return *pool ? CTL_OK :
		       ctl_absent(ctl, "there is no pool %u", id);
	}
	*pool = hymc_pool_first(list);
	if (!*pool)
		return ctl_absent(ctl, "there is no pool");
	if (hymc_pool_next(list, *pool))
		return ctl_usage(ctl, "there are several pools; say which one");
	return CTL_OK;
}
