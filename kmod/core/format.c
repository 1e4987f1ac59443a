// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: what lies on the SSD: layout, builders, verifiers
 *
 * See format.h. A verifier reads no byte before it knows that it lies inside the
 * buffer, and believes none before the checksum matched.
 */
#include "format.h"

static_assert(sizeof(struct hymc_super) == 96);
static_assert(offsetof(struct hymc_super, magic) == 0);
static_assert(offsetof(struct hymc_super, crc) == 8);
static_assert(offsetof(struct hymc_super, bytes) == 12);
static_assert(offsetof(struct hymc_super, feat_compat) == 16);
static_assert(offsetof(struct hymc_super, feat_ro_compat) == 24);
static_assert(offsetof(struct hymc_super, feat_incompat) == 32);
static_assert(offsetof(struct hymc_super, seq) == 40);
static_assert(offsetof(struct hymc_super, uuid) == 48);
static_assert(offsetof(struct hymc_super, ssd_bytes) == 64);
static_assert(offsetof(struct hymc_super, log_start) == 72);
static_assert(offsetof(struct hymc_super, segment_bytes) == 80);
static_assert(offsetof(struct hymc_super, frame_bytes) == 88);
static_assert(offsetof(struct hymc_super, csum_type) == 92);

static_assert(sizeof(struct hymc_hdr) == 136);
static_assert(offsetof(struct hymc_hdr, magic) == 0);
static_assert(offsetof(struct hymc_hdr, crc) == 8);
static_assert(offsetof(struct hymc_hdr, hdr_bytes) == 12);
static_assert(offsetof(struct hymc_hdr, pool) == 16);
static_assert(offsetof(struct hymc_hdr, key) == 32);
static_assert(offsetof(struct hymc_hdr, parent) == 64);
static_assert(offsetof(struct hymc_hdr, gen) == 96);
static_assert(offsetof(struct hymc_hdr, len) == 104);
static_assert(offsetof(struct hymc_hdr, addr) == 112);
static_assert(offsetof(struct hymc_hdr, ns) == 120);
static_assert(offsetof(struct hymc_hdr, chunk_bytes) == 124);
static_assert(offsetof(struct hymc_hdr, csum_nr) == 128);
static_assert(offsetof(struct hymc_hdr, codec) == 132);
static_assert(offsetof(struct hymc_hdr, csum) == 136);

static_assert(HYMC_SB_BYTES * HYMC_SB_COPIES <= HYMC_LOG_START);

static u64 align_up(u64 x)
{
	return (x + HYMC_ALIGN_BYTES - 1) & ~(u64)(HYMC_ALIGN_BYTES - 1);
}

static u32 csum_nr(u64 len, u32 chunk_bytes)
{
	return div_u64(len + chunk_bytes - 1, chunk_bytes);
}

/**
 * hymc_hdr_bytes() - length of a record's header
 * @len: payload bytes
 * @chunk_bytes: payload bytes per checksum
 *
 * Return: bytes, a multiple of HYMC_ALIGN_BYTES.
 */
u32 hymc_hdr_bytes(u64 len, u32 chunk_bytes)
{
	return align_up(sizeof(struct hymc_hdr) +
			(u64)csum_nr(len, chunk_bytes) * sizeof(__le32));
}

/**
 * hymc_record_bytes() - length of a record
 * @len: payload bytes
 * @chunk_bytes: payload bytes per checksum
 *
 * Return: bytes of header and padded payload.
 */
u64 hymc_record_bytes(u64 len, u32 chunk_bytes)
{
	return hymc_hdr_bytes(len, chunk_bytes) + align_up(len);
}

/**
 * hymc_crc32c() - CRC-32C (Castagnoli)
 * @crc: 0, or the result for the bytes before these
 * @p: bytes
 * @len: number of bytes
 *
 * Return: the checksum.
 */
u32 hymc_crc32c(u32 crc, const void *p, size_t len)
{
	return ~hymc_platform_crc32c(~crc, p, len);
}

