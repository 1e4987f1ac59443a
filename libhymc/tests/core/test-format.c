// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of the on-media structures and their verifiers
 */
#include <stdlib.h>

#include "format.h"
#include "pool.h"
#include "tap.h"

#define CHUNK	65536U

static const u8 uuid[16] = "0123456789abcdef";

static struct hymc_act act_make(u64 len)
{
	struct hymc_act act = {
		.kind = HYMC_ACT_WRITE, .block = 1, .ns = 3, .gen = 77,
		.len = len, .addr = 1234 * 4096,
		.hdr_bytes = hymc_hdr_bytes(len, CHUNK),
	};

	act.key = pool_key(5);
	act.parent = pool_key(4);
	return act;
}

static u8 *hdr_make(const struct hymc_act *act)
{
	u32 i, nr = (act->len + CHUNK - 1) / CHUNK;
	u32 *csum = calloc(nr, sizeof(*csum));
	u8 *buf = calloc(1, act->hdr_bytes);

	for (i = 0; i < nr; i++)
		csum[i] = 0x1000 + i;
	hymc_hdr_build(buf, act, uuid, CHUNK, csum);
	free(csum);
	return buf;
}

static void crc_is_castagnoli(void)
{
	EXPECT_EQ(hymc_crc32c(0, "123456789", 9), 0xe3069283);
	EXPECT_EQ(hymc_crc32c(hymc_crc32c(0, "1234", 4), "56789", 5),
		  0xe3069283);
	EXPECT_EQ(hymc_crc32c(0, "", 0), 0);
}

static void lengths_are_padded(void)
{
	EXPECT_EQ(hymc_hdr_bytes(1, CHUNK), 4096);
	/* 136 bytes and 990 checksums fill 4096. */
	EXPECT_EQ(hymc_hdr_bytes(990ULL * CHUNK, CHUNK), 4096);
	EXPECT_EQ(hymc_hdr_bytes(990ULL * CHUNK + 1, CHUNK), 8192);
	EXPECT_EQ(hymc_record_bytes(1, CHUNK), 8192);
	EXPECT_EQ(hymc_record_bytes(4096, CHUNK), 8192);
	EXPECT_EQ(hymc_record_bytes(4097, CHUNK), 12288);
	EXPECT_EQ(hymc_record_bytes(1ULL << 30, 4096),
		  (1ULL << 30) + 1052672);
}

static void good_header_verifies(void)
{
	struct hymc_act act = act_make(100 * CHUNK + 1);
	u8 *buf = hdr_make(&act);
	const char *why;

	act.kind = HYMC_ACT_READ;
	EXPECT_EQ(hymc_hdr_verify(buf, &act, uuid, CHUNK, &why), 0);
	EXPECT(!why);
	EXPECT_EQ(hymc_hdr_csum(buf, 0), 0x1000);
	EXPECT_EQ(hymc_hdr_csum(buf, 100), 0x1000 + 100);
	/* The parent may be gone by the time of the read. */
	memset(&act.parent, 0, sizeof(act.parent));
	EXPECT_EQ(hymc_hdr_verify(buf, &act, uuid, CHUNK, &why), 0);
	free(buf);
}

static void every_flipped_byte_of_a_header_is_refused(void)
{
	struct hymc_act act = act_make(2000ULL * CHUNK);
	u8 *buf = hdr_make(&act);
	const char *why;
	u32 i, bit;

	EXPECT_EQ(act.hdr_bytes, 8192);
	for (i = 0; i < act.hdr_bytes; i++) {
		for (bit = 0; bit < 8; bit += i < 256 ? 1 : 7) {
			buf[i] ^= 1U << bit;
			why = NULL;
			EXPECT_EQ(hymc_hdr_verify(buf, &act, uuid, CHUNK, &why),
				  -EBADMSG);
			EXPECT(why && *why);
			buf[i] ^= 1U << bit;
		}
	}
	EXPECT_EQ(hymc_hdr_verify(buf, &act, uuid, CHUNK, &why), 0);
	free(buf);
}

/* An intact header of another record is no better than a damaged one. */
static void intact_header_of_another_block_is_refused(void)
{
	struct hymc_act good = act_make(3 * CHUNK), act;
	u8 *buf = hdr_make(&good);
	u8 other[16] = "0123456789abcdeF";
	const char *why;

#define REFUSED(change)							\
	do {								\
		act = good;						\
		change;							\
		EXPECT_EQ(hymc_hdr_verify(buf, &act, uuid, CHUNK, &why), \
			  -EBADMSG);					\
		EXPECT(why && *why);					\
	} while (0)
	REFUSED(act.key.b[31] ^= 1);
	REFUSED(act.key.b[0] ^= 128);
	REFUSED(act.ns++);
	REFUSED(act.gen++);
	REFUSED(act.gen--);
	REFUSED(act.addr += 4096);
	REFUSED(act.len++);
	REFUSED(act.len += CHUNK);
	REFUSED(act.hdr_bytes += 4096);
#undef REFUSED
	EXPECT_EQ(hymc_hdr_verify(buf, &good, other, CHUNK, &why), -EBADMSG);
	EXPECT_EQ(hymc_hdr_verify(buf, &good, uuid, CHUNK / 2, &why), -EBADMSG);
	EXPECT_EQ(hymc_hdr_verify(buf, &good, uuid, CHUNK, &why), 0);
	free(buf);
}

