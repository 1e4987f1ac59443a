// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: one block's life: put, lookup, acquire, release, get, delete
 *
 * Every payload derives from its block's number, so that each byte read back can
 * be checked. Works on any geometry; test_block_*.sh run it on several.
 */
#include "hymc_harness.h"

FIXTURE(block) {
	struct ht h;
};

FIXTURE_SETUP(block)
{
	HT_BEGIN(&self->h, "block");
	ASSERT_EQ(0, ht_map(&self->h));
}

FIXTURE_TEARDOWN(block)
{
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	ht_end(&self->h);
}

#define H (&self->h)

/* The lengths where off-by-one faults live, of this pool's geometry. */
static unsigned int lengths(const struct ht *h, __u64 *len)
{
	const __u64 frame = h->info.frame_bytes;
	const __u64 all[] = {
		1, 2, 511, 512, 513, 4095, 4096, 4097, 65537, frame - 1, frame,
		frame + 1, 2 * frame, 3 * frame - 1, 5 * frame + 12345,
		3098112,
	};
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] <= h->info.block_bytes_max)
			len[n++] = all[i];
	return n;
}

/* In DRAM right after the put, then from the drive, by every way to read. */
static int round_trip(struct ht *h, __u64 id, __u64 len)
{
	struct hymc_found f;
	int ret = ht_put(h, id, len);

	if (!ret)
		ret = ht_lookup(h, id, &f);
	if (!ret && (f.len != len || f.tier < HYMC_TIER_DRAM))
		ret = -EUCLEAN;
	if (!ret)
		ret = ht_read(h, id, len, HT_LONG_MS);
	if (!ret)
		ret = ht_get(h, id, len, HT_LONG_MS);
	if (!ret)
		ret = ht_evict(h, id);
	if (!ret)
		ret = ht_get(h, id, len, HT_LONG_MS);
	if (!ret)
		ret = ht_read(h, id, len, HT_LONG_MS);
	return ret;
}

TEST_F_TIMEOUT(block, lengths, 120)
{
	__u64 len[32], id = ht_new_id();
	unsigned int i, n = lengths(H, len);

	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, ht_put_many(H, id + i, 1, len[i]));
		EXPECT_EQ(0, ht_read(H, id + i, len[i], HT_LONG_MS));
		EXPECT_EQ(0, ht_get(H, id + i, len[i], HT_LONG_MS));
	}
	EXPECT_EQ(0, ht_sync(H));
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, ht_evict(H, id + i));
		EXPECT_EQ(HYMC_TIER_SSD, ht_tier(H, id + i));
		EXPECT_EQ(0, ht_read(H, id + i, len[i], HT_LONG_MS))
			TH_LOG("%llu bytes from the drive", len[i]);
		EXPECT_EQ(0, ht_get(H, id + i, len[i], HT_LONG_MS));
		EXPECT_EQ(0, ht_delete(H, id + i));
	}
}

TEST_F_TIMEOUT(block, longest, 120)
{
	__u64 max = self->h.info.block_bytes_max, id = ht_new_id();
	struct hymc_stats st;

	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &st));
	EXPECT_EQ(0, ht_put_many(H, id, 1, max));
	EXPECT_EQ(0, ht_get(H, id, max, HT_LONG_MS));
	EXPECT_EQ(0, ht_sync(H));
	EXPECT_EQ(0, ht_get(H, id, max, HT_LONG_MS));
	EXPECT_EQ(st.blocks + 1, HT_COUNT(self->h.fd, blocks));
	EXPECT_EQ(st.block_bytes + max, HT_COUNT(self->h.fd, block_bytes));
	EXPECT_EQ(0, ht_delete(H, id));
	EXPECT_EQ(st.block_bytes, HT_COUNT(self->h.fd, block_bytes));
}

