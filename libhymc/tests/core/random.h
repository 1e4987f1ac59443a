/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: repeatable random numbers (splitmix64)
 */
#ifndef HYMC_TEST_RANDOM_H
#define HYMC_TEST_RANDOM_H

#include "hymc_platform.h"

struct random {
	u64 state;
};

static inline u64 random_next(struct random *r)
{
	u64 z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* A number below @n, which is not 0. */
static inline u64 random_below(struct random *r, u64 n)
{
	return random_next(r) % n;
}

/* True @percent times in a hundred. */
static inline bool random_chance(struct random *r, u32 percent)
{
	return random_below(r, 100) < percent;
}

#endif /* HYMC_TEST_RANDOM_H */