static void zeroes_and_ones_are_no_header(void)
{
	struct hymc_act act = act_make(CHUNK);
	u8 *buf = calloc(1, act.hdr_bytes);
	const char *why;

	EXPECT_EQ(hymc_hdr_verify(buf, &act, uuid, CHUNK, &why), -EBADMSG);
	memset(buf, 0xff, act.hdr_bytes);
	EXPECT_EQ(hymc_hdr_verify(buf, &act, uuid, CHUNK, &why), -EBADMSG);
	free(buf);
}

static void every_flipped_byte_of_a_superblock_is_refused(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	u8 *buf = malloc(HYMC_SB_BYTES);
	const char *why;
	u32 i, bit;

	memset(buf, 0x5a, HYMC_SB_BYTES);
	hymc_super_build(buf, &cfg, 9, uuid);
	EXPECT_EQ(hymc_super_verify(buf, &why), 0);
	EXPECT(!why);
	for (i = 0; i < HYMC_SB_BYTES; i++) {
		for (bit = 0; bit < 8; bit++) {
			buf[i] ^= 1U << bit;
			why = NULL;
			EXPECT_EQ(hymc_super_verify(buf, &why), -EBADMSG);
			EXPECT(why && *why);
			buf[i] ^= 1U << bit;
		}
	}
	free(buf);
}

/* Rewrite the checksum after a change, as a newer or a hostile writer would. */
static int super_changed(void (*change)(struct hymc_super *s))
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct hymc_super *s = malloc(HYMC_SB_BYTES);
	const char *why = NULL;
	int err;

	hymc_super_build(s, &cfg, 9, uuid);
	change(s);
	s->crc = 0;
	s->crc = cpu_to_le32(hymc_crc32c(0, s, HYMC_SB_BYTES));
	err = hymc_super_verify(s, &why);
	EXPECT(!!err == !!why);
	free(s);
	return err;
}

static void same(struct hymc_super *s)
{
	s->seq = cpu_to_le64(10);
}

static void compat(struct hymc_super *s)
{
	s->feat_compat = cpu_to_le64(1ULL << 63);
}

static void ro_compat(struct hymc_super *s)
{
	s->feat_ro_compat = cpu_to_le64(1);
}

static void incompat(struct hymc_super *s)
{
	s->feat_incompat = cpu_to_le64(1ULL << 40);
}

static void csum(struct hymc_super *s)
{
	s->csum_type = cpu_to_le32(2);
}

static void no_bytes(struct hymc_super *s)
{
	s->bytes = 0;
}

static void many_bytes(struct hymc_super *s)
{
	s->bytes = cpu_to_le32(HYMC_SB_BYTES + 1);
}

static void log_in_superblock(struct hymc_super *s)
{
	s->log_start = cpu_to_le64(4096);
}

static void log_crooked(struct hymc_super *s)
{
	s->log_start = cpu_to_le64((1 << 20) + 512);
}

static void log_behind_end(struct hymc_super *s)
{
	s->log_start = cpu_to_le64(1ULL << 62);
}

static void no_segment(struct hymc_super *s)
{
	s->segment_bytes = 0;
}

static void huge_segment(struct hymc_super *s)
{
	s->segment_bytes = cpu_to_le64(1ULL << 63);
}

static void no_frame(struct hymc_super *s)
{
	s->frame_bytes = 0;
}

static void crooked_frame(struct hymc_super *s)
{
	s->frame_bytes = cpu_to_le32(4096 * 3);
}

static void intact_superblocks_are_judged(void)
{
	EXPECT_EQ(super_changed(same), 0);
	EXPECT_EQ(super_changed(compat), 0);
	EXPECT_EQ(super_changed(ro_compat), -EPROTONOSUPPORT);
	EXPECT_EQ(super_changed(incompat), -EPROTONOSUPPORT);
	EXPECT_EQ(super_changed(csum), -EPROTONOSUPPORT);
	EXPECT_EQ(super_changed(no_bytes), -EBADMSG);
	EXPECT_EQ(super_changed(many_bytes), -EBADMSG);
	EXPECT_EQ(super_changed(log_in_superblock), -EBADMSG);
	EXPECT_EQ(super_changed(log_crooked), -EBADMSG);
	EXPECT_EQ(super_changed(log_behind_end), -EBADMSG);
	EXPECT_EQ(super_changed(no_segment), -EBADMSG);
	EXPECT_EQ(super_changed(huge_segment), -EBADMSG);
	EXPECT_EQ(super_changed(no_frame), -EBADMSG);
	EXPECT_EQ(super_changed(crooked_frame), -EBADMSG);
}

