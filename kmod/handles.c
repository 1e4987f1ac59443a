// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: what an open file holds
 *
 * Requests, views and reservations belong to the open file that made them. Their
 * handles are looked up under file->lock; the counts that decide their life are
 * under pool->lock. Closing the file ends all of them, also when the pool has been
 * taken apart meanwhile.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "pool.h"

#define HYMC_TICK_JIFFIES	HZ
/* How long a commit waits for transfers into its reservation to end. */
#define HYMC_PIN_MS		1000U

/* ----------------------------------------------------------- requests --- */

/**
 * hymc_ureq_new - a request without handle, not started, one reference
 * @file: its owner
 * @ns: namespace
 * @nr: number of keys it will name
 * @window_bytes: as in struct hymc_prefetch
 * @deadline: when its first block will be wanted, ns
 * @expires: when to end it, ns
 *
 * Return: request or NULL. May sleep. Charged to the caller's memory cgroup.
 */
struct hymc_ureq *hymc_ureq_new(struct hymc_file *file, u32 ns, u32 nr,
				u64 window_bytes, u64 deadline, u64 expires)
{
	struct hymc_ureq *u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);
	void *mem;

	if (!u)
		return NULL;
	mem = kvzalloc(hymc_request_bytes(nr), GFP_KERNEL_ACCOUNT);
	if (!mem) {
		kfree(u);
		return NULL;
	}
	u->file = file;
	u->ns = ns;
	u->nr = nr;
	u->refs = 1;
	INIT_LIST_HEAD(&u->link);
	INIT_LIST_HEAD(&u->plink);
	u->req = hymc_request_init(mem, ns, nr, window_bytes, deadline, expires);
	return u;
}

/**
 * hymc_ureq_start - all keys are named: begin to stage
 * @u: request that nobody else knows yet
 * @nr_known: out, leading known keys
 *
 * From here on the tick may end it. May sleep.
 *
 * Return: known blocks; with 0 there is nothing to do.
 */
u32 hymc_ureq_start(struct hymc_ureq *u, u32 *nr_known)
{
	struct hymc_pool *pool = u->file->pool;

	guard(mutex)(&pool->lock);
	list_add_tail(&u->plink, &pool->ureqs);
	pool->nr_requests++;
	*nr_known = hymc_request_start(pool->core, u->req, ktime_get_ns());
	return hymc_request_left(u->req);
}

static bool ureq_end_locked(struct hymc_ureq *u)
{
	struct hymc_pool *pool = u->file->pool;

	lockdep_assert_held(&pool->lock);
	if (u->ended)
		return false;
	u->ended = true;
	if (!list_empty(&u->plink)) {
		list_del_init(&u->plink);
		pool->nr_requests--;
	}
	if (pool->core)
		hymc_request_end(pool->core, u->req, ktime_get_ns());
	return true;
}

/* Stop staging for a request; false when it had ended before. */
static bool ureq_end(struct hymc_ureq *u)
{
	guard(mutex)(&u->file->pool->lock);
	return ureq_end_locked(u);
}

/**
 * hymc_ureq_put - drop a reference; the last one ends and frees the request
 * @u: request or NULL. May sleep.
 */
void hymc_ureq_put(struct hymc_ureq *u)
{
	bool last;

	if (!u)
		return;
	mutex_lock(&u->file->pool->lock);
	last = !--u->refs;
	if (last)
		ureq_end_locked(u);
	mutex_unlock(&u->file->pool->lock);
	if (!last)
		return;
	kvfree(u->req);
	kfree(u);
}

/* Take the handle away; the reference it held is the caller's now. */
static void ureq_unpublish(struct hymc_file *file, struct hymc_ureq *u)
{
	lockdep_assert_held(&file->lock);
	xa_erase(&file->reqs, u->id);
	u->id = 0;
	list_del_init(&u->link);
	file->nr_requests--;
}

