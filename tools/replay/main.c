// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: hymc-replay: replay request traces on a HyMCache device
 *
 * Owns the order of things and the exit status. The trace is read and validated
 * as a whole before any device is touched.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "config.h"
#include "report.h"
#include "run.h"
#include "table.h"
#include "trace.h"

/* Exit status; documented in --help. */
enum {
	EXIT_GOOD = 0,
	EXIT_WRONG = 1,
	EXIT_USAGE = 2,
	EXIT_RUN = 3,
	EXIT_INTERRUPTED = 130,
};

/* Once: stop tidily and destroy the pool. Twice: the default, at once. */
static void on_signal(int number)
{
	hr_interrupted = 1;
	signal(number, SIG_DFL);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static int complain(const struct hr_err *err)
{
	fprintf(stderr, "hymc-replay: %s\n", err->text);
	return EXIT_RUN;
}

/* A number that no earlier run of anybody had. */
static uint64_t choose_generation(const struct hr_config *cfg)
{
	uint64_t v = cfg->generation;

	while (!v)
		if (getrandom(&v, sizeof(v), 0) != sizeof(v))
			v = 0;
	/* JSON readers with 64-bit floats shall get it right. */
	return cfg->generation ? v : v >> 12 | 1;
}

static int conclude(const struct hr_config *cfg, const struct hr_trace *trace,
		    uint64_t generation, struct hr_result *results)
{
	struct hr_err err = { "" };
	unsigned int m;
	bool good = true;

	hr_table_print(stdout, results, cfg->mode_nr, trace->request_nr);
	for (m = 0; m < cfg->mode_nr; m++)
		good &= hr_result_good(&results[m]);
	if (cfg->report && hr_report_write(cfg, trace, generation, results,
					   cfg->mode_nr, &err))
		return complain(&err);
	return good ? EXIT_GOOD : EXIT_WRONG;
}

static int run_all(const struct hr_config *cfg, const struct hr_trace *trace)
{
	struct hr_result results[HR_MODES_MAX];
	uint64_t generation = choose_generation(cfg);
	struct hr_config turn = *cfg;
	struct hr_err err = { "" };
	unsigned int m, done = 0;
	int ret = 0, status;

	for (m = 0; m < cfg->mode_nr && !ret; m++) {
		/* What the pool before left on the drive must not pass. */
		ret = hr_run_mode(&turn, cfg->modes[m], trace, generation + m,
				  &results[m], &err);
		/* What is on the drive from now on is our own. */
		turn.force = true;
		done += !ret;
	}
	status = ret ? complain(&err) :
		       conclude(cfg, trace, generation, results);
	for (m = 0; m < done; m++)
		hr_result_free(&results[m]);
	return ret == -EINTR ? EXIT_INTERRUPTED : status;
}

int main(int argc, char **argv)
{
	struct hr_err err = { "" };
	struct hr_config cfg;
	struct hr_trace trace;
	int ret;

	ret = hr_config_parse(argc, argv, &cfg, &err);
	if (ret > 0)
		return EXIT_GOOD;
	if (ret) {
		complain(&err);
		return EXIT_USAGE;
	}
	if (hr_trace_read(cfg.trace, &trace, &err)) {
		complain(&err);
		return EXIT_USAGE;
	}
	if (cfg.requests)
		hr_trace_cut(&trace, cfg.requests);
	catch_signals();
	ret = run_all(&cfg, &trace);
	hr_trace_free(&trace);
	return ret;
}
