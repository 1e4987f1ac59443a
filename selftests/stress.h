/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: what stress.c and stress_ops.c share
 *
 * A slot is a key; slots below stress.slots are shared by all threads, and each
 * thread owns STRESS_OWN more behind them.
 */
#ifndef STRESS_H
#define STRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "hymc_test.h"

#define STRESS_THREADS_MAX	64U
#define STRESS_VERSIONS		4U
#define STRESS_OWN		16U
#define STRESS_HELD		8U
#define STRESS_REQUESTS		4U
/* Most keys of one random call. */
#define STRESS_BATCH		12U

/**
 * struct stress - one run
 * @seconds: how long
 * @threads: how many
 * @seed: of all randomness
 * @until_gone: run until the pool is destroyed
 * @frame_bytes: of the pool
 * @keys: number of the key of slot 0
 * @payloads: number of the payload of slot 0's first version
 * @slots: shared slots
 * @end: when to stop, by ht_now_ms()
 * @stop: somebody failed
 */
struct stress {
	unsigned int seconds;
	unsigned int threads;
	__u64 seed;
	bool until_gone;
	__u64 frame_bytes;
	__u64 keys;
	__u64 payloads;
	__u64 slots;
	__u64 end;
	atomic_bool stop;
};

/**
 * struct held - a view that a thread keeps for a while
 * @b: the block; b.view.view is 0 when there is none
 * @slot: its slot
 * @version: version that was found in it
 */
struct held {
	struct ht_block b;
	__u64 slot;
	unsigned int version;
};

/**
 * struct hinted - a request that a thread has outstanding
 * @request: handle, 0 for none
 * @nr: number of keys
 * @slots: what they are
 */
struct hinted {
	__u64 request;
	unsigned int nr;
	__u64 slots[STRESS_BATCH];
};

/**
 * struct worker - a thread
 * @s: the run
 * @thread: it
 * @index: its number
 * @h: its open file
 * @rng: state of its random numbers
 * @buf: memory for one of the longest blocks
 * @op: name of the operation it is in
 * @held: views
 * @requests: requests
 * @own: version + 1 of each owned slot, 0 when absent
 * @bytes: payload bytes checked
 * @calls: operations done
 * @gone: it ended because of -ENODEV
 * @done: when it ended
 * @failure: what went wrong first, or ""
 */
struct worker {
	struct stress *s;
	pthread_t thread;
	unsigned int index;
	struct ht h;
	__u64 rng;
	unsigned char *buf;
	const char *op;
	struct held held[STRESS_HELD];
	struct hinted requests[STRESS_REQUESTS];
	unsigned int own[STRESS_OWN];
	__u64 bytes;
	__u64 calls;
	bool gone;
	__u64 done;
	char failure[256];
};

/* stress.c */
void stress_fail(struct worker *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
__u64 stress_random(struct worker *w, __u64 below);
__u64 stress_len(const struct stress *s, __u64 slot, unsigned int version);
__u64 stress_seed(const struct stress *s, __u64 slot, unsigned int version);
int stress_version(struct worker *w, __u64 slot, __u64 len, const void *p);
int stress_check(struct worker *w, __u64 slot, unsigned int version, __u64 off,
		 const void *p, size_t len);
int stress_fill(struct worker *w, __u64 slot, unsigned int version, __u64 off,
		void *p, size_t len);
int stress_reopen(struct worker *w);

/* stress_ops.c */
int stress_op(struct worker *w);
void stress_end(struct worker *w);

#endif /* STRESS_H */
