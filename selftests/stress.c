// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: many threads, random calls, every byte checked
 *
 * Threads share one set of keys; each owns some more that nobody else touches, of
 * which it knows exactly what is there. A key is stored in one of several versions
 * of different bytes and length, so that bytes of an older block under the same
 * key are noticed. Views are checked when taken and again before they are given
 * back. Ends with all gauges at zero.
 *
 *	stress [--seconds N] [--threads N] [--seed N] [--until-gone]
 *
 * --until-gone: the pool is going to be destroyed by force; every thread must see
 * -ENODEV (or SIGBUS, for the mapping) within the time, and nothing else.
 *
 * The random calls themselves are in stress_ops.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest.h>

#include "stress.h"

static struct stress stress = {
	.seconds = 20,
	.threads = 8,
	.seed = 1,
};

/* --- things that operations use --------------------------------------------- */

/**
 * stress_fail - note what went wrong, and stop all threads
 * @w: worker
 * @fmt: sentence
 */
void stress_fail(struct worker *w, const char *fmt, ...)
{
	va_list args;

	if (w->failure[0])
		return;
	va_start(args, fmt);
	vsnprintf(w->failure, sizeof(w->failure), fmt, args);
	va_end(args);
	atomic_store(&w->s->stop, true);
}

/**
 * stress_random - next random number
 * @w: worker
 * @below: upper bound
 *
 * Return: 0..@below-1.
 */
__u64 stress_random(struct worker *w, __u64 below)
{
	w->rng ^= w->rng << 13;
	w->rng ^= w->rng >> 7;
	w->rng ^= w->rng << 17;
	return below ? w->rng % below : 0;
}

/**
 * stress_len - payload bytes of a version of a slot
 * @s: run
 * @slot: slot
 * @version: version
 *
 * Return: bytes, at least 16.
 */
__u64 stress_len(const struct stress *s, __u64 slot, unsigned int version)
{
	static const unsigned int kinds[] = { 16, 4095, 4096, 4097, 70000 };
	__u64 frame = s->frame_bytes;

	switch (slot % 8) {
	case 5:
		return frame + version * 4096;
	case 6:
		return 2 * frame - 1 + version;
	case 7:
		return 3 * frame + 777 * version;
	default:
		return kinds[slot % 5] + version;
	}
}

/**
 * stress_seed - payload number of a version of a slot
 * @s: run
 * @slot: slot
 * @version: version
 *
 * Return: number for ht_fill() and ht_check().
 */
__u64 stress_seed(const struct stress *s, __u64 slot, unsigned int version)
{
	return s->payloads + slot * STRESS_VERSIONS + version;
}

static __thread sigjmp_buf bus_env;
static __thread volatile bool bus_expected;

static void on_bus(int sig)
{
	if (bus_expected)
		siglongjmp(bus_env, 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Check @len bytes at @p, which may be memory that is going away. */
static int check_bytes(struct worker *w, __u64 seed, __u64 off,
		       const void *p, size_t len)
{
	ssize_t bad;

	if (sigsetjmp(bus_env, 1)) {
		bus_expected = false;
		return -ENODEV;
	}
	bus_expected = w->s->until_gone;
	bad = ht_check(seed, off, p, len);
	bus_expected = false;
	w->bytes += len;
	return bad < 0 ? 0 : -EILSEQ;
}

/**
 * stress_version - which version of a slot has this length and these bytes?
 * @w: worker
 * @slot: slot
 * @len: its length
 * @p: its first bytes, at least 16
 *
 * Return: version, or -EILSEQ.
 */
int stress_version(struct worker *w, __u64 slot, __u64 len, const void *p)
{
	unsigned int v;

	for (v = 0; v < STRESS_VERSIONS; v++) {
		__u64 seed = stress_seed(w->s, slot, v);

		if (len != stress_len(w->s, slot, v))
			continue;
		if (check_bytes(w, seed, 0, p, 16) != -EILSEQ)
			return v;
	}
	return -EILSEQ;
}

/**
 * stress_check - check bytes of a block in memory
 * @w: worker
 * @slot: slot
 * @version: version
 * @off: offset of the bytes in the payload
 * @p: the bytes
 * @len: their number
 *
 * Return: 0, -EILSEQ, or -ENODEV when the memory went away.
 */
int stress_check(struct worker *w, __u64 slot, unsigned int version, __u64 off,
		 const void *p, size_t len)
{
	return check_bytes(w, stress_seed(w->s, slot, version), off, p, len);
}

/**
 * stress_fill - write a block's bytes, into memory that may be going away
 * @w: worker
 * @slot: slot
 * @version: version
 * @off: offset of the bytes in the payload
 * @p: destination
 * @len: their number
 *
 * Return: 0, or -ENODEV when the memory went away.
 */
int stress_fill(struct worker *w, __u64 slot, unsigned int version, __u64 off,
		void *p, size_t len)
{
	if (sigsetjmp(bus_env, 1)) {
		bus_expected = false;
		return -ENODEV;
	}
	bus_expected = w->s->until_gone;
	ht_fill(stress_seed(w->s, slot, version), off, p, len);
	bus_expected = false;
	return 0;
}

/* --- threads ------------------------------------------------------------------ */

static int worker_open(struct worker *w)
{
	int ret = ht_begin(&w->h, "stress");

	if (!ret)
		ret = ht_map(&w->h);
	if (!ret)
		ret = ht_map_write(&w->h);
	return ret;
}

/**
 * stress_reopen - close with everything outstanding, and open again
 * @w: worker
 *
 * Return: 0 or a negative errno.
 */
int stress_reopen(struct worker *w)
{
	ht_end(&w->h);
	memset(w->held, 0, sizeof(w->held));
	memset(w->requests, 0, sizeof(w->requests));
	return worker_open(w);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	int ret = 0;

	while (!ret && !atomic_load(&w->s->stop)) {
		if (!w->s->until_gone && ht_now_ms() >= w->s->end)
			break;
		ret = stress_op(w);
		w->calls++;
	}
	w->gone = ret == -ENODEV;
	if (ret && !(w->gone && w->s->until_gone))
		stress_fail(w, "%s: %s", w->op, strerror(-ret));
	if (!w->gone)
		stress_end(w);
	w->done = ht_now_ms();
	return NULL;
}

static int worker_start(struct worker *w, struct stress *s, unsigned int i)
{
	int ret;

	w->s = s;
	w->index = i;
	w->rng = (s->seed + 1) * 0x9e3779b97f4a7c15ULL + i * 0x1234567;
	w->buf = malloc(4 * s->frame_bytes + 65536);
	if (!w->buf)
		return -ENOMEM;
	ret = worker_open(w);
	return ret ? ret : -pthread_create(&w->thread, NULL, work, w);
}

/* --- the run ------------------------------------------------------------------- */

static int parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "threads", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 'r' },
		{ "until-gone", no_argument, NULL, 'g' },
		{ },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			stress.seconds = strtoul(optarg, NULL, 0);
			break;
		case 't':
			stress.threads = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			stress.seed = strtoull(optarg, NULL, 0);
			break;
		case 'g':
			stress.until_gone = true;
			break;
		default:
			return -EINVAL;
		}
	}
	return stress.threads && stress.threads <= STRESS_THREADS_MAX ?
	       0 : -EINVAL;
}

