// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the calls that store and forget blocks
 *
 * reserve, commit, abort, put, delete and sync. The caller (cdev.c) entered the pool
 * and checked the size of the argument; here its content is checked. No lock is
 * held over copies.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "pool.h"

#define HYMC_PUT_FLAGS	(HYMC_PUT_PARENT | HYMC_PUT_CHAIN)

/* Checks that put and reserve share. */
static int put_check(struct hymc_file *file, u32 flags, u32 ns, u32 nr,
		     const u8 *parent)
{
	if (flags & ~HYMC_PUT_FLAGS || !nr)
		return -EINVAL;
	if (nr > HYMC_BATCH_MAX)
		return -E2BIG;
	if (!(flags & HYMC_PUT_PARENT) && memchr_inv(parent, 0, HYMC_KEY_BYTES))
		return -EINVAL;
	return hymc_ns_attached(file, ns) ? 0 : -EBADF;
}

/**
 * struct put_walk - the chain position of the next block of a batch
 * @flags: HYMC_PUT_*
 * @has_parent: @parent is meant
 * @parent: the next block's parent
 */
struct put_walk {
	u32 flags;
	bool has_parent;
	struct hymc_key parent;
};

static void walk_init(struct put_walk *w, u32 flags, const u8 *parent)
{
	w->flags = flags;
	w->has_parent = flags & HYMC_PUT_PARENT;
	memcpy(&w->parent, parent, sizeof(w->parent));
}

/* The block just handled was @key. */
static void walk_next(struct put_walk *w, const struct hymc_key *key)
{
	w->has_parent = w->flags & HYMC_PUT_CHAIN;
	w->parent = *key;
}

static int try_reserve(struct hymc_pool *pool, u32 ns, const struct put_walk *w,
		       const struct hymc_desc *d, u32 *block, u32 *tier)
{
	const struct hymc_key *key = (const struct hymc_key *)d->key;
	int err;

	guard(mutex)(&pool->lock);
	err = hymc_core_reserve(pool->core, ns, key, d->len,
				w->has_parent ? &w->parent : NULL,
				ktime_get_ns(), block);
	*tier = err == -EALREADY || err == -EEXIST ?
		hymc_core_tier(pool->core, *block) : HYMC_TIER_NONE;
	return err;
}

/*
 * Reserve one block. A staging pool answers at once; a pool with the LRU policy
 * waits for write-back to make a frame clean, which is what its kind does.
 */
static int reserve_one(struct hymc_pool *pool, u32 ns, const struct put_walk *w,
		       const struct hymc_desc *d, unsigned long end,
		       u32 *block, u32 *tier)
{
	int err, fed = hymc_pool_feed(pool);

	for (;;) {
		int seq = atomic_read(&pool->room.seq);
		int waited;

		err = try_reserve(pool, ns, w, d, block, tier);
		if (err == -ENOMEM && fed)
			return fed;
		if (err != -EAGAIN || pool->cfg.policy != HYMC_POLICY_LRU)
			return err;
		hymc_pool_pump(pool);
		waited = hymc_waitq_wait(pool, &pool->room, seq, end);
		if (waited)
			return waited;
	}
}

/* ------------------------------------------------------------ reserve --- */

/* Make a reserved block writable and describe it. */
static int reserve_publish(struct hymc_file *file, struct hymc_reserve *arg,
			   u32 block, u64 call, struct hymc_view *view)
{
	struct hymc_uview v = {
		.kind = HYMC_UVIEW_WRITE,
		.block = block,
		.call = call,
	};
	u32 first = arg->nr_runs;
	int err;

	hymc_uview_open(file, block);
	err = hymc_put_runs(file->pool, block, u64_to_user_ptr(arg->runs),
			    arg->runs_max, &arg->nr_runs);
	view->len = hymc_core_len(file->pool->core, block);
	view->run_first = first;
	view->run_nr = arg->nr_runs - first;
	if (!err)
		err = hymc_uview_add(file, &v, &view->view);
	if (err) {
		arg->nr_runs = first;
		*view = (struct hymc_view) { .tier = view->tier };
		hymc_uview_abort(file, block, true);
	}
	return err;
}

