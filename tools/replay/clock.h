/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the clock of a run: monotonic nanoseconds
 */
#ifndef HR_CLOCK_H
#define HR_CLOCK_H

#include <stdint.h>

#define HR_NS_PER_MS	1000000ULL
#define HR_NS_PER_S	1000000000ULL

/**
 * hr_clock_ns() - read the clock
 *
 * Return: Monotonic nanoseconds.
 */
uint64_t hr_clock_ns(void);

/**
 * hr_clock_sleep_until() - sleep
 * @when_ns: until then, or a signal; not at all when it is past
 */
void hr_clock_sleep_until(uint64_t when_ns);

#endif
