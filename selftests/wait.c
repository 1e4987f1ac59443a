// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: every wait is bounded, and ends early for a reason
 *
 * With every frame pinned by views, nothing can come up from the drive: whoever
 * wants more waits until its time is over, a signal comes, or somebody gives a
 * frame back.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "hymc_harness.h"

/* How much longer than asked a wait may take on a loaded machine. */
#define SLACK_MS	3000U

FIXTURE(wait) {
	struct ht h;
	struct ht_pins pins;
	__u64 cold;
	__u64 len;
};

FIXTURE_SETUP(wait)
{
	HT_BEGIN(&self->h, "wait");
	ASSERT_EQ(0, ht_map(&self->h));
	self->len = self->h.info.frame_bytes;
	self->cold = ht_new_id();
	ASSERT_EQ(0, ht_put_many(&self->h, self->cold, 4, self->len));
	ASSERT_EQ(0, ht_pin_all(&self->h, &self->pins));
	ASSERT_EQ(HYMC_TIER_SSD, ht_tier(&self->h, self->cold));
}

FIXTURE_TEARDOWN(wait)
{
	unsigned int i;

	EXPECT_EQ(0, ht_unpin(&self->h, &self->pins));
	for (i = 0; i < 4; i++)
		ht_delete(&self->h, self->cold + i);
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	ht_end(&self->h);
}

#define H (&self->h)
#define COUNT(field) HT_COUNT(self->h.fd, field)

/* What a call returned and how long it took. */
struct timed {
	int ret;
	unsigned int ms;
};

static struct timed timed_acquire(struct ht *h, __u64 id, unsigned int ms)
{
	__u64 start = ht_now_ms();
	struct ht_block b;
	struct timed t;

	t.ret = ht_acquire(h, id, ms, &b);
	t.ms = ht_now_ms() - start;
	return t;
}

TEST_F_TIMEOUT(wait, not_at_all, 60)
{
	__u64 before = COUNT(acquire_timeout);
	struct timed t = timed_acquire(H, self->cold, 0);

	EXPECT_EQ(-ETIMEDOUT, t.ret);
	EXPECT_GE(SLACK_MS / 3, t.ms);
	EXPECT_EQ(before + 1, COUNT(acquire_timeout));
	EXPECT_EQ(0, COUNT(waiters));
	EXPECT_EQ(-ETIMEDOUT, ht_get(H, self->cold, self->len, 0));
}

TEST_F_TIMEOUT(wait, as_long_as_asked, 60)
{
	const unsigned int ms[] = { 1, 50, 500 };
	struct timed t;
	__u64 start;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ms); i++) {
		t = timed_acquire(H, self->cold, ms[i]);
		EXPECT_EQ(-ETIMEDOUT, t.ret);
		EXPECT_LE(ms[i], t.ms + 1);
		EXPECT_GE(ms[i] + SLACK_MS, t.ms);
	}
	start = ht_now_ms();
	EXPECT_EQ(-ETIMEDOUT, ht_get(H, self->cold, self->len, 300));
	EXPECT_LE(299, ht_now_ms() - start);
	EXPECT_GE(300 + SLACK_MS, ht_now_ms() - start);
}

/* The time is for all blocks of a call together. */
TEST_F_TIMEOUT(wait, one_time_for_a_batch, 60)
{
	struct ht_key keys[5];
	struct hymc_view v[5];
	struct hymc_run runs[5];
	struct hymc_acquire a = {
		.size = sizeof(a), .ns = self->h.ns, .nr = 5,
		.keys = ht_ptr(keys), .views = ht_ptr(v), .runs = ht_ptr(runs),
		.runs_max = 5, .timeout_ms = 400,
	};
	__u64 start = ht_now_ms();
	unsigned int i;

	/* A pinned block needs no frame; the others do. */
	ht_key(self->pins.first, &keys[0]);
	ht_key(self->cold, &keys[1]);
	ht_key(self->cold + 1, &keys[2]);
	ht_key(self->pins.first + 1, &keys[3]);
	ht_key(ht_new_id(), &keys[4]);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_ACQUIRE, &a));
	EXPECT_LE(399, ht_now_ms() - start);
	EXPECT_GE(400 + SLACK_MS, ht_now_ms() - start);
	EXPECT_EQ(1, a.nr_ok);
	EXPECT_EQ(0, v[0].status);
	EXPECT_EQ(-ETIMEDOUT, v[1].status);
	EXPECT_EQ(-ETIMEDOUT, v[2].status);
	EXPECT_EQ(0, v[3].status);
	EXPECT_EQ(-ENOENT, v[4].status);
	for (i = 0; i < 5; i += 3)
		EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_RELEASE, &v[i].view,
				      1, NULL));
}

