// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: what the core's calls cost
 *
 *   bench-core OPERATION BLOCKS [OPS]
 *
 * Makes a pool of that many blocks, all in DRAM and on the SSD, and does the
 * operation OPS times on random ones, inside a function called measured(), so that
 * "valgrind --tool=callgrind --toggle-collect=measured" counts its instructions
 * and nothing else; see run-bench. Prints nanoseconds per operation, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core.h"
#include "random.h"

#define FRAME		4096U
/* Operations in one measured call, and keys of a request. */
#define BATCH		1000U

/**
 * struct bench - what is measured on
 * @c: the core
 * @blocks: blocks in it
 * @ops: operations to do
 * @key: the keys of the next operations, random ones of those in the pool
 * @mem: memory for a request
 * @r: the request
 */
struct bench {
	struct hymc_core *c;
	u64 blocks;
	u64 ops;
	struct hymc_key *key;
	void *mem;
	struct hymc_request *r;
};

static struct hymc_key key_of(u64 id)
{
	struct random r = { id };
	struct hymc_key key;
	u32 i;

	for (i = 0; i < HYMC_KEY_BYTES; i += 8) {
		u64 word = random_next(&r);

		memcpy(key.b + i, &word, sizeof(word));
	}
	return key;
}

static struct hymc_core *core_of(u64 blocks)
{
	struct hymc_core_cfg cfg = {
		.policy = HYMC_POLICY_STAGE,
		.frame_bytes = FRAME,
		.frames = blocks + 16,
		.writes_max = 8,
		.ssd_bytes = (blocks * 2 * FRAME / (256 << 20) + 2) *
			     (256ULL << 20),
		.log_start = 1 << 20,
		.segment_bytes = 256 << 20,
		.blocks_max = blocks + 16,
		.window_bytes = (u64)BATCH * FRAME,
		.read_bytes_max = 64 << 20,
		.dirty_max_bytes = 64 << 20,
		.dirty_high_bytes = 32 << 20,
		.dirty_low_bytes = 16 << 20,
		.hash_seed = 0x0123456789abcdefULL,
	};
	const char *why;

	if (hymc_core_check(&cfg, &why)) {
		fprintf(stderr, "bench-core: %s\n", why);
		exit(1);
	}
	return hymc_core_init(calloc(1, hymc_core_bytes(&cfg)), &cfg);
}

static void put(struct hymc_core *c, u64 id)
{
	struct hymc_key key = key_of(id);
	struct hymc_act act;
	u32 idx;

	while (hymc_core_mem_short(c))
		hymc_core_mem_feed(c, malloc(HYMC_CHUNK_BYTES));
	if (hymc_core_reserve(c, 1, &key, FRAME, NULL, 1, &idx)) {
		fprintf(stderr, "bench-core: cannot fill the pool\n");
		exit(1);
	}
	hymc_core_commit(c, idx, 1);
	while (hymc_core_next(c, 1, &act))
		hymc_core_write_done(c, act.block, 0, 1);
}

static void prepare(struct bench *b)
{
	struct random rnd = { 1 };
	u64 i;

	b->c = core_of(b->blocks);
	for (i = 0; i < b->blocks; i++)
		put(b->c, i);
	b->key = malloc(b->ops * sizeof(*b->key));
	for (i = 0; i < b->ops; i++)
		b->key[i] = key_of(random_below(&rnd, b->blocks));
	b->mem = malloc(hymc_request_bytes(BATCH));
}

static void lookup(struct bench *b)
{
	struct hymc_hit hit;
	u32 i;

	for (i = 0; i < BATCH; i++)
		hymc_core_lookup(b->c, 1, &b->key[i], NULL, 1, &hit);
}

static void hint(struct bench *b)
{
	u32 i;

	memset(b->mem, 0, hymc_request_bytes(0));
	b->r = hymc_request_init(b->mem, 1, BATCH, HYMC_WINDOW_DEFAULT, 1, 0);
	for (i = 0; i < BATCH; i++)
		hymc_request_add(b->c, b->r, &b->key[i]);
	hymc_request_start(b->c, b->r, 1);
}

static void unhint(struct bench *b)
{
	hymc_request_end(b->c, b->r, 1);
}

/* A block's whole life in a request: named, wanted, admitted, given up. */
static void request(struct bench *b)
{
	struct hymc_act act;

	hint(b);
	hymc_core_next(b->c, 1, &act);
	unhint(b);
}

static void acquire(struct bench *b)
{
	u32 i, idx;

	for (i = 0; i < BATCH; i++) {
		hymc_acquire_key(b->c, 1, &b->key[i], 1, &idx);
		hymc_core_release(b->c, idx, NULL, 0, 1);
	}
}

static void no_more(struct bench *b)
{
	b->r = NULL;
}

static const struct {
	const char *name;
	void (*fn)(struct bench *b);
	void (*after)(struct bench *b);
} operation[] = {
	{ "lookup", lookup, no_more },
	{ "hint", hint, unhint },
	{ "request", request, no_more },
	{ "acquire", acquire, no_more },
};

static __attribute__((noinline)) void measured(void (*fn)(struct bench *b),
					       struct bench *b)
{
	fn(b);
	/* Not a tail call: the toggle needs the way back. */
	__asm__ volatile("" ::: "memory");
}

static u64 nanoseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Do the operation on all keys, BATCH at a time. Nanoseconds it took. */
static u64 measure(u32 op, struct bench *b)
{
	struct hymc_key *all = b->key;
	u64 before, i, sum = 0;

	for (i = 0; i < b->ops; i += BATCH) {
		b->key = all + i;
		before = nanoseconds();
		measured(operation[op].fn, b);
		sum += nanoseconds() - before;
		operation[op].after(b);
	}
	return sum;
}

static int run(const char *name, struct bench *b)
{
	u32 i = 0;

	while (i < ARRAY_SIZE(operation) && strcmp(operation[i].name, name))
		i++;
	if (i == ARRAY_SIZE(operation)) {
		fprintf(stderr, "bench-core: unknown operation %s\n", name);
		return 2;
	}
	prepare(b);
	printf("%s blocks %llu ops %llu ns_per_op %llu\n", name, b->blocks,
	       b->ops, measure(i, b) / b->ops);
	return 0;
}

int main(int argc, char **argv)
{
	struct bench b = { .ops = 20 * BATCH };

	if (argc < 3 || argc > 4) {
		fprintf(stderr,
			"usage: bench-core lookup|hint|request|acquire BLOCKS [OPS]\n");
		return 2;
	}
	b.blocks = strtoull(argv[2], NULL, 0);
	if (argc == 4)
		b.ops = strtoull(argv[3], NULL, 0);
	if (!b.blocks || b.blocks > 100000000 || !b.ops || b.ops % BATCH) {
		fprintf(stderr, "bench-core: BLOCKS is 1 to 10^8, OPS a multiple of %u\n",
			BATCH);
		return 2;
	}
	return run(argv[1], &b);
}
