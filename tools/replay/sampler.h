/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the pool's counters over time
 */
#ifndef HR_SAMPLER_H
#define HR_SAMPLER_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#include "pool.h"

/**
 * struct hr_sample - the counters at one moment
 * @ns: when
 * @stats: they
 */
struct hr_sample {
	uint64_t ns;
	struct hymc_stats stats;
};

/**
 * struct hr_sampler - a thread that reads the counters periodically
 * @pool: whose
 * @period_ns: how often
 * @thread: the thread
 * @end: posted to end it
 * @samples: what it read; to be looked at after hr_sampler_stop()
 * @nr: how many
 * @max: room in @samples
 */
struct hr_sampler {
	struct hr_pool *pool;
	uint64_t period_ns;
	pthread_t thread;
	sem_t end;
	struct hr_sample *samples;
	size_t nr;
	size_t max;
};

/**
 * hr_sampler_start() - start sampling
 * @s: out
 * @pool: whose counters; must outlive the sampler
 * @period_ms: how often
 *
 * Return: 0 or a negative errno.
 */
int hr_sampler_start(struct hr_sampler *s, struct hr_pool *pool,
		     uint32_t period_ms);

/**
 * hr_sampler_stop() - take a last sample and end the thread
 * @s: the sampler; its samples may be looked at afterwards
 */
void hr_sampler_stop(struct hr_sampler *s);

/**
 * hr_sampler_free() - free the samples
 * @s: a stopped sampler, or zeroes
 */
void hr_sampler_free(struct hr_sampler *s);

#endif