/* --- waits in another thread ----------------------------------------------------- */

struct waiter {
	struct ht h;
	__u64 id;
	__u64 len;
	bool get;
	pthread_t thread;
	struct timed t;
	struct ht_block b;
};

static void *wait_for_block(void *arg)
{
	struct waiter *w = arg;
	__u64 start = ht_now_ms();

	if (w->get)
		w->t.ret = ht_get(&w->h, w->id, w->len, HT_LONG_MS);
	else
		w->t.ret = ht_acquire(&w->h, w->id, HT_LONG_MS, &w->b);
	w->t.ms = ht_now_ms() - start;
	return NULL;
}

/* Start a thread that waits, on the same open file, and see it wait. */
static int waiter_start(struct waiter *w, const struct ht *h, __u64 id,
			__u64 waiters)
{
	w->h = *h;
	w->id = id;
	w->len = h->info.frame_bytes;
	if (pthread_create(&w->thread, NULL, wait_for_block, w))
		return -EAGAIN;
	return ht_wait_stat(h->fd, HT_STAT(waiters), waiters, HT_SETTLE_MS);
}

static void nothing(int sig)
{
	(void)sig;
}

static void catch_signal(void)
{
	struct sigaction sa = { .sa_handler = nothing };

	sigaction(SIGUSR1, &sa, NULL);
}

TEST_F_TIMEOUT(wait, signal_ends_acquire, 60)
{
	struct waiter w = { .get = false };

	catch_signal();
	ASSERT_EQ(0, waiter_start(&w, H, self->cold, 1));
	pthread_kill(w.thread, SIGUSR1);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-EINTR, w.t.ret);
	EXPECT_GE(SLACK_MS + HT_SETTLE_MS, w.t.ms);
	EXPECT_EQ(0, COUNT(waiters));
}

TEST_F_TIMEOUT(wait, signal_ends_get, 60)
{
	struct waiter w = { .get = true };

	catch_signal();
	ASSERT_EQ(0, waiter_start(&w, H, self->cold, 1));
	pthread_kill(w.thread, SIGUSR1);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-EINTR, w.t.ret);
	EXPECT_EQ(0, COUNT(waiters));
}

struct batch {
	int fd;
	struct hymc_acquire a;
	int ret;
};

static void *acquire_batch(void *arg)
{
	struct batch *b = arg;

	b->ret = ht_ioctl(b->fd, HYMC_IOC_ACQUIRE, &b->a);
	return NULL;
}

/* A signal takes nothing away that was acquired before. */
TEST_F_TIMEOUT(wait, signal_in_a_batch, 60)
{
	struct ht_key keys[3];
	struct hymc_view v[3];
	struct hymc_run runs[3];
	struct batch b = {
		.fd = self->h.fd,
		.a = {
			.size = sizeof(b.a), .ns = self->h.ns, .nr = 3,
			.keys = ht_ptr(keys), .views = ht_ptr(v),
			.runs = ht_ptr(runs), .runs_max = 3,
			.timeout_ms = HT_LONG_MS,
		},
	};
	__u64 views = COUNT(views);
	pthread_t thread;

	catch_signal();
	ht_key(self->pins.first, &keys[0]);
	ht_key(self->cold, &keys[1]);
	ht_key(self->cold + 1, &keys[2]);
	ASSERT_EQ(0, pthread_create(&thread, NULL, acquire_batch, &b));
	ASSERT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(waiters), 1,
				  HT_SETTLE_MS));
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, b.ret);
	EXPECT_EQ(1, b.a.nr_ok);
	EXPECT_EQ(0, v[0].status);
	EXPECT_EQ(-EINTR, v[1].status);
	EXPECT_EQ(-EINTR, v[2].status);
	EXPECT_EQ(views + 1, COUNT(views));
	EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_RELEASE, &v[0].view, 1,
			      NULL));
}

