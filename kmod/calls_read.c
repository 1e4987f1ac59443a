// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the calls that find and read blocks
 *
 * lookup, prefetch, cancel, acquire, release and get. Batches are handled in rounds
 * of HYMC_ROUND elements: one hold of pool->lock a round, copies from and to user
 * space outside of it. The caller (cdev.c) entered the pool and checked the size of
 * the argument; here its content is checked.
 */
#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "pool.h"

/**
 * hymc_call_go_on - between two elements of a batch: may the call continue?
 * @pool: pool, entered
 *
 * A batch may be long. It must not keep a killed process alive, nor a pool that is
 * being destroyed. Yields the CPU when others want it.
 *
 * Return: 0, -ENODEV (the pool is dead) or -EINTR (the process was killed).
 */
int hymc_call_go_on(struct hymc_pool *pool)
{
	cond_resched();
	if (READ_ONCE(pool->dead))
		return -ENODEV;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/* Common checks of a batched call: -EINVAL, -E2BIG or -EBADF. */
static int check_batch(struct hymc_file *file, u32 flags, u32 ns, u32 nr)
{
	if (flags || !nr)
		return -EINVAL;
	if (nr > HYMC_BATCH_MAX)
		return -E2BIG;
	return hymc_ns_attached(file, ns) ? 0 : -EBADF;
}

static int copy_keys(struct hymc_key *dst, u64 keys, u32 first, u32 nr)
{
	const struct hymc_key __user *src = u64_to_user_ptr(keys);

	return copy_from_user(dst, src + first, nr * sizeof(*dst)) ? -EFAULT : 0;
}

/* ------------------------------------------------------------- lookup --- */

struct lookup_round {
	struct hymc_key keys[HYMC_ROUND];
	struct hymc_found found[HYMC_ROUND];
};

/* Look @nr keys up; leases stop at the first miss of the whole call. */
static void lookup_some(struct hymc_pool *pool, struct hymc_lookup *arg,
			struct lookup_round *r, u32 nr, bool *prefix,
			struct hymc_lease *lease)
{
	u64 now = ktime_get_ns();
	u32 i;

	guard(mutex)(&pool->lock);
	for (i = 0; i < nr; i++) {
		struct hymc_hit hit = {};
		bool found = hymc_core_lookup(pool->core, arg->ns, &r->keys[i],
					      *prefix ? lease : NULL, now, &hit);

		*prefix = *prefix && found;
		arg->nr_hit += *prefix;
		r->found[i] = (struct hymc_found) {
			.status = found ? 0 : -ENOENT,
			.tier = hit.tier,
			.len = hit.len,
		};
	}
}

static int lookup_rounds(struct hymc_pool *pool, struct hymc_lookup *arg,
			 struct hymc_lease *lease)
{
	struct lookup_round *r __free(kfree) = kmalloc(sizeof(*r), GFP_KERNEL);
	struct hymc_found __user *out = u64_to_user_ptr(arg->found);
	bool prefix = true;
	u32 at, nr;
	int err;

	if (!r)
		return -ENOMEM;
	for (at = 0; at < arg->nr; at += nr) {
		nr = min(arg->nr - at, HYMC_ROUND);
		err = copy_keys(r->keys, arg->keys, at, nr);
		if (err)
			return err;
		lookup_some(pool, arg, r, nr, &prefix, lease);
		if (arg->found && copy_to_user(out + at, r->found,
					       nr * sizeof(*r->found)))
			return -EFAULT;
		err = hymc_call_go_on(pool);
		if (err)
			return err;
	}
	return 0;
}

/* Look up and keep what is found for a while. */
static int lookup_leased(struct hymc_file *file, struct hymc_lookup *arg)
{
	u64 ms = min(arg->lease_ms, HYMC_LEASE_MS_MAX);
	struct hymc_ulease *l;
	int err;

	l = hymc_ulease_new(arg->nr, ktime_get_ns() + ms * NSEC_PER_MSEC);
	if (!l)
		return -ENOMEM;
	err = lookup_rounds(file->pool, arg, l->lease);
	if (!err && hymc_lease_nr(l->lease)) {
		err = hymc_ulease_give(file, l);
		if (!err)
			return 0;
	}
	hymc_ulease_discard(file->pool, l);
	return err;
}

/**
 * hymc_call_lookup - HYMC_IOC_LOOKUP
 * @file: open file
 * @p: struct hymc_lookup
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep.
 */
long hymc_call_lookup(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_lookup *arg = p;
	int err = check_batch(file, arg->flags, arg->ns, arg->nr);

	if (err)
		return err;
	arg->nr_hit = 0;
	if (arg->lease_ms)
		return lookup_leased(file, arg);
	return lookup_rounds(file->pool, arg, NULL);
}

/* ----------------------------------------------------------- prefetch --- */

/* Name all keys of @arg to the request. */
static int prefetch_add_keys(struct hymc_file *file, struct hymc_ureq *u,
			     const struct hymc_prefetch *arg)
{
	struct hymc_pool *pool = file->pool;
	struct hymc_key *keys __free(kfree) = NULL;
	u32 at, nr, i;
	int err = 0;

	keys = kmalloc_array(HYMC_ROUND, sizeof(*keys), GFP_KERNEL);
	if (!keys)
		return -ENOMEM;
	for (at = 0; !err && at < arg->nr; at += nr) {
		nr = min(arg->nr - at, HYMC_ROUND);
		if (copy_keys(keys, arg->keys, at, nr))
			return -EFAULT;
		mutex_lock(&pool->lock);
		for (i = 0; i < nr; i++)
			hymc_request_add(pool->core, u->req, &keys[i]);
		mutex_unlock(&pool->lock);
		err = hymc_call_go_on(pool);
	}
	return err;
}

/* Start @u, or find that it has nothing to do; then it gets no handle. */
static int prefetch_start(struct hymc_pool *pool, struct hymc_ureq *u,
			  struct hymc_prefetch *arg)
{
	int err;

	arg->request = 0;
	if (!hymc_ureq_start(u, &arg->nr_known))
		return 0;
	err = hymc_ureq_publish(u, &arg->request);
	if (!err)
		hymc_pool_pump(pool);
	return err;
}

/**
 * hymc_call_prefetch - HYMC_IOC_PREFETCH
 * @file: open file
 * @p: struct hymc_prefetch
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep, not for I/O.
 */
long hymc_call_prefetch(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_prefetch *arg = p;
	u64 now = ktime_get_ns();
	u64 ttl_ms = min(arg->ttl_ms, HYMC_TTL_MS_MAX);
	struct hymc_ureq *u;
	int err = check_batch(file, arg->flags, arg->ns, arg->nr);

	if (err)
		return err;
	if (arg->__reserved)
		return -EINVAL;
	if (arg->window_bytes == HYMC_WINDOW_DEFAULT)
		arg->window_bytes = file->pool->cfg.window_bytes;
	u = hymc_ureq_new(file, arg->ns, arg->nr, arg->window_bytes,
			  now + (u64)arg->deadline_ms * NSEC_PER_MSEC,
			  now + (ttl_ms ? ttl_ms * NSEC_PER_MSEC :
				 HYMC_TTL_DEFAULT_NS));
	if (!u)
		return -ENOMEM;
	err = prefetch_add_keys(file, u, arg);
	if (!err)
		err = prefetch_start(file->pool, u, arg);
	hymc_ureq_put(u);
	return err;
}

/**
 * hymc_undo_prefetch - the caller could not be told of its request
 * @file: open file
 * @p: struct hymc_prefetch, after a call that succeeded
 * @call: number of the call
 */
void hymc_undo_prefetch(struct hymc_file *file, void *p, u64 call)
{
	const struct hymc_prefetch *arg = p;

	if (arg->request)
		hymc_ureq_cancel(file, arg->request);
}

/**
 * hymc_call_cancel - HYMC_IOC_CANCEL
 * @file: open file
 * @p: struct hymc_cancel
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep, not for I/O.
 */
long hymc_call_cancel(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_cancel *arg = p;
	int err;

	if (arg->flags)
		return -EINVAL;
	err = hymc_ureq_cancel(file, arg->request);
	if (!err)
		hymc_pool_pump(file->pool);
	return err;
}

/* ------------------------------------------------------------ staging --- */

/**
 * struct stage_round - blocks being acquired together
 * @nr: elements in use
 * @keys: their keys, when acquired by key
 * @status: enum hymc_got while waiting, then 0 or a negative errno
 * @block: core's number, valid unless the status was an error from the start
 * @tier: where the block was when it was asked for
 * @views: answers for user space (acquire)
 */
struct stage_round {
	u32 nr;
	struct hymc_key keys[HYMC_ROUND];
	int status[HYMC_ROUND];
	u32 block[HYMC_ROUND];
	u32 tier[HYMC_ROUND];
	struct hymc_view views[HYMC_ROUND];
};

/* Ask for all blocks of a round at once, so that their reads overlap. */
static void stage_begin(struct hymc_pool *pool, struct stage_round *r, u32 ns,
			struct hymc_ureq *req, u32 first)
{
	u64 now = ktime_get_ns();
	u32 i;

	mutex_lock(&pool->lock);
	for (i = 0; i < r->nr; i++) {
		if (!req)
			r->status[i] = hymc_acquire_key(pool->core, ns,
							&r->keys[i], now,
							&r->block[i]);
		else if (req->ended)
			r->status[i] = -ENOENT;
		else
			r->status[i] = hymc_acquire_item(pool->core, req->req,
							 first + i, now,
							 &r->block[i]);
		r->tier[i] = r->status[i] < 0 ? HYMC_TIER_NONE :
			     hymc_core_tier(pool->core, r->block[i]);
	}
	mutex_unlock(&pool->lock);
	hymc_pool_pump(pool);
}

static int stage_retry(struct hymc_pool *pool, u32 block)
{
	guard(mutex)(&pool->lock);
	return hymc_acquire_retry(pool->core, block, ktime_get_ns());
}

/* Wait for one block. 0, -EIO, -ETIMEDOUT, -EINTR or -ENODEV. */
static int stage_wait(struct hymc_pool *pool, u32 block, unsigned long end)
{
	struct hymc_waitq *w = &pool->waitqs[block % HYMC_WAITQS];
	int seq, got, err;

	do {
		seq = atomic_read(&w->seq);
		got = stage_retry(pool, block);
		if (got != HYMC_GOT_WAIT)
			return got;
		atomic_inc(&pool->nr_waiters);
		err = hymc_waitq_wait(pool, w, seq, end);
		atomic_dec(&pool->nr_waiters);
	} while (!err);
	mutex_lock(&pool->lock);
	hymc_acquire_abandon(pool->core, block, err == -ETIMEDOUT);
	mutex_unlock(&pool->lock);
	return err;
}

/* Wait for all blocks of a round; -ENODEV when the device went away. */
static int stage_finish(struct hymc_pool *pool, struct stage_round *r,
			unsigned long end)
{
	int err = 0;
	u32 i;

	for (i = 0; i < r->nr; i++) {
		if (r->status[i] == HYMC_GOT_WAIT)
			r->status[i] = stage_wait(pool, r->block[i], end);
		if (r->status[i] == -ENODEV)
			err = -ENODEV;
	}
	return err;
}

/* Unpin element @i again. */
static void stage_drop(struct hymc_pool *pool, struct stage_round *r, u32 i)
{
	mutex_lock(&pool->lock);
	hymc_core_release(pool->core, r->block[i], NULL, 0, ktime_get_ns());
	mutex_unlock(&pool->lock);
}

static void stage_drop_all(struct hymc_pool *pool, struct stage_round *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (!r->status[i])
			stage_drop(pool, r, i);
}

/* ------------------------------------------------------------ acquire --- */

/**
 * hymc_put_runs - tell user space where a pinned block lies
 * @pool: pool
 * @block: block
 * @runs: user's array
 * @max: room in it
 * @used: runs written so far, advanced
 *
 * Return: 0, -ENOBUFS or -EFAULT. May sleep.
 */
int hymc_put_runs(struct hymc_pool *pool, u32 block,
		  struct hymc_run __user *runs, u32 max, u32 *used)
{
	u32 frame = hymc_core_frame_first(pool->core, block);
	u64 left = hymc_core_len(pool->core, block);
	u64 unit = pool->cfg.frame_bytes;

	while (left) {
		struct hymc_run run = { .offset = frame * unit };

		do {
			u64 n = min(left, unit);

			run.len += n;
			left -= n;
			frame = hymc_core_frame_next(pool->core, frame);
		} while (left && frame * unit == run.offset + run.len);
		if (*used >= max)
			return -ENOBUFS;
		if (copy_to_user(&runs[*used], &run, sizeof(run)))
			return -EFAULT;
		(*used)++;
	}
	return 0;
}

/**
 * struct acquire_ctx - one call of HYMC_IOC_ACQUIRE
 * @file: open file
 * @arg: its argument
 * @req: the request it names, or NULL
 * @call: its number
 */
struct acquire_ctx {
	struct hymc_file *file;
	struct hymc_acquire *arg;
	struct hymc_ureq *req;
	u64 call;
};

/* Give a pinned block its handle and describe it in @view. */
static int acquire_publish(const struct acquire_ctx *ctx, u32 item, u32 block,
			   struct hymc_view *view)
{
	struct hymc_file *file = ctx->file;
	struct hymc_acquire *arg = ctx->arg;
	struct hymc_ureq *req = ctx->req;
	struct hymc_uview v = {
		.kind = HYMC_UVIEW_READ,
		.block = block,
		.item = item,
		.call = ctx->call,
		.req = req,
	};
	u32 first = arg->nr_runs;
	int err;

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
	}
	return err;
}

