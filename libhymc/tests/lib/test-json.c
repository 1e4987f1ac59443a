// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: hymcctl's JSON has the documented members, with the right values
 *
 * A pool is made up, with a different number in every field.
 */
#include <string.h>
#include <unistd.h>

#include "../../../tools/hymcctl/hymcctl.h"
#include "core/tap.h"
#include "private.h"

static uint32_t pids[2];

static struct hymc_pool pool = {
	.id = 5, .policy = HYMC_POLICY_LRU, .state = HYMC_POOL_DEAD,
	.frame_bytes = 65536, .dram = (char *)"dax1.0",
	.dram_start = 0x1050000000, .dram_bytes = 1ULL << 29,
	.ssd = (char *)"/dev/nvme1n1", .ssd_bytes = UINT64_MAX,
	.segment_bytes = 1 << 28, .window_bytes = 11, .blocks_max = 12,
	.dirty_max_bytes = 13, .pids = pids, .pids_nr = 2,
	.uuid = { 0xc9, 0x33, 0x17, 0x65, 0xf3, 0x1f, 0x4b, 0xb9,
		  0x99, 0x3d, 0x32, 0x32, 0x10, 0xbe, 0xd0, 0xcf },
};

static void fill(struct hymc_stats *stats, uint64_t first)
{
	const struct hymc_stat_desc *d;
	size_t i, nr;

	d = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++) {
		uint64_t v = first + i;

		memcpy((char *)stats + d[i].offset, &v, sizeof(v));
	}
	for (i = 0; i < HYMC_LEAD_BUCKETS; i++)
		stats->lead_hist[i] = first * 1000 + i;
}

static int text_is(struct json_object *obj, const char *key, const char *want)
{
	struct json_object *v = out_get(obj, key);

	return v && json_object_is_type(v, json_type_string) &&
	       !strcmp(json_object_get_string(v), want);
}

static int number_is(struct json_object *obj, const char *key, uint64_t want)
{
	struct json_object *v = out_get(obj, key);

	return v && json_object_is_type(v, json_type_int) &&
	       json_object_get_uint64(v) == want;
}

static void test_pool(void)
{
	struct json_object *o, *p;

	pids[0] = (uint32_t)getpid();
	pids[1] = 0x7ffffffe;
	o = pool_to_json(&pool);
	EXPECT(number_is(o, "pool", 5));
	EXPECT(text_is(o, "node", "/dev/hymc5"));
	EXPECT(text_is(o, "uuid", "c9331765-f31f-4bb9-993d-323210bed0cf"));
	EXPECT(text_is(o, "state", "dead"));
	EXPECT(text_is(o, "policy", "lru"));
	EXPECT(text_is(o, "dram.name", "dax1.0"));
	EXPECT(number_is(o, "dram.start", 0x1050000000));
	EXPECT(number_is(o, "dram.bytes", 1ULL << 29));
	EXPECT(text_is(o, "ssd.path", "/dev/nvme1n1"));
	EXPECT(number_is(o, "ssd.bytes", UINT64_MAX));
	EXPECT(number_is(o, "frame_bytes", 65536));
	EXPECT(number_is(o, "segment_bytes", 1 << 28));
	EXPECT(number_is(o, "window_bytes", 11));
	EXPECT(number_is(o, "blocks_max", 12));
	EXPECT(number_is(o, "dirty_max_bytes", 13));
	p = out_get(o, "open_by");
	EXPECT(p && json_object_array_length(p) == 2);
	EXPECT(number_is(json_object_array_get_idx(p, 0), "pid", pids[0]));
	EXPECT(text_is(json_object_array_get_idx(p, 0), "name", "test-json"));
	EXPECT(text_is(json_object_array_get_idx(p, 1), "name", "?"));
	json_object_put(o);
}

/* "now" has the gauges, and only those; "stats" has all. */
static void test_counters(void)
{
	const struct hymc_stat_desc *d;
	struct json_object *o, *s;
	size_t i, nr, gauges = 0;

	fill(&pool.stats, 100);
	o = pool_to_json(&pool);
	s = stats_to_json(&pool.stats, NULL);
	d = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++) {
		EXPECT(number_is(s, d[i].name, 100 + i));
		gauges += d[i].kind == 'G';
		EXPECT_EQ(number_is(out_get(o, "now"), d[i].name, 100 + i),
			  d[i].kind == 'G');
	}
	EXPECT_EQ(json_object_object_length(s), nr);
	EXPECT_EQ(json_object_object_length(out_get(o, "now")), gauges);
	json_object_put(s);
	json_object_put(o);
}

/* A difference is taken of what grows, not of gauges. */
static void test_delta(void)
{
	const struct hymc_stat_desc *d;
	struct hymc_stats now, before;
	struct json_object *s, *h;
	size_t i, nr;

	fill(&now, 1000);
	fill(&before, 990);
	s = stats_to_json(&now, &before);
	h = hist_to_json(&now, &before);
	d = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++)
		EXPECT(number_is(s, d[i].name,
				 d[i].kind == 'C' ? 10 : 1000 + i));
	EXPECT_EQ(json_object_array_length(h), HYMC_LEAD_BUCKETS);
	for (i = 0; i < HYMC_LEAD_BUCKETS; i++)
		EXPECT_EQ(json_object_get_uint64(
				json_object_array_get_idx(h, i)), 10000);
	json_object_put(s);
	json_object_put(h);
}

static void test_unknown(void)
{
	struct hymc_pool later = pool;
	struct json_object *o;

	later.state = 99;
	later.policy = 98;
	o = pool_to_json(&later);
	EXPECT(json_object_object_get_ex(o, "state", NULL));
	EXPECT(!out_get(o, "state"));
	EXPECT(json_object_object_get_ex(o, "policy", NULL));
	EXPECT(!out_get(o, "policy"));
	json_object_put(o);
}

static void test_bytes(void)
{
	char s[32];

	out_bytes(s, sizeof(s), 0);
	EXPECT(!strcmp(s, "0 B"));
	out_bytes(s, sizeof(s), 1023);
	EXPECT(!strcmp(s, "1023 B"));
	out_bytes(s, sizeof(s), 1024);
	EXPECT(!strcmp(s, "1 KiB"));
	out_bytes(s, sizeof(s), 4026531840);
	EXPECT(!strcmp(s, "3.8 GiB"));
	out_bytes(s, sizeof(s), 1ULL << 62);
	EXPECT(!strcmp(s, "4194304 TiB"));
}

static const struct tap_test tests[] = {
	{ "a pool", test_pool },
	{ "every counter is there", test_counters },
	{ "a difference", test_delta },
	{ "words of a later kernel become null", test_unknown },
	{ "sizes for people", test_bytes },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