TEST_F(block, longer_than_allowed)
{
	const __u64 max = self->h.info.block_bytes_max;
	const __u64 len[] = {
		max + 1, HYMC_BLOCK_BYTES_MAX, HYMC_BLOCK_BYTES_MAX + 1,
		1ULL << 32, 1ULL << 63, ~0ULL - 4095, ~0ULL,
	};
	struct ht_block b;
	__u64 id = ht_new_id();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		if (len[i] <= max)
			continue;
		EXPECT_EQ(-EFBIG, ht_reserve(H, id, len[i], &b));
		EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
	}
	EXPECT_EQ(-EFBIG, ht_put(H, id, max + 1));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
}

TEST_F(block, length_zero)
{
	__u64 id = ht_new_id();
	struct ht_block b;

	EXPECT_EQ(-EINVAL, ht_put(H, id, 0));
	EXPECT_EQ(-EINVAL, ht_reserve(H, id, 0, &b));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
}

TEST_F_TIMEOUT(block, dram_then_drive, 60)
{
	__u64 id = ht_new_id();

	EXPECT_EQ(0, round_trip(H, id, self->h.info.frame_bytes * 2 + 777));
	EXPECT_EQ(0, ht_delete(H, id));
}

TEST_F(block, absent)
{
	struct ht_block b;
	struct hymc_found f;
	__u64 id = ht_new_id();

	EXPECT_EQ(-ENOENT, ht_lookup(H, id, &f));
	EXPECT_EQ(HYMC_TIER_NONE, f.tier);
	EXPECT_EQ(0, f.len);
	EXPECT_EQ(-ENOENT, ht_acquire(H, id, HT_LONG_MS, &b));
	EXPECT_EQ(0, b.view.view);
	EXPECT_EQ(-ENOENT, ht_get(H, id, 4096, HT_LONG_MS));
	EXPECT_EQ(-ENOENT, ht_delete(H, id));
}

TEST_F(block, present_put_again)
{
	__u64 id = ht_new_id(), present, conflict, puts;

	ASSERT_EQ(0, ht_put(H, id, 10000));
	present = HT_COUNT(self->h.fd, put_present);
	conflict = HT_COUNT(self->h.fd, put_conflict);
	puts = HT_COUNT(self->h.fd, put_blocks);
	EXPECT_EQ(0, ht_put(H, id, 10000));
	EXPECT_EQ(present + 1, HT_COUNT(self->h.fd, put_present));
	EXPECT_EQ(-EEXIST, ht_put(H, id, 10001));
	EXPECT_EQ(-EEXIST, ht_put(H, id, 9999));
	EXPECT_EQ(conflict + 2, HT_COUNT(self->h.fd, put_conflict));
	EXPECT_EQ(puts, HT_COUNT(self->h.fd, put_blocks));
	EXPECT_EQ(0, ht_get(H, id, 10000, HT_LONG_MS));
	EXPECT_EQ(0, ht_delete(H, id));
}

/* The first bytes stay: a second put of the key changes nothing. */
TEST_F(block, immutable)
{
	char first[5000], second[5000], out[5000];
	__u64 id = ht_new_id();
	struct hymc_desc d = { .len = sizeof(first) };
	struct hymc_done done;
	struct hymc_copy c = {
		.size = sizeof(c), .ns = self->h.ns, .nr = 1,
		.descs = ht_ptr(&d), .done = ht_ptr(&done), .timeout_ms = 1000,
	};

	memset(first, 1, sizeof(first));
	memset(second, 2, sizeof(second));
	ht_key(id, (struct ht_key *)d.key);
	d.addr = ht_ptr(first);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(0, done.status);
	EXPECT_EQ(HYMC_TIER_NONE, done.tier);
	EXPECT_EQ(sizeof(first), done.len);
	d.addr = ht_ptr(second);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(0, done.status);
	EXPECT_NE(HYMC_TIER_NONE, done.tier);
	d.addr = ht_ptr(out);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(0, memcmp(first, out, sizeof(out)));
	EXPECT_EQ(0, ht_delete(H, id));
}