/* Answer element @i. 0, or -EFAULT when the answer cannot be delivered. */
static int acquire_one(const struct acquire_ctx *ctx, struct stage_round *r,
		       u32 at, u32 i)
{
	struct hymc_view *view = &r->views[i];

	*view = (struct hymc_view) { .tier = r->tier[i] };
	if (!r->status[i]) {
		r->status[i] = acquire_publish(ctx, ctx->arg->first + at + i,
					       r->block[i], view);
		if (r->status[i])
			stage_drop(ctx->file->pool, r, i);
		else if (ctx->arg->nr_ok == at + i)
			ctx->arg->nr_ok++;
	}
	view->status = r->status[i];
	return view->status == -EFAULT ? -EFAULT : 0;
}

static int acquire_answer(const struct acquire_ctx *ctx, struct stage_round *r,
			  u32 at)
{
	struct hymc_view __user *out = u64_to_user_ptr(ctx->arg->views);
	u32 i, left;

	for (i = 0; i < r->nr; i++)
		if (acquire_one(ctx, r, at, i))
			break;
	if (i == r->nr)
		return copy_to_user(out + at, r->views,
				    r->nr * sizeof(*r->views)) ? -EFAULT : 0;
	for (left = i + 1; left < r->nr; left++)
		if (!r->status[left])
			stage_drop(ctx->file->pool, r, left);
	return -EFAULT;
}

