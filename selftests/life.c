// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: a process dies in the middle of a step
 *
 * A child gets into a state, says so, and is killed with SIGKILL, also several
 * times at slightly different moments. Then everything it held must be gone
 * within a bounded time, and whatever it was storing is there complete or not
 * at all. test_life_01.sh destroys the pool and unloads the module afterwards.
 */
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "hymc_harness.h"

/* Blocks that states read; blocks that states write are numbered from 1000. */
#define NR_BLOCKS	40U
#define WRITTEN		1000U
#define NR_WRITTEN	400U

/**
 * struct doomed - what a child works with
 * @h: its own open file
 * @id: number of the first block
 * @len: payload bytes of each
 * @pins: for states that need all frames taken
 * @said: pipe to say "now" through
 */
struct doomed {
	struct ht h;
	__u64 id;
	__u64 len;
	struct ht_pins pins;
	int said;
};

static void say_ready(struct doomed *d)
{
	if (write(d->said, "r", 1) != 1)
		_exit(1);
}

static void wait_for_death(struct doomed *d)
{
	say_ready(d);
	for (;;)
		pause();
}

/* A state that could not be reached ends the child without a word. */
static void must(bool reached)
{
	if (!reached)
		_exit(1);
}

/* --- states ---------------------------------------------------------------------------- */

static void state_open(struct doomed *d)
{
	wait_for_death(d);
}

static void hint_all(struct doomed *d, __u64 window)
{
	__u64 ids[NR_BLOCKS], request;
	unsigned int i;

	for (i = 0; i < NR_BLOCKS; i++)
		ids[i] = d->id + i;
	must(!ht_prefetch(&d->h, ids, NR_BLOCKS, window, 0, &request));
}

static void state_requests_queued(struct doomed *d)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		hint_all(d, i % 2 ? 0 : d->len);
	wait_for_death(d);
}

static void state_requests_reading(struct doomed *d)
{
	hint_all(d, HYMC_WINDOW_DEFAULT);
	wait_for_death(d);
}

static void state_hinting(struct doomed *d)
{
	say_ready(d);
	for (;;)
		hint_all(d, HYMC_WINDOW_DEFAULT);
}

static void state_views(struct doomed *d)
{
	struct ht_block b;
	unsigned int i;

	for (i = 0; i < NR_BLOCKS; i++)
		must(!ht_acquire(&d->h, d->id + i, HT_LONG_MS, &b));
	/* One block several times over. */
	for (i = 0; i < 10; i++)
		must(!ht_acquire(&d->h, d->id, HT_LONG_MS, &b));
	wait_for_death(d);
}

static void state_acquiring(struct doomed *d)
{
	struct ht_block b;
	unsigned int i;

	say_ready(d);
	for (i = 0;; i++) {
		ht_acquire(&d->h, d->id + i % NR_BLOCKS, HT_LONG_MS, &b);
		if (i % 3)
			ht_release(&d->h, &b);
	}
}

static void state_reservations(struct doomed *d)
{
	struct ht_block b;
	unsigned int i;

	for (i = 0; i < 10; i++)
		must(!ht_reserve(&d->h, d->id + WRITTEN + i, d->len, &b));
	wait_for_death(d);
}

static void state_committing(struct doomed *d)
{
	struct ht_block b;
	unsigned int i;

	must(!ht_map_write(&d->h));
	say_ready(d);
	for (i = 0;; i++) {
		__u64 id = d->id + WRITTEN + i % NR_WRITTEN;

		if (ht_reserve(&d->h, id, d->len, &b))
			continue;
		ht_block_fill(&d->h, &b, id);
		ht_commit(&d->h, &b);
	}
}

static void state_putting(struct doomed *d)
{
	unsigned int i;

	say_ready(d);
	for (i = 0;; i++)
		ht_put(&d->h, d->id + WRITTEN + i % NR_WRITTEN, d->len);
}

static void state_getting(struct doomed *d)
{
	unsigned int i;

	say_ready(d);
	for (i = 0;; i++)
		ht_get(&d->h, d->id + i % NR_BLOCKS, d->len, HT_LONG_MS);
}

