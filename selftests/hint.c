// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: prefetch requests and leases
 *
 * What a hint brings up, in which order and how far ahead; when a request ends;
 * and that nothing a hint says can do harm.
 */
#include "hymc_harness.h"

/* Blocks on the drive that every test of a process group may use. */
#define NR_BLOCKS	12U

FIXTURE(hint) {
	struct ht h;
	__u64 len;
	__u64 ids[NR_BLOCKS];
	__u64 request;
	struct hymc_stats before;
};

/* NR_BLOCKS blocks of one frame each, none of them in DRAM. */
static int make_cold_blocks(struct ht *h, __u64 *ids, __u64 len)
{
	__u64 id = ht_new_id();
	unsigned int i;
	int ret = ht_put_many(h, id, NR_BLOCKS, len);

	if (!ret)
		ret = ht_sync(h);
	for (i = 0; i < NR_BLOCKS; i++)
		ids[i] = id + i;
	for (i = 0; !ret && i < NR_BLOCKS; i++)
		ret = ht_evict(h, ids[i]);
	return ret;
}

FIXTURE_SETUP(hint)
{
	HT_BEGIN(&self->h, "hint");
	ASSERT_EQ(HYMC_POLICY_STAGE, self->h.info.policy);
	ASSERT_EQ(0, ht_map(&self->h));
	self->len = self->h.info.frame_bytes;
	ASSERT_EQ(0, make_cold_blocks(&self->h, self->ids, self->len));
	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &self->before));
}

FIXTURE_TEARDOWN(hint)
{
	unsigned int i;

	for (i = 0; i < NR_BLOCKS; i++)
		ht_delete(&self->h, self->ids[i]);
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	ht_end(&self->h);
}

#define H (&self->h)
#define COUNT(field) HT_COUNT(self->h.fd, field)
#define HINT(nr, window, ttl) \
	ht_prefetch(H, self->ids, nr, window, ttl, &self->request)

static bool in_dram(struct ht *h, __u64 id)
{
	return ht_tier(h, id) == HYMC_TIER_DRAM;
}

/* Wait until the first @nr blocks are in DRAM. */
static int wait_staged(struct ht *h, const __u64 *ids, unsigned int nr)
{
	__u64 end = ht_now_ms() + HT_SETTLE_MS;
	unsigned int i = 0;

	while (i < nr && ht_now_ms() < end) {
		if (in_dram(h, ids[i]))
			i++;
		else
			ht_sleep_ms(2);
	}
	return i == nr ? 0 : -ETIMEDOUT;
}

static unsigned int nr_staged(struct ht *h, const __u64 *ids)
{
	unsigned int i, n = 0;

	for (i = 0; i < NR_BLOCKS; i++)
		n += in_dram(h, ids[i]);
	return n;
}

TEST_F(hint, stages_all_in_the_window)
{
	struct ht_block b;
	unsigned int i;

	ASSERT_EQ(0, HINT(NR_BLOCKS, HYMC_WINDOW_DEFAULT, 0));
	EXPECT_EQ(1, COUNT(requests));
	ASSERT_EQ(0, wait_staged(H, self->ids, NR_BLOCKS));
	EXPECT_EQ(self->before.prefetch_blocks + NR_BLOCKS,
		  COUNT(prefetch_blocks));
	for (i = 0; i < NR_BLOCKS; i++) {
		ASSERT_EQ(0, ht_acquire_item(H, self->request, i, 0, &b));
		EXPECT_EQ(HYMC_TIER_DRAM, b.view.tier);
		EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[i]));
		EXPECT_EQ(0, ht_release(H, &b));
	}
	EXPECT_EQ(self->before.acquire_staged + NR_BLOCKS,
		  COUNT(acquire_staged));
	EXPECT_EQ(self->before.demand_blocks, COUNT(demand_blocks));
	EXPECT_EQ(self->before.lead_count + NR_BLOCKS, COUNT(lead_count));
	/* All known blocks were released: the request has ended. */
	EXPECT_EQ(0, COUNT(requests));
	EXPECT_EQ(-ENOENT, ht_cancel(H, self->request));
	EXPECT_EQ(self->before.hint_cancelled, COUNT(hint_cancelled));
}