/* CRC of @bytes at @buf, as if the four bytes at @at were zero. */
static u32 crc_without(const u8 *buf, u32 at, u32 bytes)
{
	static const u8 zero[sizeof(__le32)];
	u32 after = at + sizeof(zero);
	u32 crc = hymc_crc32c(0, buf, at);

	crc = hymc_crc32c(crc, zero, sizeof(zero));
	return hymc_crc32c(crc, buf + after, bytes - after);
}

static u32 hdr_crc(const struct hymc_hdr *h, u32 bytes)
{
	return crc_without((const u8 *)h, offsetof(struct hymc_hdr, crc),
			   bytes);
}

static u32 super_crc(const struct hymc_super *s)
{
	return crc_without((const u8 *)s, offsetof(struct hymc_super, crc),
			   HYMC_SB_BYTES);
}

static void hdr_identify(struct hymc_hdr *h, const struct hymc_act *act,
			 const u8 *pool_uuid)
{
	memcpy(h->pool, pool_uuid, sizeof(h->pool));
	memcpy(h->key, act->key.b, sizeof(h->key));
	memcpy(h->parent, act->parent.b, sizeof(h->parent));
	h->gen = cpu_to_le64(act->gen);
	h->len = cpu_to_le64(act->len);
	h->addr = cpu_to_le64(act->addr);
	h->ns = cpu_to_le32(act->ns);
}

/**
 * hymc_hdr_build() - make a record's header
 * @buf: @act->hdr_bytes of zeroed memory
 * @act: the write it belongs to
 * @pool_uuid: the pool's 16 bytes of identity
 * @chunk_bytes: payload bytes per checksum
 * @csums: checksum of each chunk
 */
void hymc_hdr_build(void *buf, const struct hymc_act *act, const u8 *pool_uuid,
		    u32 chunk_bytes, const u32 *csums)
{
	struct hymc_hdr *h = buf;
	u32 i, nr = csum_nr(act->len, chunk_bytes);

	h->magic = cpu_to_le64(HYMC_HDR_MAGIC);
	h->hdr_bytes = cpu_to_le32(act->hdr_bytes);
	hdr_identify(h, act, pool_uuid);
	h->chunk_bytes = cpu_to_le32(chunk_bytes);
	h->csum_nr = cpu_to_le32(nr);
	for (i = 0; i < nr; i++)
		h->csum[i] = cpu_to_le32(csums[i]);
	h->crc = cpu_to_le32(hdr_crc(h, act->hdr_bytes));
}

/* Is an intact header the one of this very block? */
static const char *hdr_differs(const struct hymc_hdr *h,
			       const struct hymc_act *act,
			       const u8 *pool_uuid)
{
	if (memcmp(h->pool, pool_uuid, sizeof(h->pool)))
		return "the record belongs to another pool";
	if (memcmp(h->key, act->key.b, sizeof(h->key)) ||
	    le32_to_cpu(h->ns) != act->ns)
		return "the record belongs to another key";
	if (le64_to_cpu(h->gen) != act->gen)
		return "the record is of another generation";
	if (le64_to_cpu(h->addr) != act->addr)
		return "the record was written for another address";
	if (le64_to_cpu(h->len) != act->len)
		return "the record has another length";
	return NULL;
}

static const char *hdr_malformed(const struct hymc_hdr *h,
				 const struct hymc_act *act, u32 chunk_bytes)
{
	if (le64_to_cpu(h->magic) != HYMC_HDR_MAGIC)
		return "no record header here";
	if (le32_to_cpu(h->hdr_bytes) != act->hdr_bytes)
		return "the record header has another length";
	if (le32_to_cpu(h->crc) != hdr_crc(h, act->hdr_bytes))
		return "the record header is damaged";
	if (le32_to_cpu(h->chunk_bytes) != chunk_bytes ||
	    le32_to_cpu(h->csum_nr) != csum_nr(act->len, chunk_bytes))
		return "the record has checksums of another unit";
	return NULL;
}

/**
 * hymc_hdr_verify() - is this the intact header of exactly that block?
 * @buf: @act->hdr_bytes read from the SSD
 * @act: the read
 * @pool_uuid: the pool's 16 bytes of identity
 * @chunk_bytes: payload bytes per checksum in this pool
 * @why: out, what is wrong; NULL when nothing is
 *
 * The parent is not compared: it may be gone from the pool by now.
 *
 * Return: 0, or -EBADMSG.
 */
