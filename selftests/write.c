// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: reserve, fill through the mapping, commit or abort
 *
 * A block is visible when it is complete and not a moment earlier; a writer that
 * gives up, or is beaten to it, leaves nothing.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "hymc_harness.h"

FIXTURE(write) {
	struct ht h;
};

FIXTURE_SETUP(write)
{
	HT_BEGIN(&self->h, "write");
	ASSERT_EQ(0, ht_map(&self->h));
	ASSERT_EQ(0, ht_map_write(&self->h));
}

FIXTURE_TEARDOWN(write)
{
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	ht_end(&self->h);
}

#define H (&self->h)

TEST_F_TIMEOUT(write, reserve_fill_commit, 60)
{
	const __u64 frame = self->h.info.frame_bytes;
	const __u64 len[] = {
		1, 4095, 4096, 4097, frame - 1, frame, frame + 1, 3 * frame + 5,
	};
	struct ht_block b;
	__u64 id = ht_new_id();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		ASSERT_EQ(0, ht_reserve(H, id + i, len[i], &b));
		EXPECT_EQ(len[i], b.view.len);
		EXPECT_TRUE(ht_runs_ok(H, &b));
		ht_block_fill(H, &b, id + i);
		EXPECT_EQ(0, ht_commit(H, &b));
		EXPECT_EQ(0, ht_read(H, id + i, len[i], HT_LONG_MS));
	}
	ASSERT_EQ(0, ht_sync(H));
	for (i = 0; i < ARRAY_SIZE(len); i++) {
		ASSERT_EQ(0, ht_evict(H, id + i));
		EXPECT_EQ(0, ht_read(H, id + i, len[i], HT_LONG_MS));
		EXPECT_EQ(0, ht_delete(H, id + i));
	}
}

/* Whatever lay in the frames before must not be readable through a new block. */
TEST_F(write, frames_are_zeroed)
{
	__u64 id = ht_new_id(), len = self->h.info.frame_bytes * 2 - 100;
	struct ht_block b;
	unsigned int round, i;
	__u64 j, dirty = 0;

	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, ht_reserve(H, id + round, len, &b));
		for (i = 0; i < b.view.run_nr; i++)
			for (j = 0; j < b.runs[i].len; j++)
				dirty |= self->h.map[b.runs[i].offset + j];
		ht_block_fill(H, &b, id + round);
		ASSERT_EQ(0, round % 2 ? ht_abort(H, &b) : ht_commit(H, &b));
		if (!(round % 2))
			ASSERT_EQ(0, ht_delete(H, id + round));
	}
	EXPECT_EQ(0, dirty);
}

TEST_F(write, not_visible_before_commit)
{
	__u64 id = ht_new_id();
	struct ht_block b, r;
	struct hymc_stats st;

	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &st));
	ASSERT_EQ(0, ht_reserve(H, id, 5000, &b));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
	EXPECT_EQ(-ENOENT, ht_acquire(H, id, 1000, &r));
	EXPECT_EQ(-ENOENT, ht_get(H, id, 5000, 1000));
	EXPECT_EQ(-ENOENT, ht_delete(H, id));
	EXPECT_EQ(st.blocks, HT_COUNT(self->h.fd, blocks));
	EXPECT_EQ(1, HT_COUNT(self->h.fd, reservations));
	EXPECT_LE(1, HT_COUNT(self->h.fd, frames_filling));
	ht_block_fill(H, &b, id);
	EXPECT_EQ(0, ht_commit(H, &b));
	EXPECT_EQ(0, ht_read(H, id, 5000, 1000));
	EXPECT_EQ(st.blocks + 1, HT_COUNT(self->h.fd, blocks));
	EXPECT_EQ(0, HT_COUNT(self->h.fd, reservations));
	EXPECT_EQ(0, ht_delete(H, id));
}

TEST_F(write, abort_leaves_nothing)
{
	__u64 id = ht_new_id(), used;
	struct ht_block b;
	struct hymc_stats st;
	unsigned int i;

	ASSERT_EQ(0, ht_sync(H));
	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &st));
	used = st.ssd_used_bytes;
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, ht_reserve(H, id, 100000 + i, &b));
		ht_fill(id, 0, self->h.wmap + b.runs[0].offset, 100);
		ASSERT_EQ(0, ht_abort(H, &b));
		EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
	}
	EXPECT_EQ(st.put_aborted + 100, HT_COUNT(self->h.fd, put_aborted));
	EXPECT_EQ(st.blocks, HT_COUNT(self->h.fd, blocks));
	EXPECT_EQ(used, HT_COUNT(self->h.fd, ssd_used_bytes));
	EXPECT_EQ(st.ssd_write_bytes, HT_COUNT(self->h.fd, ssd_write_bytes));
	EXPECT_EQ(0, ht_put(H, id, 77));
	EXPECT_EQ(0, ht_delete(H, id));
}

