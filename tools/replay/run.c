// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: one mode, from a fresh pool to its result
 *
 * Owns the order of things: pool, counters, sampler, engine, sync, counters
 * again, hook, audit, end of the pool. All threads of a mode are gone when it
 * returns.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "clock.h"
#include "delta.h"
#include "model.h"
#include "run.h"

static double ms(uint64_t from_ns, uint64_t to_ns)
{
	return (to_ns - from_ns) / (double)HR_NS_PER_MS;
}

static int collect_job(struct hr_result *r, const struct hr_job *job,
		       struct hr_outcome *o)
{
	int ret = 0;

	o->hit_nr = job->hit_nr;
	o->loaded_nr = job->loaded_nr;
	o->load_ms = job->load_ns / (double)HR_NS_PER_MS;
	o->wait_ms = ms(job->arrived_ns, job->started_ns);
	o->first_token_ms = ms(job->arrived_ns, job->first_token_ns);
	if (o->loaded_nr)
		ret = hr_samples_add(&r->load_ms, o->load_ms);
	if (!ret)
		ret = hr_samples_add(&r->wait_ms, o->wait_ms);
	if (!ret)
		ret = hr_samples_add(&r->first_token_ms, o->first_token_ms);
	if (!ret && job->new_nr)
		ret = hr_samples_add(&r->store_ms,
				     job->store_ns / (double)HR_NS_PER_MS);
	return ret;
}

static int collect(struct hr_result *r, const struct hr_engine *e)
{
	uint32_t i, nr = e->trace->request_nr;
	uint64_t end = e->start_ns;

	r->outcomes = calloc(nr, sizeof(*r->outcomes));
	if (!r->outcomes)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		if (collect_job(r, &e->jobs[i], &r->outcomes[i]))
			return -ENOMEM;
		if (e->jobs[i].ended_ns > end)
			end = e->jobs[i].ended_ns;
	}
	r->seconds = (end - e->start_ns) / (double)HR_NS_PER_S;
	r->start_ns = e->start_ns;
	r->tally = e->tally;
	memcpy(r->wrong, e->wrong, sizeof(r->wrong));
	r->wrong_nr = e->wrong_nr;
	return 0;
}

/* The user's command, with the mode and the pool in its environment. */
static int run_hook(const struct hr_config *cfg, const struct hr_result *r,
		    struct hr_err *err)
{
	char pool[16];
	int status;

	if (!cfg->at_end)
		return 0;
	snprintf(pool, sizeof(pool), "%u", r->pool);
	setenv("HYMC_MODE", r->mode->name, 1);
	setenv("HYMC_POOL", pool, 1);
	fflush(NULL);
	status = system(cfg->at_end);
	if (!status)
		return 0;
	return hr_err_set(err, -ECHILD, "--at-end: the command %s %d",
			  WIFEXITED(status) ? "ended with status" :
					      "was ended by a signal, status",
			  WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

static int run_engine(struct hr_engine *e, struct hr_result *r,
		      struct hr_err *err)
{
	int ret;

	ret = hr_sampler_start(&r->sampler, e->pool, e->cfg->sample_ms);
	if (ret)
		return hr_err_set(err, ret, "cannot start the sampler: %s",
				  strerror(-ret));
	ret = hr_engine_run(e);
	hr_sampler_stop(&r->sampler);
	if (ret)
		return hr_err_set(err, ret, "%s: %s", e->mode->name,
				  e->err.text);
	ret = collect(r, e);
	return ret ? hr_err_set(err, ret, "out of memory") : 0;
}

static int run_measured(struct hr_engine *e, struct hr_result *r,
			struct hr_err *err)
{
	struct hymc_stats before, after;
	uint64_t rd, wr;
	int ret;

	ret = hr_pool_stats(e->pool, &before, err);
	if (ret)
		return ret;
	hr_drive_bytes(e->pool->ssd, &rd, &wr);
	ret = run_engine(e, r, err);
	if (!ret)
		ret = hr_pool_sync(e->pool, err);
	if (!ret)
		ret = hr_pool_stats(e->pool, &after, err);
	if (ret)
		return ret;
	hr_drive_bytes(e->pool->ssd, &r->drive_read, &r->drive_write);
	r->drive_read -= rd;
	r->drive_write -= wr;
	hr_delta(&before, &after, &r->moved);
	hr_audit_run(&r->tally, &before, &after, &r->audit);
	return run_hook(e->cfg, r, err);
}

static int run_on_pool(const struct hr_config *cfg, struct hr_pool *pool,
		       const struct hr_trace *trace, uint64_t generation,
		       struct hr_result *r, struct hr_err *err)
{
	struct hr_engine e;
	int ret;

	r->pool = pool->info.pool;
	r->info = pool->info;
	ret = hr_engine_init(&e, cfg, r->mode, trace, pool, generation, err);
	if (ret)
		return ret;
	ret = run_measured(&e, r, err);
	hr_engine_destroy(&e);
	return ret;
}

int hr_run_mode(const struct hr_config *cfg, const struct hr_mode *mode,
		const struct hr_trace *trace, uint64_t generation,
		struct hr_result *result, struct hr_err *err)
{
	uint64_t block = hr_block_bytes(HR_BLOCK_TOKENS, cfg->token_bytes,
					&cfg->scale);
	struct hr_pool pool;
	int ret, closed;

	*result = (struct hr_result){ .mode = mode };
	ret = hr_pool_open(cfg, mode, block, &pool, err);
	if (ret)
		return ret;
	ret = run_on_pool(cfg, &pool, trace, generation, result, err);
	closed = hr_pool_close(&pool, err);
	if (!ret)
		ret = closed;
	if (ret)
		hr_result_free(result);
	return ret;
}

void hr_result_free(struct hr_result *r)
{
	free(r->outcomes);
	r->outcomes = NULL;
	hr_samples_free(&r->load_ms);
	hr_samples_free(&r->wait_ms);
	hr_samples_free(&r->first_token_ms);
	hr_samples_free(&r->store_ms);
	hr_sampler_free(&r->sampler);
}

double hr_result_load_rate(const struct hr_result *r)
{
	double ms_sum = hr_samples_mean(&r->load_ms) * r->load_ms.nr;

	return ms_sum > 0 ? r->tally.loaded_bytes / ms_sum * 1e3 : 0;
}

bool hr_result_good(const struct hr_result *r)
{
	return !r->tally.wrong_bytes && !r->tally.wrong_blocks && !r->audit.nr;
}
