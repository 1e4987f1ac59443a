// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: options and operands of a command
 *
 * Options may stand before or behind operands. Each command has a table of
 * them, which also makes its help. A value that makes no sense ends the run
 * before anything is tried, with the option, the value and what is wrong with
 * it.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hymcctl.h"

/* Most options of a command. */
#define OPTS_MAX	32
/* What getopt_long() returns for the first option: above all characters. */
#define OPT_FIRST	256
/* Longest time that stats may be asked to wait, in seconds. */
#define SECONDS_MAX	86400.0

/**
 * set_size() - a size
 * @ctl: the run
 * @opt: the option
 * @value: its value
 * @max: largest size that fits
 * @bytes: out
 *
 * Return: 0 or CTL_USAGE.
 */
static int set_size(struct ctl *ctl, const struct ctl_opt *opt,
		    const char *value, uint64_t max, uint64_t *bytes)
{
	const char *why;

	if (size_parse(value, bytes, &why))
		return ctl_usage(ctl, "--%s: \"%s\" is no size: %s", opt->name,
				 value, why);
	if (*bytes > max)
		return ctl_usage(ctl, "--%s: %s is too large", opt->name,
				 value);
	return 0;
}

/**
 * set_size32() - a size that must fit in 32 bits
 * @ctl: the run
 * @opt: the option
 * @value: its value
 * @bytes: out
 *
 * Return: 0 or CTL_USAGE.
 */
static int set_size32(struct ctl *ctl, const struct ctl_opt *opt,
		      const char *value, uint32_t *bytes)
{
	uint64_t v = 0;
	int ret = set_size(ctl, opt, value, UINT32_MAX, &v);

	*bytes = (uint32_t)v;
	return ret;
}

/**
 * number() - a decimal number below 2^32 - 1
 * @text: the text
 * @value: out
 *
 * Return: true when it is one.
 */
static bool number(const char *text, uint32_t *value)
{
	unsigned long long v;

	if (!*text || strspn(text, "0123456789") != strlen(text))
		return false;
	errno = 0;
	v = strtoull(text, NULL, 10);
	if (errno || v >= UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

/**
 * count() - a decimal number above 0
 * @text: the text
 * @value: out
 *
 * Return: true when it is one.
 */
static bool count(const char *text, uint64_t *value)
{
	if (!*text || strspn(text, "0123456789") != strlen(text))
		return false;
	errno = 0;
	*value = strtoull(text, NULL, 10);
	return !errno && *value;
}

/**
 * set_seconds() - a time
 * @ctl: the run
 * @opt: the option
 * @value: its value
 * @seconds: out
 *
 * Return: 0 or CTL_USAGE.
 */
static int set_seconds(struct ctl *ctl, const struct ctl_opt *opt,
		       const char *value, double *seconds)
{
	char *end;

	*seconds = strtod(value, &end);
	if (end != value && !*end && isfinite(*seconds) && *seconds > 0 &&
	    *seconds <= SECONDS_MAX)
		return 0;
	return ctl_usage(ctl, "--%s: \"%s\" is no number of seconds up to %.0f",
			 opt->name, value, SECONDS_MAX);
}

/**
 * set_policy() - a policy's name
 * @ctl: the run
 * @opt: the option
 * @value: its value
 * @policy: out
 *
 * Return: 0 or CTL_USAGE.
 */
static int set_policy(struct ctl *ctl, const struct ctl_opt *opt,
		      const char *value, uint32_t *policy)
{
	int n = hymc_policy_parse(value);

	if (n < 0)
		return ctl_usage(ctl, "--%s: there is no policy \"%s\", only stage and lru",
				 opt->name, value);
	*policy = (uint32_t)n;
	return 0;
}

/**
 * set() - store an option's value
 * @ctl: the run
 * @opt: the option
 * @value: its value, NULL for a flag
 * @out: the command's options structure
 *
 * Return: 0 or CTL_USAGE.
 */
static int set(struct ctl *ctl, const struct ctl_opt *opt, const char *value,
	       void *out)
{
	void *field = (char *)out + opt->offset;
	bool ok = false;

	switch (opt->type) {
	case CTL_FLAG:
		*(bool *)field = true;
		return 0;
	case CTL_STRING:
		*(const char **)field = value;
		return 0;
	case CTL_SIZE:
		return set_size(ctl, opt, value, UINT64_MAX, field);
	case CTL_SIZE32:
		return set_size32(ctl, opt, value, field);
	case CTL_POLICY:
		return set_policy(ctl, opt, value, field);
	case CTL_SECONDS:
		return set_seconds(ctl, opt, value, field);
	case CTL_NUMBER:
		ok = number(value, field);
		break;
	case CTL_COUNT:
		ok = count(value, field);
		break;
	}
	if (ok)
		return 0;
	return ctl_usage(ctl, "--%s: \"%s\" is no number that fits", opt->name,
			 value);
}

/**
 * make_long() - the table that getopt_long() wants
 * @cmd: the command
 * @longs: out
 */
static void make_long(const struct ctl_cmd *cmd, struct option *longs)
{
	const struct ctl_opt *opt = cmd->opts;
	int i;

	memset(longs, 0, (OPTS_MAX + 1) * sizeof(*longs));
	for (i = 0; opt && opt[i].name && i < OPTS_MAX; i++) {
		longs[i].name = opt[i].name;
		longs[i].has_arg = opt[i].arg ? required_argument : no_argument;
		longs[i].val = OPT_FIRST + i;
	}
}

/**
 * opts_parse() - take the options out of a command's words
 * @ctl: the run
 * @argc: number of words, the command's name first; out: of operands
 * @argv: the words; out: the operands
 * @out: the command's options structure, with its defaults; NULL when it has
 *	none
 *
 * Return: 0 or CTL_USAGE.
 */
int opts_parse(struct ctl *ctl, int *argc, char ***argv, void *out)
{
	struct option longs[OPTS_MAX + 1];
	int c, ret;

	make_long(ctl->cmd, longs);
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(*argc, *argv, ":", longs, NULL)) != -1) {
		if (c == ':')
			return ctl_usage(ctl, "%s needs a value",
					 (*argv)[optind - 1]);
		if (c < OPT_FIRST)
			return err_unknown_option(ctl, (*argv)[optind - 1]);
		ret = set(ctl, &ctl->cmd->opts[c - OPT_FIRST], optarg, out);
		if (ret)
			return ret;
	}
	*argc -= optind;
	*argv += optind;
	return 0;
}