static void state_deleting(struct doomed *d)
{
	unsigned int i;

	say_ready(d);
	for (i = 0;; i++) {
		ht_put(&d->h, d->id + WRITTEN + i % 10, d->len);
		ht_delete(&d->h, d->id + WRITTEN + i % 10);
	}
}

static void state_syncing(struct doomed *d)
{
	unsigned int i;

	say_ready(d);
	for (i = 0;; i++) {
		ht_put(&d->h, d->id + WRITTEN + i % NR_WRITTEN, d->len);
		ht_sync(&d->h);
	}
}

/* Elements of one call that would last much longer than the test. */
#define NR_HUGE		HYMC_BATCH_MAX

/* One call that copies the same block over and over, into the same place. */
static void state_one_huge_get(struct doomed *d)
{
	struct hymc_desc *descs = calloc(NR_HUGE, sizeof(*descs));
	struct hymc_done *done = calloc(NR_HUGE, sizeof(*done));
	struct hymc_copy c = {
		.size = sizeof(c), .ns = d->h.ns, .nr = NR_HUGE,
		.descs = ht_ptr(descs), .done = ht_ptr(done),
		.timeout_ms = 3600000,
	};
	void *buf = malloc(d->h.info.block_bytes_max);
	unsigned int i;

	must(descs && done && buf);
	must(!ht_put_many(&d->h, d->id + WRITTEN + NR_WRITTEN, 1,
			  d->h.info.block_bytes_max));
	for (i = 0; i < NR_HUGE; i++) {
		ht_key(d->id + WRITTEN + NR_WRITTEN,
		       (struct ht_key *)descs[i].key);
		descs[i].len = d->h.info.block_bytes_max;
		descs[i].addr = ht_ptr(buf);
	}
	say_ready(d);
	ht_ioctl(d->h.fd, HYMC_IOC_GET, &c);
}

/* One call that stores as many blocks as a call can name. */
static void state_one_huge_put(struct doomed *d)
{
	struct hymc_desc *descs = calloc(NR_HUGE, sizeof(*descs));
	struct hymc_done *done = calloc(NR_HUGE, sizeof(*done));
	struct hymc_copy c = {
		.size = sizeof(c), .ns = d->h.ns, .nr = NR_HUGE,
		.descs = ht_ptr(descs), .done = ht_ptr(done),
		.timeout_ms = 3600000,
	};
	void *buf = malloc(d->len);
	unsigned int i;

	must(descs && done && buf);
	ht_fill(d->id + WRITTEN, 0, buf, d->len);
	for (i = 0; i < NR_HUGE; i++) {
		ht_key(d->id + WRITTEN, (struct ht_key *)descs[i].key);
		if (i)
			memcpy(descs[i].key, &i, sizeof(i));
		descs[i].len = d->len;
		descs[i].addr = ht_ptr(buf);
	}
	say_ready(d);
	ht_ioctl(d->h.fd, HYMC_IOC_PUT, &c);
}

/* One call that takes a million views of one block. */
static void state_one_huge_acquire(struct doomed *d)
{
	struct ht_key *keys = calloc(NR_HUGE, sizeof(*keys));
	struct hymc_view *views = calloc(NR_HUGE, sizeof(*views));
	struct hymc_run *runs = calloc(NR_HUGE, sizeof(*runs));
	struct hymc_acquire a = {
		.size = sizeof(a), .ns = d->h.ns, .nr = NR_HUGE,
		.keys = ht_ptr(keys), .views = ht_ptr(views),
		.runs = ht_ptr(runs), .runs_max = NR_HUGE,
		.timeout_ms = 3600000,
	};
	unsigned int i;

	must(keys && views && runs);
	for (i = 0; i < NR_HUGE; i++)
		ht_key(d->id, &keys[i]);
	say_ready(d);
	ht_ioctl(d->h.fd, HYMC_IOC_ACQUIRE, &a);
	for (;;)
		pause();
}

