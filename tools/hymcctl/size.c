// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: sizes as people write them
 *
 * SIZE = DIGITS [UNIT], UNIT = K, M, G, T, P, each also with "iB"; powers of
 * 1024. What is not exactly that is refused, for a wrong guess would format a
 * drive.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "hymcctl.h"

/**
 * unit_shift() - the power of two of a unit
 * @unit: what follows the digits
 * @why: out, what is wrong with it
 *
 * Return: the exponent, or -EINVAL.
 */
static int unit_shift(const char *unit, const char **why)
{
	static const char letters[] = "KMGTP";
	const char *p;

	if (!*unit)
		return 0;
	p = strchr(letters, *unit >= 'a' ? *unit - ('a' - 'A') : *unit);
	if (!p) {
		*why = "the unit must be K, M, G, T or P (powers of 1024)";
		return -EINVAL;
	}
	if (!strcasecmp(unit + 1, "b")) {
		*why = "units of 1000 are not used here: write M or MiB, not MB";
		return -EINVAL;
	}
	if (unit[1] && strcasecmp(unit + 1, "ib")) {
		*why = "there is something behind the unit";
		return -EINVAL;
	}
	return 10 * (int)(p - letters + 1);
}

/**
 * digits() - the number before the unit
 * @text: the text
 * @value: out
 * @end: out, the first character behind the digits
 * @why: out, what is wrong
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
static int digits(const char *text, uint64_t *value, const char **end,
		  const char **why)
{
	uint64_t v = 0;

	*why = "it must start with a digit";
	if (*text < '0' || *text > '9')
		return -EINVAL;
	*why = "it is larger than 64 bits can say";
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, *text - '0', &v))
			return -ERANGE;
	if (*text == '.' || *text == ',') {
		*why = "it must be a whole number; use a smaller unit";
		return -EINVAL;
	}
	*value = v;
	*end = text;
	return 0;
}

/**
 * size_parse() - the bytes of a size
 * @text: "4096", "512M", "16 GiB" without the space
 * @bytes: out, at least 1
 * @why: out on failure, a constant: what is wrong
 *
 * Return: 0, -EINVAL (no size) or -ERANGE (too large).
 */
int size_parse(const char *text, uint64_t *bytes, const char **why)
{
	const char *unit;
	uint64_t value;
	int shift, err;

	err = digits(text, &value, &unit, why);
	if (err)
		return err;
	shift = unit_shift(unit, why);
	if (shift < 0)
		return shift;
	if (!value) {
		*why = "it must be larger than 0";
		return -EINVAL;
	}
	if (value > UINT64_MAX >> shift) {
		*why = "it is larger than 64 bits can say";
		return -ERANGE;
	}
	*bytes = value << shift;
	return 0;
}