int hymc_hdr_verify(const void *buf, const struct hymc_act *act,
		    const u8 *pool_uuid, u32 chunk_bytes, const char **why)
{
	*why = hdr_malformed(buf, act, chunk_bytes);
	if (!*why)
		*why = hdr_differs(buf, act, pool_uuid);
	return *why ? -EBADMSG : 0;
}

/**
 * hymc_hdr_csum() - a payload checksum
 * @buf: header that verified
 * @i: number of the chunk
 *
 * Return: its checksum.
 */
u32 hymc_hdr_csum(const void *buf, u32 i)
{
	const struct hymc_hdr *h = buf;

	return le32_to_cpu(h->csum[i]);
}

/**
 * hymc_super_build() - make a superblock
 * @buf: HYMC_SB_BYTES of memory, contents arbitrary
 * @cfg: the pool's geometry
 * @seq: sequence number, higher than that of the copies on the SSD
 * @uuid: the pool's 16 bytes of identity
 */
void hymc_super_build(void *buf, const struct hymc_core_cfg *cfg, u64 seq,
		      const u8 *uuid)
{
	struct hymc_super *s = buf;

	memset(buf, 0, HYMC_SB_BYTES);
	s->magic = cpu_to_le64(HYMC_SB_MAGIC);
	s->bytes = cpu_to_le32(sizeof(*s));
	s->seq = cpu_to_le64(seq);
	memcpy(s->uuid, uuid, sizeof(s->uuid));
	s->ssd_bytes = cpu_to_le64(cfg->log_start + cfg->ssd_bytes);
	s->log_start = cpu_to_le64(cfg->log_start);
	s->segment_bytes = cpu_to_le64(cfg->segment_bytes);
	s->frame_bytes = cpu_to_le32(cfg->frame_bytes);
	s->csum_type = cpu_to_le32(HYMC_CSUM_XXH64);
	s->crc = cpu_to_le32(super_crc(s));
}

static const char *super_damaged(const struct hymc_super *s)
{
	if (le64_to_cpu(s->magic) != HYMC_SB_MAGIC)
		return "no superblock here";
	if (le32_to_cpu(s->crc) != super_crc(s))
		return "the superblock is damaged";
	return NULL;
}

static const char *super_unknown(const struct hymc_super *s)
{
	if (s->feat_incompat || s->feat_ro_compat)
		return "the pool uses features this version does not know";
	if (le32_to_cpu(s->csum_type) != HYMC_CSUM_XXH64)
		return "the pool uses a checksum this version does not know";
	return NULL;
}

static const char *super_absurd(const struct hymc_super *s)
{
	u64 start = le64_to_cpu(s->log_start);
	u64 bytes = le64_to_cpu(s->ssd_bytes);
	u64 seg = le64_to_cpu(s->segment_bytes);
	u32 frame = le32_to_cpu(s->frame_bytes);

	if (le32_to_cpu(s->bytes) < sizeof(*s) ||
	    le32_to_cpu(s->bytes) > HYMC_SB_BYTES)
		return "the superblock has an impossible length";
	if (start < HYMC_SB_BYTES * HYMC_SB_COPIES || start != align_up(start))
		return "the superblock has an impossible log start";
	if (!seg || seg != align_up(seg) || bytes < start ||
	    bytes - start < seg)
		return "the superblock has impossible sizes";
	if (!frame || frame & (frame - 1) || frame < HYMC_ALIGN_BYTES)
		return "the superblock has an impossible frame size";
	return NULL;
}

/**
 * hymc_super_verify() - is this a superblock that can be used?
 * @buf: HYMC_SB_BYTES read from the SSD
 * @why: out, what is wrong; NULL when nothing is
 *
 * Return: 0; -EBADMSG when it is none or damaged; -EPROTONOSUPPORT when it is
 * intact and uses features that this version, which always writes, must refuse.
 */
int hymc_super_verify(const void *buf, const char **why)
{
	*why = super_damaged(buf);
	if (*why)
		return -EBADMSG;
	*why = super_unknown(buf);
	if (*why)
		return -EPROTONOSUPPORT;
	*why = super_absurd(buf);
	return *why ? -EBADMSG : 0;
}
