/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the line that shows how far a run is
 */
#ifndef HR_PROGRESS_H
#define HR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct hr_progress - a line on stderr, overwritten in place
 * @on: show it at all
 * @tty: stderr is a terminal: overwrite; else write a line now and then
 * @name: of the mode
 * @total: requests in all
 * @begin_ns: when the run began
 * @shown_ns: when the line was last written
 */
struct hr_progress {
	bool on;
	bool tty;
	const char *name;
	uint32_t total;
	uint64_t begin_ns;
	uint64_t shown_ns;
};

/**
 * hr_progress_begin() - start a line of progress
 * @p: out
 * @on: show it at all
 * @name: name of the mode
 * @total: requests in all
 */
void hr_progress_begin(struct hr_progress *p, bool on, const char *name,
		       uint32_t total);

/**
 * hr_progress_show() - write the line
 * @p: the line
 * @done: requests done
 * @waiting: requests in the queue
 *
 * Does nothing when that was done a moment ago.
 */
void hr_progress_show(struct hr_progress *p, uint32_t done, uint32_t waiting);

/**
 * hr_progress_end() - remove the line
 * @p: the line
 */
void hr_progress_end(struct hr_progress *p);

#endif
