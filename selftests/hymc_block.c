// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: helpers of the selftests that deal with blocks
 *
 * Each wraps one ioctl for one block and returns the block's own status, or the
 * call's error when the call failed as a whole. See hymc_test.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hymc_test.h"

/* --- a pool with a namespace ------------------------------------------------ */

/**
 * ht_begin - open the pool
 * @h: filled
 * @ns_name: namespace, made when it does not exist
 *
 * Return: 0 or a negative errno.
 */
int ht_begin(struct ht *h, const char *ns_name)
{
	int ret;

	memset(h, 0, sizeof(*h));
	h->fd = open(ht_node(), O_RDWR | O_CLOEXEC);
	if (h->fd < 0)
		return -errno;
	ret = ht_info_fd(h->fd, &h->info);
	if (!ret)
		ret = ht_attach_fd(h->fd, ns_name, 1, HYMC_NS_CREATE, &h->ns);
	if (ret)
		ht_end(h);
	return ret;
}

/**
 * ht_end - unmap and close
 * @h: pool, opened or zeroed
 */
void ht_end(struct ht *h)
{
	if (h->map)
		munmap((void *)h->map, h->info.dram_bytes);
	if (h->wmap)
		munmap(h->wmap, h->info.dram_bytes);
	if (h->fd > 0)
		close(h->fd);
	memset(h, 0, sizeof(*h));
}

static void *map_all(struct ht *h, int prot)
{
	return mmap(NULL, h->info.dram_bytes, prot, MAP_SHARED, h->fd, 0);
}

/**
 * ht_map - map the DRAM read-only
 * @h: pool
 *
 * Return: 0 or a negative errno.
 */
int ht_map(struct ht *h)
{
	void *p;

	if (h->map)
		return 0;
	p = map_all(h, PROT_READ);
	if (p == MAP_FAILED)
		return -errno;
	h->map = p;
	return 0;
}

/**
 * ht_map_write - map the DRAM writable
 * @h: pool
 *
 * Return: 0 or a negative errno.
 */
int ht_map_write(struct ht *h)
{
	void *p;

	if (h->wmap)
		return 0;
	p = map_all(h, PROT_READ | PROT_WRITE);
	if (p == MAP_FAILED)
		return -errno;
	h->wmap = p;
	return 0;
}

/* --- one block at a time ---------------------------------------------------- */

static int copy_one(struct ht *h, unsigned long cmd, struct hymc_desc *desc,
		    unsigned int timeout_ms, struct hymc_done *done)
{
	struct hymc_copy c = {
		.size = sizeof(c),
		.ns = h->ns,
		.nr = 1,
		.descs = ht_ptr(desc),
		.done = ht_ptr(done),
		.timeout_ms = timeout_ms,
	};
	int ret;

	memset(done, 0xff, sizeof(*done));
	ret = ht_ioctl(h->fd, cmd, &c);
	if (ret)
		return ret;
	if (c.nr_ok != !done->status)
		return -EPROTO;
	return done->status;
}

static void desc_init(struct hymc_desc *d, __u64 id, __u64 len, void *buf)
{
	struct ht_key key;

	ht_key(id, &key);
	memcpy(d->key, key.b, sizeof(d->key));
	d->len = len;
	d->addr = ht_ptr(buf);
}

/**
 * ht_put - store a block with its payload
 * @h: pool
 * @id: block number
 * @len: payload bytes
 *
 * Return: 0, the block's status, or the call's error.
 */
int ht_put(struct ht *h, __u64 id, __u64 len)
{
	struct hymc_desc d;
	struct hymc_done done;
	void *buf = malloc(len ? len : 1);
	int ret;

	if (!buf)
		return -ENOMEM;
	ht_fill(id, 0, buf, len);
	desc_init(&d, id, len, buf);
	ret = copy_one(h, HYMC_IOC_PUT, &d, HT_LONG_MS, &done);
	free(buf);
	return ret;
}

