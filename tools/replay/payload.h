/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the bytes of a block, derived from its key
 */
#ifndef HR_PAYLOAD_H
#define HR_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#include <hymc/libhymc.h>

/**
 * struct hr_mismatch - what a check found
 * @wrong_bytes: how many bytes differ
 * @offset: of the first of them
 * @expected: what should be from @offset on, up to 8 bytes
 * @got: what is there
 * @shown: valid bytes in @expected and @got
 */
struct hr_mismatch {
	uint64_t wrong_bytes;
	uint64_t offset;
	uint8_t expected[8];
	uint8_t got[8];
	uint32_t shown;
};

/**
 * hr_payload_fill() - make the bytes of a block
 * @key: its key
 * @buf: where to
 * @len: its length, which the bytes depend on
 */
void hr_payload_fill(const struct hymc_key *key, void *buf, size_t len);

/**
 * hr_payload_check() - compare bytes with what they should be
 * @key: key of the block
 * @buf: the bytes
 * @len: length of the block
 * @bad: out: what is wrong, when something is
 *
 * Needs no second buffer.
 *
 * Return: The number of wrong bytes.
 */
uint64_t hr_payload_check(const struct hymc_key *key, const void *buf,
			  size_t len, struct hr_mismatch *bad);

#endif
