// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: what the replay itself counted
 *
 * Owns the table of counts. What the device counts is not here: audit.c holds
 * the two against each other.
 */
#include <stddef.h>

#include "tally.h"

#define DESC(name, meaning) \
	{ #name, meaning, offsetof(struct hr_tally, name) },

static const struct hr_tally_desc descs[] = { HR_TALLY(DESC) };

const struct hr_tally_desc *hr_tally_at(unsigned int i)
{
	return i < sizeof(descs) / sizeof(descs[0]) ? &descs[i] : NULL;
}

static uint64_t *field(struct hr_tally *t, const struct hr_tally_desc *d)
{
	return (uint64_t *)((char *)t + d->offset);
}

uint64_t hr_tally_get(const struct hr_tally *t, const struct hr_tally_desc *d)
{
	return *(const uint64_t *)((const char *)t + d->offset);
}

void hr_tally_add(struct hr_tally *sum, const struct hr_tally *more)
{
	const struct hr_tally_desc *d;
	unsigned int i;

	for (i = 0; (d = hr_tally_at(i)); i++)
		*field(sum, d) += hr_tally_get(more, d);
}