/* Forget the handles of requests that the tick ended. */
static void file_reap_expired(struct hymc_file *file)
{
	struct hymc_ureq *u, *next;
	LIST_HEAD(dead);

	lockdep_assert_held(&file->lock);
	if (!READ_ONCE(file->expired))
		return;
	WRITE_ONCE(file->expired, false);
	list_for_each_entry_safe(u, next, &file->requests, link) {
		if (!READ_ONCE(u->ended))
			continue;
		ureq_unpublish(file, u);
		list_add(&u->link, &dead);
	}
	list_for_each_entry_safe(u, next, &dead, link)
		hymc_ureq_put(u);
}

/**
 * hymc_ureq_publish - give a request its handle
 * @u: request without handle; the handle takes a reference of its own, since others
 *	may use it and take it away at once
 * @id: out, the handle
 *
 * Return: 0, -ENOSPC (too many on this file) or -ENOMEM. May sleep.
 */
int hymc_ureq_publish(struct hymc_ureq *u, u64 *id)
{
	struct hymc_file *file = u->file;
	int err;

	guard(mutex)(&file->lock);
	file_reap_expired(file);
	if (file->nr_requests >= HYMC_FILE_REQUESTS_MAX)
		return -ENOSPC;
	err = xa_alloc_cyclic(&file->reqs, &u->id, u, XA_LIMIT(1, U32_MAX),
			      &file->reqs_next, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;
	list_add_tail(&u->link, &file->requests);
	file->nr_requests++;
	*id = u->id;
	guard(mutex)(&file->pool->lock);
	u->refs++;
	return 0;
}

/**
 * hymc_ureq_get - a live request by handle, with a reference
 * @file: open file
 * @id: handle
 *
 * Return: request or NULL. May sleep.
 */
struct hymc_ureq *hymc_ureq_get(struct hymc_file *file, u64 id)
{
	struct hymc_ureq *u;

	guard(mutex)(&file->lock);
	u = id <= U32_MAX ? xa_load(&file->reqs, id) : NULL;
	if (!u)
		return NULL;
	guard(mutex)(&file->pool->lock);
	if (u->ended)
		return NULL;
	u->refs++;
	return u;
}

/**
 * hymc_ureq_cancel - end a request and take its handle away
 * @file: open file
 * @id: handle
 *
 * Return: 0, or -ENOENT: there is none, or its time was over. May sleep.
 */
int hymc_ureq_cancel(struct hymc_file *file, u64 id)
{
	struct hymc_ureq *u;
	bool ended;

	mutex_lock(&file->lock);
	u = id <= U32_MAX ? xa_load(&file->reqs, id) : NULL;
	if (u)
		ureq_unpublish(file, u);
	mutex_unlock(&file->lock);
	if (!u)
		return -ENOENT;
	ended = ureq_end(u);
	hymc_ureq_put(u);
	return ended ? 0 : -ENOENT;
}

/* ------------------------------------------------------------- leases --- */

/**
 * hymc_ulease_new - a lease that nobody has yet
 * @nr: most blocks in it
 * @until: its end, ns
 *
 * Charged to the caller's memory cgroup. May sleep.
 *
 * Return: lease or NULL.
 */
struct hymc_ulease *hymc_ulease_new(u32 nr, u64 until)
{
	struct hymc_ulease *l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);
	void *mem;

	if (!l)
		return NULL;
	mem = kvzalloc(hymc_lease_bytes(nr), GFP_KERNEL_ACCOUNT);
	if (!mem) {
		kfree(l);
		return NULL;
	}
	l->lease = hymc_lease_init(mem, nr, until);
	return l;
}

static void ulease_free(struct hymc_ulease *l)
{
	kvfree(l->lease);
	kfree(l);
}

/**
 * hymc_ulease_discard - end a lease that was not given to a file
 * @pool: pool, entered
 * @l: lease or NULL. May sleep.
 */
void hymc_ulease_discard(struct hymc_pool *pool, struct hymc_ulease *l)
{
	if (!l)
		return;
	mutex_lock(&pool->lock);
	hymc_lease_end(pool->core, l->lease);
	mutex_unlock(&pool->lock);
	ulease_free(l);
}

/**
 * hymc_ulease_give - let a file keep a lease until its time is over
 * @file: open file; the caller entered the pool
 * @l: lease; the file's on success
 *
 * Return: 0 or -ENOSPC (the file has too many). May sleep.
 */
