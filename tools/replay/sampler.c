// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the pool's counters over time
 *
 * Owns a thread and what it read. A sample that cannot be taken is left out:
 * the series is for pictures, the run's verdict does not hang on it. The
 * samples are the thread's until it is joined.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "sampler.h"

static void take(struct hr_sampler *s)
{
	struct hr_err ignored = { "" };
	struct hr_sample *at;

	if (s->nr == s->max) {
		size_t max = s->max ? 2 * s->max : 1024;
		struct hr_sample *more = realloc(s->samples,
						 max * sizeof(*more));

		if (!more)
			return;
		s->samples = more;
		s->max = max;
	}
	at = &s->samples[s->nr];
	if (!hr_pool_stats(s->pool, &at->stats, &ignored)) {
		at->ns = hr_clock_ns();
		s->nr++;
	}
}

/* True when hr_sampler_stop() was called before @when. */
static bool ended_by(struct hr_sampler *s, uint64_t when)
{
	struct timespec ts = {
		.tv_sec = when / HR_NS_PER_S,
		.tv_nsec = when % HR_NS_PER_S,
	};
	int ret;

	do {
		ret = sem_clockwait(&s->end, CLOCK_MONOTONIC, &ts);
	} while (ret && errno == EINTR);
	return !ret;
}

static void *sampler_main(void *arg)
{
	struct hr_sampler *s = arg;
	uint64_t when = hr_clock_ns();

	do {
		take(s);
		when += s->period_ns;
	} while (!ended_by(s, when));
	take(s);
	return NULL;
}

int hr_sampler_start(struct hr_sampler *s, struct hr_pool *pool,
		     uint32_t period_ms)
{
	int ret;

	*s = (struct hr_sampler){
		.pool = pool, .period_ns = period_ms * HR_NS_PER_MS,
	};
	sem_init(&s->end, 0, 0);
	ret = -pthread_create(&s->thread, NULL, sampler_main, s);
	if (ret)
		sem_destroy(&s->end);
	return ret;
}

void hr_sampler_stop(struct hr_sampler *s)
{
	sem_post(&s->end);
	pthread_join(s->thread, NULL);
	sem_destroy(&s->end);
}

void hr_sampler_free(struct hr_sampler *s)
{
	free(s->samples);
	s->samples = NULL;
	s->nr = 0;
}
