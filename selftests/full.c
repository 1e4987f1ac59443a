// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: what is full is said, counted and survived
 *
 * Write buffer, frames and drive: a put that finds no room is skipped with its
 * reason, without waiting, and everything else goes on. Wants a pool with a small
 * drive (see test_full_01.sh): it is filled to the last segment.
 */
#include "hymc_harness.h"

FIXTURE(full) {
	struct ht h;
	__u64 len;
};

FIXTURE_SETUP(full)
{
	HT_BEGIN(&self->h, "full");
	ASSERT_EQ(0, ht_map(&self->h));
	self->len = self->h.info.frame_bytes;
}

FIXTURE_TEARDOWN(full)
{
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	ht_end(&self->h);
}

#define H (&self->h)
#define COUNT(field) HT_COUNT(self->h.fd, field)

/* Reserve blocks @id.. until it fails: how many, and *@why. */
static unsigned int reserve_until(struct ht *h, __u64 id, __u64 len,
				  struct ht_block *b, unsigned int max,
				  int *why)
{
	unsigned int n;

	*why = 0;
	for (n = 0; n < max; n++) {
		*why = ht_reserve(h, id + n, len, &b[n]);
		if (*why)
			break;
	}
	return n;
}

TEST_F_TIMEOUT(full, write_buffer, 60)
{
	const unsigned int frames = COUNT(frames_total);
	struct ht_block *b = calloc(frames + 1, sizeof(*b));
	__u64 id = ht_new_id(), skipped, start;
	unsigned int n, i;
	int why;

	ASSERT_EQ(HYMC_POLICY_STAGE, self->h.info.policy);
	ASSERT_NE(NULL, b);
	ASSERT_EQ(0, ht_sync(H));
	skipped = COUNT(skip_buffer);
	n = reserve_until(H, id, self->len, b, frames + 1, &why);
	EXPECT_EQ(-EAGAIN, why);
	EXPECT_LT(0, n);
	EXPECT_GT(frames, n);
	EXPECT_EQ(skipped + 1, COUNT(skip_buffer));
	EXPECT_EQ(n, COUNT(reservations));
	EXPECT_EQ(n, COUNT(frames_filling));
	/* At once, and by every call that inserts. */
	start = ht_now_ms();
	EXPECT_EQ(-EAGAIN, ht_put(H, id + frames + 5, self->len));
	EXPECT_GE(1000, ht_now_ms() - start);
	EXPECT_EQ(skipped + 2, COUNT(skip_buffer));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id + frames + 5, NULL));
	/* Room comes back with the first that ends. */
	ASSERT_EQ(0, ht_abort(H, &b[0]));
	EXPECT_EQ(0, ht_put(H, id + frames + 5, self->len));
	for (i = 1; i < n; i++)
		ASSERT_EQ(0, ht_abort(H, &b[i]));
	EXPECT_EQ(0, ht_delete(H, id + frames + 5));
	free(b);
}

/* A reader is not kept away from its frames by writers. */
TEST_F_TIMEOUT(full, reads_go_on_while_writers_hold_the_buffer, 60)
{
	const unsigned int frames = COUNT(frames_total);
	struct ht_block *b = calloc(frames + 1, sizeof(*b));
	__u64 id = ht_new_id();
	unsigned int n, i;
	int why;

	ASSERT_NE(NULL, b);
	ASSERT_EQ(0, ht_put_many(H, id, 8, self->len));
	ASSERT_EQ(0, ht_sync(H));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, ht_evict(H, id + i));
	n = reserve_until(H, id + 100, self->len, b, frames + 1, &why);
	EXPECT_LT(0, n);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, ht_read(H, id + i, self->len, HT_LONG_MS));
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, ht_abort(H, &b[i]));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, ht_delete(H, id + i));
	free(b);
}