int hymc_ulease_give(struct hymc_file *file, struct hymc_ulease *l)
{
	guard(mutex)(&file->pool->lock);
	if (file->nr_leases >= HYMC_FILE_LEASES_MAX)
		return -ENOSPC;
	l->file = file;
	file->nr_leases++;
	list_add_tail(&l->link, &file->leases);
	list_add_tail(&l->plink, &file->pool->leases);
	return 0;
}

/* Take a lease from its file; it is to be freed without the lock. */
static void ulease_end(struct hymc_pool *pool, struct hymc_ulease *l,
		       struct list_head *dead)
{
	lockdep_assert_held(&pool->lock);
	list_del(&l->plink);
	list_move(&l->link, dead);
	l->file->nr_leases--;
	if (pool->core)
		hymc_lease_end(pool->core, l->lease);
}

static void uleases_free(struct list_head *dead)
{
	struct hymc_ulease *l, *next;

	list_for_each_entry_safe(l, next, dead, link)
		ulease_free(l);
}

static void file_end_leases(struct hymc_file *file)
{
	struct hymc_ulease *l, *next;
	LIST_HEAD(dead);

	mutex_lock(&file->pool->lock);
	list_for_each_entry_safe(l, next, &file->leases, link)
		ulease_end(file->pool, l, &dead);
	mutex_unlock(&file->pool->lock);
	uleases_free(&dead);
}

/* -------------------------------------------------------------- views --- */

static void views_count(struct hymc_file *file, enum hymc_uview_kind kind, int n)
{
	struct hymc_pool *pool = file->pool;

	lockdep_assert_held(&pool->lock);
	if (kind == HYMC_UVIEW_READ)
		pool->nr_views += n;
	else
		pool->nr_reservations += n;
}

/* Count a handle that is about to be, with its reference to the request, or not. */
static void uview_count(struct hymc_file *file, const struct hymc_uview *v, int n)
{
	guard(mutex)(&file->pool->lock);
	views_count(file, v->kind, n);
	if (v->req)
		v->req->refs += n;
}

/**
 * hymc_uview_add - give a view or reservation its handle
 * @file: open file
 * @v: its content, copied; the handle takes a reference of its own to v->req
 * @id: the handle
 *
 * Other threads may use the handle, and end it, before this returns: the caller
 * touches nothing of the block afterwards.
 *
 * Return: 0 or -ENOMEM (the caller still owns what @v names). May sleep.
 */
int hymc_uview_add(struct hymc_file *file, const struct hymc_uview *v, u64 *id)
{
	struct hymc_uview *n = kmemdup(v, sizeof(*v), GFP_KERNEL_ACCOUNT);
	u32 nr;
	int err;

	if (!n)
		return -ENOMEM;
	uview_count(file, v, 1);
	mutex_lock(&file->lock);
	err = xa_alloc_cyclic(&file->views, &nr, n, XA_LIMIT(1, U32_MAX),
			      &file->views_next, GFP_KERNEL_ACCOUNT);
	mutex_unlock(&file->lock);
	if (err < 0) {
		uview_count(file, v, -1);
		kfree(n);
		return -ENOMEM;
	}
	*id = nr;
	return 0;
}

/**
 * hymc_uview_take - take a handle away; its content is the caller's now
 * @file: open file
 * @id: handle
 * @kind: what it must be
 *
 * Return: to be ended and kfree'd by the caller, or NULL. May sleep.
 */
struct hymc_uview *hymc_uview_take(struct hymc_file *file, u64 id,
				   enum hymc_uview_kind kind)
{
	struct hymc_uview *v;

	mutex_lock(&file->lock);
	v = id <= U32_MAX ? xa_load(&file->views, id) : NULL;
	if (v && v->kind == kind)
		xa_erase(&file->views, id);
	else
		v = NULL;
	mutex_unlock(&file->lock);
	if (!v)
		return NULL;
	mutex_lock(&file->pool->lock);
	views_count(file, kind, -1);
	mutex_unlock(&file->pool->lock);
	return v;
}

