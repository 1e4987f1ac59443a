/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the table at the end of a replay
 */
#ifndef HR_TABLE_H
#define HR_TABLE_H

#include <stdio.h>

#include "run.h"

/**
 * hr_table_print() - print the table
 * @out: where to
 * @results: results of all modes
 * @nr: how many modes
 * @request_nr: requests of the trace
 *
 * Wrong bytes and disagreements come below it.
 */
void hr_table_print(FILE *out, struct hr_result *results, unsigned int nr,
		    uint32_t request_nr);

#endif
