/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a test harness that fits on a page: TAP on stdout, details on stderr
 *
 * A test is a function; EXPECT() notes a failure and goes on. Each program has one
 * table of tests and calls tap_run() on it. Exit status 0 when all passed.
 */
#ifndef HYMC_TEST_TAP_H
#define HYMC_TEST_TAP_H

#include <stdio.h>

/**
 * struct tap_test - a test
 * @name: what it shows, as a sentence
 * @fn: the test
 */
struct tap_test {
	const char *name;
	void (*fn)(void);
};

/* Failed expectations of the running test. */
static unsigned int tap_failed;

static inline int tap_expect(int ok, const char *file, int line,
			     const char *what)
{
	if (!ok && ++tap_failed <= 20)
		fprintf(stderr, "# %s:%d: not so: %s\n", file, line, what);
	return ok;
}

static inline int tap_equal(unsigned long long got, unsigned long long want,
			    const char *file, int line, const char *what)
{
	if (got == want || ++tap_failed > 20)
		return got == want;
	fprintf(stderr, "# %s:%d: %s is %lld (%#llx), not %lld (%#llx)\n",
		file, line, what, (long long)got, got, (long long)want, want);
	return 0;
}

#define EXPECT(cond)	tap_expect(!!(cond), __FILE__, __LINE__, #cond)
#define EXPECT_EQ(got, want)						\
	tap_equal((unsigned long long)(got), (unsigned long long)(want), \
		  __FILE__, __LINE__, #got)

static inline int tap_run(const struct tap_test *tests, unsigned int nr)
{
	unsigned int i, bad = 0;

	printf("TAP version 13\n1..%u\n", nr);
	for (i = 0; i < nr; i++) {
		tap_failed = 0;
		tests[i].fn();
		bad += tap_failed > 0;
		printf("%sok %u - %s\n", tap_failed ? "not " : "", i + 1,
		       tests[i].name);
		fflush(stdout);
	}
	return bad ? 1 : 0;
}

#endif /* HYMC_TEST_TAP_H */