TEST_F(hint, window_of_zero_issues_nothing)
{
	struct ht_block b;

	ASSERT_EQ(0, HINT(NR_BLOCKS, 0, 0));
	ht_sleep_ms(300);
	EXPECT_EQ(0, nr_staged(H, self->ids));
	EXPECT_EQ(self->before.prefetch_blocks, COUNT(prefetch_blocks));
	EXPECT_EQ(self->before.ssd_read_bytes, COUNT(ssd_read_bytes));
	/* Acquiring through it reads on demand. */
	EXPECT_EQ(0, ht_acquire_item(H, self->request, 3, HT_LONG_MS, &b));
	EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[3]));
	EXPECT_EQ(self->before.demand_blocks + 1, COUNT(demand_blocks));
	EXPECT_EQ(0, ht_release(H, &b));
	ht_sleep_ms(100);
	EXPECT_EQ(1, nr_staged(H, self->ids));
	EXPECT_EQ(0, ht_cancel(H, self->request));
}

TEST_F(hint, window_bounds_what_is_ahead)
{
	struct ht_block b;
	unsigned int i;

	ASSERT_EQ(0, HINT(NR_BLOCKS, 3 * self->len, 0));
	ASSERT_EQ(0, wait_staged(H, self->ids, 3));
	ht_sleep_ms(200);
	EXPECT_EQ(3, nr_staged(H, self->ids));
	for (i = 0; i < NR_BLOCKS; i++) {
		ASSERT_EQ(0, ht_acquire_item(H, self->request, i, HT_LONG_MS,
					     &b));
		EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[i]));
		/* Acquired but not released still counts. */
		EXPECT_GE(3, COUNT(frames_wanted) + COUNT(frames_reading) +
			     COUNT(frames_pinned));
		ASSERT_EQ(0, ht_release(H, &b));
		if (i + 3 < NR_BLOCKS)
			ASSERT_EQ(0, wait_staged(H, self->ids + i + 3, 1));
	}
	EXPECT_EQ(0, COUNT(requests));
}

TEST_F(hint, block_larger_than_the_window_goes_alone)
{
	struct ht_block b;
	unsigned int i;

	ASSERT_EQ(0, HINT(4, 1, 0));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, wait_staged(H, self->ids + i, 1));
		EXPECT_GE(1, COUNT(frames_wanted) + COUNT(frames_reading));
		ASSERT_EQ(0, ht_acquire_item(H, self->request, i, 0, &b));
		EXPECT_EQ(0, ht_release(H, &b));
	}
	EXPECT_EQ(0, COUNT(requests));
}

TEST_F(hint, out_of_order_use)
{
	struct ht_block b;
	unsigned int i, at;

	ASSERT_EQ(0, HINT(NR_BLOCKS, 2 * self->len, 0));
	for (i = 0; i < NR_BLOCKS; i++) {
		at = (i * 7 + 5) % NR_BLOCKS;
		ASSERT_EQ(0, ht_acquire_item(H, self->request, at, HT_LONG_MS,
					     &b));
		EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[at]));
		ASSERT_EQ(0, ht_release(H, &b));
	}
	EXPECT_EQ(0, COUNT(requests));
}

TEST_F(hint, unknown_keys_cost_nothing)
{
	__u64 nowhere = ht_new_id(), list[NR_BLOCKS + 20];
	struct ht_block b;
	unsigned int i, known = 0, n = ARRAY_SIZE(list);

	/* 60 % of the hints are false; the first is true. */
	for (i = 0; i < n; i++)
		list[i] = i % 5 < 2 && known < NR_BLOCKS ?
			  self->ids[known++] : nowhere + i;
	ASSERT_EQ(0, ht_prefetch(H, list, n, HYMC_WINDOW_DEFAULT, 0,
				 &self->request));
	EXPECT_EQ(self->before.hint_unknown + n - known, COUNT(hint_unknown));
	ASSERT_EQ(0, wait_staged(H, self->ids, known));
	EXPECT_EQ(self->before.prefetch_blocks + known, COUNT(prefetch_blocks));
	for (i = 0; i < n; i++) {
		int ret = ht_acquire_item(H, self->request, i, 0, &b);

		EXPECT_EQ(list[i] >= nowhere && list[i] < nowhere + n ?
			  -ENOENT : 0, ret);
		if (!ret)
			EXPECT_EQ(0, ht_release(H, &b));
	}
	EXPECT_EQ(0, COUNT(requests));
}