static int acquire_rounds(const struct acquire_ctx *ctx)
{
	struct hymc_acquire *arg = ctx->arg;
	struct hymc_pool *pool = ctx->file->pool;
	unsigned long end = jiffies + msecs_to_jiffies(arg->timeout_ms);
	struct stage_round *r __free(kfree) = kmalloc(sizeof(*r), GFP_KERNEL);
	u32 at;
	int err = 0;

	if (!r)
		return -ENOMEM;
	for (at = 0; !err && at < arg->nr; at += r->nr) {
		r->nr = min(arg->nr - at, HYMC_ROUND);
		if (!ctx->req)
			err = copy_keys(r->keys, arg->keys, at, r->nr);
		if (err)
			break;
		stage_begin(pool, r, arg->ns, ctx->req, arg->first + at);
		err = stage_finish(pool, r, end);
		if (err)
			stage_drop_all(pool, r);
		else
			err = acquire_answer(ctx, r, at);
		if (!err)
			err = hymc_call_go_on(pool);
	}
	return err;
}

static int acquire_check(struct hymc_file *file, const struct hymc_acquire *arg)
{
	int err = check_batch(file, arg->flags, arg->ns, arg->nr);

	if (err)
		return err;
	if (arg->__reserved || (arg->request && arg->keys) ||
	    (!arg->request && arg->first))
		return -EINVAL;
	return 0;
}

