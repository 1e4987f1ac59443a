// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: contexts: sentences per thread, references, log lines
 */
#include <pthread.h>
#include <string.h>

#include "core/tap.h"
#include "private.h"

#define THREADS		8
#define ROUNDS		200

static struct hymc_ctx *ctx_new(void)
{
	struct hymc_ctx *ctx = NULL;

	EXPECT_EQ(hymc_ctx_new(&ctx), 0);
	return ctx;
}

static void test_sentence(void)
{
	struct hymc_ctx *ctx = ctx_new();
	char text[3 * HYMC_TEXT_BYTES];

	EXPECT(!strcmp(hymc_last_error(ctx), ""));
	EXPECT_EQ(hymc_err(ctx, -EBUSY, "%s %d", "one", 1), -EBUSY);
	EXPECT(!strcmp(hymc_last_error(ctx), "one 1"));
	hymc_err(ctx, -EIO, "%s, twice", hymc_last_error(ctx));
	EXPECT(!strcmp(hymc_last_error(ctx), "one 1, twice"));
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	hymc_err(ctx, -EIO, "%s", text);
	EXPECT_EQ(strlen(hymc_last_error(ctx)), HYMC_TEXT_BYTES - 1);
	EXPECT(!hymc_ctx_unref(ctx));
	EXPECT(!hymc_ctx_unref(NULL));
}

static void *fail_often(void *arg)
{
	struct hymc_ctx *ctx = arg;
	char want[64];
	int i;

	if (strcmp(hymc_last_error(ctx), ""))
		return ctx;
	for (i = 0; i < ROUNDS; i++) {
		snprintf(want, sizeof(want), "thread %p round %d",
			 (void *)want, i);
		hymc_err(ctx, -EIO, "thread %p round %d", (void *)want, i);
		if (strcmp(hymc_last_error(ctx), want))
			return ctx;
	}
	return NULL;
}

static void test_threads(void)
{
	struct hymc_ctx *ctx = ctx_new();
	pthread_t t[THREADS];
	void *bad;
	int i;

	hymc_err(ctx, -EIO, "mine");
	for (i = 0; i < THREADS; i++)
		EXPECT_EQ(pthread_create(&t[i], NULL, fail_often, ctx), 0);
	for (i = 0; i < THREADS; i++) {
		EXPECT_EQ(pthread_join(t[i], &bad), 0);
		EXPECT(!bad);
	}
	EXPECT(!strcmp(hymc_last_error(ctx), "mine"));
	hymc_ctx_unref(ctx);
}

static void *fail_and_unref(void *arg)
{
	void *bad = fail_often(arg);

	hymc_ctx_unref(arg);
	return bad;
}

/* Threads end, with records, while others drop the last reference. */
static void test_last_reference(void)
{
	pthread_t t[THREADS];
	struct hymc_ctx *ctx;
	void *bad;
	int i, round;

	for (round = 0; round < 100; round++) {
		ctx = ctx_new();
		for (i = 0; i < THREADS; i++)
			EXPECT_EQ(pthread_create(&t[i], NULL, fail_and_unref,
						 hymc_ctx_ref(ctx)), 0);
		hymc_ctx_unref(ctx);
		for (i = 0; i < THREADS; i++) {
			EXPECT_EQ(pthread_join(t[i], &bad), 0);
			EXPECT(!bad);
		}
	}
}

/* More contexts, one after the other, than a process has keys. */
static void test_many(void)
{
	struct hymc_ctx *ctx;
	int i;

	for (i = 0; i < 3 * 1024; i++) {
		ctx = ctx_new();
		hymc_err(ctx, -EIO, "context %d", i);
		hymc_ctx_unref(ctx);
	}
}

static void test_two(void)
{
	struct hymc_ctx *a = ctx_new(), *b = ctx_new();

	hymc_err(a, -EIO, "of a");
	hymc_err(b, -EIO, "of b");
	EXPECT(!strcmp(hymc_last_error(a), "of a"));
	EXPECT(!strcmp(hymc_last_error(b), "of b"));
	hymc_ctx_unref(a);
	EXPECT(!strcmp(hymc_last_error(b), "of b"));
	hymc_ctx_unref(b);
}

static void note_line(int priority, const char *line, void *data)
{
	snprintf(data, HYMC_TEXT_BYTES, "%d %s", priority, line);
}

static void test_log(void)
{
	struct hymc_ctx *ctx = ctx_new();
	char seen[HYMC_TEXT_BYTES] = "";

	hymc_log(ctx, LOG_ERR, "to nobody");
	hymc_ctx_set_log(ctx, note_line, seen);
	hymc_log(ctx, LOG_NOTICE, "a %s\n", "line");
	EXPECT(!strcmp(seen, "5 a line"));
	hymc_ctx_set_log(ctx, NULL, NULL);
	hymc_log(ctx, LOG_ERR, "to nobody");
	EXPECT(!strcmp(seen, "5 a line"));
	hymc_ctx_unref(ctx);
}

static void test_names(void)
{
	EXPECT(!strcmp(hymc_policy_name(HYMC_POLICY_STAGE), "stage"));
	EXPECT(!strcmp(hymc_policy_name(HYMC_POLICY_LRU), "lru"));
	EXPECT(!hymc_policy_name(HYMC_POLICY_LRU + 1));
	EXPECT_EQ(hymc_policy_parse("lru"), HYMC_POLICY_LRU);
	EXPECT_EQ(hymc_policy_parse("stage"), HYMC_POLICY_STAGE);
	EXPECT_EQ(hymc_policy_parse("LRU"), -EINVAL);
	EXPECT_EQ(hymc_policy_parse(""), -EINVAL);
	EXPECT(!strcmp(hymc_pool_state_name(HYMC_POOL_ONLINE), "online"));
	EXPECT(!strcmp(hymc_pool_state_name(HYMC_POOL_DEAD), "dead"));
	EXPECT(!hymc_pool_state_name(HYMC_POOL_DEAD + 1));
}

/* The table covers the structure from its first counter to the histogram. */
static void test_stat_descs(void)
{
	const struct hymc_stat_desc *d;
	size_t i, nr;

	d = hymc_stat_descs(&nr);
	EXPECT_EQ(d[0].offset, offsetof(struct hymc_stats, blocks));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(d[i].offset, d[0].offset + i * sizeof(uint64_t));
		EXPECT(d[i].kind == 'C' || d[i].kind == 'G');
		EXPECT(*d[i].name && *d[i].unit && *d[i].help);
	}
	EXPECT_EQ(d[0].offset + nr * sizeof(uint64_t),
		  offsetof(struct hymc_stats, lead_hist));
}

static const struct tap_test tests[] = {
	{ "the last sentence is kept, cut when too long", test_sentence },
	{ "each thread has its own", test_threads },
	{ "a thread may end while another drops the last reference",
	  test_last_reference },
	{ "contexts do not use keys up", test_many },
	{ "each context has its own", test_two },
	{ "log lines reach the callback, whole and without newline", test_log },
	{ "policies and states have names", test_names },
	{ "the table of counters covers all of them", test_stat_descs },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
