// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: a device that misbehaves on demand
 *
 * Stands in for the calls of libhymc that reach the kernel, so that the
 * replay's own verdicts can be tested: does it notice wrong bytes, wrong
 * counters, lost blocks? The real device, one hopes, never gives it the
 * opportunity. Blocks stay in memory; nothing is ever evicted. One lock, one
 * pool.
 *
 * FAKE="WHAT:N" in the environment misbehaves from the N-th time on, once:
 *	flip	acquire: one bit of the block is wrong
 *	swap	acquire: the bytes of another block
 *	short	acquire: one byte less than was stored
 *	long	acquire: one byte more
 *	stray	acquire: a run outside the mapping
 *	lose	acquire: -EIO
 *	miss	acquire: -ENOENT
 *	late	acquire: -ETIMEDOUT
 *	dead	acquire: the device is gone
 *	skip	put: -EAGAIN
 *	full	put: -ENOSPC
 *	count	put: counted twice
 *	bytes	put: one byte too many counted
 *	leak	release: a view stays
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <hymc/libhymc.h>

#define DRAM_BYTES	(64ULL << 20)
#define FRAME_BYTES	(64ULL << 10)
#define BLOCKS_MAX	4096U

/**
 * struct block - a stored block
 * @key: its key
 * @len: payload bytes
 * @offset: where it is in the mapping
 */
struct block {
	struct hymc_key key;
	uint64_t len;
	uint64_t offset;
};

struct hymc_ctx { int refs; };

struct hymc_pool { int unused; };

struct hymc_pool_list { int unused; };

struct hymc_dev { int unused; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hymc_ctx the_ctx;
static struct hymc_dev the_dev;
static struct hymc_stats st;
static struct block blocks[BLOCKS_MAX];
static uint32_t block_nr;
static uint64_t used;
static uint8_t *dram;
static uint32_t policy;
static bool formatted;
static uint64_t handles;

/* Is it this call's turn to misbehave in way @what? */
static bool fault(const char *what)
{
	static unsigned long seen;
	const char *env = getenv("FAKE");
	size_t n = strlen(what);

	if (!env || strncmp(env, what, n) || env[n] != ':')
		return false;
	return ++seen == strtoul(env + n + 1, NULL, 10);
}

static struct block *find(const void *key)
{
	uint32_t i;