/* Nothing is left of it: what it had named has gone meanwhile. */
static bool request_is_over(struct hymc_ureq *req)
{
	guard(mutex)(&req->file->pool->lock);
	return !req->ended && !hymc_request_left(req->req);
}

/**
 * hymc_call_acquire - HYMC_IOC_ACQUIRE
 * @file: open file
 * @p: struct hymc_acquire
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep as long as the caller allows.
 */
long hymc_call_acquire(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_acquire *arg = p;
	struct acquire_ctx ctx = { .file = file, .arg = arg, .call = call };
	int err = acquire_check(file, arg);

	if (err)
		return err;
	if (arg->request) {
		ctx.req = hymc_ureq_get(file, arg->request);
		if (!ctx.req)
			return -ENOENT;
		if (ctx.req->ns != arg->ns ||
		    (u64)arg->first + arg->nr > ctx.req->nr)
			err = -EINVAL;
	}
	arg->nr_ok = 0;
	arg->nr_runs = 0;
	if (!err)
		err = acquire_rounds(&ctx);
	if (!err && ctx.req && request_is_over(ctx.req))
		hymc_ureq_cancel(file, arg->request);
	hymc_ureq_put(ctx.req);
	return err;
}

/* ------------------------------------------------------------ release --- */

/**
 * hymc_for_views - walk the handles of a struct hymc_views
 * @file: open file
 * @arg: argument, checked for size only
 * @kind: kind of handle that is valid
 * @end: what to do with each valid one; frees nothing, returns its status
 *
 * Return: 0, -EINVAL, -E2BIG, -EFAULT, -EINTR or -ENODEV. May sleep.
 */
