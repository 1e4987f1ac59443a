// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: commands that make, end and show pools
 */
#include <stdio.h>
#include <stdlib.h>

#include "hymcctl.h"

#define PARAM(field)	offsetof(struct hymc_pool_params, field)

const struct ctl_opt pool_create_opts[] = {
	{ "dram", "DAX", CTL_STRING, PARAM(dram),
	  "dax device whose memory is the pool's DRAM, e.g. dax0.0" },
	{ "ssd", "PATH", CTL_STRING, PARAM(ssd),
	  "block device; it is formatted" },
	{ "dram-size", "SIZE", CTL_SIZE, PARAM(dram_bytes),
	  "use only the first bytes of the DRAM" },
	{ "ssd-size", "SIZE", CTL_SIZE, PARAM(ssd_bytes),
	  "use only the first bytes of the SSD" },
	{ "policy", "NAME", CTL_POLICY, PARAM(policy),
	  "stage (default), or lru: a plain cache, for comparison" },
	{ "frame-size", "SIZE", CTL_SIZE32, PARAM(frame_bytes),
	  "unit of DRAM allocation, a power of two; default 1M" },
	{ "window", "SIZE", CTL_SIZE, PARAM(window_bytes),
	  "default window of a request; default 128M" },
	{ "dirty-max", "SIZE", CTL_SIZE, PARAM(dirty_max_bytes),
	  "limit of the write buffer; default a quarter of the DRAM" },
	{ "segment-size", "SIZE", CTL_SIZE, PARAM(segment_bytes),
	  "unit of the log on the SSD; default 256M" },
	{ "blocks-max", "NUMBER", CTL_COUNT, PARAM(blocks_max),
	  "most blocks; default by the size of the SSD" },
	{ "id", "N", CTL_NUMBER, PARAM(id),
	  "make /dev/hymcN; default the first free" },
	{ "force", NULL, CTL_FLAG, PARAM(force),
	  "use the SSD although something lies on it" },
	{ 0 }
};

/**
 * struct destroy_opts - options of pool destroy
 * @force: although it is open
 */
struct destroy_opts {
	bool force;
};

const struct ctl_opt pool_destroy_opts[] = {
	{ "force", NULL, CTL_FLAG, offsetof(struct destroy_opts, force),
	  "although programs have it open; they get errors" },
	{ 0 }
};

/**
 * show_created() - print the node of a new pool
 * @obj: the result
 */
static void show_created(struct json_object *obj)
{
	printf("%s\n", json_object_get_string(out_get(obj, "node")));
}

/**
 * show_destroyed() - say that a pool ended
 * @obj: the result
 */
static void show_destroyed(struct json_object *obj)
{
	printf("%s has ended\n", json_object_get_string(out_get(obj, "node")));
}

/**
 * node_json() - the common part of results about one node
 * @id: number of the pool
 *
 * Return: the object.
 */
static struct json_object *node_json(uint32_t id)
{
	struct json_object *obj = json_object_new_object();
	char node[32];

	snprintf(node, sizeof(node), "/dev/hymc%u", id);
	out_add_u64(obj, "pool", id);
	out_add_text(obj, "node", node);
	return obj;
}

/**
 * cmd_pool_create() - make a pool
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int cmd_pool_create(struct ctl *ctl, int argc, char **argv)
{
	struct hymc_pool_params p = {
		.bytes = sizeof(p),
		.id = HYMC_POOL_ANY,
		.take_dax = true,
	};
	uint32_t id;
	int err, ret = opts_parse(ctl, &argc, &argv, &p);

	if (!ret)
		ret = opts_no_operands(ctl, argc, argv);
	if (!ret && (!p.dram || !p.ssd))
		ret = ctl_usage(ctl, "pool create needs %s%s%s",
				p.dram ? "" : "--dram DAX",
				p.dram || p.ssd ? "" : " and ",
				p.ssd ? "" : "--ssd PATH");
	if (ret)
		return ret;
	err = hymc_pool_create(ctl->hymc, &p, &id);
	if (err)
		return ctl_fail(ctl, err);
	return ctl_result(ctl, node_json(id), show_created);
}

/**
 * cmd_pool_destroy() - end a pool
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int cmd_pool_destroy(struct ctl *ctl, int argc, char **argv)
{
	struct destroy_opts opts = { 0 };
	uint32_t id;
	int err, ret = opts_parse(ctl, &argc, &argv, &opts);

	if (!ret)
		ret = opts_one_pool(ctl, argc, argv, &id);
	if (ret)
		return ret;
	err = hymc_pool_destroy(ctl->hymc, id, opts.force);
	if (err)
		return ctl_fail(ctl, err);
	return ctl_result(ctl, node_json(id), show_destroyed);
}

/**
 * show_list() - print the pools as a table
 * @obj: array of pools
 */