TEST_F_TIMEOUT(wait, release_wakes, 60)
{
	struct waiter w = { .get = false };
	unsigned int nr = --self->pins.nr;

	ASSERT_EQ(0, waiter_start(&w, H, self->cold, 1));
	EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_RELEASE,
			      &self->pins.views[nr], 1, NULL));
	pthread_join(w.thread, NULL);
	ASSERT_EQ(0, w.t.ret);
	EXPECT_GE(HT_LONG_MS / 2, w.t.ms);
	EXPECT_EQ(-1, ht_block_check(H, &w.b, self->cold));
	EXPECT_EQ(0, ht_release(H, &w.b));
}

TEST_F_TIMEOUT(wait, delete_wakes, 60)
{
	struct waiter w = { .get = false };

	ASSERT_EQ(0, waiter_start(&w, H, self->cold, 1));
	EXPECT_EQ(0, ht_delete(H, self->cold));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-ENOENT, w.t.ret);
	EXPECT_GE(HT_LONG_MS / 2, w.t.ms);
}

TEST_F_TIMEOUT(wait, many_wait_for_one_block, 60)
{
	static struct waiter w[16];
	unsigned int i, nr = --self->pins.nr;
	__u64 reads = COUNT(ssd_read_ios);

	for (i = 0; i < 16; i++) {
		w[i].get = false;
		ASSERT_EQ(0, waiter_start(&w[i], H, self->cold, i + 1));
	}
	EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_RELEASE,
			      &self->pins.views[nr], 1, NULL));
	for (i = 0; i < 16; i++) {
		pthread_join(w[i].thread, NULL);
		EXPECT_EQ(0, w[i].t.ret);
		EXPECT_EQ(-1, ht_block_check(H, &w[i].b, self->cold));
	}
	/* One read serves them all. */
	EXPECT_EQ(reads + 1, COUNT(ssd_read_ios));
	for (i = 0; i < 16; i++)
		EXPECT_EQ(0, ht_release(H, &w[i].b));
}

/* Half of the waiters give up; the others must not be forgotten for it. */
TEST_F_TIMEOUT(wait, some_give_up, 60)
{
	static struct waiter w[8];
	unsigned int i, nr = --self->pins.nr;

	catch_signal();
	for (i = 0; i < 8; i++) {
		w[i].get = i % 4 == 1;
		ASSERT_EQ(0, waiter_start(&w[i], H, self->cold, i + 1));
	}
	for (i = 0; i < 8; i += 2)
		pthread_kill(w[i].thread, SIGUSR1);
	for (i = 0; i < 8; i += 2) {
		pthread_join(w[i].thread, NULL);
		EXPECT_EQ(-EINTR, w[i].t.ret);
	}
	EXPECT_EQ(4, COUNT(waiters));
	EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_RELEASE,
			      &self->pins.views[nr], 1, NULL));
	for (i = 1; i < 8; i += 2) {
		pthread_join(w[i].thread, NULL);
		EXPECT_EQ(0, w[i].t.ret);
		if (!w[i].get)
			EXPECT_EQ(0, ht_release(H, &w[i].b));
	}
}

/* A hint needs no frame at once: it waits in the pool, not in the caller. */
TEST_F_TIMEOUT(wait, prefetch_never_waits, 60)
{
	__u64 request, start = ht_now_ms();
	__u64 ids[4] = {
		self->cold, self->cold + 1, self->cold + 2, self->cold + 3,
	};
	unsigned int nr = self->pins.nr - 4;
	struct ht_block b;

	ASSERT_EQ(0, ht_prefetch(H, ids, 4, HYMC_WINDOW_DEFAULT, 0, &request));
	EXPECT_GE(SLACK_MS / 3, ht_now_ms() - start);
	EXPECT_EQ(4, ht_views(self->h.fd, HYMC_IOC_RELEASE,
			      &self->pins.views[nr], 4, NULL));
	self->pins.nr = nr;
	EXPECT_EQ(0, ht_acquire_item(H, request, 3, HT_LONG_MS, &b));
	EXPECT_EQ(-1, ht_block_check(H, &b, ids[3]));
	EXPECT_EQ(0, ht_release(H, &b));
	EXPECT_EQ(0, ht_cancel(H, request));
}

