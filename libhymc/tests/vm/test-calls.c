// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: the library's calls, on a real pool
 *
 * Run as root with the number of a fresh pool; ends the pool, by force, as its
 * last test. The calls' meaning is the selftests' to check; here, that the
 * library passes arguments, answers and errors on as its header says.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/tap.h"
#include "private.h"

#define BLOCKS		8
#define BLOCK_BYTES	(192 * 1024 + 4096 + 7)
#define RUNS		64
#define TIMEOUT_MS	20000
#define THREADS		4

static struct hymc_ctx *ctx;
static struct hymc_dev *dev;
static uint32_t pool_id;
static uint32_t ns;
static const uint8_t fp[HYMC_FP_BYTES] = "test-calls";

static struct hymc_key key_of(const char *what, uint32_t i)
{
	const struct hymc_key_field f[] = {
		{ "what", what, strlen(what) }, { "i", &i, sizeof(i) },
	};
	struct hymc_key key;

	hymc_key_derive(f, 2, &key);
	return key;
}

/* Bytes that follow from the key. */
static void fill(uint8_t *p, size_t len, const struct hymc_key *key)
{
	uint64_t x;
	size_t i;

	memcpy(&x, key->b, sizeof(x));
	for (i = 0; i < len; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		p[i] = (uint8_t)(x >> 56);
	}
}

static int right(const uint8_t *p, size_t len, const struct hymc_key *key)
{
	uint8_t *want = malloc(len);
	int ok;

	fill(want, len, key);
	ok = !memcmp(p, want, len);
	free(want);
	return ok;
}

static void make(struct hymc_desc *d, const struct hymc_key *key, uint8_t *buf,
		 uint64_t len)
{
	memset(d, 0, sizeof(*d));
	memcpy(d->key, key->b, sizeof(d->key));
	d->len = len;
	d->addr = (uintptr_t)buf;
}

static int said(int err, int want, const char *words)
{
	const char *text = hymc_last_error(ctx);
	int ok = err == want && strstr(text, words);

	if (!ok)
		fprintf(stderr, "# %d (want %d): \"%s\" (want \"%s\")\n", err,
			want, text, words);
	return ok;
}

static void test_open(void)
{
	char node[32], name[16], digits[12];
	const char * const forms[] = { digits, name, node };
	struct hymc_dev *d;
	struct hymc_info info;
	size_t i;

	snprintf(digits, sizeof(digits), "%u", pool_id);
	snprintf(name, sizeof(name), "hymc%u", pool_id);
	snprintf(node, sizeof(node), "/dev/hymc%u", pool_id);
	for (i = 0; i < HYMC_ARRAY_SIZE(forms); i++) {
		EXPECT_EQ(hymc_dev_open(ctx, forms[i], &d), 0);
		EXPECT_EQ(hymc_dev_info(d, &info), 0);
		EXPECT_EQ(info.pool, pool_id);
		EXPECT_EQ(info.size, sizeof(info));
		hymc_dev_close(d);
	}
	d = NULL;
	EXPECT(said(hymc_dev_open(ctx, "9999", &d), -ENOENT, "pool list"));
	EXPECT(!d);
	EXPECT_EQ(hymc_dev_open(ctx, node, &dev), 0);
	EXPECT(hymc_dev_fd(dev) >= 0);
}

static void test_attach(void)
{
	uint8_t other[HYMC_FP_BYTES] = "another";
	char name[HYMC_NS_NAME_BYTES + 1];
	uint32_t n = 0;

	EXPECT(said(hymc_ns_attach(dev, "calls", fp, 0, &n), -ENOENT,
		    "\"calls\""));
	EXPECT_EQ(hymc_ns_attach(dev, "calls", fp, HYMC_NS_CREATE, &ns), 0);
	EXPECT_EQ(hymc_ns_attach(dev, "calls", fp, 0, &n), 0);
	EXPECT(said(hymc_ns_attach(dev, "calls", other, 0, &n), -EUCLEAN,
		    "fingerprint"));
	EXPECT(said(hymc_ns_attach(dev, "calls", fp, 1U << 31, &n), -EINVAL,
		    "attach"));
	memset(name, 'n', sizeof(name));
	name[HYMC_NS_NAME_BYTES] = '\0';
	EXPECT(said(hymc_ns_attach(dev, name, fp, HYMC_NS_CREATE, &n), -EINVAL,
		    "not 64"));
	EXPECT(said(hymc_ns_attach(dev, "", fp, HYMC_NS_CREATE, &n), -EINVAL,
		    "not 0"));
}

