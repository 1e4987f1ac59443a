/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: what lies on the SSD
 *
 *   0                4 KiB            8 KiB                 1 MiB
 *   | superblock A   | superblock B   | (reserved, zero)    | segment 0 | segment 1 | ...
 *
 *   segment: | header | payload, padded | header | payload, padded | ...  -> append only
 *
 * All integers are little-endian. Every structure has a verifier here; no byte
 * from the SSD is believed before its verifier accepted it. The core builds and
 * checks the structures; the host moves the bytes and computes payload checksums.
 */
#ifndef HYMC_FORMAT_H
#define HYMC_FORMAT_H

#include "core.h"

#define HYMC_SB_MAGIC		0x004c4f4f50434d59ULL	/* "YMCPOOL" */
#define HYMC_SB_BYTES		4096U
#define HYMC_SB_COPIES		2U
#define HYMC_LOG_START		(1ULL << 20)
#define HYMC_HDR_MAGIC		0x4b4c42434d594821ULL

/* Payload checksum: low 32 bits of xxh64 with seed 0, per frame-sized chunk. */
#define HYMC_CSUM_XXH64		1U

/**
 * struct hymc_super - superblock; two copies, the valid one with the higher
 *	sequence number counts
 * @magic: HYMC_SB_MAGIC
 * @crc: CRC-32C of the HYMC_SB_BYTES with this field zero
 * @bytes: sizeof(struct hymc_super)
 * @feat_compat: features an old reader may ignore
 * @feat_ro_compat: features an old reader may only read
 * @feat_incompat: features an old reader must refuse
 * @seq: counts rewrites of the superblock
 * @uuid: identity of the pool
 * @ssd_bytes: bytes of the device the pool owns, this structure included
 * @log_start: first byte of segment 0
 * @segment_bytes: bytes of a segment
 * @frame_bytes: frame size, and so payload checksum unit, of the pool
 * @csum_type: HYMC_CSUM_*
 */
struct hymc_super {
	__le64 magic;
	__le32 crc;
	__le32 bytes;
	__le64 feat_compat;
	__le64 feat_ro_compat;
	__le64 feat_incompat;
	__le64 seq;
	u8 uuid[16];
	__le64 ssd_bytes;
	__le64 log_start;
	__le64 segment_bytes;
	__le32 frame_bytes;
	__le32 csum_type;
};

/**
 * struct hymc_hdr - header of a block's record; the payload follows it
 * @magic: HYMC_HDR_MAGIC
 * @crc: CRC-32C of the whole header (all hdr_bytes) with this field zero
 * @hdr_bytes: bytes of the header, a multiple of HYMC_ALIGN_BYTES
 * @pool: the pool's uuid, so that an older pool's records are never believed
 * @key: the block's key
 * @parent: key of its parent in the chain, or zero
 * @gen: generation, never used twice in a pool
 * @len: payload bytes
 * @addr: byte address of this header on the SSD (a misplaced write is noticed)
 * @ns: namespace
 * @chunk_bytes: payload bytes per checksum
 * @csum_nr: number of checksums
 * @codec: 0; tag of a payload encoding, opaque to the core
 * @csum: checksum of each chunk, in order
 */
struct hymc_hdr {
	__le64 magic;
	__le32 crc;
	__le32 hdr_bytes;
	u8 pool[16];
	u8 key[HYMC_KEY_BYTES];
	u8 parent[HYMC_KEY_BYTES];
	__le64 gen;
	__le64 len;
	__le64 addr;
	__le32 ns;
	__le32 chunk_bytes;
	__le32 csum_nr;
	__le32 codec;
	__le32 csum[];
};

/* Bytes of the header of a block of @len bytes in chunks of @chunk_bytes. */
u32 hymc_hdr_bytes(u64 len, u32 chunk_bytes);
/* Bytes of the whole record on the SSD. */
u64 hymc_record_bytes(u64 len, u32 chunk_bytes);
/* CRC-32C (Castagnoli), as used by all metadata here; start with crc = 0. */
u32 hymc_crc32c(u32 crc, const void *p, size_t len);
/* Fill @buf (zeroed, act->hdr_bytes long) as the header for @act. */
void hymc_hdr_build(void *buf, const struct hymc_act *act, const u8 *pool_uuid,
		    u32 chunk_bytes, const u32 *csums);
/*
 * Check that @buf is the intact header of exactly the block @act names. 0, or
 * -EBADMSG with *@why set to a constant sentence.
 */
int hymc_hdr_verify(const void *buf, const struct hymc_act *act,
		    const u8 *pool_uuid, u32 chunk_bytes, const char **why);
/* Checksum @i of a header that verified. */
u32 hymc_hdr_csum(const void *buf, u32 i);
/* Fill HYMC_SB_BYTES at @buf. */
void hymc_super_build(void *buf, const struct hymc_core_cfg *cfg, u64 seq,
		      const u8 *uuid);
/* 0, -EBADMSG (not a superblock, or damaged), -EPROTONOSUPPORT (incompat bits). */
int hymc_super_verify(const void *buf, const char **why);

#endif /* HYMC_FORMAT_H */
