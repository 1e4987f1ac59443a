/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: as much of a pool's superblock as is needed to recognise one
 *
 * The format itself is the core's (kmod/core/format.h); a test compares.
 */
#ifndef HYMC_SUPERBLOCK_H
#define HYMC_SUPERBLOCK_H

/* The first eight bytes, as a little-endian number. */
#define SUPERBLOCK_MAGIC	0x004c4f4f50434d59ULL
/* Copies, and bytes from the start of one to that of the next. */
#define SUPERBLOCK_COPIES	2U
#define SUPERBLOCK_BYTES	4096U
/* Where the pool's UUID is, in bytes. */
#define SUPERBLOCK_UUID		48U

#endif /* HYMC_SUPERBLOCK_H */
