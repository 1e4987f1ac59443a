/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the pool a mode runs on
 */
#ifndef HR_POOL_H
#define HR_POOL_H

#include <hymc/libhymc.h>

#include "config.h"
#include "err.h"

/**
 * struct hr_pool - a pool, opened, with its DRAM mapped
 * @ctx: context of all calls, owned
 * @dev: the open device, owned
 * @info: what the pool is
 * @ns: handle of our namespace
 * @base: mapping of the DRAM
 * @map_bytes: its size
 * @ours: we made the pool and shall destroy it
 * @ssd: path of its drive, "" when unknown
 *
 * Used by all threads of a run; set up and taken down by one.
 */
struct hr_pool {
	struct hymc_ctx *ctx;
	struct hymc_dev *dev;
	struct hymc_info info;
	uint32_t ns;
	const uint8_t *base;
	size_t map_bytes;
	bool ours;
	char ssd[256];
};

/**
 * hr_pool_open() - make or open the pool of a mode
 * @cfg: the configuration
 * @mode: the mode
 * @block_bytes: longest block
 * @pool: out
 * @err: where the sentence goes
 *
 * With cfg->dev an existing pool is opened, whose policy must fit the mode.
 *
 * Return: 0, or a negative errno with nothing left behind.
 */
int hr_pool_open(const struct hr_config *cfg, const struct hr_mode *mode,
		 uint64_t block_bytes, struct hr_pool *pool,
		 struct hr_err *err);

/**
 * hr_pool_sync() - write everything back
 * @pool: the pool
 * @err: where the sentence goes
 *
 * Waits, but not for ever.
 *
 * Return: 0 or a negative errno.
 */
int hr_pool_sync(struct hr_pool *pool, struct hr_err *err);

/**
 * hr_pool_stats() - read the counters
 * @pool: the pool
 * @stats: out
 * @err: where the sentence goes
 *
 * Return: 0 or a negative errno.
 */
int hr_pool_stats(struct hr_pool *pool, struct hymc_stats *stats,
		  struct hr_err *err);

/**
 * hr_pool_close() - close a pool, and destroy it when we made it
 * @pool: the pool, also half open
 * @err: where the sentence goes
 *
 * Return: 0 or why it could not be destroyed.
 */
int hr_pool_close(struct hr_pool *pool, struct hr_err *err);

/**
 * hr_drive_bytes() - what the block layer counted for a drive
 * @path: path of the drive
 * @read_bytes: out, 0 when unknown
 * @write_bytes: out, 0 when unknown
 *
 * Return: 0 or a negative errno.
 */
int hr_drive_bytes(const char *path, uint64_t *read_bytes,
		   uint64_t *write_bytes);

#endif