/* Take away up to @max handles that call @call gave, from *@id on. */
static u32 views_take_some(struct hymc_file *file, u64 call, unsigned long *id,
			   struct hymc_uview **taken, u32 max)
{
	struct hymc_uview *v;
	u32 nr = 0;

	guard(mutex)(&file->lock);
	xa_for_each_start(&file->views, *id, v, *id) {
		if (nr == max)
			break;
		if (v->call != call)
			continue;
		xa_erase(&file->views, *id);
		taken[nr++] = v;
	}
	return nr;
}

static void view_undo(struct hymc_file *file, const struct hymc_uview *v)
{
	struct hymc_uview plain = *v;

	plain.req = NULL;
	if (v->kind == HYMC_UVIEW_READ)
		hymc_uview_release(file, &plain);
	else
		hymc_uview_abort(file, v->block, true);
	hymc_ureq_put(v->req);
}

/**
 * hymc_uview_undo - a call failed: end all that it had handed out
 * @file: open file; the caller entered the pool
 * @call: number of the call
 *
 * Items of a request that the call acquired are not consumed. O(handles of the
 * file). May sleep.
 */
void hymc_uview_undo(struct hymc_file *file, u64 call)
{
	struct hymc_uview *taken[16];
	unsigned long id = 0;
	u32 i, nr;

	do {
		nr = views_take_some(file, call, &id, taken, ARRAY_SIZE(taken));
		for (i = 0; i < nr; i++) {
			mutex_lock(&file->pool->lock);
			views_count(file, taken[i]->kind, -1);
			mutex_unlock(&file->pool->lock);
			view_undo(file, taken[i]);
			kfree(taken[i]);
		}
	} while (nr == ARRAY_SIZE(taken));
}

/* Unpin; true when that consumed the last block of the request. */
static bool view_unpin(struct hymc_pool *pool, const struct hymc_uview *v)
{
	struct hymc_request *r;

	guard(mutex)(&pool->lock);
	if (!pool->core)
		return false;
	r = v->req && !v->req->ended ? v->req->req : NULL;
	hymc_core_release(pool->core, v->block, r, v->item, ktime_get_ns());
	return r && !hymc_request_left(r);
}

/**
 * hymc_uview_release - give an acquired block back
 * @file: open file
 * @v: content of a view without handle; its reference to the request is dropped
 *
 * A request all of whose blocks were released ends here. May sleep.
 */
void hymc_uview_release(struct hymc_file *file, const struct hymc_uview *v)
{
	if (view_unpin(file->pool, v))
		hymc_ureq_cancel(file, READ_ONCE(v->req->id));
	hymc_ureq_put(v->req);
}

static void block_set_writer(struct hymc_pool *pool, u32 block,
			     struct hymc_file *file)
{
	u32 frame;

	lockdep_assert_held(&pool->lock);
	for (frame = hymc_core_frame_first(pool->core, block); frame != HYMC_NIL;
	     frame = hymc_core_frame_next(pool->core, frame))
		WRITE_ONCE(pool->writers[frame], file);
}

/*
 * End write access to a reservation's frames: first by the table that faults ask,
 * then for what is mapped already. The caller entered the pool.
 */
static void block_revoke(struct hymc_pool *pool, u32 block)
{
	u32 frame;

	mutex_lock(&pool->lock);
	block_set_writer(pool, block, NULL);
	mutex_unlock(&pool->lock);
	for (frame = hymc_core_frame_first(pool->core, block); frame != HYMC_NIL;
	     frame = hymc_core_frame_next(pool->core, frame))
		hymc_mem_revoke_write(pool->mem,
				      (u64)frame * pool->cfg.frame_bytes,
				      pool->cfg.frame_bytes);
}

/* What is written to the SSD behind the payload's end must be zero. */
static void block_zero_tail(struct hymc_pool *pool, u32 block)
{
	u64 used = hymc_core_len(pool->core, block);
	u32 frame = hymc_core_frame_first(pool->core, block);

	while (used > pool->cfg.frame_bytes) {
		used -= pool->cfg.frame_bytes;
		frame = hymc_core_frame_next(pool->core, frame);
	}
	if (IS_ALIGNED(used, HYMC_ALIGN_BYTES))
		return;
	memset(hymc_mem_addr(pool->mem,
			     (u64)frame * pool->cfg.frame_bytes + used),
	       0, round_up(used, HYMC_ALIGN_BYTES) - used);
}

