/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: numbers as people write them on a command line
 */
#ifndef HR_PARSE_H
#define HR_PARSE_H

#include <stdint.h>

/**
 * struct hr_ratio - a positive fraction, kept exact
 * @num: numerator, 1..2^32-1
 * @den: denominator, 1..2^32-1
 */
struct hr_ratio {
	uint32_t num;
	uint32_t den;
};

/**
 * hr_parse_u64() - parse a whole number
 * @s: the text
 * @min: least value
 * @max: greatest value
 * @value: out; untouched on failure
 *
 * Return: 0; -EINVAL when @s is not a number as a whole; -ERANGE.
 */
int hr_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *value);

/**
 * hr_parse_size() - parse a size: 4096, 64K, 240M, 1.5G, 2TiB
 * @s: the text; suffixes are powers of 1024
 * @bytes: out; untouched on failure
 *
 * Return: 0; -EINVAL when @s is not a whole number of bytes; -ERANGE.
 */
int hr_parse_size(const char *s, uint64_t *bytes);

/**
 * hr_parse_ratio() - parse a fraction: 1/1024, 3/4, 2
 * @s: the text
 * @ratio: out; untouched on failure
 *
 * Return: 0; -EINVAL; -ERANGE, also for zero.
 */
int hr_parse_ratio(const char *s, struct hr_ratio *ratio);

/**
 * hr_parse_positive() - parse a positive, finite number: 7, 0.5, 1e3
 * @s: the text
 * @value: out; untouched on failure
 *
 * Return: 0; -EINVAL; -ERANGE.
 */
int hr_parse_positive(const char *s, double *value);

#endif
