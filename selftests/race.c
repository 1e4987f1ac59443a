// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: what other threads and the clock do to a call that is under way
 *
 * Handles are small numbers that any thread of the open file can guess, and a
 * request's time may be over before its call is. Neither may free what the call
 * still uses, nor leave anything behind. The kernel log is the other judge.
 */
#include <pthread.h>

#include "hymc_harness.h"

#define NR_BLOCKS	8U
#define RACE_MS		3000U
/* Naming so many keys takes longer than the period of the kernel's tick. */
#define MANY_KEYS	(1U << 20)

FIXTURE(race) {
	struct ht h;
	__u64 first;
	struct ht_key *keys;
};

FIXTURE_SETUP(race)
{
	HT_BEGIN(&self->h, "race");
	self->first = ht_new_id();
	ASSERT_EQ(0, ht_put_many(&self->h, self->first, NR_BLOCKS, 4096));
	self->keys = calloc(MANY_KEYS, sizeof(*self->keys));
	ASSERT_NE(NULL, self->keys);
}

FIXTURE_TEARDOWN(race)
{
	unsigned int i;

	for (i = 0; i < NR_BLOCKS; i++)
		ht_delete(&self->h, self->first + i);
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	EXPECT_EQ(0, HT_COUNT(self->h.fd, frames_wanted));
	free(self->keys);
	ht_end(&self->h);
}

/* Hint @nr of the keys. 0 or a negative errno. */
static int hint(struct ht *h, const struct ht_key *keys, __u32 nr, __u32 ttl_ms,
		__u64 *request)
{
	struct hymc_prefetch arg = {
		.size = sizeof(arg),
		.ns = h->ns,
		.nr = nr,
		.keys = ht_ptr(keys),
		.window_bytes = HYMC_WINDOW_DEFAULT,
		.ttl_ms = ttl_ms,
	};
	int ret = ht_ioctl(h->fd, HYMC_IOC_PREFETCH, &arg);

	*request = arg.request;
	return ret;
}

/* A request whose time is over before all its keys are named. */
TEST_F(race, time_ends_while_keys_are_named)
{
	__u64 request;
	__u32 i, round;

	for (i = 0; i < MANY_KEYS; i++)
		ht_key(self->first + i % NR_BLOCKS, &self->keys[i]);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, hint(&self->h, self->keys, MANY_KEYS, 1, &request));
		ht_cancel(&self->h, request);
		ASSERT_EQ(0, hint(&self->h, self->keys, NR_BLOCKS, 5000,
				  &request));
		EXPECT_EQ(0, ht_cancel(&self->h, request));
	}
	EXPECT_EQ(0, HT_COUNT(self->h.fd, requests));
}

/**
 * struct guesser - a thread that ends handles it was not given
 * @h: the pool
 * @next: the handle to come, roughly
 * @cmd: HYMC_IOC_CANCEL or HYMC_IOC_RELEASE
 * @stop: end it
 */
struct guesser {
	struct ht *h;
	volatile __u64 next;
	unsigned long cmd;
	volatile int stop;
};

static void guess(struct guesser *g, __u64 handle)
{
	__s32 status;

	if (g->cmd == HYMC_IOC_CANCEL)
		ht_cancel(g->h, handle);
	else
		ht_views(g->h->fd, g->cmd, &handle, 1, &status);
}

static void *guess_all(void *arg)
{
	struct guesser *g = arg;
	__u64 i;

	while (!g->stop)
		for (i = 0; i < 4; i++)
			guess(g, g->next + i);
	return NULL;
}

/* Hint, acquire the first block, release, cancel: any step may find it gone. */
static int use_request(struct ht *h, struct guesser *g, __u64 *request)
{
	struct ht_key key;
	struct ht_block b;
	int ret;

	ht_key(*request, &key);
	ret = hint(h, &key, 1, 5000, request);
	if (ret)
		return ret;
	if (g->cmd == HYMC_IOC_CANCEL)
		g->next = *request + 1;
	ret = ht_acquire_item(h, *request, 0, 1000, &b);
	if (!ret) {
		if (g->cmd == HYMC_IOC_RELEASE)
			g->next = b.view.view + 1;
		ht_release(h, &b);
	}
	ht_cancel(h, *request);
	return ret == -ENOENT ? 0 : ret;
}

static void guess_against(struct __test_metadata *_metadata, struct ht *h,
			  __u64 first, unsigned long cmd)
{
	struct guesser g = { .h = h, .cmd = cmd, .next = 1 };
	__u64 end = ht_now_ms() + RACE_MS;
	unsigned long n = 0;
	pthread_t thread[2];
	__u64 request;

	ASSERT_EQ(0, pthread_create(&thread[0], NULL, guess_all, &g));
	ASSERT_EQ(0, pthread_create(&thread[1], NULL, guess_all, &g));
	for (; ht_now_ms() < end; n++) {
		request = first + n % NR_BLOCKS;
		EXPECT_EQ(0, use_request(h, &g, &request));
	}
	g.stop = 1;
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	EXPECT_LT(10, n);
}

TEST_F(race, others_cancel_a_request_that_is_being_made)
{
	guess_against(_metadata, &self->h, self->first, HYMC_IOC_CANCEL);
}

TEST_F(race, others_release_a_view_that_is_being_made)
{
	guess_against(_metadata, &self->h, self->first, HYMC_IOC_RELEASE);
}

HT_MAIN;