TEST_F(hint, only_unknown_keys)
{
	__u64 nowhere[3] = { ht_new_id(), ht_new_id(), ht_new_id() };

	self->request = 12345;
	ASSERT_EQ(0, ht_prefetch(H, nowhere, 3, HYMC_WINDOW_DEFAULT, 0,
				 &self->request));
	EXPECT_EQ(0, self->request);
	EXPECT_EQ(0, COUNT(requests));
	EXPECT_EQ(self->before.ssd_read_bytes, COUNT(ssd_read_bytes));
}

TEST_F(hint, duplicates)
{
	__u64 list[6] = {
		self->ids[0], self->ids[1], self->ids[0], self->ids[0],
		self->ids[1], self->ids[2],
	};
	struct ht_block b[6];
	unsigned int i;

	ASSERT_EQ(0, ht_prefetch(H, list, 6, HYMC_WINDOW_DEFAULT, 0,
				 &self->request));
	ASSERT_EQ(0, wait_staged(H, self->ids, 3));
	EXPECT_EQ(self->before.prefetch_blocks + 3, COUNT(prefetch_blocks));
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, ht_acquire_item(H, self->request, i, HT_LONG_MS,
					     &b[i]));
		EXPECT_EQ(-1, ht_block_check(H, &b[i], list[i]));
	}
	EXPECT_EQ(6, COUNT(views));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(0, ht_release(H, &b[i]));
	EXPECT_EQ(0, COUNT(requests));
}

TEST_F(hint, same_block_wanted_by_two)
{
	__u64 second;
	struct ht_block b;

	ASSERT_EQ(0, HINT(4, HYMC_WINDOW_DEFAULT, 0));
	ASSERT_EQ(0, ht_prefetch(H, self->ids, 4, HYMC_WINDOW_DEFAULT, 0,
				 &second));
	ASSERT_EQ(0, wait_staged(H, self->ids, 4));
	EXPECT_EQ(self->before.prefetch_blocks + 4, COUNT(prefetch_blocks));
	EXPECT_EQ(0, ht_cancel(H, self->request));
	EXPECT_EQ(4, nr_staged(H, self->ids));
	EXPECT_EQ(4, COUNT(frames_wanted));
	EXPECT_EQ(0, ht_acquire_item(H, second, 0, 0, &b));
	EXPECT_EQ(0, ht_release(H, &b));
	EXPECT_EQ(0, ht_cancel(H, second));
	EXPECT_EQ(0, COUNT(frames_wanted));
}

TEST_F(hint, cancel_gives_up_what_was_staged)
{
	struct ht_block b;

	ASSERT_EQ(0, HINT(NR_BLOCKS, HYMC_WINDOW_DEFAULT, 0));
	ASSERT_EQ(0, wait_staged(H, self->ids, NR_BLOCKS));
	EXPECT_EQ(NR_BLOCKS, COUNT(frames_wanted));
	ASSERT_EQ(0, ht_acquire_item(H, self->request, 2, 0, &b));
	EXPECT_EQ(0, ht_cancel(H, self->request));
	EXPECT_EQ(self->before.hint_cancelled + 1, COUNT(hint_cancelled));
	EXPECT_EQ(-ENOENT, ht_cancel(H, self->request));
	EXPECT_EQ(0, COUNT(requests));
	EXPECT_EQ(0, COUNT(frames_wanted));
	/* The view outlives its request. */
	EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[2]));
	EXPECT_EQ(1, COUNT(frames_pinned));
	EXPECT_EQ(0, ht_release(H, &b));
}

