// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the clock of a run: monotonic nanoseconds
 *
 * Owns nothing. Wall-clock time is never used for anything that is measured.
 */
#include <time.h>

#include "clock.h"

uint64_t hr_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * HR_NS_PER_S + ts.tv_nsec;
}

void hr_clock_sleep_until(uint64_t when_ns)
{
	struct timespec ts = {
		.tv_sec = when_ns / HR_NS_PER_S,
		.tv_nsec = when_ns % HR_NS_PER_S,
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}