static void results(const struct worker *workers, __u64 end)
{
	__u64 bytes = 0, calls = 0, late = 0;
	unsigned int i, failed = 0, gone = 0;

	for (i = 0; i < stress.threads; i++) {
		const struct worker *w = &workers[i];

		bytes += w->bytes;
		calls += w->calls;
		gone += w->gone;
		if (w->done > end && w->done - end > late)
			late = w->done - end;
		if (w->failure[0]) {
			failed++;
			ksft_print_msg("thread %u: %s\n", i, w->failure);
		}
	}
	ksft_print_msg("%llu calls, %llu MiB checked, seed %llu\n", calls,
		       bytes >> 20, stress.seed);
	ksft_test_result(!failed, "every answer and every byte is right\n");
	ksft_test_result(late < HT_LONG_MS, "every thread ended in time\n");
	if (stress.until_gone)
		ksft_test_result(gone == stress.threads,
				 "every thread saw the pool go\n");
	else
		ksft_test_result(bytes >> 20, "bytes were checked at all\n");
}

static void check_gauges(int fd)
{
	struct hymc_stats st;
	int idle = ht_wait_idle(fd, 1);
	struct hymc_sync sync = { .size = sizeof(sync), .timeout_ms = 20000 };

	ksft_test_result(!idle, "nothing is outstanding\n");
	ksft_test_result(!ht_ioctl(fd, HYMC_IOC_SYNC, &sync) &&
			 !ht_stats_fd(fd, &st) && !st.dirty_bytes &&
			 st.frames_free + st.frames_cold == st.frames_total,
			 "every frame is free or clean\n");
	ksft_test_result(!st.verify_errors && !st.read_errors &&
			 !st.write_errors, "no block was lost\n");
}

static int open_watch(void)
{
	int fd = open(ht_node(), O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && !ht_required())
		ksft_exit_skip("no pool: %s does not exist\n", ht_node());
	if (fd < 0)
		ksft_exit_fail_msg("%s: %s\n", ht_node(), strerror(errno));
	return fd;
}

int main(int argc, char **argv)
{
	static struct worker workers[STRESS_THREADS_MAX];
	struct sigaction sa = { .sa_handler = on_bus };
	struct hymc_info info;
	unsigned int i;
	int fd, ret;

	if (parse(argc, argv)) {
		fprintf(stderr, "Usage: %s [--seconds N] [--threads N] [--seed N] [--until-gone]\n",
			argv[0]);
		return KSFT_FAIL;
	}
	ksft_print_header();
	fd = open_watch();
	ksft_set_plan(stress.until_gone ? 3 : 6);
	sigaction(SIGBUS, &sa, NULL);
	ret = ht_info_fd(fd, &info);
	if (ret)
		ksft_exit_fail_msg("info: %s\n", strerror(-ret));
	stress.frame_bytes = info.frame_bytes;
	stress.keys = ht_new_id();
	stress.payloads = ht_new_id();
	/* Four times what the DRAM holds, by the mean of stress_len(). */
	stress.slots = 4 * info.dram_bytes / info.frame_bytes;
	stress.end = ht_now_ms() + stress.seconds * 1000ULL;
	for (i = 0; !ret && i < stress.threads; i++)
		ret = worker_start(&workers[i], &stress, i);
	if (ret)
		ksft_exit_fail_msg("start: %s\n", strerror(-ret));
	if (stress.until_gone)
		printf("# running\n");
	for (i = 0; i < stress.threads; i++)
		pthread_join(workers[i].thread, NULL);
	results(workers, stress.until_gone ? ht_now_ms() : stress.end);
	for (i = 0; i < stress.threads; i++)
		ht_end(&workers[i].h);
	if (!stress.until_gone)
		check_gauges(fd);
	ksft_finished();
}