TEST_F(hint, cancel_while_reading)
{
	unsigned int i;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, HINT(NR_BLOCKS, HYMC_WINDOW_DEFAULT, 0));
		ASSERT_EQ(0, ht_cancel(H, self->request));
	}
	EXPECT_EQ(0, COUNT(requests));
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	for (i = 0; i < NR_BLOCKS; i++)
		EXPECT_EQ(0, ht_read(H, self->ids[i], self->len, HT_LONG_MS));
}

TEST_F(hint, ends_at_its_time)
{
	struct ht_block b;
	__u64 start = ht_now_ms();

	ASSERT_EQ(0, HINT(NR_BLOCKS, HYMC_WINDOW_DEFAULT, 400));
	ASSERT_EQ(0, ht_acquire_item(H, self->request, 0, HT_LONG_MS, &b));
	ASSERT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(requests), 0, 5000));
	EXPECT_LE(350, ht_now_ms() - start);
	EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[0]));
	EXPECT_EQ(0, ht_release(H, &b));
	EXPECT_EQ(-ENOENT, ht_acquire_item(H, self->request, 1, 0, &b));
	EXPECT_EQ(-ENOENT, ht_cancel(H, self->request));
	EXPECT_EQ(0, COUNT(frames_wanted));
}

TEST_F(hint, belongs_to_its_file)
{
	struct ht other;
	struct ht_block b;

	ASSERT_EQ(0, ht_begin(&other, "hint"));
	ASSERT_EQ(0, HINT(3, HYMC_WINDOW_DEFAULT, 0));
	EXPECT_EQ(-ENOENT, ht_cancel(&other, self->request));
	EXPECT_EQ(-ENOENT, ht_acquire_item(&other, self->request, 0, 0, &b));
	EXPECT_EQ(1, COUNT(requests));
	EXPECT_EQ(0, ht_cancel(H, self->request));
	/* And ends with it. */
	ASSERT_EQ(0, ht_prefetch(&other, self->ids, 3, HYMC_WINDOW_DEFAULT, 0,
				 &self->request));
	ht_end(&other);
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	EXPECT_EQ(-ENOENT, ht_cancel(H, self->request));
}

TEST_F(hint, no_such_request)
{
	const __u64 bad[] = { 0, 1, 12345, 1ULL << 32, ~0ULL };
	struct ht_block b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-ENOENT, ht_cancel(H, bad[i]));
		if (bad[i])
			EXPECT_EQ(-ENOENT, ht_acquire_item(H, bad[i], 0, 0,
							   &b));
	}
	ASSERT_EQ(0, HINT(3, 0, 0));
	EXPECT_EQ(-ENOENT, ht_cancel(H, self->request | 1ULL << 32));
	EXPECT_EQ(0, ht_cancel(H, self->request));
}

TEST_F(hint, range_outside_the_request)
{
	struct hymc_view v[4];
	struct hymc_run runs[8];
	struct hymc_acquire a = {
		.size = sizeof(a), .ns = self->h.ns, .views = ht_ptr(v),
		.runs = ht_ptr(runs), .runs_max = 8, .timeout_ms = 10,
	};
	const struct {
		__u32 first;
		__u32 nr;
	} bad[] = { { 3, 1 }, { 0, 4 }, { 2, 2 }, { ~0U, 1 }, { ~0U, 2 },
		    { 1U << 31, 3 } };
	unsigned int i;

	ASSERT_EQ(0, HINT(3, HYMC_WINDOW_DEFAULT, 0));
	a.request = self->request;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		a.first = bad[i].first;
		a.nr = bad[i].nr;
		EXPECT_EQ(-EINVAL, ht_ioctl(self->h.fd, HYMC_IOC_ACQUIRE, &a));
	}
	EXPECT_EQ(0, COUNT(views));
	EXPECT_EQ(0, ht_cancel(H, self->request));
}