/* Inside a wait that would last much longer than the test. */
static void state_waiting_acquire(struct doomed *d)
{
	struct ht_block b;

	must(!ht_pin_all(&d->h, &d->pins));
	say_ready(d);
	for (;;)
		ht_acquire(&d->h, d->id, 3600000, &b);
}

static void state_waiting_get(struct doomed *d)
{
	must(!ht_pin_all(&d->h, &d->pins));
	say_ready(d);
	for (;;)
		ht_get(&d->h, d->id, d->len, 3600000);
}

static void *thread_waits(void *arg)
{
	struct doomed *d = arg;
	struct ht_block b;

	for (;;)
		ht_acquire(&d->h, d->id, 3600000, &b);
	return NULL;
}

static void state_threads_waiting(struct doomed *d)
{
	pthread_t thread;
	unsigned int i;

	must(!ht_pin_all(&d->h, &d->pins));
	for (i = 0; i < 8; i++)
		must(!pthread_create(&thread, NULL, thread_waits, d));
	must(!ht_wait_stat(d->h.fd, HT_STAT(waiters), 8, HT_SETTLE_MS));
	wait_for_death(d);
}

static void state_mapped_reading(struct doomed *d)
{
	struct ht_block b;
	unsigned int i;

	must(!ht_map(&d->h));
	for (i = 0; i < NR_BLOCKS; i++) {
		must(!ht_acquire(&d->h, d->id + i, HT_LONG_MS, &b));
		must(ht_block_check(&d->h, &b, d->id + i) < 0);
	}
	say_ready(d);
	for (;;)
		ht_block_check(&d->h, &b, d->id + NR_BLOCKS - 1);
}

static void state_mapped_writing(struct doomed *d)
{
	struct ht_block b;

	must(!ht_map_write(&d->h));
	must(!ht_reserve(&d->h, d->id + WRITTEN, 4 * d->len, &b));
	say_ready(d);
	for (;;)
		ht_block_fill(&d->h, &b, d->id + WRITTEN);
}

/* Only the mapping is left of the file. */
static void state_mapping_without_descriptor(struct doomed *d)
{
	struct ht_block b;

	must(!ht_map(&d->h));
	must(!ht_map_write(&d->h));
	must(!ht_acquire(&d->h, d->id, HT_LONG_MS, &b));
	must(ht_block_check(&d->h, &b, d->id) < 0);
	must(!ht_reserve(&d->h, d->id + WRITTEN, d->len, &b));
	ht_block_fill(&d->h, &b, d->id + WRITTEN);
	close(d->h.fd);
	wait_for_death(d);
}

static void state_leases(struct doomed *d)
{
	struct ht_key key;
	struct hymc_lookup l = {
		.size = sizeof(l), .ns = d->h.ns, .nr = 1, .lease_ms = 300000,
		.keys = ht_ptr(&key),
	};
	unsigned int i;

	for (i = 0; i < NR_BLOCKS; i++) {
		ht_key(d->id + i, &key);
		must(!ht_ioctl(d->h.fd, HYMC_IOC_LOOKUP, &l) && l.nr_hit);
	}
	wait_for_death(d);
}

/* Pages of the mapping sit in a pipe: it holds them after the mapping's end. */
static void state_pinned_by_a_pipe(struct doomed *d)
{
	struct iovec iov = { .iov_len = 16 * 4096 };
	int pipes[2];

	must(!ht_map(&d->h));
	must(!pipe(pipes));
	iov.iov_base = (void *)d->h.map;
	must(vmsplice(pipes[1], &iov, 1, 0) > 0);
	munmap((void *)d->h.map, d->h.info.dram_bytes);
	wait_for_death(d);
}

/* Buffers of an io_uring, if the kernel lets it have them. */
static void state_pinned_by_a_ring(struct doomed *d)
{
	struct io_uring_params p = { 0 };
	struct iovec iov = { .iov_len = 64 * 4096 };
	struct ht_block b;
	int ring = syscall(__NR_io_uring_setup, 8, &p);

	must(ring >= 0);
	must(!ht_map(&d->h) && !ht_map_write(&d->h));
	must(!ht_reserve(&d->h, d->id + WRITTEN, 8 * d->len, &b));
	ht_block_fill(&d->h, &b, d->id + WRITTEN);
	iov.iov_base = d->h.wmap + b.runs[0].offset;
	syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS, &iov, 1);
	iov.iov_base = (void *)d->h.map;
	syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS, &iov, 1);
	wait_for_death(d);
}

