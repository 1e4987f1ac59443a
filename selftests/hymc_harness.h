/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the kernel's kselftest harness, and how our programs use it
 *
 * kselftest_harness.h comes from the kernel's source package at build time (see
 * the Makefile). Included by each test program once; helpers that need no
 * assertion live in hymc_test.h.
 */
#ifndef HYMC_HARNESS_H
#define HYMC_HARNESS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "hymc_test.h"

/* Open the pool into @h, or end the test. */
#define HT_BEGIN(h, ns_name)						       \
do {									       \
	int _err = ht_begin(h, ns_name);				       \
									       \
	ASSERT_EQ(0, _err) TH_LOG("%s: %s", ht_node(), strerror(-_err));       \
} while (0)

/* The counter @field now; the test fails when it cannot be read. */
#define HT_COUNT(fd, field)						       \
({									       \
	struct hymc_stats _st;						       \
									       \
	EXPECT_EQ(0, ht_stats_fd(fd, &_st));				       \
	_st.field;							       \
})

/* Instead of TEST_HARNESS_MAIN; the program is skipped when there is no pool. */
#define HT_MAIN								       \
	const struct ht_program ht_program = {				       \
		.run = test_harness_run, .needs_pool = true,		       \
	}
/* The same for a program with tests that need no pool. */
#define HT_MAIN_WITHOUT_POOL						       \
	const struct ht_program ht_program = { .run = test_harness_run }

#endif /* HYMC_HARNESS_H */
