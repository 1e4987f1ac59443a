// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the bytes of a block, derived from its key
 *
 * A block is a sequence of 64-bit words in four lanes: word 4i+j depends on i,
 * on quarter j of the key and on the length of the block. So the bytes of
 * another key, of the same key in a block of another length, of another offset
 * of the same block (shifted, frames swapped) and zeros are all wrong nearly
 * everywhere, and one flipped bit is wrong in its byte. Which *generation* of a
 * key the bytes belong to is the business of the key: see keys.h.
 *
 * It has to be cheap rather than random: one multiplication, one addition and
 * one shift per eight bytes, in plain 64-bit arithmetic, because it also runs
 * under an emulator and competes with what is measured. Keeps no state.
 */
#include <string.h>

#include "payload.h"

#define LANES		4
#define GROUP_BYTES	(LANES * sizeof(uint64_t))
/* Odd constants with about half of their bits set. */
#define STEP		0x9e3779b97f4a7c15ULL
#define MIX		0xd6e8feb86659fd93ULL

/* The state that produces the words of one block. */
struct lanes {
	uint64_t at[LANES];
};

static uint64_t mix64(uint64_t v)
{
	v ^= v >> 32;
	v *= MIX;
	v ^= v >> 29;
	v *= MIX;
	return v ^ (v >> 32);
}

static void lanes_init(struct lanes *l, const struct hymc_key *key, size_t len)
{
	uint64_t word;
	int j;

	for (j = 0; j < LANES; j++) {
		memcpy(&word, key->b + j * sizeof(word), sizeof(word));
		l->at[j] = mix64(word + j) ^ mix64(len * STEP + j);
	}
}

/* The next word of lane @j. */
static inline uint64_t lane_next(struct lanes *l, int j)
{
	uint64_t v = l->at[j];

	l->at[j] = v + STEP;
	return (v ^ (v >> 31)) * MIX;
}

static void group_next(struct lanes *l, uint64_t out[LANES])
{
	int j;

	for (j = 0; j < LANES; j++)
		out[j] = lane_next(l, j);
}

void hr_payload_fill(const struct hymc_key *key, void *buf, size_t len)
{
	uint64_t group[LANES];
	uint8_t *at = buf;
	struct lanes l;

	lanes_init(&l, key, len);
	for (; len >= GROUP_BYTES; len -= GROUP_BYTES, at += GROUP_BYTES) {
		group_next(&l, group);
		memcpy(at, group, GROUP_BYTES);
	}
	group_next(&l, group);
	memcpy(at, group, len);
}

/* Count the differing bytes of a group and note the first of the block. */
static void note_group(struct hr_mismatch *bad, const uint8_t *expected,
		       const uint8_t *got, size_t offset, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (expected[i] == got[i])
			continue;
		if (!bad->wrong_bytes++) {
			bad->offset = offset + i;
			bad->shown = len - i < 8 ? len - i : 8;
			memcpy(bad->expected, expected + i, bad->shown);
			memcpy(bad->got, got + i, bad->shown);
		}
	}
}

uint64_t hr_payload_check(const struct hymc_key *key, const void *buf,
			  size_t len, struct hr_mismatch *bad)
{
	uint64_t want[LANES], have[LANES];
	const uint8_t *at = buf;
	size_t left = len;
	struct lanes l;

	bad->wrong_bytes = 0;
	lanes_init(&l, key, len);
	for (; left >= GROUP_BYTES; left -= GROUP_BYTES, at += GROUP_BYTES) {
		group_next(&l, want);
		memcpy(have, at, GROUP_BYTES);
		if ((want[0] ^ have[0]) | (want[1] ^ have[1]) |
		    (want[2] ^ have[2]) | (want[3] ^ have[3]))
			note_group(bad, (const uint8_t *)want, at, len - left,
				   GROUP_BYTES);
	}
	group_next(&l, want);
	note_group(bad, (const uint8_t *)want, at, len - left, left);
	return bad->wrong_bytes;
}