	for (i = 0; i < block_nr; i++)
		if (!memcmp(blocks[i].key.b, key, HYMC_KEY_BYTES))
			return &blocks[i];
	return NULL;
}

int hymc_ctx_new(struct hymc_ctx **ctx)
{
	*ctx = &the_ctx;
	return 0;
}

struct hymc_ctx *hymc_ctx_unref(struct hymc_ctx *ctx)
{
	(void)ctx;
	return NULL;
}

const char *hymc_last_error(struct hymc_ctx *ctx)
{
	(void)ctx;
	return "the fake says no";
}

bool hymc_module_loaded(struct hymc_ctx *ctx)
{
	(void)ctx;
	return true;
}

int hymc_module_load(struct hymc_ctx *ctx)
{
	(void)ctx;
	return 0;
}

int hymc_pool_create(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
		     uint32_t *id)
{
	(void)ctx;
	if (!strcmp(p->ssd, "/dev/busy"))
		return -EBUSY;
	/* A drive that carries a pool is refused, as by the real one. */
	if (formatted && !p->force)
		return -EEXIST;
	formatted = true;
	memset(&st, 0, sizeof(st));
	st.frames_total = DRAM_BYTES / FRAME_BYTES;
	st.frames_free = st.frames_total;
	block_nr = 0;
	used = 0;
	policy = p->policy;
	*id = 0;
	fprintf(stderr, "fake: pool created, policy %u\n", policy);
	return 0;
}

int hymc_pool_destroy(struct hymc_ctx *ctx, uint32_t id, bool force)
{
	(void)ctx;
	(void)force;
	fprintf(stderr, "fake: pool %u destroyed\n", id);
	return 0;
}

int hymc_pool_list_get(struct hymc_ctx *ctx, struct hymc_pool_list **list)
{
	(void)ctx;
	(void)list;
	return -EOPNOTSUPP;
}

void hymc_pool_list_free(struct hymc_pool_list *list)
{
	(void)list;
}

const struct hymc_pool *hymc_pool_find(const struct hymc_pool_list *list,
				       uint32_t id)
{
	(void)list;
	(void)id;
	return NULL;
}

const char *hymc_pool_ssd(const struct hymc_pool *pool)
{
	(void)pool;
	return NULL;
}

int hymc_dev_open(struct hymc_ctx *ctx, const char *node,
		  struct hymc_dev **dev)
{
	(void)ctx;
	(void)node;
	*dev = &the_dev;
	dram = mmap(NULL, DRAM_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return dram == MAP_FAILED ? -ENOMEM : 0;
}

void hymc_dev_close(struct hymc_dev *dev)
{
	if (dev)
		munmap(dram, DRAM_BYTES);
}

int hymc_dev_info(struct hymc_dev *dev, struct hymc_info *info)
{
	(void)dev;
	*info = (struct hymc_info){
		.policy = policy,
		.dram_bytes = DRAM_BYTES,
		.frame_bytes = FRAME_BYTES,
		.block_bytes_max = DRAM_BYTES,
	};
	return 0;
}

int hymc_dev_stats(struct hymc_dev *dev, struct hymc_stats *stats)
{
	(void)dev;
	pthread_mutex_lock(&lock);
	*stats = st;
	pthread_mutex_unlock(&lock);
	return 0;
}

int hymc_dev_map(struct hymc_dev *dev, const void **base, size_t *bytes)
{
	(void)dev;
	*base = dram;
	*bytes = DRAM_BYTES;
	return 0;
}

int hymc_ns_attach(struct hymc_dev *dev, const char *name,
		   const uint8_t fingerprint[HYMC_FP_BYTES], uint32_t flags,
		   uint32_t *ns)
{
	(void)dev;
	(void)name;
	(void)fingerprint;
	(void)flags;
	*ns = 1;
	return 0;
}

int hymc_lookup(struct hymc_dev *dev, uint32_t ns, const struct hymc_key *keys,
		uint32_t nr, uint32_t lease_ms, struct hymc_found *found)
{
	uint32_t i, hits = 0;

	(void)dev;
	(void)ns;
	(void)lease_ms;
	pthread_mutex_lock(&lock);
	for (i = 0; i < nr; i++) {
		struct block *b = find(&keys[i]);

		if (b && hits == i)
			hits++;
		st.lookup_hits += !!b;
		if (found)
			found[i].status = b ? 0 : -ENOENT;
	}
	st.lookup_keys += nr;
	pthread_mutex_unlock(&lock);
	return hits;
}

int hymc_prefetch(struct hymc_dev *dev, uint32_t ns,
		  const struct hymc_key *keys, uint32_t nr, uint64_t window,
		  uint32_t deadline_ms, uint32_t ttl_ms, uint64_t *request)
{
	(void)dev;
	(void)ns;
	(void)keys;
	(void)window;
	(void)deadline_ms;
	(void)ttl_ms;
	pthread_mutex_lock(&lock);
	*request = ++handles;
	st.hint_requests++;
	st.hint_blocks += nr;
	st.requests++;
	pthread_mutex_unlock(&lock);
	return 0;
}

int hymc_cancel(struct hymc_dev *dev, uint64_t request)
{
	(void)dev;
	(void)request;
	pthread_mutex_lock(&lock);
	st.requests--;
	pthread_mutex_unlock(&lock);
	return 0;
}

static int acquire_fault(void)
{
	if (fault("lose"))
		return -EIO;
	if (fault("miss"))
		return -ENOENT;
	return fault("late") ? -ETIMEDOUT : 0;
}

static void count_failure(int status)
{
	st.acquire_miss += status == -ENOENT;
	st.acquire_timeout += status == -ETIMEDOUT;
}

/* The block in two pieces, as a real one may come. */
static void fill_view(const struct block *b, struct hymc_view *view,
		      struct hymc_run *runs)
{
	uint64_t first = b->len > FRAME_BYTES ? FRAME_BYTES : b->len;