static void state_all_at_once(struct doomed *d)
{
	struct ht_block b;
	unsigned int i;

	hint_all(d, 5 * d->len);
	hint_all(d, 0);
	must(!ht_map(&d->h) && !ht_map_write(&d->h));
	for (i = 0; i < 5; i++) {
		must(!ht_acquire(&d->h, d->id + i, HT_LONG_MS, &b));
		must(ht_block_check(&d->h, &b, d->id + i) < 0);
		must(!ht_reserve(&d->h, d->id + WRITTEN + i, d->len, &b));
		ht_block_fill(&d->h, &b, d->id + WRITTEN + i);
		must(!ht_put(&d->h, d->id + WRITTEN + 100 + i, d->len));
	}
	wait_for_death(d);
}

/* --- dying ------------------------------------------------------------------------------- */

FIXTURE(killed) {
	struct ht h;
	struct doomed d;
};

FIXTURE_VARIANT(killed) {
	void (*state)(struct doomed *d);
	unsigned int times;
};

#define STATE(name, n) \
	FIXTURE_VARIANT_ADD(killed, name) { .state = state_##name, .times = n }

STATE(open, 1);
STATE(requests_queued, 2);
STATE(requests_reading, 4);
STATE(hinting, 4);
STATE(views, 1);
STATE(acquiring, 4);
STATE(reservations, 1);
STATE(committing, 4);
STATE(putting, 4);
STATE(getting, 4);
STATE(deleting, 4);
STATE(syncing, 4);
STATE(one_huge_get, 1);
STATE(one_huge_put, 1);
STATE(one_huge_acquire, 2);
STATE(waiting_acquire, 1);
STATE(waiting_get, 1);
STATE(threads_waiting, 1);
STATE(mapped_reading, 2);
STATE(mapped_writing, 2);
STATE(mapping_without_descriptor, 1);
STATE(leases, 1);
STATE(pinned_by_a_pipe, 1);
STATE(pinned_by_a_ring, 1);
STATE(all_at_once, 2);

FIXTURE_SETUP(killed)
{
	HT_BEGIN(&self->h, "life");
	ASSERT_EQ(0, ht_map(&self->h));
	self->d.id = ht_new_id();
	self->d.len = self->h.info.frame_bytes;
	ASSERT_EQ(0, ht_put_many(&self->h, self->d.id, NR_BLOCKS,
				 self->d.len));
	ASSERT_EQ(0, ht_sync(&self->h));
}

FIXTURE_TEARDOWN(killed)
{
	unsigned int i;

	for (i = 0; i < NR_BLOCKS; i++)
		ht_delete(&self->h, self->d.id + i);
	for (i = 0; i <= NR_WRITTEN; i++)
		ht_delete(&self->h, self->d.id + WRITTEN + i);
	ht_end(&self->h);
}

/* Start a child that goes into the state; returns when it says it is there. */
static pid_t start_doomed(struct doomed *d, void (*state)(struct doomed *d))
{
	int pipes[2];
	pid_t pid;
	char c;

	if (pipe(pipes))
		return -1;
	pid = fork();
	if (!pid) {
		close(pipes[0]);
		d->said = pipes[1];
		must(!ht_begin(&d->h, "life"));
		state(d);
		_exit(1);
	}
	close(pipes[1]);
	if (read(pipes[0], &c, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(pipes[0]);
	return pid;
}

/* Wait until a killed child is gone: 0, or -ETIMEDOUT after HT_SETTLE_MS. */
static int bury(pid_t pid)
{
	__u64 end = ht_now_ms() + HT_SETTLE_MS;

	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (ht_now_ms() >= end)
			return -ETIMEDOUT;
		ht_sleep_ms(2);
	}
	return 0;
}

/* Every block that the child may have stored is whole or absent. */
static int check_written(struct ht *h, const struct doomed *d)
{
	unsigned int i;
	int ret;

	for (i = 0; i < NR_WRITTEN; i++) {
		ret = ht_read(h, d->id + WRITTEN + i, d->len, HT_LONG_MS);
		if (ret && ret != -ENOENT)
			return ret;
	}
	return 0;
}

TEST_F_TIMEOUT(killed, leaves_nothing, 120)
{
	struct hymc_stats st;
	unsigned int i, j;
	__u64 start;
	pid_t pid;

	for (i = 0; i < variant->times; i++) {
		pid = start_doomed(&self->d, variant->state);
		ASSERT_LT(0, pid) TH_LOG("the child did not reach its state");
		ht_sleep_ms(i * 37);
		ASSERT_EQ(2, HT_COUNT(self->h.fd, files));
		start = ht_now_ms();
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(0, bury(pid)) TH_LOG("it cannot be killed");
		EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
		EXPECT_GE(HT_SETTLE_MS, ht_now_ms() - start);
		EXPECT_EQ(0, check_written(&self->h, &self->d));
		for (j = 0; j < NR_BLOCKS; j++)
			EXPECT_EQ(0, ht_read(&self->h, self->d.id + j,
					     self->d.len, HT_LONG_MS));
	}
	/* Nothing is left behind in the frames either. */
	ASSERT_EQ(0, ht_sync(&self->h));
	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &st));
	EXPECT_EQ(st.frames_total, st.frames_free + st.frames_cold);
}