TEST_F(write, busy_and_already)
{
	__u64 id = ht_new_id();
	struct ht_block mine, b;
	struct ht other;

	ASSERT_EQ(0, ht_begin(&other, "write"));
	ASSERT_EQ(0, ht_reserve(H, id, 9000, &mine));
	EXPECT_EQ(-EBUSY, ht_reserve(H, id, 9000, &b));
	EXPECT_EQ(-EBUSY, ht_reserve(H, id, 9001, &b));
	EXPECT_EQ(-EBUSY, ht_reserve(&other, id, 9000, &b));
	EXPECT_EQ(-EBUSY, ht_put(&other, id, 9000));
	ht_block_fill(H, &mine, id);
	EXPECT_EQ(0, ht_commit(H, &mine));
	EXPECT_EQ(-EALREADY, ht_reserve(H, id, 9000, &b));
	EXPECT_EQ(-EALREADY, ht_reserve(&other, id, 9000, &b));
	EXPECT_EQ(-EEXIST, ht_reserve(&other, id, 9001, &b));
	EXPECT_EQ(0, ht_delete(H, id));
	ht_end(&other);
}

TEST_F(write, closing_aborts)
{
	__u64 id = ht_new_id();
	struct ht_block b;
	struct ht other;

	ASSERT_EQ(0, ht_begin(&other, "write"));
	ASSERT_EQ(0, ht_reserve(&other, id, 9000, &b));
	EXPECT_EQ(-EBUSY, ht_put(H, id, 9000));
	ht_end(&other);
	ASSERT_EQ(0, ht_wait_idle(self->h.fd, 1));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
	EXPECT_EQ(0, ht_put(H, id, 9001));
	EXPECT_EQ(0, ht_delete(H, id));
}

/* Handles of the two kinds and of two files are not mixed up. */
TEST_F(write, handles_have_a_kind_and_an_owner)
{
	__u64 id = ht_new_id();
	struct ht_block w, r;
	struct ht other;

	ASSERT_EQ(0, ht_begin(&other, "write"));
	ASSERT_EQ(0, ht_put(H, id, 100));
	ASSERT_EQ(0, ht_reserve(H, id + 1, 100, &w));
	ASSERT_EQ(0, ht_acquire(H, id, 1000, &r));
	EXPECT_EQ(-ENOENT, ht_release(H, &w));
	EXPECT_EQ(-ENOENT, ht_commit(H, &r));
	EXPECT_EQ(-ENOENT, ht_abort(H, &r));
	EXPECT_EQ(-ENOENT, ht_commit(&other, &w));
	EXPECT_EQ(-ENOENT, ht_abort(&other, &w));
	EXPECT_EQ(-ENOENT, ht_release(&other, &r));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id + 1, NULL));
	EXPECT_EQ(0, ht_abort(H, &w));
	EXPECT_EQ(-ENOENT, ht_abort(H, &w));
	EXPECT_EQ(-ENOENT, ht_commit(H, &w));
	EXPECT_EQ(0, ht_release(H, &r));
	EXPECT_EQ(-ENOENT, ht_release(H, &r));
	EXPECT_EQ(0, ht_delete(H, id));
	ht_end(&other);
}

/* --- readers while a writer fills --------------------------------------------- */

/* A thread that looks at blocks from the moment their keys are known. */
struct watcher {
	struct ht h;
	__u64 first;
	__u64 len;
	unsigned int nr;
	atomic_bool stop;
	atomic_uint missed;
	unsigned long seen;
	int error;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;
	unsigned int i = 0;
	int ret;

	while (!w->error && i < w->nr && !atomic_load(&w->stop)) {
		ret = ht_lookup(&w->h, w->first + i, NULL);
		if (ret == -ENOENT) {
			atomic_store(&w->missed, i + 1);
			continue;
		}
		/* Found: then it must be there, complete, at once. */
		if (!ret)
			ret = ht_read(&w->h, w->first + i, w->len, HT_LONG_MS);
		w->error = ret;
		w->seen += !ret;
		i++;
	}
	return NULL;
}

static int watcher_start(struct watcher *w, pthread_t *thread)
{
	int ret = ht_begin(&w->h, "write");

	if (!ret)
		ret = ht_map(&w->h);
	return ret ? ret : -pthread_create(thread, NULL, watch, w);
}