TEST_F(hint, key_list_and_request_exclude_each_other)
{
	struct ht_key key;
	struct hymc_view v;
	struct hymc_run runs[8];
	struct hymc_acquire a = {
		.size = sizeof(a), .ns = self->h.ns, .nr = 1,
		.views = ht_ptr(&v), .runs = ht_ptr(runs), .runs_max = 8,
		.keys = ht_ptr(&key), .timeout_ms = 10,
	};

	ht_key(self->ids[0], &key);
	ASSERT_EQ(0, HINT(3, HYMC_WINDOW_DEFAULT, 0));
	a.request = self->request;
	EXPECT_EQ(-EINVAL, ht_ioctl(self->h.fd, HYMC_IOC_ACQUIRE, &a));
	a.request = 0;
	a.first = 1;
	EXPECT_EQ(-EINVAL, ht_ioctl(self->h.fd, HYMC_IOC_ACQUIRE, &a));
	EXPECT_EQ(0, COUNT(views));
	EXPECT_EQ(0, ht_cancel(H, self->request));
}

TEST_F(hint, deleted_while_hinted)
{
	struct ht_block b;
	unsigned int i;

	ASSERT_EQ(0, HINT(4, 0, 0));
	ASSERT_EQ(0, ht_delete(H, self->ids[1]));
	for (i = 0; i < 4; i++) {
		int ret = ht_acquire_item(H, self->request, i, HT_LONG_MS, &b);

		EXPECT_EQ(i == 1 ? -ENOENT : 0, ret);
		if (!ret)
			EXPECT_EQ(0, ht_release(H, &b));
	}
	EXPECT_EQ(0, COUNT(requests));
}

/* An item is the block that was there when the hint was given, or nothing. */
TEST_F(hint, put_after_the_hint)
{
	__u64 list[2] = { ht_new_id(), self->ids[0] };
	struct ht_block b;

	ASSERT_EQ(0, ht_prefetch(H, list, 2, HYMC_WINDOW_DEFAULT, 0,
				 &self->request));
	ASSERT_EQ(0, ht_put(H, list[0], 1000));
	EXPECT_EQ(-ENOENT, ht_acquire_item(H, self->request, 0, 1000, &b));
	/* Gone since, and put again: not the block that was meant either. */
	ASSERT_EQ(0, ht_delete(H, list[1]));
	ASSERT_EQ(0, ht_put(H, list[1], 2000));
	EXPECT_EQ(-ENOENT, ht_acquire_item(H, self->request, 1, 1000, &b));
	EXPECT_EQ(0, COUNT(requests));
	EXPECT_EQ(0, ht_read(H, list[0], 1000, 1000));
	EXPECT_EQ(0, ht_read(H, list[1], 2000, 1000));
	EXPECT_EQ(0, ht_delete(H, list[0]));
}

TEST_F(hint, request_of_another_namespace)
{
	struct ht other = self->h;
	struct ht_block b;

	ASSERT_EQ(0, ht_attach_fd(self->h.fd, "hint-other", 1, HYMC_NS_CREATE,
				  &other.ns));
	ASSERT_EQ(0, HINT(2, HYMC_WINDOW_DEFAULT, 0));
	EXPECT_EQ(-EINVAL, ht_acquire_item(&other, self->request, 0, 1000, &b));
	EXPECT_EQ(0, COUNT(views));
	EXPECT_EQ(0, ht_cancel(H, self->request));
}

TEST_F(hint, consumed_frames_go_first)
{
	__u64 id = ht_new_id();
	struct ht_block b;
	unsigned int i;

	/* Half of the blocks are used up, the other half still wanted. */
	ASSERT_EQ(0, HINT(NR_BLOCKS, HYMC_WINDOW_DEFAULT, 0));
	ASSERT_EQ(0, wait_staged(H, self->ids, NR_BLOCKS));
	for (i = 0; i < NR_BLOCKS / 2; i++) {
		ASSERT_EQ(0, ht_acquire_item(H, self->request, i, 0, &b));
		ASSERT_EQ(0, ht_release(H, &b));
	}
	ASSERT_EQ(0, ht_put_many(H, id, 2 * self->before.frames_total,
				 self->len));
	EXPECT_EQ(self->before.evict_wanted, COUNT(evict_wanted));
	EXPECT_LT(self->before.evict_consumed, COUNT(evict_consumed));
	for (i = NR_BLOCKS / 2; i < NR_BLOCKS; i++) {
		ASSERT_EQ(0, ht_acquire_item(H, self->request, i, 0, &b));
		EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[i]));
		ASSERT_EQ(0, ht_release(H, &b));
	}
	for (i = 0; i < 2 * self->before.frames_total; i++)
		ht_delete(H, id + i);
}