/**
 * opts_no_operands() - refuse operands
 * @ctl: the run
 * @argc: number of operands
 * @argv: operands
 *
 * Return: 0 or CTL_USAGE.
 */
int opts_no_operands(struct ctl *ctl, int argc, char **argv)
{
	if (!argc)
		return 0;
	return ctl_usage(ctl, "%s takes no operand like \"%s\"",
			 ctl->cmd->name, argv[0]);
}

/**
 * pool_number() - the number of a pool
 * @ctl: the run
 * @word: "0", "hymc0" or "/dev/hymc0"
 * @id: out
 *
 * Return: 0 or CTL_USAGE.
 */
static int pool_number(struct ctl *ctl, const char *word, uint32_t *id)
{
	const char *digits = word;

	if (!strncmp(digits, "/dev/", 5))
		digits += 5;
	if (!strncmp(digits, "hymc", 4))
		digits += 4;
	if (number(digits, id))
		return 0;
	return ctl_usage(ctl, "\"%s\" is no pool: write 0 or /dev/hymc0", word);
}

/**
 * opts_pool() - the only operand is a pool, and may be left out
 * @ctl: the run
 * @argc: number of operands
 * @argv: operands
 * @id: out, its number; HYMC_POOL_ANY when it was left out
 *
 * Return: 0 or CTL_USAGE.
 */
int opts_pool(struct ctl *ctl, int argc, char **argv, uint32_t *id)
{
	*id = HYMC_POOL_ANY;
	if (argc > 1)
		return ctl_usage(ctl, "%s takes one pool, not %d",
				 ctl->cmd->name, argc);
	return argc ? pool_number(ctl, argv[0], id) : 0;
}

/**
 * opts_one_pool() - the only operand is a pool
 * @ctl: the run
 * @argc: number of operands
 * @argv: operands
 * @id: out, its number
 *
 * Return: 0 or CTL_USAGE.
 */
int opts_one_pool(struct ctl *ctl, int argc, char **argv, uint32_t *id)
{
	if (!argc)
		return ctl_usage(ctl, "%s needs a pool: its number or node",
				 ctl->cmd->name);
	return opts_pool(ctl, argc, argv, id);
}