/* Wait until the watcher has looked for block @i, and not found it. */
static void await_miss(struct watcher *w, unsigned int i)
{
	__u64 end = ht_now_ms() + HT_SETTLE_MS;

	while (atomic_load(&w->missed) != i + 1 && ht_now_ms() < end)
		sched_yield();
}

TEST_F_TIMEOUT(write, first_hit_is_complete, 60)
{
	struct watcher w = {
		.first = ht_new_id(), .nr = 60,
		.len = self->h.info.frame_bytes + 4000,
	};
	struct ht_block b;
	pthread_t thread;
	unsigned int i;

	ASSERT_EQ(0, watcher_start(&w, &thread));
	for (i = 0; i < w.nr; i++) {
		if (i % 2) {
			await_miss(&w, i);
			ASSERT_EQ(0, ht_put_many(H, w.first + i, 1, w.len));
			continue;
		}
		if (ht_reserve(H, w.first + i, w.len, &b) == -EAGAIN) {
			ASSERT_EQ(0, ht_sync(H));
			ASSERT_EQ(0, ht_reserve(H, w.first + i, w.len, &b));
		}
		ht_block_fill(H, &b, w.first + i);
		await_miss(&w, i);
		ASSERT_EQ(0, ht_commit(H, &b));
	}
	for (i = 0; i < 2000 && w.seen < w.nr && !w.error; i++)
		ht_sleep_ms(10);
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, w.error);
	EXPECT_EQ(w.nr, w.seen);
	EXPECT_EQ(w.nr, atomic_load(&w.missed));
	ht_end(&w.h);
	for (i = 0; i < w.nr; i++)
		EXPECT_EQ(0, ht_delete(H, w.first + i));
}

/* --- batches -------------------------------------------------------------------- */

TEST_F(write, batch_of_every_outcome)
{
	__u64 id = ht_new_id();
	struct ht_block held;
	struct ht_key key;
	struct hymc_desc d[8] = { 0 };
	struct hymc_view v[8];
	struct hymc_run runs[8];
	struct hymc_reserve r = {
		.size = sizeof(r), .ns = self->h.ns, .nr = 8,
		.descs = ht_ptr(d), .views = ht_ptr(v), .runs = ht_ptr(runs),
		.runs_max = 8,
	};
	const __u64 len[8] = {
		100, 100, 101, self->h.info.block_bytes_max + 1, 100, 100, 0,
		100,
	};
	const int want[8] = {
		0, -EALREADY, -EEXIST, -EFBIG, -EBUSY, 0, -EINVAL, -EBUSY,
	};
	unsigned int i;

	ASSERT_EQ(0, ht_put(H, id + 1, 100));
	ASSERT_EQ(0, ht_put(H, id + 2, 100));
	ASSERT_EQ(0, ht_reserve(H, id + 4, 100, &held));
	for (i = 0; i < 8; i++) {
		/* The last one asks for the first block again. */
		ht_key(i == 7 ? id : id + i, &key);
		memcpy(d[i].key, key.b, sizeof(key));
		d[i].len = len[i];
	}
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_RESERVE, &r));
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(want[i], v[i].status) TH_LOG("block %u", i);
		EXPECT_EQ(!want[i], v[i].view != 0);
	}
	EXPECT_EQ(1, r.nr_ok);
	EXPECT_EQ(2, r.nr_runs);
	EXPECT_EQ(3, HT_COUNT(self->h.fd, reservations));
	ASSERT_EQ(1, ht_views(self->h.fd, HYMC_IOC_ABORT, &v[0].view, 1, NULL));
	ASSERT_EQ(1, ht_views(self->h.fd, HYMC_IOC_ABORT, &v[5].view, 1, NULL));
	EXPECT_EQ(0, ht_abort(H, &held));
	EXPECT_EQ(0, ht_delete(H, id + 1));
	EXPECT_EQ(0, ht_delete(H, id + 2));
}

/* Handles that are not there do not spoil those that are. */
TEST_F(write, end_a_mixed_list)
{
	__u64 id = ht_new_id(), list[5];
	__s32 status[5];
	struct ht_block a, b;

	ASSERT_EQ(0, ht_reserve(H, id, 100, &a));
	ASSERT_EQ(0, ht_reserve(H, id + 1, 100, &b));
	list[0] = a.view.view;
	list[1] = 0;
	list[2] = ~0ULL;
	list[3] = b.view.view;
	list[4] = a.view.view;
	EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_COMMIT, list, 5, status));
	EXPECT_EQ(0, status[0]);
	EXPECT_EQ(-ENOENT, status[1]);
	EXPECT_EQ(-ENOENT, status[2]);
	EXPECT_EQ(0, status[3]);
	EXPECT_EQ(-ENOENT, status[4]);
	EXPECT_EQ(0, ht_delete(H, id));
	EXPECT_EQ(0, ht_delete(H, id + 1));
}