static void test_refusals(void)
{
	struct hymc_key key = key_of("none", 0);
	uint64_t request = 1;

	EXPECT(said(hymc_lookup(dev, ns + 1000, &key, 1, 0, NULL), -EBADF,
		    "not attached"));
	EXPECT(said(hymc_lookup(dev, ns, &key, 0, 0, NULL), -EINVAL, "lookup"));
	EXPECT(said(hymc_lookup(dev, ns, NULL, 1, 0, NULL), -EFAULT, "lookup"));
	EXPECT(said(hymc_delete(dev, ns, &key, HYMC_BATCH_MAX + 1, NULL),
		    -E2BIG, "more elements"));
	EXPECT(said(hymc_cancel(dev, 1ULL << 40), -ENOENT, "cancel"));
	EXPECT(said(hymc_prefetch(dev, ns + 1000, &key, 1, HYMC_WINDOW_DEFAULT,
				  0, 0, &request), -EBADF, "prefetch"));
	EXPECT_EQ(request, 1);
}

static void keys_make(struct hymc_key *keys, const char *what)
{
	uint32_t i;

	for (i = 0; i < BLOCKS; i++)
		keys[i] = key_of(what, i);
}

static void put_all(const struct hymc_key *keys, uint64_t len,
		    struct hymc_done *done, int want)
{
	struct hymc_desc d[BLOCKS];
	uint8_t *buf[BLOCKS];
	uint32_t i;

	for (i = 0; i < BLOCKS; i++) {
		buf[i] = malloc(len);
		fill(buf[i], len, &keys[i]);
		make(&d[i], &keys[i], buf[i], len);
	}
	EXPECT_EQ(hymc_put(dev, ns, d, BLOCKS, HYMC_PUT_CHAIN, NULL, TIMEOUT_MS,
			   done), want);
	for (i = 0; i < BLOCKS; i++)
		free(buf[i]);
}

static void test_put(void)
{
	struct hymc_key keys[BLOCKS], absent = key_of("absent", 0);
	struct hymc_found found[BLOCKS];
	struct hymc_done done[BLOCKS];
	uint32_t i;

	keys_make(keys, "put");
	EXPECT_EQ(hymc_lookup(dev, ns, keys, BLOCKS, 0, NULL), 0);
	put_all(keys, BLOCK_BYTES, done, BLOCKS);
	for (i = 0; i < BLOCKS; i++) {
		EXPECT_EQ(done[i].status, 0);
		EXPECT_EQ(done[i].tier, HYMC_TIER_NONE);
		EXPECT_EQ(done[i].len, BLOCK_BYTES);
	}
	put_all(keys, BLOCK_BYTES, done, BLOCKS);
	EXPECT(done[0].tier != HYMC_TIER_NONE);
	put_all(keys, BLOCK_BYTES + 1, done, 0);
	EXPECT_EQ(done[0].status, -EEXIST);
	EXPECT_EQ(hymc_lookup(dev, ns, keys, BLOCKS, 1000, found), BLOCKS);
	EXPECT_EQ(found[3].len, BLOCK_BYTES);
	keys[5] = absent;
	EXPECT_EQ(hymc_lookup(dev, ns, keys, BLOCKS, 0, found), 5);
	EXPECT_EQ(found[5].status, -ENOENT);
	EXPECT_EQ(found[6].status, 0);
}

static void test_get(void)
{
	uint8_t *buf = malloc(BLOCK_BYTES);
	struct hymc_key keys[BLOCKS];
	struct hymc_done done;
	struct hymc_desc d;
	uint32_t i;

	keys_make(keys, "put");
	for (i = 0; i < BLOCKS; i++) {
		memset(buf, 0, BLOCK_BYTES);
		make(&d, &keys[i], buf, BLOCK_BYTES);
		EXPECT_EQ(hymc_get(dev, ns, &d, 1, TIMEOUT_MS, &done), 1);
		EXPECT_EQ(done.len, BLOCK_BYTES);
		EXPECT(right(buf, BLOCK_BYTES, &keys[i]));
	}
	d.len = BLOCK_BYTES - 1;
	EXPECT_EQ(hymc_get(dev, ns, &d, 1, TIMEOUT_MS, &done), 0);
	EXPECT_EQ(done.status, -EMSGSIZE);
	EXPECT_EQ(done.len, BLOCK_BYTES);
	free(buf);
}

