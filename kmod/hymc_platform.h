/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: what the pure core may use of the kernel
 *
 * The files in kmod/core/ include this header and one another, nothing else. It
 * lends them fixed-width types, errno names, memory functions, byte order,
 * 64-bit division and CRC-32C. Whoever builds the core elsewhere supplies a
 * header of the same name with the same names in it (libhymc/shim/ does so for
 * userspace). It must never lend a lock, an allocator, a clock or a printk.
 */
#ifndef HYMC_PLATFORM_H
#define HYMC_PLATFORM_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/crc32c.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/hymc.h>

/**
 * hymc_platform_crc32c() - advance a raw CRC-32C register
 * @reg: the register, not inverted
 * @p: bytes to take in
 * @len: number of bytes
 *
 * Context: any.
 * Return: the new register, not inverted.
 */
static inline u32 hymc_platform_crc32c(u32 reg, const void *p, size_t len)
{
	return crc32c(reg, p, len);
}

#endif /* HYMC_PLATFORM_H */