TEST_F_TIMEOUT(hint, too_many_requests, 60)
{
	__u64 *list = calloc(100000, sizeof(*list));
	unsigned int n = 0, i;
	int ret = 0;

	ASSERT_NE(NULL, list);
	while (!ret && n < 100000)
		ret = ht_prefetch(H, self->ids, 2, 0, 0, &list[n++]);
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(n - 1, COUNT(requests));
	EXPECT_LE(64, n);
	EXPECT_EQ(0, ht_cancel(H, list[0]));
	EXPECT_EQ(0, ht_prefetch(H, self->ids, 2, 0, 0, &list[0]));
	for (i = 0; i < n - 1; i++)
		ASSERT_EQ(0, ht_cancel(H, list[i]));
	free(list);
}

/* The longest list there may be, in one call each. */
TEST_F_TIMEOUT(hint, longest_list, 60)
{
	struct ht_key *keys = calloc(HYMC_BATCH_MAX, sizeof(*keys));
	struct hymc_lookup l = {
		.size = sizeof(l), .ns = self->h.ns, .nr = HYMC_BATCH_MAX,
		.keys = ht_ptr(keys),
	};
	struct hymc_prefetch p = {
		.size = sizeof(p), .ns = self->h.ns, .nr = HYMC_BATCH_MAX,
		.keys = ht_ptr(keys), .window_bytes = self->len,
	};
	unsigned int i;

	ASSERT_NE(NULL, keys);
	for (i = 0; i < HYMC_BATCH_MAX; i++)
		ht_key(i < NR_BLOCKS ? self->ids[i] : i, &keys[i]);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_LOOKUP, &l));
	EXPECT_EQ(NR_BLOCKS, l.nr_hit);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PREFETCH, &p));
	EXPECT_EQ(NR_BLOCKS, p.nr_known);
	EXPECT_EQ(0, ht_cancel(H, p.request));
	free(keys);
}

/* --- a plain cache ---------------------------------------------------------------- */

FIXTURE(plain) {
	struct ht h;
	__u64 ids[NR_BLOCKS];
};

/* Hints mean nothing to an LRU pool: it is what experiments compare with. */
FIXTURE_SETUP(plain)
{
	HT_BEGIN(&self->h, "hint");
	ASSERT_EQ(HYMC_POLICY_LRU, self->h.info.policy);
	ASSERT_EQ(0, ht_map(&self->h));
	ASSERT_EQ(0, make_cold_blocks(&self->h, self->ids,
				      self->h.info.frame_bytes));
}

FIXTURE_TEARDOWN(plain)
{
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	ht_end(&self->h);
}

TEST_F(plain, hints_are_ignored)
{
	__u64 request, read = COUNT(ssd_read_bytes);
	struct ht_block b;
	unsigned int i;

	ASSERT_EQ(0, ht_prefetch(H, self->ids, NR_BLOCKS, HYMC_WINDOW_DEFAULT,
				 0, &request));
	ht_sleep_ms(300);
	EXPECT_EQ(0, nr_staged(H, self->ids));
	EXPECT_EQ(read, COUNT(ssd_read_bytes));
	EXPECT_EQ(0, COUNT(prefetch_blocks));
	/* The calls work all the same, so that a program need not know. */
	for (i = 0; i < NR_BLOCKS; i++) {
		ASSERT_EQ(0, ht_acquire_item(H, request, i, HT_LONG_MS, &b));
		EXPECT_EQ(-1, ht_block_check(H, &b, self->ids[i]));
		EXPECT_EQ(0, ht_release(H, &b));
	}
	EXPECT_EQ(0, COUNT(requests));
}