/**
 * ht_get - fetch a block by copying and check it
 * @h: pool
 * @id: block number
 * @len: payload bytes expected
 * @timeout_ms: longest wait
 *
 * Return: 0, -EILSEQ for wrong bytes or length, the status, or the error.
 */
int ht_get(struct ht *h, __u64 id, __u64 len, unsigned int timeout_ms)
{
	struct hymc_desc d;
	struct hymc_done done;
	void *buf = malloc(len);
	int ret;

	if (!buf)
		return -ENOMEM;
	memset(buf, 0xa5, len);
	desc_init(&d, id, len, buf);
	ret = copy_one(h, HYMC_IOC_GET, &d, timeout_ms, &done);
	if (!ret && (done.len != len || ht_check(id, 0, buf, len) >= 0))
		ret = -EILSEQ;
	free(buf);
	return ret;
}

/**
 * ht_lookup - is a block there?
 * @h: pool
 * @id: block number
 * @found: filled, or NULL
 *
 * Return: 0, -ENOENT, or the call's error.
 */
int ht_lookup(struct ht *h, __u64 id, struct hymc_found *found)
{
	struct hymc_found f;
	struct ht_key key;
	struct hymc_lookup l = {
		.size = sizeof(l),
		.ns = h->ns,
		.nr = 1,
		.keys = ht_ptr(&key),
		.found = ht_ptr(&f),
	};
	int ret;

	ht_key(id, &key);
	memset(&f, 0xff, sizeof(f));
	ret = ht_ioctl(h->fd, HYMC_IOC_LOOKUP, &l);
	if (ret)
		return ret;
	if (found)
		*found = f;
	if (l.nr_hit != !f.status)
		return -EPROTO;
	return f.status;
}

/**
 * ht_tier - where a block is
 * @h: pool
 * @id: block number
 *
 * Return: enum hymc_tier, or the call's error.
 */
int ht_tier(struct ht *h, __u64 id)
{
	struct hymc_found f;
	int ret = ht_lookup(h, id, &f);

	return ret && ret != -ENOENT ? ret : (int)f.tier;
}

static int acquire_one(struct ht *h, struct hymc_acquire *a, struct ht_block *b)
{
	int ret;

	memset(b, 0xff, sizeof(*b));
	a->size = sizeof(*a);
	a->ns = h->ns;
	a->nr = 1;
	a->views = ht_ptr(&b->view);
	a->runs = ht_ptr(b->runs);
	a->runs_max = HT_RUNS_MAX;
	ret = ht_ioctl(h->fd, HYMC_IOC_ACQUIRE, a);
	if (ret)
		return ret;
	if (a->nr_ok != !b->view.status || !a->nr_ok != !b->view.view)
		return -EPROTO;
	return b->view.status;
}

/**
 * ht_acquire - pin a block by key
 * @h: pool
 * @id: block number
 * @timeout_ms: longest wait
 * @b: filled
 *
 * Return: 0, the block's status, or the call's error.
 */
int ht_acquire(struct ht *h, __u64 id, unsigned int timeout_ms,
	       struct ht_block *b)
{
	struct ht_key key;
	struct hymc_acquire a = {
		.keys = ht_ptr(&key),
		.timeout_ms = timeout_ms,
	};

	ht_key(id, &key);
	return acquire_one(h, &a, b);
}

/**
 * ht_acquire_item - pin a block of a prefetch request
 * @h: pool
 * @request: handle
 * @i: position in the request's key list
 * @timeout_ms: longest wait
 * @b: filled
 *
 * Return: 0, the block's status, or the call's error.
 */
int ht_acquire_item(struct ht *h, __u64 request, __u32 i,
		    unsigned int timeout_ms, struct ht_block *b)
{
	struct hymc_acquire a = {
		.request = request,
		.first = i,
		.timeout_ms = timeout_ms,
	};

	return acquire_one(h, &a, b);
}