/* Nothing can be put either: skipped with the reason, without waiting. */
TEST_F_TIMEOUT(wait, put_is_skipped, 60)
{
	__u64 id = ht_new_id(), start = ht_now_ms();
	__u64 skipped = COUNT(skip_frames) + COUNT(skip_buffer);
	struct ht_block b;

	ASSERT_EQ(HYMC_POLICY_STAGE, self->h.info.policy);
	EXPECT_EQ(-EAGAIN, ht_put(H, id, self->len));
	EXPECT_EQ(-EAGAIN, ht_reserve(H, id, self->len, &b));
	EXPECT_GE(SLACK_MS / 3, ht_now_ms() - start);
	EXPECT_EQ(skipped + 2, COUNT(skip_frames) + COUNT(skip_buffer));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
}

static void *put_in_a_thread(void *arg)
{
	struct waiter *w = arg;

	w->t.ret = ht_put(&w->h, w->id, w->len);
	return NULL;
}

/* In an LRU pool an insert waits for a frame: for its time, or until there is one. */
TEST_F_TIMEOUT(wait, put_waits, 60)
{
	struct waiter w = { .h = self->h, .len = self->len };
	unsigned int nr = --self->pins.nr;
	struct ht_block b;

	ASSERT_EQ(HYMC_POLICY_LRU, self->h.info.policy);
	/* ht_reserve() allows no time at all. */
	EXPECT_EQ(-ETIMEDOUT, ht_reserve(H, ht_new_id(), self->len, &b));
	w.id = ht_new_id();
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, put_in_a_thread, &w));
	ht_sleep_ms(300);
	EXPECT_EQ(-ENOENT, ht_lookup(H, w.id, NULL));
	EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_RELEASE,
			      &self->pins.views[nr], 1, NULL));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(0, w.t.ret);
	EXPECT_EQ(0, ht_get(H, w.id, self->len, 1000));
	EXPECT_EQ(0, ht_delete(H, w.id));
}

TEST_F_TIMEOUT(wait, signal_ends_put, 60)
{
	struct waiter w = {
		.h = self->h, .len = self->len, .id = ht_new_id(),
	};

	ASSERT_EQ(HYMC_POLICY_LRU, self->h.info.policy);
	catch_signal();
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, put_in_a_thread, &w));
	ht_sleep_ms(300);
	pthread_kill(w.thread, SIGUSR1);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-EINTR, w.t.ret);
	EXPECT_EQ(-ENOENT, ht_lookup(H, w.id, NULL));
	EXPECT_EQ(0, COUNT(reservations));
}

/* --- sync -------------------------------------------------------------------------- */

FIXTURE(sync) {
	struct ht h;
};

FIXTURE_SETUP(sync)
{
	HT_BEGIN(&self->h, "wait");
}

FIXTURE_TEARDOWN(sync)
{
	ht_end(&self->h);
}

TEST_F_TIMEOUT(sync, writes_everything, 60)
{
	__u64 id = ht_new_id(), written = COUNT(ssd_write_bytes);
	unsigned int i;

	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, ht_put_many(H, id + i, 1, 50000));
	ASSERT_EQ(0, ht_sync(H));
	EXPECT_EQ(0, COUNT(dirty_bytes));
	EXPECT_EQ(0, COUNT(frames_dirty));
	EXPECT_EQ(0, COUNT(writes_inflight));
	EXPECT_LE(written + 20 * 50000, COUNT(ssd_write_bytes));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(HYMC_TIER_DRAM, ht_tier(H, id + i));
		EXPECT_EQ(0, ht_delete(H, id + i));
	}
	/* Nothing to do is done at once. */
	ASSERT_EQ(0, ht_sync(H));
}

TEST_F_TIMEOUT(sync, without_waiting, 60)
{
	struct hymc_sync s = { .size = sizeof(s) };
	__u64 id = ht_new_id();
	unsigned int i;
	int ret;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, ht_put_many(H, id, 1, 200000));
		ret = ht_ioctl(self->h.fd, HYMC_IOC_SYNC, &s);
		EXPECT_TRUE(ret == -ETIMEDOUT ||
			    (!ret && !COUNT(dirty_bytes)));
		EXPECT_EQ(0, ht_delete(H, id));
	}
}

/* What was deleted before it was written needs no place on the drive. */
TEST_F_TIMEOUT(sync, deleted_before, 60)
{
	__u64 id = ht_new_id();
	unsigned int i;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, ht_put_many(H, id, 1, 100000));
		ASSERT_EQ(0, ht_delete(H, id));
	}
	ASSERT_EQ(0, ht_sync(H));
	EXPECT_EQ(0, COUNT(dirty_bytes));
}

HT_MAIN;
