/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* The numbers of uapi/hymc.yaml, where each has its meaning. */
#ifndef _UAPI_LINUX_HYMC_NETLINK_H
#define _UAPI_LINUX_HYMC_NETLINK_H

#define HYMC_GENL_NAME		"hymc"
#define HYMC_GENL_VERSION	1

/**
 * enum hymc_pool_state - what a pool can do
 * @HYMC_POOL_ONLINE: everything
 * @HYMC_POOL_DEAD: a device is gone; only closing and destroying are left
 */
enum hymc_pool_state {
	HYMC_POOL_ONLINE	= 0,
	HYMC_POOL_DEAD		= 1,
};

/* Attributes, see uapi/hymc.yaml for type and meaning of each. */
enum {
	HYMC_A_POOL_ID = 1,		/* u32 */
	HYMC_A_POOL_DRAM,		/* string */
	HYMC_A_POOL_DRAM_START,		/* u64, bytes */
	HYMC_A_POOL_DRAM_BYTES,		/* u64 */
	HYMC_A_POOL_SSD,		/* string */
	HYMC_A_POOL_SSD_BYTES,		/* u64 */
	HYMC_A_POOL_FRAME_BYTES,	/* u32 */
	HYMC_A_POOL_SEGMENT_BYTES,	/* u64 */
	HYMC_A_POOL_WINDOW_BYTES,	/* u64 */
	HYMC_A_POOL_BLOCKS_MAX,		/* u64 */
	HYMC_A_POOL_POLICY,		/* u32, enum hymc_policy */
	HYMC_A_POOL_DIRTY_MAX_BYTES,	/* u64 */
	HYMC_A_POOL_FORCE,		/* flag */
	HYMC_A_POOL_UUID,		/* binary, 16 bytes */
	HYMC_A_POOL_STATE,		/* u32, enum hymc_pool_state */
	HYMC_A_POOL_STATS,		/* binary, struct hymc_stats */
	HYMC_A_POOL_PIDS,		/* binary, u32 each */
	HYMC_A_POOL_PAD,		/* alignment of u64 */

	__HYMC_A_POOL_MAX,
	HYMC_A_POOL_MAX = (__HYMC_A_POOL_MAX - 1)
};

enum {
	HYMC_CMD_POOL_CREATE = 1,
	HYMC_CMD_POOL_DESTROY,
	HYMC_CMD_POOL_GET,

	__HYMC_CMD_MAX,
	HYMC_CMD_MAX = (__HYMC_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_HYMC_NETLINK_H */