/**
 * ht_views - end views
 * @fd: file
 * @cmd: HYMC_IOC_RELEASE, _COMMIT or _ABORT
 * @views: handles
 * @nr: their number
 * @status: statuses, or NULL
 *
 * Return: leading successes, or the call's error.
 */
int ht_views(int fd, unsigned long cmd, const __u64 *views, __u32 nr,
	     __s32 *status)
{
	struct hymc_views v = {
		.size = sizeof(v),
		.nr = nr,
		.views = ht_ptr(views),
		.status = ht_ptr(status),
	};
	int ret = ht_ioctl(fd, cmd, &v);

	return ret ? ret : (int)v.nr_ok;
}

static int view_one(struct ht *h, unsigned long cmd, const struct ht_block *b)
{
	__s32 status = 1;
	int ret = ht_views(h->fd, cmd, &b->view.view, 1, &status);

	if (ret < 0)
		return ret;
	return ret == !status ? status : -EPROTO;
}

/**
 * ht_release - unpin
 * @h: pool
 * @b: acquired block
 *
 * Return: 0, the status, or the call's error.
 */
int ht_release(struct ht *h, const struct ht_block *b)
{
	return view_one(h, HYMC_IOC_RELEASE, b);
}

/**
 * ht_commit - make a reserved block visible
 * @h: pool
 * @b: reserved block
 *
 * Return: 0, the status, or the call's error.
 */
int ht_commit(struct ht *h, const struct ht_block *b)
{
	return view_one(h, HYMC_IOC_COMMIT, b);
}

/**
 * ht_abort - forget a reserved block
 * @h: pool
 * @b: reserved block
 *
 * Return: 0, the status, or the call's error.
 */
int ht_abort(struct ht *h, const struct ht_block *b)
{
	return view_one(h, HYMC_IOC_ABORT, b);
}

/**
 * ht_reserve - take DRAM for a new block
 * @h: pool
 * @id: block number
 * @len: payload bytes
 * @b: filled
 *
 * Return: 0, the block's status, or the call's error.
 */
int ht_reserve(struct ht *h, __u64 id, __u64 len, struct ht_block *b)
{
	struct hymc_desc d;
	struct hymc_reserve r = {
		.size = sizeof(r),
		.ns = h->ns,
		.nr = 1,
		.descs = ht_ptr(&d),
		.views = ht_ptr(&b->view),
		.runs = ht_ptr(b->runs),
		.runs_max = HT_RUNS_MAX,
	};
	int ret;

	desc_init(&d, id, len, NULL);
	memset(b, 0xff, sizeof(*b));
	ret = ht_ioctl(h->fd, HYMC_IOC_RESERVE, &r);
	if (ret)
		return ret;
	if (r.nr_ok != !b->view.status || !r.nr_ok != !b->view.view)
		return -EPROTO;
	return b->view.status;
}

/**
 * ht_delete - forget a block
 * @h: pool
 * @id: block number
 *
 * Return: 0, -ENOENT, or the call's error.
 */
int ht_delete(struct ht *h, __u64 id)
{
	__s32 status = 1;
	struct ht_key key;
	struct hymc_delete d = {
		.size = sizeof(d),
		.ns = h->ns,
		.nr = 1,
		.keys = ht_ptr(&key),
		.status = ht_ptr(&status),
	};
	int ret;

	ht_key(id, &key);
	ret = ht_ioctl(h->fd, HYMC_IOC_DELETE, &d);
	if (ret)
		return ret;
	return d.nr_ok == !status ? status : -EPROTO;
}

/**
 * ht_sync - wait until what was committed is on the drive
 * @h: pool
 *
 * Return: 0 or the call's error.
 */
int ht_sync(struct ht *h)
{
	struct hymc_sync s = {
		.size = sizeof(s),
		.timeout_ms = HT_LONG_MS,
	};

	return ht_ioctl(h->fd, HYMC_IOC_SYNC, &s);
}