/**
 * hymc_uview_open - let @file write a reservation's frames through its mapping
 * @file: open file; the caller entered the pool
 * @block: the reserved block
 *
 * The frames are zeroed first: they held other blocks' bytes. May sleep.
 */
void hymc_uview_open(struct hymc_file *file, u32 block)
{
	struct hymc_pool *pool = file->pool;
	u32 frame;

	for (frame = hymc_core_frame_first(pool->core, block); frame != HYMC_NIL;
	     frame = hymc_core_frame_next(pool->core, frame)) {
		memset(hymc_mem_addr(pool->mem,
				     (u64)frame * pool->cfg.frame_bytes),
		       0, pool->cfg.frame_bytes);
		cond_resched();
	}
	mutex_lock(&pool->lock);
	block_set_writer(pool, block, file);
	mutex_unlock(&pool->lock);
}

/* May a transfer that was set up through a mapping still hit a block's frames? */
static bool block_pinned(struct hymc_pool *pool, u32 block)
{
	u32 frame;

	for (frame = hymc_core_frame_first(pool->core, block); frame != HYMC_NIL;
	     frame = hymc_core_frame_next(pool->core, frame))
		if (hymc_mem_pinned(pool->mem, (u64)frame * pool->cfg.frame_bytes,
				    pool->cfg.frame_bytes))
			return true;
	return false;
}

/* Give such transfers HYMC_PIN_MS to end. False: they did not. */
static bool block_wait_unpinned(struct hymc_pool *pool, u32 block)
{
	unsigned long end = jiffies + msecs_to_jiffies(HYMC_PIN_MS);

	while (block_pinned(pool, block)) {
		if (time_after(jiffies, end) || fatal_signal_pending(current) ||
		    READ_ONCE(pool->dead))
			return false;
		usleep_range(1000, 2000);
	}
	return true;
}

static void block_abort(struct hymc_pool *pool, u32 block)
{
	guard(mutex)(&pool->lock);
	if (!pool->core)
		return;
	block_set_writer(pool, block, NULL);
	hymc_core_abort(pool->core, block);
}

/*
 * Keep a reservation's frames from everybody until no pin is left. This cannot
 * fail: the alternative is a transfer into somebody else's block.
 */
static void limbo_add(struct hymc_pool *pool, u32 block)
{
	struct hymc_limbo *l = kmalloc(sizeof(*l), GFP_KERNEL | __GFP_NOFAIL);

	l->block = block;
	mutex_lock(&pool->lock);
	list_add_tail(&l->link, &pool->limbo);
	mutex_unlock(&pool->lock);
}

static void tick_limbo(struct hymc_pool *pool)
{
	struct hymc_limbo *l, *next;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry_safe(l, next, &pool->limbo, link) {
		if (block_pinned(pool, l->block))
			continue;
		hymc_core_abort(pool->core, l->block);
		list_del(&l->link);
		kfree(l);
	}
}

/**
 * hymc_limbo_free - forget what is in limbo, with the core that knew it
 * @pool: pool without core; its memory is not pinned any more
 */
void hymc_limbo_free(struct hymc_pool *pool)
{
	struct hymc_limbo *l, *next;

	list_for_each_entry_safe(l, next, &pool->limbo, link)
		kfree(l);
	INIT_LIST_HEAD(&pool->limbo);
}

/**
 * hymc_uview_commit - make a filled reservation visible
 * @file: open file; the caller entered the pool
 * @block: the reserved block
 * @mapped: it was writable through a mapping
 *
 * From here on nobody can change the bytes. May sleep.
 *
 * Return: 0, or -EBUSY: a transfer into it is still in flight. The block is then
 * forgotten, and its frames are reused when that has ended.
 */