static int reserve_elem(struct hymc_file *file, struct hymc_reserve *arg,
			struct put_walk *w, u32 i, unsigned long end, u64 call)
{
	const struct hymc_desc __user *in = u64_to_user_ptr(arg->descs);
	struct hymc_view __user *out = u64_to_user_ptr(arg->views);
	struct hymc_view view = {};
	struct hymc_desc d;
	u32 block;

	if (copy_from_user(&d, &in[i], sizeof(d)))
		return -EFAULT;
	view.status = d.addr ? -EINVAL : reserve_one(file->pool, arg->ns, w, &d,
						     end, &block, &view.tier);
	if (!view.status)
		view.status = reserve_publish(file, arg, block, call, &view);
	if (view.status == -ENODEV || view.status == -EFAULT)
		return view.status;
	walk_next(w, (const struct hymc_key *)d.key);
	if (!view.status && arg->nr_ok == i)
		arg->nr_ok++;
	return copy_to_user(&out[i], &view, sizeof(view)) ? -EFAULT : 0;
}

/**
 * hymc_call_reserve - HYMC_IOC_RESERVE
 * @file: open file
 * @p: struct hymc_reserve
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep.
 */
long hymc_call_reserve(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_reserve *arg = p;
	unsigned long end = jiffies + msecs_to_jiffies(arg->timeout_ms);
	struct put_walk w;
	u32 i;
	int err = put_check(file, arg->flags, arg->ns, arg->nr, arg->parent);

	if (err)
		return err;
	walk_init(&w, arg->flags, arg->parent);
	arg->nr_ok = 0;
	arg->nr_runs = 0;
	for (i = 0; !err && i < arg->nr; i++) {
		err = reserve_elem(file, arg, &w, i, end, call);
		if (!err)
			err = hymc_call_go_on(file->pool);
	}
	return err;
}

static int end_commit(struct hymc_file *file, const struct hymc_uview *v)
{
	return hymc_uview_commit(file, v->block, true);
}

static int end_abort(struct hymc_file *file, const struct hymc_uview *v)
{
	hymc_uview_abort(file, v->block, true);
	return 0;
}

/**
 * hymc_call_commit - HYMC_IOC_COMMIT
 * @file: open file
 * @p: struct hymc_views
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep, not for I/O.
 */
long hymc_call_commit(struct hymc_file *file, void *p, u64 call)
{
	long err = hymc_for_views(file, p, HYMC_UVIEW_WRITE, end_commit);

	hymc_pool_pump(file->pool);
	return err;
}

/**
 * hymc_call_abort - HYMC_IOC_ABORT
 * @file: open file
 * @p: struct hymc_views
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep, not for I/O.
 */
long hymc_call_abort(struct hymc_file *file, void *p, u64 call)
{
	long err = hymc_for_views(file, p, HYMC_UVIEW_WRITE, end_abort);

	hymc_pool_pump(file->pool);
	return err;
}

/* ---------------------------------------------------------------- put --- */

/* Fill a reserved block from @src. 0, -EFAULT, or -EIO when its memory is lost. */
static int put_copy(struct hymc_pool *pool, u32 block, const void __user *src)
{
	u64 left = hymc_core_len(pool->core, block);
	u32 frame = hymc_core_frame_first(pool->core, block);
	u64 unit = pool->cfg.frame_bytes;
	int err;

	while (left) {
		u64 n = min(left, unit);

		err = hymc_mem_from_user(pool->mem, frame * unit, src, n);
		if (err)
			return err;
		src += n;
		left -= n;
		frame = hymc_core_frame_next(pool->core, frame);
		cond_resched();
	}
	return 0;
}

/* Store one block; the answer goes to @done. */
static void put_one(struct hymc_file *file, const struct hymc_copy *arg,
		    struct put_walk *w, const struct hymc_desc *d,
		    unsigned long end, struct hymc_done *done)
{
	u32 block;

	done->status = reserve_one(file->pool, arg->ns, w, d, end, &block,
				   &done->tier);
	if (done->status == -EALREADY) {
		done->status = 0;
		done->len = d->len;
	}
	if (done->status || done->tier != HYMC_TIER_NONE)
		return;
	done->status = put_copy(file->pool, block, u64_to_user_ptr(d->addr));
	if (done->status) {
		hymc_uview_abort(file, block, false);
		return;
	}
	hymc_uview_commit(file, block, false);
	done->len = d->len;
}

