// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the engine's own prefix cache
 */
#include "../../../libhymc/tests/core/tap.h"
#include "../hbm.h"

/* A request of blocks @first, @first+1, ... */
#define REQUEST(name, ...)						\
	uint32_t name##_blocks[] = { __VA_ARGS__ };			\
	struct hr_request name = {					\
		.blocks = name##_blocks,				\
		.block_nr = sizeof(name##_blocks) / sizeof(uint32_t),	\
	}

static void nothing_at_first(void)
{
	struct hr_hbm *hbm = hr_hbm_new(4, 10);
	REQUEST(a, 0, 1, 2);

	EXPECT_EQ(hr_hbm_prefix(hbm, &a), 0);
	hr_hbm_free(hbm);
}

static void finds_leading_blocks(void)
{
	struct hr_hbm *hbm = hr_hbm_new(8, 10);
	REQUEST(a, 0, 1, 2);
	REQUEST(b, 0, 1, 5, 2);
	REQUEST(c, 3, 0, 1);

	hr_hbm_insert(hbm, &a);
	EXPECT_EQ(hr_hbm_prefix(hbm, &a), 3);
	EXPECT_EQ(hr_hbm_prefix(hbm, &b), 2);
	EXPECT_EQ(hr_hbm_prefix(hbm, &c), 0);
	hr_hbm_free(hbm);
}

/* Of a request that does not fit, the beginning stays: it can be continued. */
static void keeps_the_beginning(void)
{
	struct hr_hbm *hbm = hr_hbm_new(2, 10);
	REQUEST(a, 0, 1, 2, 3);

	hr_hbm_insert(hbm, &a);
	EXPECT_EQ(hr_hbm_prefix(hbm, &a), 2);
	hr_hbm_free(hbm);
}

static void least_recent_goes(void)
{
	struct hr_hbm *hbm = hr_hbm_new(4, 10);
	REQUEST(a, 0, 1);
	REQUEST(b, 0, 2);
	REQUEST(c, 0, 3, 4);

	hr_hbm_insert(hbm, &a);
	hr_hbm_insert(hbm, &b);
	hr_hbm_insert(hbm, &a);
	/* Order now: 0 1 2; two more push 2 out, and nothing else. */
	hr_hbm_insert(hbm, &c);
	EXPECT_EQ(hr_hbm_prefix(hbm, &a), 2);
	EXPECT_EQ(hr_hbm_prefix(hbm, &b), 1);
	EXPECT_EQ(hr_hbm_prefix(hbm, &c), 3);
	hr_hbm_free(hbm);
}

static void none(void)
{
	struct hr_hbm *hbm = hr_hbm_new(0, 10);
	REQUEST(a, 0, 1);

	hr_hbm_insert(hbm, &a);
	EXPECT_EQ(hr_hbm_prefix(hbm, &a), 0);
	hr_hbm_free(hbm);
}

static const struct tap_test tests[] = {
	{ "it is empty at first", nothing_at_first },
	{ "leading blocks are found", finds_leading_blocks },
	{ "the beginning of a long request stays", keeps_the_beginning },
	{ "the least recently used block goes", least_recent_goes },
	{ "a capacity of 0 holds nothing", none },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
