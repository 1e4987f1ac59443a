// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: the library recognises the superblock that the core writes
 */
#include <stddef.h>
#include <string.h>

#include "format.h"

#include "../../superblock.h"
#include "core/tap.h"

_Static_assert(HYMC_SB_MAGIC == SUPERBLOCK_MAGIC, "magic");
_Static_assert(SUPERBLOCK_BYTES == HYMC_SB_BYTES, "distance of the copies");
_Static_assert(SUPERBLOCK_COPIES == HYMC_SB_COPIES, "number of copies");
_Static_assert(offsetof(struct hymc_super, uuid) == SUPERBLOCK_UUID, "UUID");

static void test_built(void)
{
	static const struct hymc_core_cfg cfg = {
		.frame_bytes = 1 << 20,
		.ssd_bytes = 1ULL << 32,
		.log_start = 1 << 20,
		.segment_bytes = 1 << 28,
	};
	static u8 buf[HYMC_SB_BYTES];
	static const u8 magic[8] = "YMCPOOL";
	u8 uuid[16];
	int i;

	for (i = 0; i < 16; i++)
		uuid[i] = (u8)(0xa0 + i);
	hymc_super_build(buf, &cfg, 1, uuid);
	EXPECT(!memcmp(buf, magic, sizeof(magic)));
	EXPECT(!memcmp(buf + SUPERBLOCK_UUID, uuid, sizeof(uuid)));
}

static const struct tap_test tests[] = {
	{ "magic and UUID of a built superblock are where we look", test_built },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