/**
 * ht_runs_ok - do the runs make sense?
 * @h: pool
 * @b: acquired or reserved block
 *
 * Return: true when they lie inside the DRAM and add up to the block's length.
 */
bool ht_runs_ok(const struct ht *h, const struct ht_block *b)
{
	__u64 bytes = 0;
	unsigned int i;

	if (b->view.run_nr < 1 || b->view.run_first + b->view.run_nr > HT_RUNS_MAX)
		return false;
	for (i = 0; i < b->view.run_nr; i++) {
		const struct hymc_run *r = &b->runs[b->view.run_first + i];

		if (!r->len || r->offset % 4096 ||
		    r->offset >= h->info.dram_bytes ||
		    r->len > h->info.dram_bytes - r->offset)
			return false;
		bytes += r->len;
	}
	return bytes == b->view.len;
}

/**
 * ht_block_fill - write a reserved block's payload through the mapping
 * @h: pool, mapped writable
 * @b: reserved block
 * @id: block number
 */
void ht_block_fill(struct ht *h, const struct ht_block *b, __u64 id)
{
	__u64 off = 0;
	unsigned int i;

	for (i = 0; i < b->view.run_nr; i++) {
		const struct hymc_run *r = &b->runs[b->view.run_first + i];

		ht_fill(id, off, h->wmap + r->offset, r->len);
		off += r->len;
	}
}

/**
 * ht_block_check - check an acquired block's payload through the mapping
 * @h: pool, mapped
 * @b: acquired block
 * @id: block number
 *
 * Return: -1 when all bytes are right, else the offset of the first wrong one.
 */
ssize_t ht_block_check(struct ht *h, const struct ht_block *b, __u64 id)
{
	ssize_t bad;
	__u64 off = 0;
	unsigned int i;

	for (i = 0; i < b->view.run_nr; i++) {
		const struct hymc_run *r = &b->runs[b->view.run_first + i];

		bad = ht_check(id, off, h->map + r->offset, r->len);
		if (bad >= 0)
			return bad;
		off += r->len;
	}
	return -1;
}

/**
 * ht_read - acquire, check every byte, release
 * @h: pool, mapped
 * @id: block number
 * @len: payload bytes expected
 * @timeout_ms: longest wait
 *
 * Return: 0, -EILSEQ for wrong bytes, length or runs, the status, or the error.
 */
int ht_read(struct ht *h, __u64 id, __u64 len, unsigned int timeout_ms)
{
	struct ht_block b;
	int ret = ht_acquire(h, id, timeout_ms, &b);
	bool right;

	if (ret)
		return ret;
	right = b.view.len == len && ht_runs_ok(h, &b) &&
		ht_block_check(h, &b, id) < 0;
	ret = ht_release(h, &b);
	return right ? ret : -EILSEQ;
}

/* --- several blocks ---------------------------------------------------------- */

/**
 * ht_prefetch - hint blocks
 * @h: pool
 * @ids: block numbers in the order of use
 * @nr: their number
 * @window: bytes, or HYMC_WINDOW_DEFAULT
 * @ttl_ms: life of the request, 0 for the default
 * @request: set to the handle
 *
 * Return: 0 or the call's error.
 */
int ht_prefetch(struct ht *h, const __u64 *ids, __u32 nr, __u64 window,
		unsigned int ttl_ms, __u64 *request)
{
	struct ht_key *keys = calloc(nr, sizeof(*keys));
	struct hymc_prefetch p = {
		.size = sizeof(p),
		.ns = h->ns,
		.nr = nr,
		.keys = ht_ptr(keys),
		.window_bytes = window,
		.ttl_ms = ttl_ms,
	};
	__u32 i;
	int ret;

	if (!keys)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		ht_key(ids[i], &keys[i]);
	ret = ht_ioctl(h->fd, HYMC_IOC_PREFETCH, &p);
	free(keys);
	*request = p.request;
	return ret;
}