int hymc_uview_commit(struct hymc_file *file, u32 block, bool mapped)
{
	struct hymc_pool *pool = file->pool;

	if (mapped) {
		block_revoke(pool, block);
		if (!block_wait_unpinned(pool, block)) {
			limbo_add(pool, block);
			return -EBUSY;
		}
	}
	block_zero_tail(pool, block);
	mutex_lock(&pool->lock);
	hymc_core_commit(pool->core, block, ktime_get_ns());
	mutex_unlock(&pool->lock);
	return 0;
}

/**
 * hymc_uview_abort - forget a reservation
 * @file: open file; the caller entered the pool
 * @block: the reserved block
 * @mapped: it was writable through a mapping
 *
 * May sleep.
 */
void hymc_uview_abort(struct hymc_file *file, u32 block, bool mapped)
{
	struct hymc_pool *pool = file->pool;

	if (mapped)
		block_revoke(pool, block);
	if (mapped && block_pinned(pool, block))
		limbo_add(pool, block);
	else
		block_abort(pool, block);
}

/* The file closes. A pool that is dead gives its frames to nobody. */
static void file_abort(struct hymc_file *file, u32 block)
{
	if (!hymc_pool_enter(file->pool)) {
		block_abort(file->pool, block);
		return;
	}
	hymc_uview_abort(file, block, true);
	hymc_pool_exit(file->pool);
}

static void file_end_views(struct hymc_file *file)
{
	struct hymc_uview *v;
	unsigned long id;

	xa_for_each(&file->views, id, v) {
		enum hymc_uview_kind kind = v->kind;

		v = hymc_uview_take(file, id, kind);
		if (kind == HYMC_UVIEW_READ)
			hymc_uview_release(file, v);
		else
			file_abort(file, v->block);
		kfree(v);
	}
}

/**
 * hymc_file_end_all - end everything a closing file holds
 * @file: file that nobody uses any more. May sleep.
 */
void hymc_file_end_all(struct hymc_file *file)
{
	struct hymc_ureq *u;
	unsigned long id;

	file_end_views(file);
	file_end_leases(file);
	xa_for_each(&file->reqs, id, u)
		hymc_ureq_cancel(file, id);
	xa_destroy(&file->views);
	xa_destroy(&file->reqs);
	xa_destroy(&file->attached);
}

/* --------------------------------------------------------------- time --- */

/*
 * End one request whose time is over. One at a time: each may name a million blocks,
 * and others want the lock, too.
 */
static bool tick_request(struct hymc_pool *pool, u64 now)
{
	struct hymc_ureq *u;

	guard(mutex)(&pool->lock);
	list_for_each_entry(u, &pool->ureqs, plink) {
		if (hymc_request_expires(u->req) > now)
			continue;
		ureq_end_locked(u);
		WRITE_ONCE(u->file->expired, true);
		return true;
	}
	return false;
}

/* The same for a lease; it goes to @dead. */
static bool tick_lease(struct hymc_pool *pool, u64 now, struct list_head *dead)
{
	struct hymc_ulease *l;

	guard(mutex)(&pool->lock);
	list_for_each_entry(l, &pool->leases, plink) {
		if (hymc_lease_until(l->lease) > now)
			continue;
		ulease_end(pool, l, dead);
		return true;
	}
	return false;
}

/**
 * hymc_pool_tick - end requests and leases whose time is over, and limbo
 * @work: pool->tick
 */
void hymc_pool_tick(struct work_struct *work)
{
	struct hymc_pool *pool = container_of(to_delayed_work(work),
					      struct hymc_pool, tick);
	u64 now = ktime_get_ns();
	LIST_HEAD(dead);

	if (!hymc_pool_enter(pool))
		return;
	while (tick_request(pool, now) || tick_lease(pool, now, &dead))
		cond_resched();
	mutex_lock(&pool->lock);
	tick_limbo(pool);
	mutex_unlock(&pool->lock);
	uleases_free(&dead);
	hymc_pool_pump(pool);
	queue_delayed_work(pool->wq, &pool->tick, HYMC_TICK_JIFFIES);
	hymc_pool_exit(pool);
}