static int put_elem(struct hymc_file *file, struct hymc_copy *arg,
		    struct put_walk *w, u32 i, unsigned long end)
{
	const struct hymc_desc __user *in = u64_to_user_ptr(arg->descs);
	struct hymc_done __user *out = u64_to_user_ptr(arg->done);
	struct hymc_done done = {};
	struct hymc_desc d;

	if (copy_from_user(&d, &in[i], sizeof(d)))
		return -EFAULT;
	put_one(file, arg, w, &d, end, &done);
	if (done.status == -ENODEV)
		return -ENODEV;
	walk_next(w, (const struct hymc_key *)d.key);
	if (!done.status && arg->nr_ok == i)
		arg->nr_ok++;
	return copy_to_user(&out[i], &done, sizeof(done)) ? -EFAULT : 0;
}

/**
 * hymc_call_put - HYMC_IOC_PUT
 * @file: open file
 * @p: struct hymc_copy
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep.
 */
long hymc_call_put(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_copy *arg = p;
	unsigned long end = jiffies + msecs_to_jiffies(arg->timeout_ms);
	struct put_walk w;
	u32 i;
	int err = put_check(file, arg->flags, arg->ns, arg->nr, arg->parent);

	if (err)
		return err;
	walk_init(&w, arg->flags, arg->parent);
	arg->nr_ok = 0;
	for (i = 0; !err && i < arg->nr; i++) {
		err = put_elem(file, arg, &w, i, end);
		hymc_pool_pump(file->pool);
		if (!err)
			err = hymc_call_go_on(file->pool);
	}
	return err;
}

/* ------------------------------------------------------ delete and sync --- */

static int delete_one(struct hymc_pool *pool, u32 ns, const struct hymc_key *key)
{
	guard(mutex)(&pool->lock);
	return hymc_core_delete(pool->core, ns, key);
}

/**
 * hymc_call_delete - HYMC_IOC_DELETE
 * @file: open file
 * @p: struct hymc_delete
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep, not for I/O.
 */
long hymc_call_delete(struct hymc_file *file, void *p, u64 call)
{
	static const u8 no_parent[HYMC_KEY_BYTES];
	struct hymc_delete *arg = p;
	const struct hymc_key __user *keys = u64_to_user_ptr(arg->keys);
	s32 __user *out = u64_to_user_ptr(arg->status);
	u32 i;
	int err;

	if (arg->flags || arg->__reserved)
		return -EINVAL;
	err = put_check(file, 0, arg->ns, arg->nr, no_parent);
	if (err)
		return err;
	arg->nr_ok = 0;
	for (i = 0; !err && i < arg->nr; i++) {
		struct hymc_key key;
		s32 st;

		if (copy_from_user(&key, &keys[i], sizeof(key)))
			return -EFAULT;
		st = delete_one(file->pool, arg->ns, &key);
		if (!st && arg->nr_ok == i)
			arg->nr_ok++;
		if (arg->status && put_user(st, &out[i]))
			return -EFAULT;
		err = hymc_call_go_on(file->pool);
	}
	hymc_pool_pump(file->pool);
	return err;
}

/**
 * hymc_call_sync - HYMC_IOC_SYNC
 * @file: open file
 * @p: struct hymc_sync
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep as long as the caller allows.
 */
long hymc_call_sync(struct hymc_file *file, void *p, u64 call)
{
	const struct hymc_sync *arg = p;
	u64 seen;
	int err;

	if (arg->flags || arg->__reserved)
		return -EINVAL;
	mutex_lock(&file->lock);
	seen = file->lost_seen;
	mutex_unlock(&file->lock);
	err = hymc_pool_sync(file->pool, arg->timeout_ms, &seen);
	mutex_lock(&file->lock);
	file->lost_seen = max(file->lost_seen, seen);
	mutex_unlock(&file->lock);
	return err;
}
