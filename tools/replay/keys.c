// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the keys of a trace's blocks
 *
 * Made once before a run, so that hashing does not compete with what is
 * measured. Owns nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "keys.h"

struct hymc_key *hr_keys_make(const struct hr_trace *trace, const char *model,
			      uint64_t generation)
{
	struct hymc_key_field fields[] = {
		{ "model", model, strlen(model) },
		{ "generation", &generation, sizeof(generation) },
		{ "block", NULL, sizeof(trace->blocks->id) },
	};
	struct hymc_key *keys;
	uint32_t i;

	keys = calloc(trace->block_nr + 1, sizeof(*keys));
	if (!keys)
		return NULL;
	for (i = 0; i < trace->block_nr; i++) {
		fields[2].value = &trace->blocks[i].id;
		hymc_key_derive(fields, 3, &keys[i]);
	}
	return keys;
}