TEST_F(block, get_room)
{
	__u64 id = ht_new_id();
	unsigned char buf[3000];
	struct hymc_desc d = { .len = 2999, .addr = ht_ptr(buf) };
	struct hymc_done done;
	struct hymc_copy c = {
		.size = sizeof(c), .ns = self->h.ns, .nr = 1,
		.descs = ht_ptr(&d), .done = ht_ptr(&done), .timeout_ms = 1000,
	};

	ASSERT_EQ(0, ht_put(H, id, 3000 - 8));
	ht_key(id, (struct ht_key *)d.key);
	memset(buf, 0xee, sizeof(buf));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(0, done.status);
	EXPECT_EQ(2992, done.len);
	EXPECT_EQ(-1, ht_check(id, 0, buf, 2992));
	EXPECT_EQ(0xee, buf[2992]);
	memset(buf, 0xee, sizeof(buf));
	d.len = 2991;
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(-EMSGSIZE, done.status);
	EXPECT_EQ(2992, done.len);
	EXPECT_EQ(0xee, buf[2991]);
	EXPECT_EQ(0, c.nr_ok);
	d.len = 0;
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(-EMSGSIZE, done.status);
	EXPECT_EQ(0, ht_delete(H, id));
}

TEST_F(block, delete_with_a_view_out)
{
	__u64 id = ht_new_id(), len = self->h.info.frame_bytes + 100;
	struct ht_block b, again;

	ASSERT_EQ(0, ht_put(H, id, len));
	ASSERT_EQ(0, ht_acquire(H, id, HT_LONG_MS, &b));
	EXPECT_EQ(0, ht_delete(H, id));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
	EXPECT_EQ(-ENOENT, ht_acquire(H, id, HT_LONG_MS, &again));
	EXPECT_EQ(-ENOENT, ht_delete(H, id));
	EXPECT_EQ(-1, ht_block_check(H, &b, id));
	/* The key is free again; the old view keeps the old bytes. */
	EXPECT_EQ(0, ht_put(H, id, 123));
	EXPECT_EQ(0, ht_read(H, id, 123, HT_LONG_MS));
	EXPECT_EQ(-1, ht_block_check(H, &b, id));
	EXPECT_EQ(0, ht_release(H, &b));
	EXPECT_EQ(0, ht_read(H, id, 123, HT_LONG_MS));
	EXPECT_EQ(0, ht_delete(H, id));
}

/* Only the whole key counts: neighbours differ in one bit, first or last. */
TEST_F(block, keys_in_full)
{
	static const unsigned int at[] = { 0, 7, 8, 15, 16, 23, 24, 31 };
	struct hymc_desc d[9];
	struct hymc_done done[9];
	unsigned char bytes[9][64];
	struct hymc_copy c = {
		.size = sizeof(c), .ns = self->h.ns, .nr = 9,
		.descs = ht_ptr(d), .done = ht_ptr(done), .timeout_ms = 1000,
	};
	__u64 id = ht_new_id();
	unsigned int i;

	for (i = 0; i < 9; i++) {
		ht_key(id, (struct ht_key *)d[i].key);
		if (i)
			d[i].key[at[i - 1]] ^= i % 2 ? 1 : 0x80;
		d[i].len = 64;
		d[i].addr = ht_ptr(bytes[i]);
		memset(bytes[i], i, 64);
	}
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(9, c.nr_ok);
	memset(bytes, 0xff, sizeof(bytes));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(9, c.nr_ok);
	for (i = 0; i < 9; i++) {
		EXPECT_EQ(i, bytes[i][0]);
		EXPECT_EQ(i, bytes[i][63]);
	}
}