long hymc_for_views(struct hymc_file *file, struct hymc_views *arg,
		    enum hymc_uview_kind kind,
		    int (*end)(struct hymc_file *, const struct hymc_uview *))
{
	const u64 __user *ids = u64_to_user_ptr(arg->views);
	s32 __user *status = u64_to_user_ptr(arg->status);
	int err = 0;
	u32 i;

	if (arg->flags || !arg->nr)
		return -EINVAL;
	if (arg->nr > HYMC_BATCH_MAX)
		return -E2BIG;
	arg->nr_ok = 0;
	for (i = 0; !err && i < arg->nr; i++) {
		struct hymc_uview *v;
		s32 st = -ENOENT;
		u64 id;

		if (copy_from_user(&id, &ids[i], sizeof(id)))
			return -EFAULT;
		v = hymc_uview_take(file, id, kind);
		if (v)
			st = end(file, v);
		kfree(v);
		if (!st && arg->nr_ok == i)
			arg->nr_ok++;
		if (arg->status && put_user(st, &status[i]))
			return -EFAULT;
		err = hymc_call_go_on(file->pool);
	}
	return err;
}

static int end_release(struct hymc_file *file, const struct hymc_uview *v)
{
	hymc_uview_release(file, v);
	return 0;
}

/**
 * hymc_call_release - HYMC_IOC_RELEASE
 * @file: open file
 * @p: struct hymc_views
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep, not for I/O.
 */