TEST_F(write, no_room_for_runs)
{
	__u64 id = ht_new_id();
	struct ht_key key;
	struct hymc_desc d[3] = { 0 };
	struct hymc_view v[3];
	struct hymc_run runs[2] = { { ~0ULL, ~0ULL }, { ~0ULL, ~0ULL } };
	struct hymc_reserve r = {
		.size = sizeof(r), .ns = self->h.ns, .nr = 3,
		.descs = ht_ptr(d), .views = ht_ptr(v), .runs = ht_ptr(runs),
		.runs_max = 1,
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ht_key(id + i, &key);
		memcpy(d[i].key, key.b, sizeof(key));
		d[i].len = 100;
	}
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_RESERVE, &r));
	EXPECT_EQ(1, r.nr_ok);
	EXPECT_EQ(1, r.nr_runs);
	EXPECT_EQ(0, v[0].status);
	EXPECT_EQ(-ENOBUFS, v[1].status);
	EXPECT_EQ(-ENOBUFS, v[2].status);
	EXPECT_EQ(0, v[1].view);
	EXPECT_EQ(~0ULL, runs[1].offset);
	EXPECT_EQ(1, HT_COUNT(self->h.fd, reservations));
	EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_ABORT, &v[0].view, 1, NULL));
	/* What found no room for its runs holds nothing: it can be had now. */
	EXPECT_EQ(0, ht_put(H, id + 1, 100));
	EXPECT_EQ(0, ht_delete(H, id + 1));
}

TEST_F(write, no_room_for_runs_at_all)
{
	struct ht_key key;
	struct hymc_desc d = { .len = 100 };
	struct hymc_view v;
	struct hymc_reserve r = {
		.size = sizeof(r), .ns = self->h.ns, .nr = 1,
		.descs = ht_ptr(&d), .views = ht_ptr(&v),
	};

	ht_key(ht_new_id(), &key);
	memcpy(d.key, key.b, sizeof(key));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_RESERVE, &r));
	EXPECT_EQ(-ENOBUFS, v.status);
	EXPECT_EQ(0, r.nr_ok);
	EXPECT_EQ(0, HT_COUNT(self->h.fd, reservations));
}

TEST_F(write, bad_source_of_one_block)
{
	__u64 id = ht_new_id();
	struct ht_key key;
	struct hymc_desc d[3] = { 0 };
	struct hymc_done done[3];
	unsigned char data[100];
	struct hymc_copy c = {
		.size = sizeof(c), .ns = self->h.ns, .nr = 3,
		.descs = ht_ptr(d), .done = ht_ptr(done), .timeout_ms = 1000,
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ht_key(id + i, &key);
		memcpy(d[i].key, key.b, sizeof(key));
		d[i].len = sizeof(data);
		d[i].addr = i == 1 ? 8 : ht_ptr(data);
	}
	ht_fill(id, 0, data, sizeof(data));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(0, done[0].status);
	EXPECT_EQ(-EFAULT, done[1].status);
	EXPECT_EQ(0, done[2].status);
	EXPECT_EQ(1, c.nr_ok);
	EXPECT_EQ(0, HT_COUNT(self->h.fd, reservations));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id + 1, NULL));
	EXPECT_EQ(0, ht_get(H, id, sizeof(data), 1000));
	/* The same for a destination. */
	ASSERT_EQ(0, ht_put(H, id + 1, sizeof(data)));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(0, done[0].status);
	EXPECT_EQ(-EFAULT, done[1].status);
	EXPECT_EQ(0, done[2].status);
	EXPECT_EQ(0, HT_COUNT(self->h.fd, views));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, ht_delete(H, id + i));
}