/* Frames that are not adjacent: the block comes in several runs. */
TEST_F_TIMEOUT(block, scattered_over_the_dram, 60)
{
	const unsigned int frames = HT_COUNT(self->h.fd, frames_total);
	const __u64 frame = self->h.info.frame_bytes;
	struct ht_block *held = calloc(frames, sizeof(*held));
	const unsigned int n = frames / 8;
	unsigned int i, nr = 0, pieces;
	__u64 id = ht_new_id();
	struct ht_block b;

	/* Fill the DRAM with small blocks, and hold every other one. */
	ASSERT_NE(NULL, held);
	ASSERT_EQ(0, ht_put_many(H, id, frames, frame));
	ASSERT_EQ(0, ht_sync(H));
	for (i = 0; i < frames; i++) {
		if (ht_tier(H, id + i) != HYMC_TIER_DRAM)
			continue;
		ASSERT_EQ(0, ht_acquire(H, id + i, HT_LONG_MS, &held[nr]));
		if (held[nr].runs[0].offset / frame % 2) {
			ASSERT_EQ(0, ht_release(H, &held[nr]));
			ASSERT_EQ(0, ht_delete(H, id + i));
		} else {
			nr++;
		}
	}
	ASSERT_EQ(0, ht_put_many(H, id + frames, 1, n * frame - 99));
	ASSERT_EQ(0, ht_acquire(H, id + frames, HT_LONG_MS, &b));
	EXPECT_TRUE(ht_runs_ok(H, &b));
	pieces = b.view.run_nr;
	EXPECT_LE(n / 2, pieces);
	EXPECT_EQ(-1, ht_block_check(H, &b, id + frames));
	EXPECT_EQ(0, ht_release(H, &b));
	EXPECT_EQ(0, ht_get(H, id + frames, n * frame - 99, HT_LONG_MS));
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, ht_release(H, &held[i]));
	/* From the drive into whatever frames there are then. */
	EXPECT_EQ(0, ht_evict(H, id + frames));
	EXPECT_EQ(0, ht_read(H, id + frames, n * frame - 99, HT_LONG_MS));
	for (i = 0; i <= frames; i++)
		ht_delete(H, id + i);
	free(held);
}

/* The same key twice in one call. */
TEST_F(block, duplicates_in_a_batch)
{
	unsigned char buf[3][700];
	struct hymc_desc d[3];
	struct hymc_done done[3];
	struct hymc_copy c = {
		.size = sizeof(c), .ns = self->h.ns, .nr = 3,
		.descs = ht_ptr(d), .done = ht_ptr(done), .timeout_ms = 1000,
	};
	__u64 id = ht_new_id(), blocks = HT_COUNT(self->h.fd, blocks);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ht_key(i == 1 ? id + 1 : id, (struct ht_key *)d[i].key);
		ht_fill(i == 1 ? id + 1 : id, 0, buf[i], sizeof(buf[i]));
		d[i].len = sizeof(buf[i]);
		d[i].addr = ht_ptr(buf[i]);
	}
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(3, c.nr_ok);
	EXPECT_EQ(HYMC_TIER_NONE, done[0].tier);
	EXPECT_EQ(HYMC_TIER_NONE, done[1].tier);
	EXPECT_NE(HYMC_TIER_NONE, done[2].tier);
	EXPECT_EQ(blocks + 2, HT_COUNT(self->h.fd, blocks));
	memset(buf, 0, sizeof(buf));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(3, c.nr_ok);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(-1, ht_check(i == 1 ? id + 1 : id, 0, buf[i],
				       sizeof(buf[i])));
	EXPECT_EQ(0, ht_delete(H, id));
	EXPECT_EQ(0, ht_delete(H, id + 1));
}

/* The largest numbers a call can carry are as good as any. */
TEST_F_TIMEOUT(block, longest_times, 60)
{
	__u64 id = ht_new_id(), request;
	struct ht_key key;
	struct ht_block b;
	struct hymc_prefetch p = {
		.size = sizeof(p), .ns = self->h.ns, .nr = 1,
		.keys = ht_ptr(&key), .window_bytes = ~0ULL - 1,
		.deadline_ms = ~0U, .ttl_ms = ~0U,
	};
	struct hymc_lookup l = {
		.size = sizeof(l), .ns = self->h.ns, .nr = 1,
		.keys = ht_ptr(&key), .lease_ms = ~0U,
	};
	struct hymc_sync s = { .size = sizeof(s), .timeout_ms = ~0U };

	ht_key(id, &key);
	ASSERT_EQ(0, ht_put(H, id, 12345));
	EXPECT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_SYNC, &s));
	ASSERT_EQ(0, ht_evict(H, id));
	EXPECT_EQ(0, ht_get(H, id, 12345, ~0U));
	ASSERT_EQ(0, ht_evict(H, id));
	ASSERT_EQ(0, ht_acquire(H, id, ~0U, &b));
	EXPECT_EQ(0, ht_release(H, &b));
	EXPECT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_LOOKUP, &l));
	EXPECT_EQ(1, l.nr_hit);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PREFETCH, &p));
	request = p.request;
	EXPECT_EQ(1, HT_COUNT(self->h.fd, requests));
	EXPECT_EQ(0, ht_cancel(H, request));
	EXPECT_EQ(0, ht_delete(H, id));
}

