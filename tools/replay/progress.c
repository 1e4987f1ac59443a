// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the line that shows how far a run is
 *
 * Owns stderr while a run lasts. Must stay cheap: it shares the processors with
 * what is measured.
 */
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"

#define TTY_PERIOD_NS	(250 * HR_NS_PER_MS)
#define LOG_PERIOD_NS	(5 * HR_NS_PER_S)

void hr_progress_begin(struct hr_progress *p, bool on, const char *name,
		       uint32_t total)
{
	*p = (struct hr_progress){
		.on = on, .tty = isatty(STDERR_FILENO), .name = name,
		.total = total, .begin_ns = hr_clock_ns(),
	};
	p->shown_ns = p->begin_ns;
}

void hr_progress_show(struct hr_progress *p, uint32_t done, uint32_t waiting)
{
	uint64_t now = hr_clock_ns();
	double s, rate;

	if (!p->on ||
	    now - p->shown_ns < (p->tty ? TTY_PERIOD_NS : LOG_PERIOD_NS))
		return;
	p->shown_ns = now;
	s = (now - p->begin_ns) / (double)HR_NS_PER_S;
	rate = done / s;
	fprintf(stderr, "%s%-6s %u/%u requests, %.1f/s, %u waiting",
		p->tty ? "\r\033[K" : "", p->name, done, p->total, rate,
		waiting);
	if (done)
		fprintf(stderr, ", %.0f s left", (p->total - done) / rate);
	if (!p->tty)
		fputc('\n', stderr);
	fflush(stderr);
}

void hr_progress_end(struct hr_progress *p)
{
	if (p->on && p->tty)
		fputs("\r\033[K", stderr);
	fflush(stderr);
}