/* --- the last close counts ------------------------------------------------------------------ */

FIXTURE(shared) {
	struct ht h;
	struct ht other;
	__u64 id;
};

FIXTURE_SETUP(shared)
{
	HT_BEGIN(&self->h, "life");
	ASSERT_EQ(0, ht_begin(&self->other, "life"));
	self->id = ht_new_id();
	ASSERT_EQ(0, ht_put(&self->h, self->id, 10000));
}

FIXTURE_TEARDOWN(shared)
{
	ht_delete(&self->h, self->id);
	ht_end(&self->other);
	ht_end(&self->h);
}

/* A child acquires through the file it inherited, and dies of @sig. */
static int child_acquires(struct ht *h, __u64 id)
{
	struct ht_block b;
	int status;
	pid_t pid = fork();

	if (!pid) {
		ht_acquire(h, id, HT_LONG_MS, &b);
		raise(SIGKILL);
	}
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) ? 0 : -1;
}

TEST_F(shared, file_outlives_the_process)
{
	ASSERT_EQ(0, child_acquires(&self->other, self->id));
	EXPECT_EQ(1, HT_COUNT(self->h.fd, views));
	EXPECT_EQ(2, HT_COUNT(self->h.fd, files));
	ht_end(&self->other);
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
}

TEST_F(shared, dup_keeps_it)
{
	struct ht_block b;
	int copy = dup(self->other.fd);

	ASSERT_LE(0, copy);
	ASSERT_EQ(0, ht_acquire(&self->other, self->id, HT_LONG_MS, &b));
	ht_end(&self->other);
	EXPECT_EQ(1, HT_COUNT(self->h.fd, views));
	EXPECT_EQ(1, ht_views(copy, HYMC_IOC_RELEASE, &b.view.view, 1, NULL));
	EXPECT_EQ(0, HT_COUNT(self->h.fd, views));
	close(copy);
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
}

TEST_F(shared, exec_closes_it)
{
	struct ht_block b;
	pid_t pid = fork();

	if (!pid) {
		struct ht h;

		if (ht_begin(&h, "life") || ht_map(&h) ||
		    ht_acquire(&h, self->id, HT_LONG_MS, &b) ||
		    ht_load(h.map))
			_exit(1);
		execlp("sleep", "sleep", "5", NULL);
		_exit(1);
	}
	/* Opened with O_CLOEXEC: gone while the process goes on. */
	ASSERT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(views), 1, HT_SETTLE_MS));
	EXPECT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(files), 2, 4000));
	EXPECT_EQ(0, HT_COUNT(self->h.fd, views));
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

HT_MAIN;