/* The block used longest ago goes first. */
TEST_F(plain, least_recently_used_goes_first)
{
	const unsigned int frames = COUNT(frames_total);
	__u64 id = ht_new_id(), len = self->h.info.frame_bytes;
	unsigned int i;

	ASSERT_EQ(0, ht_put_many(H, id, frames, len));
	ASSERT_EQ(0, ht_sync(H));
	/* All are there; the first half is used again. */
	for (i = 0; i < frames / 2; i++)
		ASSERT_EQ(0, ht_read(H, id + i, len, HT_LONG_MS));
	ASSERT_EQ(0, ht_put_many(H, id + frames, frames / 4, len));
	for (i = 0; i < frames / 2; i++)
		EXPECT_EQ(HYMC_TIER_DRAM, ht_tier(H, id + i));
	for (i = 0; i < frames + frames / 4; i++)
		ht_delete(H, id + i);
}

/* --- leases ---------------------------------------------------------------------- */

static int lookup_leased(struct ht *h, const __u64 *ids, __u32 nr, __u32 ms)
{
	struct ht_key keys[NR_BLOCKS];
	struct hymc_lookup l = {
		.size = sizeof(l), .ns = h->ns, .nr = nr, .lease_ms = ms,
		.keys = ht_ptr(keys),
	};
	__u32 i;
	int ret;

	for (i = 0; i < nr; i++)
		ht_key(ids[i], &keys[i]);
	ret = ht_ioctl(h->fd, HYMC_IOC_LOOKUP, &l);
	return ret ? ret : (int)l.nr_hit;
}

TEST_F(hint, lease_ends_at_its_time)
{
	ASSERT_EQ(NR_BLOCKS, lookup_leased(H, self->ids, NR_BLOCKS, 300));
	EXPECT_EQ(NR_BLOCKS, COUNT(leases));
	EXPECT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(leases), 0, 5000));
}

TEST_F(hint, lease_covers_the_leading_hits)
{
	__u64 list[4] = {
		self->ids[0], self->ids[1], ht_new_id(), self->ids[2],
	};

	ASSERT_EQ(2, lookup_leased(H, list, 4, 300));
	EXPECT_EQ(2, COUNT(leases));
	EXPECT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(leases), 0, 5000));
}

TEST_F(hint, lease_ends_with_the_file)
{
	struct ht other;

	ASSERT_EQ(0, ht_begin(&other, "hint"));
	ASSERT_EQ(3, lookup_leased(&other, self->ids, 3, 60000));
	EXPECT_EQ(3, COUNT(leases));
	ht_end(&other);
	EXPECT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(leases), 0, 5000));
}

TEST_F(hint, leases_of_two_files)
{
	struct ht other;

	ASSERT_EQ(0, ht_begin(&other, "hint"));
	ASSERT_EQ(3, lookup_leased(&other, self->ids, 3, 60000));
	ASSERT_EQ(2, lookup_leased(H, self->ids, 2, 60000));
	/* Blocks under a lease, however many. */
	EXPECT_EQ(3, COUNT(leases));
	ht_end(&other);
	EXPECT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(leases), 2, 5000));
}

/* A later lookup prolongs a lease and does not cut it short. */
TEST_F(hint, leases_add_up)
{
	ASSERT_EQ(1, lookup_leased(H, self->ids, 1, 100000));
	ASSERT_EQ(1, lookup_leased(H, self->ids, 1, 50));
	EXPECT_EQ(1, COUNT(leases));
	ht_sleep_ms(300);
	EXPECT_EQ(1, COUNT(leases));
}

TEST_F(hint, delete_wins_over_a_lease)
{
	ASSERT_EQ(2, lookup_leased(H, self->ids, 2, 300));
	EXPECT_EQ(0, ht_delete(H, self->ids[0]));
	EXPECT_EQ(-ENOENT, ht_lookup(H, self->ids[0], NULL));
	EXPECT_EQ(1, COUNT(leases));
	EXPECT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(leases), 0, 5000));
}

HT_MAIN;
