// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: deriving keys
 *
 * A key is SHA-256 over tagged, length-prefixed fields, so that no two
 * different field lists give the same byte stream. This stream is for ever:
 * stored blocks are found by it.
 *
 * The hash comes from libmd: it has no dependencies, is part of every Debian
 * system (dpkg needs it), and its calls cannot fail, which lets key derivation
 * have no error either.
 */
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "private.h"

_Static_assert(HYMC_KEY_BYTES == SHA256_DIGEST_LENGTH, "a key is a SHA-256");

/**
 * add_le() - hash an integer, least significant byte first
 * @sha: the hash
 * @value: the integer
 * @bytes: its width
 */
static void add_le(SHA2_CTX *sha, uint64_t value, unsigned int bytes)
{
	uint8_t buf[8];
	unsigned int i;

	for (i = 0; i < bytes; i++)
		buf[i] = (uint8_t)(value >> (8 * i));
	SHA256Update(sha, buf, bytes);
}

/**
 * add_field() - hash one field
 * @sha: the hash
 * @field: the field; a NULL tag counts as ""
 */
static void add_field(SHA2_CTX *sha, const struct hymc_key_field *field)
{
	const char *tag = field->tag ? field->tag : "";
	size_t len = strlen(tag);

	add_le(sha, len, 4);
	SHA256Update(sha, (const uint8_t *)tag, len);
	add_le(sha, field->bytes, 8);
	if (field->bytes)
		SHA256Update(sha, field->value, field->bytes);
}

/**
 * hymc_key_derive() - derive a key from tagged fields
 * @fields: the fields; their order matters
 * @nr: number of fields
 * @key: out
 *
 * Thread safe, never fails.
 */
HYMC_EXPORT void hymc_key_derive(const struct hymc_key_field *fields, size_t nr,
				 struct hymc_key *key)
{
	SHA2_CTX sha;
	size_t i;

	SHA256Init(&sha);
	for (i = 0; i < nr; i++)
		add_field(&sha, &fields[i]);
	SHA256Final(key->b, &sha);
}