	*view = (struct hymc_view){
		.view = ++handles, .len = b->len, .tier = HYMC_TIER_DRAM,
		.run_nr = b->len > first ? 2 : 1,
	};
	runs[0] = (struct hymc_run){ b->offset, first };
	runs[1] = (struct hymc_run){ b->offset + first, b->len - first };
	if (fault("flip"))
		dram[b->offset + b->len / 2] ^= 4;
	if (fault("swap"))
		runs[0].offset = b == blocks ? blocks[1].offset :
					       blocks[0].offset;
	if (fault("short"))
		view->len--;
	if (fault("long"))
		view->len++;
	if (fault("stray"))
		runs[0].offset = DRAM_BYTES - 1;
}

static int acquire(const struct hymc_key *key, struct hymc_view *view,
		   struct hymc_run *runs)
{
	struct block *b = find(key);
	int status = b ? acquire_fault() : -ENOENT;

	if (fault("dead"))
		return -ENODEV;
	if (status) {
		*view = (struct hymc_view){ .status = status };
		count_failure(status);
		return 0;
	}
	fill_view(b, view, runs);
	st.acquire_staged++;
	st.acquire_bytes += view->len;
	st.views++;
	return 1;
}

int hymc_acquire(struct hymc_dev *dev, uint32_t ns,
		 const struct hymc_key *keys, uint32_t nr, uint32_t timeout_ms,
		 struct hymc_view *views, struct hymc_run *runs,
		 uint32_t runs_max)
{
	int ret;

	(void)dev;
	(void)ns;
	(void)nr;
	(void)timeout_ms;
	(void)runs_max;
	pthread_mutex_lock(&lock);
	ret = acquire(keys, views, runs);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* As if the hint had expired: the replay must then ask by key. */
int hymc_acquire_request(struct hymc_dev *dev, uint32_t ns, uint64_t request,
			 uint32_t first, uint32_t nr, uint32_t timeout_ms,
			 struct hymc_view *views, struct hymc_run *runs,
			 uint32_t runs_max)
{
	(void)dev;
	(void)ns;
	(void)request;
	(void)first;
	(void)nr;
	(void)timeout_ms;
	(void)views;
	(void)runs;
	(void)runs_max;
	return -ENOENT;
}

int hymc_release(struct hymc_dev *dev, const uint64_t *views, uint32_t nr,
		 int32_t *status)
{
	(void)dev;
	(void)views;
	(void)status;
	pthread_mutex_lock(&lock);
	st.views -= nr;
	if (fault("leak"))
		st.views++;
	pthread_mutex_unlock(&lock);
	return nr;
}

static int put_fault(void)
{
	if (fault("skip")) {
		st.skip_buffer++;
		return -EAGAIN;
	}
	if (fault("full")) {
		st.skip_ssd++;
		return -ENOSPC;
	}
	return 0;
}

static void put(const struct hymc_desc *desc, struct hymc_done *done)
{
	struct block *b = find(desc->key);

	*done = (struct hymc_done){ .len = desc->len };
	if (b) {
		done->tier = HYMC_TIER_DRAM;
		st.put_present++;
		return;
	}
	done->status = put_fault();
	if (done->status)
		return;
	b = &blocks[block_nr++];
	if (block_nr > BLOCKS_MAX || used + desc->len > DRAM_BYTES) {
		fputs("fake: full\n", stderr);
		abort();
	}
	memcpy(b->key.b, desc->key, HYMC_KEY_BYTES);
	b->len = desc->len;
	b->offset = used;
	used += desc->len;
	memcpy(dram + b->offset, (void *)(uintptr_t)desc->addr, desc->len);
	st.put_blocks += 1 + fault("count");
	st.put_bytes += desc->len + fault("bytes");
	st.blocks++;
	st.block_bytes += desc->len;
	st.ssd_write_bytes += desc->len + 4096;
}

int hymc_put(struct hymc_dev *dev, uint32_t ns, const struct hymc_desc *descs,
	     uint32_t nr, uint32_t flags, const struct hymc_key *parent,
	     uint32_t timeout_ms, struct hymc_done *done)
{
	uint32_t i, ok = 0;

	(void)dev;
	(void)ns;
	(void)flags;
	(void)parent;
	(void)timeout_ms;
	pthread_mutex_lock(&lock);
	for (i = 0; i < nr; i++) {
		put(&descs[i], &done[i]);
		ok += ok == i && !done[i].status;
	}
	pthread_mutex_unlock(&lock);
	return ok;
}

int hymc_sync(struct hymc_dev *dev, uint32_t timeout_ms)
{
	(void)dev;
	(void)timeout_ms;
	return 0;
}