/* The first bytes of both structures, as any other machine must write them. */
static void bytes_are_little_endian(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	u8 *sb = malloc(HYMC_SB_BYTES);
	struct hymc_act act = act_make(1);
	u8 *hdr = hdr_make(&act);

	hymc_super_build(sb, &cfg, 0x0102, uuid);
	EXPECT(!memcmp(sb, "YMCPOOL", 8));
	EXPECT(sb[40] == 2 && sb[41] == 1 && !sb[42]);
	EXPECT(!memcmp(hdr, "!HYMCBLK", 8));
	EXPECT(hdr[96] == 77 && !hdr[97]);
	free(sb);
	free(hdr);
}

static void every_configuration_rule_refuses(void)
{
	struct hymc_core_cfg good = pool_cfg(), cfg;
	const char *why;

	EXPECT_EQ(hymc_core_check(&good, &why), 0);
	EXPECT(!why);
#define REFUSED(change)							\
	do {								\
		cfg = good;						\
		change;							\
		EXPECT_EQ(hymc_core_check(&cfg, &why), -EINVAL);	\
		EXPECT(why && *why);					\
	} while (0)
	REFUSED(cfg.policy = 2);
	REFUSED(cfg.frame_bytes = 0);
	REFUSED(cfg.frame_bytes = 2048);
	REFUSED(cfg.frame_bytes = 12288);
	REFUSED(cfg.frame_bytes = 128U << 20);
	REFUSED(cfg.frames = 0);
	REFUSED(cfg.frames = (1U << 31) + 1);
	REFUSED(cfg.blocks_max = 0);
	REFUSED(cfg.blocks_max = (1ULL << 29) + 1);
	REFUSED(cfg.segment_bytes = 0);
	REFUSED(cfg.segment_bytes = 4096);
	REFUSED(cfg.segment_bytes += 512);
	REFUSED(cfg.segment_bytes = 1ULL << 41);
	REFUSED(cfg.log_start = 100);
	REFUSED(cfg.ssd_bytes = 4096);
	REFUSED(cfg.ssd_bytes = ~0ULL);
	REFUSED(cfg.log_start = ~0ULL << 12);
	REFUSED(cfg.writes_max = 0);
	REFUSED(cfg.read_bytes_max = 0);
	REFUSED(cfg.window_bytes = HYMC_WINDOW_DEFAULT);
	REFUSED(cfg.dirty_low_bytes = cfg.dirty_high_bytes + 1);
	REFUSED(cfg.dirty_high_bytes = cfg.dirty_max_bytes + 1);
#undef REFUSED
}

static void longest_block_fits_everywhere(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	u64 max;

	EXPECT_EQ(hymc_core_block_bytes_max(&cfg), 16 * 4 * KB);
	cfg.frames = 1000;
	max = hymc_core_block_bytes_max(&cfg);
	EXPECT_EQ(max, 124 * KB);
	EXPECT(hymc_record_bytes(max, cfg.frame_bytes) <= cfg.segment_bytes);
	cfg.segment_bytes = 8192;
	EXPECT_EQ(hymc_core_block_bytes_max(&cfg), 4096);
	cfg.frame_bytes = 64U << 20;
	cfg.segment_bytes = 1ULL << 40;
	EXPECT_EQ(hymc_core_block_bytes_max(&cfg), HYMC_BLOCK_BYTES_MAX);
	cfg.segment_bytes = 1ULL << 30;
	max = hymc_core_block_bytes_max(&cfg);
	EXPECT_EQ(max, (1ULL << 30) - 4096);
}

static const struct tap_test tests[] = {
	{ "format: the CRC is CRC-32C", crc_is_castagnoli },
	{ "format: lengths are padded", lengths_are_padded },
	{ "format: a good header verifies", good_header_verifies },
	{ "format: every flipped byte of a header is refused",
	  every_flipped_byte_of_a_header_is_refused },
	{ "format: an intact header of another block is refused",
	  intact_header_of_another_block_is_refused },
	{ "format: zeroes and ones are no header",
	  zeroes_and_ones_are_no_header },
	{ "format: every flipped bit of a superblock is refused",
	  every_flipped_byte_of_a_superblock_is_refused },
	{ "format: intact superblocks are judged",
	  intact_superblocks_are_judged },
	{ "format: bytes are little-endian", bytes_are_little_endian },
	{ "config: every rule refuses", every_configuration_rule_refuses },
	{ "config: the longest block fits everywhere",
	  longest_block_fits_everywhere },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