/* Some, but not all, blocks of a batch find room. */
TEST_F_TIMEOUT(full, batch_at_the_edge, 60)
{
	const unsigned int frames = COUNT(frames_total);
	struct hymc_desc *d = calloc(frames + 1, sizeof(*d));
	struct hymc_view *v = calloc(frames + 1, sizeof(*v));
	struct hymc_run *runs = calloc(frames + 1, sizeof(*runs));
	struct hymc_reserve r = {
		.size = sizeof(r), .ns = self->h.ns, .nr = frames + 1,
		.descs = ht_ptr(d), .views = ht_ptr(v), .runs = ht_ptr(runs),
		.runs_max = frames + 1,
	};
	__u64 id = ht_new_id();
	struct ht_key key;
	unsigned int i;

	ASSERT_EQ(HYMC_POLICY_STAGE, self->h.info.policy);
	ASSERT_TRUE(d && v && runs);
	for (i = 0; i <= frames; i++) {
		ht_key(id + i, &key);
		memcpy(d[i].key, key.b, sizeof(key));
		d[i].len = self->len;
	}
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_RESERVE, &r));
	EXPECT_LT(0, r.nr_ok);
	EXPECT_GT(frames, r.nr_ok);
	EXPECT_EQ(r.nr_ok, COUNT(reservations));
	for (i = 0; i <= frames; i++) {
		EXPECT_EQ(i < r.nr_ok ? 0 : -EAGAIN, v[i].status);
		EXPECT_EQ(i < r.nr_ok, v[i].view != 0);
		if (!v[i].status)
			EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_ABORT,
					      &v[i].view, 1, NULL));
	}
	free(d);
	free(v);
	free(runs);
}

/* --- the drive ------------------------------------------------------------------------ */

TEST_F_TIMEOUT(full, drive, 240)
{
	const __u64 most = self->h.info.ssd_bytes / self->len + 2;
	__u64 id = ht_new_id(), n, i, skipped = COUNT(skip_ssd);
	struct hymc_stats st;
	struct ht_block b;
	int ret = 0;

	for (n = 0; !ret && n < most; n++)
		ret = ht_put_many(H, id + n, 1, self->len);
	n--;
	ASSERT_EQ(-ENOSPC, ret);
	EXPECT_LE(skipped + 1, COUNT(skip_ssd));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id + n, NULL));
	EXPECT_EQ(-ENOSPC, ht_reserve(H, id + n, self->len, &b));
	EXPECT_EQ(0, COUNT(reservations));
	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &st));
	/* The cap is hard, and most of the drive was really used. */
	EXPECT_LE(st.ssd_used_bytes, st.ssd_bytes);
	EXPECT_LE(st.ssd_bytes, self->h.info.ssd_bytes);
	EXPECT_LE(self->h.info.ssd_bytes * 8 / 10, n * self->len);
	/* It still serves: every block, right, though most are on the drive. */
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, ht_read(H, id + i * 17 % n, self->len,
				     HT_LONG_MS));
	EXPECT_EQ(0, ht_put(H, id, self->len));
	EXPECT_EQ(0, ht_sync(H));
	/* What is deleted makes room. */
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, ht_delete(H, id + i));
	EXPECT_EQ(0, ht_put_many(H, id + n + 1, 4, self->len));
	EXPECT_EQ(0, ht_read(H, id + n + 1, self->len, HT_LONG_MS));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, ht_delete(H, id + n + 1 + i));
}

/* Used never passes the cap, looked at all the time; three times the drive. */
TEST_F_TIMEOUT(full, never_above_the_cap, 240)
{
	const __u64 most = 3 * self->h.info.ssd_bytes / self->len;
	__u64 id = ht_new_id(), n, over = 0, oldest = 0, stored = 0;
	struct hymc_stats st;
	int ret;

	for (n = 0; n < most; n++) {
		ret = ht_put_many(H, id + n, 1, self->len);
		stored += !ret;
		if (ret == -ENOSPC)
			ht_delete(H, id + oldest++);
		else
			ASSERT_EQ(0, ret);
		ASSERT_EQ(0, ht_stats_fd(self->h.fd, &st));
		over += st.ssd_used_bytes > st.ssd_bytes;
	}
	EXPECT_EQ(0, over);
	/* Space went round: more was stored than there is room for. */
	EXPECT_LT(self->h.info.ssd_bytes, stored * self->len);
	for (n = 0; n < most; n++)
		ht_delete(H, id + n);
}

HT_MAIN;