/**
 * ht_cancel - end a request
 * @h: pool
 * @request: handle
 *
 * Return: 0 or the call's error.
 */
int ht_cancel(struct ht *h, __u64 request)
{
	struct hymc_cancel c = {
		.size = sizeof(c),
		.request = request,
	};

	return ht_ioctl(h->fd, HYMC_IOC_CANCEL, &c);
}

/* A put that waits for write-back when the buffer is full. */
static int put_patiently(struct ht *h, __u64 id, __u64 len)
{
	unsigned int tries;
	int ret = -EAGAIN;

	for (tries = 0; tries < 5 && ret == -EAGAIN; tries++) {
		ret = ht_put(h, id, len);
		if (ret == -EAGAIN && ht_sync(h))
			break;
	}
	return ret;
}

/**
 * ht_put_many - store blocks @first.. one after the other
 * @h: pool
 * @first: number of the first block
 * @nr: how many
 * @len: payload bytes of each
 *
 * Return: 0, or the first error that waiting for the write buffer did not cure.
 */
int ht_put_many(struct ht *h, __u64 first, unsigned int nr, __u64 len)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = put_patiently(h, first + i, len);
	return ret;
}

/**
 * ht_evict - push a block out of the DRAM
 * @h: pool
 * @id: block number, committed, held by nobody
 *
 * Return: 0, -ETIMEDOUT, or an error.
 */
int ht_evict(struct ht *h, __u64 id)
{
	__u64 frames = h->info.dram_bytes / h->info.frame_bytes;
	__u64 other = ht_new_id();
	__u64 i;
	int ret = ht_sync(h);

	for (i = 0; !ret && i < 2 * frames; i++) {
		if (ht_tier(h, id) == HYMC_TIER_SSD)
			break;
		ret = put_patiently(h, other + i, h->info.frame_bytes);
	}
	if (!ret && ht_tier(h, id) != HYMC_TIER_SSD)
		ret = -ETIMEDOUT;
	while (i-- > 0)
		ht_delete(h, other + i);
	return ret ? ret : ht_sync(h);
}

/**
 * ht_pin_all - pin blocks until no frame is left
 * @h: pool
 * @pins: filled, to be given to ht_unpin() also after a failure
 *
 * Return: 0, or a negative errno (-EPROTO: there were more frames than the pool
 * says).
 */
int ht_pin_all(struct ht *h, struct ht_pins *pins)
{
	unsigned int i;
	struct ht_block b;
	int ret;

	memset(pins, 0, sizeof(*pins));
	pins->first = ht_new_id();
	pins->blocks = h->info.dram_bytes / h->info.frame_bytes + 2;
	pins->views = calloc(pins->blocks, sizeof(*pins->views));
	if (!pins->views)
		return -ENOMEM;
	ret = ht_put_many(h, pins->first, pins->blocks, h->info.frame_bytes);
	if (!ret)
		ret = ht_sync(h);
	for (i = 0; !ret && i < pins->blocks; i++) {
		ret = ht_acquire(h, pins->first + i, 500, &b);
		if (!ret)
			pins->views[pins->nr++] = b.view.view;
	}
	if (!ret)
		return -EPROTO;
	return ret == -ETIMEDOUT ? 0 : ret;
}

/**
 * ht_unpin - undo ht_pin_all()
 * @h: pool
 * @pins: what it filled
 *
 * Return: 0 or a negative errno.
 */
int ht_unpin(struct ht *h, struct ht_pins *pins)
{
	__u32 i;
	int ret = 0;

	if (pins->nr)
		ret = ht_views(h->fd, HYMC_IOC_RELEASE, pins->views, pins->nr,
			       NULL);
	for (i = 0; i < pins->blocks; i++)
		ht_delete(h, pins->first + i);
	free(pins->views);
	pins->views = NULL;
	return ret == (int)pins->nr ? 0 : ret < 0 ? ret : -EPROTO;
}