static void test_map(void)
{
	const void *ro[2];
	size_t bytes[2];
	struct hymc_info info;
	void *rw;

	EXPECT_EQ(hymc_dev_info(dev, &info), 0);
	EXPECT_EQ(hymc_dev_map(dev, &ro[0], &bytes[0]), 0);
	EXPECT_EQ(hymc_dev_map(dev, &ro[1], &bytes[1]), 0);
	EXPECT(ro[0] == ro[1]);
	EXPECT_EQ(bytes[0], info.dram_bytes);
	EXPECT_EQ((uintptr_t)ro[0] % (2 << 20), 0);
	EXPECT(mprotect((void *)ro[0], 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(hymc_dev_map_write(dev, &rw, &bytes[1]), 0);
	EXPECT(rw != ro[0]);
	EXPECT_EQ(bytes[1], info.dram_bytes);
}

/* The bytes of a view, gathered from the mapping. */
static uint8_t *gather(const struct hymc_view *view,
		       const struct hymc_run *runs)
{
	uint8_t *buf = malloc(view->len);
	const void *base;
	size_t bytes, at = 0;
	uint32_t i;

	EXPECT_EQ(hymc_dev_map(dev, &base, &bytes), 0);
	for (i = 0; i < view->run_nr; i++) {
		const struct hymc_run *r = &runs[view->run_first + i];

		EXPECT(r->offset + r->len <= bytes && at + r->len <= view->len);
		memcpy(buf + at, (const char *)base + r->offset, r->len);
		at += r->len;
	}
	EXPECT_EQ(at, view->len);
	return buf;
}

static void check_views(const struct hymc_key *keys,
			const struct hymc_view *views,
			const struct hymc_run *runs)
{
	uint64_t handles[BLOCKS];
	int32_t status[BLOCKS];
	uint8_t *buf;
	uint32_t i;

	for (i = 0; i < BLOCKS; i++) {
		EXPECT_EQ(views[i].status, 0);
		EXPECT_EQ(views[i].len, BLOCK_BYTES);
		buf = gather(&views[i], runs);
		EXPECT(right(buf, views[i].len, &keys[i]));
		free(buf);
		handles[i] = views[i].view;
	}
	EXPECT_EQ(hymc_release(dev, handles, BLOCKS, status), BLOCKS);
	EXPECT_EQ(hymc_release(dev, handles, BLOCKS, status), 0);
	EXPECT_EQ(status[BLOCKS - 1], -ENOENT);
	EXPECT_EQ(hymc_release(dev, handles, BLOCKS, NULL), 0);
}

static void test_acquire(void)
{
	struct hymc_key keys[BLOCKS], absent = key_of("absent", 1);
	struct hymc_view views[BLOCKS];
	struct hymc_run runs[RUNS];

	keys_make(keys, "put");
	EXPECT_EQ(hymc_acquire(dev, ns, keys, BLOCKS, TIMEOUT_MS, views, runs,
			       RUNS), BLOCKS);
	check_views(keys, views, runs);
	EXPECT_EQ(hymc_acquire(dev, ns, &absent, 1, 0, views, runs, RUNS), 0);
	EXPECT_EQ(views[0].status, -ENOENT);
	EXPECT_EQ(hymc_acquire(dev, ns, keys, 1, TIMEOUT_MS, views, runs,
			       0), 0);
	EXPECT_EQ(views[0].status, -ENOBUFS);
}

static void test_request(void)
{
	struct hymc_view views[BLOCKS];
	struct hymc_run runs[RUNS];
	struct hymc_key keys[BLOCKS];
	uint64_t request, again;

	keys_make(keys, "put");
	EXPECT_EQ(hymc_prefetch(dev, ns, keys, BLOCKS, HYMC_WINDOW_DEFAULT, 10,
				0, &request), 0);
	EXPECT_EQ(hymc_acquire_request(dev, ns, request, 0, BLOCKS, TIMEOUT_MS,
				       views, runs, RUNS), BLOCKS);
	EXPECT(said(hymc_acquire_request(dev, ns, request, BLOCKS - 1, 2, 0,
					 views + 1, runs, RUNS), -EINVAL,
		    "acquire"));
	EXPECT_EQ(hymc_acquire_request(dev, ns, request, 3, 1, TIMEOUT_MS,
				       views + 3, runs + RUNS / 2,
				       RUNS / 2), 1);
	again = views[3].view;
	EXPECT_EQ(hymc_release(dev, &again, 1, NULL), 1);
	EXPECT_EQ(hymc_cancel(dev, request), 0);
	EXPECT(said(hymc_cancel(dev, request), -ENOENT, "cancel"));
}

static void test_reserve(void)
{
	struct hymc_key keys[BLOCKS];
	struct hymc_desc d[BLOCKS];
	struct hymc_view views[BLOCKS];
	struct hymc_run runs[RUNS];
	const struct hymc_run *r;
	uint64_t handles[BLOCKS];
	uint8_t *buf, *base;
	size_t bytes, at;
	uint32_t i, k;

	keys_make(keys, "reserve");
	EXPECT_EQ(hymc_dev_map_write(dev, (void **)&base, &bytes), 0);
	for (i = 0; i < BLOCKS; i++)
		make(&d[i], &keys[i], NULL, BLOCK_BYTES);
	EXPECT_EQ(hymc_reserve(dev, ns, d, BLOCKS,
			       HYMC_PUT_PARENT | HYMC_PUT_CHAIN, &keys[0], 0,
			       views, runs, RUNS), BLOCKS);
	buf = malloc(BLOCK_BYTES);
	for (i = 0; i < BLOCKS; i++) {
		fill(buf, BLOCK_BYTES, &keys[i]);
		for (k = 0, at = 0; k < views[i].run_nr; k++) {
			r = &runs[views[i].run_first + k];
			memcpy(base + r->offset, buf + at, r->len);
			at += r->len;
		}
		handles[i] = views[i].view;
	}
	free(buf);
	EXPECT_EQ(hymc_lookup(dev, ns, keys, BLOCKS, 0, NULL), 0);
	EXPECT_EQ(hymc_abort(dev, handles + 6, 2, NULL), 2);
	EXPECT_EQ(hymc_commit(dev, handles, BLOCKS, NULL), 6);
	EXPECT_EQ(hymc_lookup(dev, ns, keys, BLOCKS, 0, NULL), 6);
	EXPECT_EQ(hymc_acquire(dev, ns, keys, 6, TIMEOUT_MS, views, runs,
			       RUNS), 6);
	for (i = 0; i < 6; i++) {
		buf = gather(&views[i], runs);
		EXPECT(right(buf, BLOCK_BYTES, &keys[i]));
		free(buf);
	}
}

static void test_sync_delete(void)
{
	struct hymc_key keys[BLOCKS];
	struct hymc_stats stats;
	int32_t status[BLOCKS];

	keys_make(keys, "reserve");
	EXPECT_EQ(hymc_sync(dev, TIMEOUT_MS), 0);
	EXPECT_EQ(hymc_dev_stats(dev, &stats), 0);
	EXPECT_EQ(stats.dirty_bytes, 0);
	EXPECT(stats.ssd_write_bytes >= 14ULL * BLOCK_BYTES);
	EXPECT_EQ(hymc_delete(dev, ns, keys, BLOCKS, status), 6);
	EXPECT_EQ(status[6], -ENOENT);
	EXPECT_EQ(hymc_lookup(dev, ns, keys, BLOCKS, 0, NULL), 0);
}

static void *thread(void *arg)
{
	uint8_t *buf = malloc(BLOCK_BYTES);
	const char *what = arg;
	struct hymc_done done;
	struct hymc_desc d;
	struct hymc_key key;
	uint32_t i;
	long bad = 0;

	for (i = 0; i < 16; i++) {
		key = key_of(what, i);
		make(&d, &key, buf, BLOCK_BYTES);
		fill(buf, BLOCK_BYTES, &key);
		bad += hymc_put(dev, ns, &d, 1, 0, NULL, TIMEOUT_MS,
				&done) != 1;
		memset(buf, 0, BLOCK_BYTES);
		bad += hymc_get(dev, ns, &d, 1, TIMEOUT_MS, &done) != 1;
		bad += !right(buf, BLOCK_BYTES, &key);
		bad += *hymc_last_error(ctx) != '\0';
	}
	bad += hymc_cancel(dev, 1ULL << 40) != -ENOENT;
	bad += !strstr(hymc_last_error(ctx), "cancel");
	free(buf);
	return (void *)bad;
}

static void test_threads(void)
{
	static char names[THREADS][32];
	pthread_t t[THREADS];
	void *bad;
	int i;

	for (i = 0; i < THREADS; i++) {
		snprintf(names[i], sizeof(names[i]), "thread %d", i);
		EXPECT_EQ(pthread_create(&t[i], NULL, thread, names[i]), 0);
	}
	for (i = 0; i < THREADS; i++) {
		EXPECT_EQ(pthread_join(t[i], &bad), 0);
		EXPECT_EQ((long)bad, 0);
	}
}

/* What the node says, what the control family says, and what we did. */
static void test_stats(void)
{
	const struct hymc_pool *pool;
	const size_t at = offsetof(struct hymc_stats, blocks);
	struct hymc_pool_list *list;
	struct hymc_stats s;

	EXPECT_EQ(hymc_sync(dev, TIMEOUT_MS), 0);
	EXPECT_EQ(hymc_dev_stats(dev, &s), 0);
	EXPECT_EQ(s.size, sizeof(s));
	EXPECT_EQ(s.put_blocks, BLOCKS + 6 + 16 * THREADS);
	EXPECT_EQ(s.put_bytes, s.put_blocks * BLOCK_BYTES);
	EXPECT_EQ(s.put_present, BLOCKS);
	EXPECT_EQ(s.put_conflict, BLOCKS);
	EXPECT_EQ(s.put_aborted, 2);
	EXPECT_EQ(s.delete_blocks, 6);
	EXPECT_EQ(s.namespaces, 1);
	EXPECT_EQ(s.files, 1);
	EXPECT_EQ(s.blocks, BLOCKS + 16 * THREADS);
	EXPECT_EQ(s.verify_errors + s.read_errors + s.write_errors, 0);
	EXPECT_EQ(hymc_pool_list_get(ctx, &list), 0);
	pool = hymc_pool_find(list, pool_id);
	EXPECT(pool);
	if (pool)
		EXPECT(!memcmp(&hymc_pool_stats(pool)->blocks, &s.blocks,
			       sizeof(s) - at));
	hymc_pool_list_free(list);
}

/* Views are held; after close and reopen nothing is outstanding. */
static void test_close(void)
{
	struct hymc_stats s;
	char digits[12];

	EXPECT_EQ(hymc_dev_stats(dev, &s), 0);
	EXPECT(s.views > 0);
	hymc_dev_close(dev);
	snprintf(digits, sizeof(digits), "%u", pool_id);
	EXPECT_EQ(hymc_dev_open(ctx, digits, &dev), 0);
	EXPECT_EQ(hymc_dev_stats(dev, &s), 0);
	EXPECT_EQ(s.views + s.requests + s.reservations, 0);
	EXPECT_EQ(s.leases + s.waiters, 0);
	EXPECT_EQ(s.files, 1);
	EXPECT_EQ(hymc_ns_attach(dev, "calls", fp, 0, &ns), 0);
}

static void test_destroy(void)
{
	struct hymc_key key = key_of("put", 0);
	struct hymc_stats s;
	char me[32];

	snprintf(me, sizeof(me), "test-calls (%d)", (int)getpid());
	EXPECT(said(hymc_pool_destroy(ctx, pool_id, false), -EBUSY, me));
	EXPECT(said(hymc_pool_destroy(ctx, 4711, true), -ENOENT, "4711"));
	EXPECT_EQ(hymc_dev_stats(dev, &s), 0);
	EXPECT_EQ(hymc_pool_destroy(ctx, pool_id, true), 0);
	EXPECT(said(hymc_dev_stats(dev, &s), -ENODEV, "gone"));
	EXPECT(said(hymc_lookup(dev, ns, &key, 1, 0, NULL), -ENODEV, "gone"));
	EXPECT(said(hymc_sync(dev, 1000), -ENODEV, "gone"));
	hymc_dev_close(dev);
	snprintf(me, sizeof(me), "%u", pool_id);
	EXPECT(said(hymc_dev_open(ctx, me, &dev), -ENOENT, "does not exist"));
}

static const struct tap_test tests[] = {
	{ "a node opens by number, name and path", test_open },
	{ "namespaces attach, or are refused with a reason", test_attach },
	{ "calls that make no sense are refused with a sentence", test_refusals },
	{ "put and lookup", test_put },
	{ "get", test_get },
	{ "the mappings", test_map },
	{ "acquire and release", test_acquire },
	{ "prefetch, acquire by request, cancel", test_request },
	{ "reserve, fill, commit, abort", test_reserve },
	{ "sync and delete", test_sync_delete },
	{ "one device, several threads", test_threads },
	{ "counters: node, control family and we agree", test_stats },
	{ "close gives everything back", test_close },
	{ "destroy names the holder, and by force ends its calls", test_destroy },
};

int main(int argc, char **argv)
{
	int ret;

	if (argc != 2 || hymc_ctx_new(&ctx))
		return 1;
	pool_id = (uint32_t)strtoul(argv[1], NULL, 10);
	ret = tap_run(tests, HYMC_ARRAY_SIZE(tests));
	hymc_ctx_unref(ctx);
	return ret;
}