/* What the node does not offer is refused, not misunderstood. */
TEST_F(block, other_system_calls)
{
	char buf[64] = { 0 };

	EXPECT_EQ(-1, read(self->h.fd, buf, sizeof(buf)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(self->h.fd, buf, sizeof(buf)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ftruncate(self->h.fd, 0));
	EXPECT_EQ(-1, fallocate(self->h.fd, 0, 0, 4096));
	EXPECT_EQ(-1, pread(self->h.fd, buf, sizeof(buf), 0));
	EXPECT_EQ(0, fcntl(self->h.fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(0, ht_put(H, ht_new_id(), 10));
}

/* A working set of half more than the DRAM: what was evicted comes back right. */
TEST_F_TIMEOUT(block, working_set_above_dram, 180)
{
	const unsigned int n = HT_COUNT(self->h.fd, frames_total) * 3 / 2;
	const __u64 len = self->h.info.frame_bytes - 1000;
	__u64 id = ht_new_id(), demand;
	unsigned int i, on_ssd = 0;

	ASSERT_EQ(0, ht_put_many(H, id, n, len));
	ASSERT_EQ(0, ht_sync(H));
	for (i = 0; i < n; i++)
		on_ssd += ht_tier(H, id + i) == HYMC_TIER_SSD;
	EXPECT_LE(n / 3, on_ssd);
	demand = HT_COUNT(self->h.fd, demand_blocks);
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, ht_read(H, id + i * 7 % n, len, HT_LONG_MS));
	EXPECT_LE(demand + n / 3, HT_COUNT(self->h.fd, demand_blocks));
	EXPECT_EQ(0, HT_COUNT(self->h.fd, verify_errors));
	EXPECT_EQ(0, HT_COUNT(self->h.fd, read_errors));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, ht_delete(H, id + i));
}

TEST_F(block, counters_of_one_life)
{
	struct hymc_stats a, b;
	__u64 id = ht_new_id();

	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &a));
	ASSERT_EQ(0, ht_put(H, id, 4321));
	ASSERT_EQ(0, ht_lookup(H, id, NULL));
	ASSERT_EQ(-ENOENT, ht_lookup(H, id + 1, NULL));
	ASSERT_EQ(0, ht_read(H, id, 4321, HT_LONG_MS));
	ASSERT_EQ(-ENOENT, ht_read(H, id + 1, 1, HT_LONG_MS));
	ASSERT_EQ(0, ht_sync(H));
	ASSERT_EQ(0, ht_delete(H, id));
	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &b));
	EXPECT_EQ(a.put_blocks + 1, b.put_blocks);
	EXPECT_EQ(a.put_bytes + 4321, b.put_bytes);
	EXPECT_EQ(a.lookup_keys + 2, b.lookup_keys);
	EXPECT_EQ(a.lookup_hits + 1, b.lookup_hits);
	EXPECT_EQ(a.acquire_staged + 1, b.acquire_staged);
	EXPECT_EQ(a.acquire_bytes + 4321, b.acquire_bytes);
	EXPECT_EQ(a.acquire_miss + 1, b.acquire_miss);
	EXPECT_EQ(a.delete_blocks + 1, b.delete_blocks);
	EXPECT_EQ(a.ssd_write_ios + 1, b.ssd_write_ios);
	EXPECT_LE(a.ssd_write_bytes + 4321, b.ssd_write_bytes);
	EXPECT_GE(a.ssd_write_bytes + 4321 + 3 * 4096, b.ssd_write_bytes);
	EXPECT_EQ(a.blocks, b.blocks);
	EXPECT_EQ(0, b.dirty_bytes);
}

HT_MAIN;
