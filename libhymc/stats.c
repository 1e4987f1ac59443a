// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: names of counters, policies and states
 *
 * Constant tables, made from the lists of the kernel's ABI so that they cannot
 * disagree with it.
 */
#include <string.h>

#include "private.h"

#define C	'C'
#define G	'G'
#define DESC(n, k, u, h)						       \
	{ .name = #n, .kind = k, .unit = u, .help = h,			       \
	  .offset = offsetof(struct hymc_stats, n) },

static const struct hymc_stat_desc descs[] = { HYMC_STATS_U64(DESC) };

#undef DESC
#undef G
#undef C

static const char * const policies[] = {
	[HYMC_POLICY_STAGE] = "stage",
	[HYMC_POLICY_LRU] = "lru",
};

static const char * const states[] = {
	[HYMC_POOL_ONLINE] = "online",
	[HYMC_POOL_DEAD] = "dead",
};

/**
 * hymc_stat_descs() - the counters of struct hymc_stats
 * @nr: out, number of them
 *
 * Return: the table, in the order of the structure.
 */
HYMC_EXPORT const struct hymc_stat_desc *hymc_stat_descs(size_t *nr)
{
	*nr = HYMC_ARRAY_SIZE(descs);
	return descs;
}

/**
 * hymc_policy_name() - the word for a policy
 * @policy: enum hymc_policy
 *
 * Return: the word, or NULL when @policy is unknown.
 */
HYMC_EXPORT const char *hymc_policy_name(uint32_t policy)
{
	return policy < HYMC_ARRAY_SIZE(policies) ? policies[policy] : NULL;
}

/**
 * hymc_policy_parse() - the policy of a word
 * @name: the word
 *
 * Return: enum hymc_policy, or -EINVAL when @name is no policy.
 */
HYMC_EXPORT int hymc_policy_parse(const char *name)
{
	size_t i;

	for (i = 0; i < HYMC_ARRAY_SIZE(policies); i++)
		if (!strcmp(name, policies[i]))
			return (int)i;
	return -EINVAL;
}

/**
 * hymc_pool_state_name() - the word for a pool's state
 * @state: enum hymc_pool_state
 *
 * Return: the word, or NULL when @state is unknown.
 */
HYMC_EXPORT const char *hymc_pool_state_name(uint32_t state)
{
	return state < HYMC_ARRAY_SIZE(states) ? states[state] : NULL;
}