static void show_list(struct json_object *obj)
{
	static const struct out_col cols[] = {
		{ "NODE", "node", OUT_TEXT },
		{ "STATE", "state", OUT_TEXT },
		{ "POLICY", "policy", OUT_TEXT },
		{ "DRAM", "dram.name", OUT_TEXT },
		{ "SIZE", "dram.bytes", OUT_BYTES },
		{ "SSD", "ssd.path", OUT_TEXT },
		{ "SIZE", "ssd.bytes", OUT_BYTES },
		{ "USED", "now.ssd_used_bytes", OUT_BYTES },
		{ "BLOCKS", "now.blocks", OUT_TEXT },
		{ "FILES", "now.files", OUT_TEXT },
	};

	if (json_object_array_length(obj))
		out_table(obj, cols, CTL_ARRAY_SIZE(cols));
	else
		printf("there is no pool\n");
}

/**
 * cmd_pool_list() - list the pools
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int cmd_pool_list(struct ctl *ctl, int argc, char **argv)
{
	struct hymc_pool_list *list;
	const struct hymc_pool *p;
	struct json_object *obj;
	int err, ret = opts_parse(ctl, &argc, &argv, NULL);

	if (!ret)
		ret = opts_no_operands(ctl, argc, argv);
	if (ret)
		return ret;
	err = hymc_pool_list_get(ctl->hymc, &list);
	if (err)
		return ctl_fail(ctl, err);
	obj = json_object_new_array();
	for (p = hymc_pool_first(list); p; p = hymc_pool_next(list, p))
		json_object_array_add(obj, pool_to_json(p));
	hymc_pool_list_free(list);
	return ctl_result(ctl, obj, show_list);
}

/**
 * show_pool() - print one pool
 * @obj: the pool
 */
static void show_pool(struct json_object *obj)
{
	static const struct out_col facts[] = {
		{ "pool", NULL, OUT_TEXT },
		{ "node", "node", OUT_TEXT },
		{ "state", "state", OUT_TEXT },
		{ "policy", "policy", OUT_TEXT },
		{ "uuid", "uuid", OUT_TEXT },
		{ "opened by", "open_by", OUT_PROCS },
		{ "configuration", NULL, OUT_TEXT },
		{ "dram", "dram.name", OUT_TEXT },
		{ "dram address", "dram.start", OUT_HEX },
		{ "dram size", "dram.bytes", OUT_BYTES },
		{ "ssd", "ssd.path", OUT_TEXT },
		{ "ssd size", "ssd.bytes", OUT_BYTES },
		{ "frame size", "frame_bytes", OUT_BYTES },
		{ "segment size", "segment_bytes", OUT_BYTES },
		{ "request window", "window_bytes", OUT_BYTES },
		{ "write buffer limit", "dirty_max_bytes", OUT_BYTES },
		{ "most blocks", "blocks_max", OUT_TEXT },
		{ "occupancy", NULL, OUT_TEXT },
		{ "blocks", "now.blocks", OUT_TEXT },
		{ "bytes in them", "now.block_bytes", OUT_BYTES },
		{ "ssd used", "now.ssd_used_bytes", OUT_BYTES },
		{ "not yet on the ssd", "now.dirty_bytes", OUT_BYTES },
		{ "frames", "now.frames_total", OUT_TEXT },
		{ "  free", "now.frames_free", OUT_TEXT },
		{ "  being read", "now.frames_reading", OUT_TEXT },
		{ "  wanted", "now.frames_wanted", OUT_TEXT },
		{ "  pinned", "now.frames_pinned", OUT_TEXT },
		{ "  cold", "now.frames_cold", OUT_TEXT },
		{ "  dirty", "now.frames_dirty", OUT_TEXT },
		{ "  being filled", "now.frames_filling", OUT_TEXT },
		{ "outstanding", NULL, OUT_TEXT },
		{ "files", "now.files", OUT_TEXT },
		{ "namespaces", "now.namespaces", OUT_TEXT },
		{ "requests", "now.requests", OUT_TEXT },
		{ "views", "now.views", OUT_TEXT },
		{ "reservations", "now.reservations", OUT_TEXT },
		{ "leases", "now.leases", OUT_TEXT },
		{ "waiters", "now.waiters", OUT_TEXT },
		{ "reads in flight", "now.reads_inflight", OUT_TEXT },
		{ "writes in flight", "now.writes_inflight", OUT_TEXT },
	};

	out_facts(obj, facts, CTL_ARRAY_SIZE(facts));
}

/**
 * cmd_pool_show() - show one pool
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int cmd_pool_show(struct ctl *ctl, int argc, char **argv)
{
	struct hymc_pool_list *list;
	const struct hymc_pool *pool;
	uint32_t id;
	int err, ret = opts_parse(ctl, &argc, &argv, NULL);

	if (!ret)
		ret = opts_pool(ctl, argc, argv, &id);
	if (ret)
		return ret;
	err = hymc_pool_list_get(ctl->hymc, &list);
	if (err)
		return ctl_fail(ctl, err);
	ret = pool_pick(ctl, list, id, &pool);
	if (!ret)
		ret = ctl_result(ctl, pool_to_json(pool), show_pool);
	hymc_pool_list_free(list);
	return ret;
}
