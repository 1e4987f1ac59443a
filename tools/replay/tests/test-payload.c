// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the payload check finds every kind of wrong bytes
 */
#include <stdlib.h>
#include <string.h>

#include "../../../libhymc/tests/core/tap.h"
#include "../payload.h"

#define LEN	(128U << 10)
#define FRAME	(4U << 10)

static const size_t lengths[] = {
	1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 511, 512, 4095, 4097, 70272, LEN,
};

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static uint8_t buf[LEN + 64];
static struct hr_mismatch bad;

static struct hymc_key key_of(unsigned int n)
{
	const struct hymc_key_field field = { "test", &n, sizeof(n) };
	struct hymc_key key;

	hymc_key_derive(&field, 1, &key);
	return key;
}

static void right_bytes(void)
{
	struct hymc_key key = key_of(1);
	size_t i;

	for (i = 0; i < LENGTHS; i++) {
		memset(buf, 0xaa, sizeof(buf));
		hr_payload_fill(&key, buf, lengths[i]);
		EXPECT_EQ(hr_payload_check(&key, buf, lengths[i], &bad), 0);
		/* Nothing was written behind the end. */
		EXPECT_EQ(buf[lengths[i]], 0xaa);
		EXPECT_EQ(buf[lengths[i] + 32], 0xaa);
	}
}

static void unaligned_buffer(void)
{
	struct hymc_key key = key_of(1);

	hr_payload_fill(&key, buf + 3, 5000);
	EXPECT_EQ(hr_payload_check(&key, buf + 3, 5000, &bad), 0);
}

/* Every single bit of a small block, and its exact place. */
static void any_bit(void)
{
	struct hymc_key key = key_of(2);
	unsigned int bit, len = 77;

	hr_payload_fill(&key, buf, len);
	for (bit = 0; bit < 8 * len; bit++) {
		buf[bit / 8] ^= 1 << bit % 8;
		EXPECT_EQ(hr_payload_check(&key, buf, len, &bad), 1);
		EXPECT_EQ(bad.offset, bit / 8);
		EXPECT_EQ(bad.got[0], buf[bit / 8]);
		EXPECT_EQ(bad.expected[0] ^ bad.got[0], 1 << bit % 8);
		EXPECT_EQ(bad.shown, len - bit / 8 < 8 ? len - bit / 8 :
			  bad.shown);
		buf[bit / 8] ^= 1 << bit % 8;
	}
	EXPECT_EQ(hr_payload_check(&key, buf, len, &bad), 0);
}

static void counts_exactly(void)
{
	struct hymc_key key = key_of(3);

	hr_payload_fill(&key, buf, LEN);
	buf[100] ^= 1;
	buf[101] ^= 1;
	buf[LEN - 1] ^= 0x80;
	EXPECT_EQ(hr_payload_check(&key, buf, LEN, &bad), 3);
	EXPECT_EQ(bad.offset, 100);
}

/*
 * Random bytes agree in 1 of 256, and the generator is cheap rather than
 * random: a bit less is wrong than everywhere.
 */
static void expect_mostly_wrong(const struct hymc_key *key, const void *p,
				size_t len, size_t wrong)
{
	uint64_t n = hr_payload_check(key, p, len, &bad);

	EXPECT(n > wrong - wrong / 16);
	EXPECT(n <= wrong);
}

static void another_block(void)
{
	struct hymc_key a = key_of(4), b = key_of(5);

	hr_payload_fill(&a, buf, LEN);
	expect_mostly_wrong(&b, buf, LEN, LEN);
}

/* Keys that differ in one bit, wherever that is. */
static void neighbour_keys(void)
{
	struct hymc_key a = key_of(6), b;
	unsigned int bit;

	hr_payload_fill(&a, buf, LEN);
	for (bit = 0; bit < 8 * HYMC_KEY_BYTES; bit++) {
		b = a;
		b.b[bit / 8] ^= 1 << bit % 8;
		/* A quarter of the words depends on each quarter of the key. */
		expect_mostly_wrong(&b, buf, LEN, LEN / 4);
	}
}

/* The quarters of the key are not exchangeable. */
static void swapped_key_words(void)
{
	struct hymc_key a = key_of(7), b = a;

	memcpy(b.b, a.b + 8, 8);
	memcpy(b.b + 8, a.b, 8);
	hr_payload_fill(&a, buf, LEN);
	expect_mostly_wrong(&b, buf, LEN, LEN / 2);
}

static void shifted(void)
{
	static const size_t by[] = { 1, 8, 16, 32, 64, 512, 4096, 65536 };
	struct hymc_key key = key_of(8);
	size_t i;

	for (i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		hr_payload_fill(&key, buf, LEN);
		memmove(buf, buf + by[i], LEN - by[i]);
		expect_mostly_wrong(&key, buf, LEN - by[i] + 0, LEN - by[i]);
	}
}

static void swapped_frames(void)
{
	struct hymc_key key = key_of(9);
	uint8_t frame[FRAME];

	hr_payload_fill(&key, buf, LEN);
	memcpy(frame, buf + 2 * FRAME, FRAME);
	memcpy(buf + 2 * FRAME, buf + 9 * FRAME, FRAME);
	memcpy(buf + 9 * FRAME, frame, FRAME);
	expect_mostly_wrong(&key, buf, LEN, 2 * FRAME);
	EXPECT(bad.offset >= 2 * FRAME && bad.offset < 2 * FRAME + 8);
}

/* Cut off: the rest is zero, or what was in the buffer before. */
static void truncated(void)
{
	struct hymc_key key = key_of(10), other = key_of(11);

	hr_payload_fill(&key, buf, LEN);
	memset(buf + LEN - FRAME, 0, FRAME);
	expect_mostly_wrong(&key, buf, LEN, FRAME);
	hr_payload_fill(&other, buf, LEN);
	hr_payload_fill(&key, buf, LEN - FRAME);
	/* Another length is another content from the first byte on. */
	expect_mostly_wrong(&key, buf, LEN, LEN);
}

/* An earlier run's bytes under what is the same key but for the generation. */
static void stale(void)
{
	uint64_t id = 42, generation = 1;
	struct hymc_key_field fields[] = {
		{ "generation", &generation, sizeof(generation) },
		{ "block", &id, sizeof(id) },
	};
	struct hymc_key before, now;

	hymc_key_derive(fields, 2, &before);
	generation = 2;
	hymc_key_derive(fields, 2, &now);
	hr_payload_fill(&before, buf, LEN);
	expect_mostly_wrong(&now, buf, LEN, LEN);
}

static void zeros(void)
{
	struct hymc_key key = key_of(12);

	memset(buf, 0, LEN);
	expect_mostly_wrong(&key, buf, LEN, LEN);
	/* Nor does the all-zero key make zeros. */
	memset(&key, 0, sizeof(key));
	expect_mostly_wrong(&key, buf, LEN, LEN);
}

static const struct tap_test tests[] = {
	{ "right bytes of every length pass", right_bytes },
	{ "buffers need no alignment", unaligned_buffer },
	{ "any flipped bit is found, at its place", any_bit },
	{ "wrong bytes are counted exactly", counts_exactly },
	{ "another block's bytes are found", another_block },
	{ "keys that differ in one bit differ in payload", neighbour_keys },
	{ "the order of the key's words matters", swapped_key_words },
	{ "shifted bytes are found", shifted },
	{ "swapped frames are found, at their place", swapped_frames },
	{ "cut off bytes are found", truncated },
	{ "an earlier run's bytes are found", stale },
	{ "zeros are found", zeros },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
