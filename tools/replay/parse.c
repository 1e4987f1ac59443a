// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: numbers as people write them on a command line
 *
 * Owns nothing, keeps no state. Must accept a string as a whole or not at all:
 * "12x", " 12" and "" are mistakes, not twelve and zero.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* Digits only; @end is set behind them. */
static int parse_digits(const char *s, char **end, uint64_t *value)
{
	unsigned long long v;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, end, 10);
	if (errno)
		return -ERANGE;
	*value = v;
	return 0;
}

int hr_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t v;
	char *end;
	int err;

	err = parse_digits(s, &end, &v);
	if (err)
		return err;
	if (*end)
		return -EINVAL;
	if (v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}

/* "", "K", "KB", "KiB": the power of two, or -EINVAL. */
static int suffix_shift(const char *s)
{
	static const char letters[] = "KMGT";
	const char *at;

	if (!*s)
		return 0;
	at = strchr(letters, toupper((unsigned char)*s));
	if (!at)
		return -EINVAL;
	s++;
	if (*s && strcmp(s, "B") && strcmp(s, "iB"))
		return -EINVAL;
	return 10 * (int)(at - letters + 1);
}

int hr_parse_size(const char *s, uint64_t *bytes)
{
	long double v;
	char *end;
	int shift;

	/* strtold() would take "inf", "0x10" and leading blanks. */
	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return -EINVAL;
	v = strtold(s, &end);
	shift = suffix_shift(end);
	if (shift < 0)
		return shift;
	v = ldexpl(v, shift);
	if (!(v < 0x1p63L))
		return -ERANGE;
	/* Part of a byte: "1.5" or "0.0001K" is a slip, not a size. */
	if (v != floorl(v))
		return -EINVAL;
	*bytes = (uint64_t)v;
	return 0;
}

int hr_parse_ratio(const char *s, struct hr_ratio *ratio)
{
	uint64_t num, den = 1;
	char *end;
	int err;

	err = parse_digits(s, &end, &num);
	if (err)
		return err;
	if (*end == '/') {
		err = parse_digits(end + 1, &end, &den);
		if (err)
			return err;
	}
	if (*end)
		return -EINVAL;
	if (!num || !den || num > UINT32_MAX || den > UINT32_MAX)
		return -ERANGE;
	ratio->num = num;
	ratio->den = den;
	return 0;
}

int hr_parse_positive(const char *s, double *value)
{
	double v;
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return -EINVAL;
	v = strtod(s, &end);
	if (end == s || *end)
		return -EINVAL;
	if (!(v > 0) || !isfinite(v))
		return -ERANGE;
	*value = v;
	return 0;
}