/* The source ends in the middle of the payload, late in a long block. */
TEST_F(write, source_ends_in_the_middle)
{
	const size_t len = 3 * self->h.info.frame_bytes;
	const size_t there = 2 * self->h.info.frame_bytes + 5 * 4096;
	__u64 id = ht_new_id();
	struct ht_key key;
	struct hymc_desc d = { .len = len };
	struct hymc_done done;
	struct hymc_copy c = {
		.size = sizeof(c), .ns = self->h.ns, .nr = 1,
		.descs = ht_ptr(&d), .done = ht_ptr(&done), .timeout_ms = 1000,
	};
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, munmap(p + there, len - there));
	ht_key(id, &key);
	memcpy(d.key, key.b, sizeof(key));
	d.addr = ht_ptr(p);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(-EFAULT, done.status);
	EXPECT_EQ(0, HT_COUNT(self->h.fd, reservations));
	EXPECT_EQ(0, HT_COUNT(self->h.fd, frames_filling));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
	EXPECT_EQ(0, ht_put(H, id, len));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(-EFAULT, done.status);
	EXPECT_EQ(0, ht_get(H, id, len, 1000));
	EXPECT_EQ(0, ht_delete(H, id));
	munmap(p, there);
}

/* Copying from and to the pool's own mapping neither hangs nor harms. */
TEST_F(write, buffers_inside_the_mapping)
{
	const __u64 len = self->h.info.frame_bytes;
	__u64 id = ht_new_id();
	struct ht_block src, dst;
	struct ht_key key;
	struct hymc_desc d = { .len = len };
	struct hymc_done done;
	struct hymc_copy c = {
		.size = sizeof(c), .ns = self->h.ns, .nr = 1,
		.descs = ht_ptr(&d), .done = ht_ptr(&done), .timeout_ms = 1000,
	};

	ASSERT_EQ(0, ht_put(H, id, len));
	ASSERT_EQ(0, ht_acquire(H, id, 1000, &src));
	ht_key(id + 1, &key);
	memcpy(d.key, key.b, sizeof(key));
	d.addr = ht_ptr(self->h.map + src.runs[0].offset);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(0, done.status);
	/* A copy of the same bytes, straight into a reservation. */
	ASSERT_EQ(0, ht_reserve(H, id + 2, len, &dst));
	d.addr = ht_ptr(self->h.wmap + dst.runs[0].offset);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(0, done.status);
	EXPECT_EQ(-1, ht_block_check(H, &dst, id));
	/* But not into what others read. */
	d.addr = ht_ptr(self->h.wmap + src.runs[0].offset);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_GET, &c));
	EXPECT_EQ(-EFAULT, done.status);
	EXPECT_EQ(-1, ht_block_check(H, &src, id));
	EXPECT_EQ(0, ht_commit(H, &dst));
	EXPECT_EQ(0, ht_release(H, &src));
	EXPECT_EQ(0, ht_delete(H, id));
	EXPECT_EQ(0, ht_delete(H, id + 1));
	EXPECT_EQ(0, ht_delete(H, id + 2));
}

TEST_F(write, parents)
{
	__u64 id = ht_new_id();
	struct ht_key key;
	struct hymc_desc d[4] = { 0 };
	struct hymc_done done[4];
	unsigned char data[64] = { 0 };
	struct hymc_copy c = {
		.size = sizeof(c), .flags = HYMC_PUT_CHAIN | HYMC_PUT_PARENT,
		.ns = self->h.ns, .nr = 4, .descs = ht_ptr(d),
		.done = ht_ptr(done), .timeout_ms = 1000,
	};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		ht_key(id + i, &key);
		memcpy(d[i].key, key.b, sizeof(key));
		d[i].len = sizeof(data);
		d[i].addr = ht_ptr(data);
	}
	/* A parent that is not there is no error: it is only advice. */
	ht_key(id + 99, &key);
	memcpy(c.parent, key.b, sizeof(key));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(4, c.nr_ok);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, ht_delete(H, id + i));
	/* A parent without its flag is refused. */
	c.flags = HYMC_PUT_CHAIN;
	EXPECT_EQ(-EINVAL, ht_ioctl(self->h.fd, HYMC_IOC_PUT, &c));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
}

TEST_F(write, address_of_a_reservation)
{
	__u64 id = ht_new_id();
	struct ht_key key;
	char data[16];
	struct hymc_desc d = { .len = 16, .addr = ht_ptr(data) };
	struct hymc_view v = { .status = 0 };
	struct hymc_run run;
	struct hymc_reserve r = {
		.size = sizeof(r), .ns = self->h.ns, .nr = 1,
		.descs = ht_ptr(&d), .views = ht_ptr(&v), .runs = ht_ptr(&run),
		.runs_max = 1,
	};

	ht_key(id, &key);
	memcpy(d.key, key.b, sizeof(key));
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_RESERVE, &r));
	EXPECT_EQ(-EINVAL, v.status);
	EXPECT_EQ(0, v.view);
	EXPECT_EQ(0, HT_COUNT(self->h.fd, reservations));
}

HT_MAIN;
