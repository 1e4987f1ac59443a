// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: main() of the test programs
 *
 * Skips a program as a whole where there is no pool, unless there must be one.
 */
#include <kselftest.h>

#include "hymc_test.h"

int main(int argc, char **argv)
{
	if (ht_program.needs_pool && !ht_required() && access(ht_node(), F_OK))
		ksft_exit_skip("no pool: %s does not exist\n", ht_node());
	return ht_run(ht_program.run, argc, argv);
}
