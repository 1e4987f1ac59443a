// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: derived keys never change
 *
 * The expected values were computed by another implementation (Python's
 * hashlib) from the definition in the header. If one of these fails, stored
 * blocks would not be found any more.
 */
#include <stdio.h>
#include <string.h>

#include "core/tap.h"
#include "private.h"

static void hex(const struct hymc_key *key, char out[2 * HYMC_KEY_BYTES + 1])
{
	size_t i;

	for (i = 0; i < HYMC_KEY_BYTES; i++)
		sprintf(out + 2 * i, "%02x", key->b[i]);
}

static int is(const struct hymc_key_field *fields, size_t nr, const char *want)
{
	char got[2 * HYMC_KEY_BYTES + 1];
	struct hymc_key key;

	hymc_key_derive(fields, nr, &key);
	hex(&key, got);
	if (strcmp(got, want))
		fprintf(stderr, "# got %s\n", got);
	return !strcmp(got, want);
}

static void test_none(void)
{
	EXPECT(is(NULL, 0,
		  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

static void test_empty_value(void)
{
	const struct hymc_key_field f = { .tag = "tokens" };

	EXPECT(is(&f, 1,
		  "b7f1613d18fbdd4d4d383f0c2875b3677b3f5dae689a8408d04c9481b76097f9"));
}

static void test_block(void)
{
	static const uint8_t parent[32];
	static const uint8_t tokens[16] = { 1, 0, 0, 0, 2, 0, 0, 0,
					    3, 0, 0, 0, 4 };
	const struct hymc_key_field f[] = {
		{ "model", "llama-3.1-8b", 12 },
		{ "parent", parent, sizeof(parent) },
		{ "tokens", tokens, sizeof(tokens) },
	};

	EXPECT(is(f, 3,
		  "3713ee66624acfd81d34af4142d0e3fd22db0d6963cc8e1795cec599bc2178b8"));
}

static void test_long(void)
{
	static uint8_t value[100000];
	const struct hymc_key_field f = { "x", value, sizeof(value) };
	size_t i;

	for (i = 0; i < sizeof(value); i++)
		value[i] = (uint8_t)i;
	EXPECT(is(&f, 1,
		  "fb7faf68c7fd12d9ae9cb462eea4c6d58ac8c33069cdff5eeaa1b67d313c2919"));
}

static void test_borders(void)
{
	const struct hymc_key_field ab_c[] = { { "t", "ab", 2 }, { "t", "c", 1 } };
	const struct hymc_key_field a_bc[] = { { "t", "a", 1 }, { "t", "bc", 2 } };
	const struct hymc_key_field tags[] = { { "tt", "ab", 2 }, { "", "c", 1 } };
	const struct hymc_key_field swapped[] = { { "t", "c", 1 }, { "t", "ab", 2 } };
	struct hymc_key key[4];
	size_t i, k;

	hymc_key_derive(ab_c, 2, &key[0]);
	hymc_key_derive(a_bc, 2, &key[1]);
	hymc_key_derive(tags, 2, &key[2]);
	hymc_key_derive(swapped, 2, &key[3]);
	for (i = 0; i < 4; i++)
		for (k = 0; k < i; k++)
			EXPECT(memcmp(&key[i], &key[k], sizeof(key[i])));
}

static const struct tap_test tests[] = {
	{ "no field gives the hash of nothing", test_none },
	{ "an empty value counts by its tag and length", test_empty_value },
	{ "a key like an engine's is what it always was", test_block },
	{ "a long value is hashed whole", test_long },
	{ "borders and order of fields matter", test_borders },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