long hymc_call_release(struct hymc_file *file, void *p, u64 call)
{
	long err = hymc_for_views(file, p, HYMC_UVIEW_READ, end_release);

	hymc_pool_pump(file->pool);
	return err;
}

/* ---------------------------------------------------------------- get --- */

/* Copy a pinned block to @dst. 0, -EFAULT, or -EIO when its memory is lost. */
static int get_copy(struct hymc_pool *pool, u32 block, void __user *dst)
{
	u64 left = hymc_core_len(pool->core, block);
	u32 frame = hymc_core_frame_first(pool->core, block);
	u64 unit = pool->cfg.frame_bytes;
	int err;

	while (left) {
		u64 n = min(left, unit);

		err = hymc_mem_to_user(pool->mem, dst, frame * unit, n);
		if (err)
			return err;
		dst += n;
		left -= n;
		frame = hymc_core_frame_next(pool->core, frame);
		cond_resched();
	}
	return 0;
}

/* Deliver element @i, if it came. */
static struct hymc_done get_one(struct hymc_pool *pool, struct stage_round *r,
				u32 i, const struct hymc_desc *d)
{
	struct hymc_done done = { .status = r->status[i], .tier = r->tier[i] };

	if (done.status)
		return done;
	done.len = hymc_core_len(pool->core, r->block[i]);
	if (d->len < done.len)
		done.status = -EMSGSIZE;
	else
		done.status = get_copy(pool, r->block[i], u64_to_user_ptr(d->addr));
	stage_drop(pool, r, i);
	r->status[i] = -EALREADY;	/* dropped */
	return done;
}

struct get_round {
	struct stage_round stage;
	struct hymc_desc descs[HYMC_ROUND];
};

static int get_some(struct hymc_file *file, struct hymc_copy *arg,
		    struct get_round *g, u32 at, unsigned long end)
{
	const struct hymc_desc __user *in = u64_to_user_ptr(arg->descs);
	struct hymc_done __user *out = u64_to_user_ptr(arg->done);
	struct stage_round *r = &g->stage;
	int err;
	u32 i;

	if (copy_from_user(g->descs, in + at, r->nr * sizeof(*g->descs)))
		return -EFAULT;
	for (i = 0; i < r->nr; i++)
		memcpy(&r->keys[i], g->descs[i].key, sizeof(r->keys[i]));
	stage_begin(file->pool, r, arg->ns, NULL, 0);
	err = stage_finish(file->pool, r, end);
	for (i = 0; !err && i < r->nr; i++) {
		struct hymc_done done = get_one(file->pool, r, i, &g->descs[i]);

		if (copy_to_user(out + at + i, &done, sizeof(done)))
			err = -EFAULT;
		else if (!done.status && arg->nr_ok == at + i)
			arg->nr_ok++;
		if (!err)
			err = hymc_call_go_on(file->pool);
	}
	if (err)
		stage_drop_all(file->pool, r);
	return err;
}

/**
 * hymc_call_get - HYMC_IOC_GET
 * @file: open file
 * @p: struct hymc_copy
 * @call: number of this call, for what it hands out
 *
 * Return: 0 or an errno documented there. May sleep as long as the caller allows.
 */
long hymc_call_get(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_copy *arg = p;
	unsigned long end = jiffies + msecs_to_jiffies(arg->timeout_ms);
	struct get_round *g __free(kfree) = NULL;
	u32 at;
	int err = check_batch(file, arg->flags, arg->ns, arg->nr);

	if (err)
		return err;
	if (memchr_inv(arg->parent, 0, sizeof(arg->parent)))
		return -EINVAL;
	g = kmalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	arg->nr_ok = 0;
	for (at = 0; !err && at < arg->nr; at += g->stage.nr) {
		g->stage.nr = min(arg->nr - at, HYMC_ROUND);
		err = get_some(file, arg, g, at, end);
	}
	hymc_pool_pump(file->pool);
	return err;
}
