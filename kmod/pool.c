// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the life of a pool
 *
 * Makes a pool from its two devices, takes it apart again, and ends it early when
 * a device goes away. Teardown is the reverse list of setup, works on a half-built
 * pool, and every wait in it is bounded: a pool that cannot be drained stays, dead,
 * and destroying it can be tried again.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "extack.h"
#include "pool.h"

static struct hymc_pool *pool_of(struct device *dev)
{
	return container_of(dev, struct hymc_pool, dev);
}

/**
 * hymc_waitq_wake - wake all sleepers of @w and make others check again
 * @w: wait queue. Any context.
 */
void hymc_waitq_wake(struct hymc_waitq *w)
{
	/* Full barrier: what the waker changed is seen by who sees the count. */
	atomic_inc_return(&w->seq);
	wake_up_all(&w->wq);
}

/**
 * hymc_waitq_wait - sleep until @w was woken since @seq was read from it
 * @pool: pool
 * @w: one of its wait queues
 * @seq: atomic_read(&w->seq) from before the caller checked what it waits for
 * @end: jiffies at which to give up
 *
 * Return: 0 (check again), -ETIMEDOUT, -EINTR, -ENODEV. No lock may be held.
 */
int hymc_waitq_wait(struct hymc_pool *pool, struct hymc_waitq *w, int seq,
		    unsigned long end)
{
	long left = (long)(end - jiffies);

	if (READ_ONCE(pool->dead))
		return -ENODEV;
	if (left <= 0)
		return -ETIMEDOUT;
	left = wait_event_interruptible_timeout(w->wq,
						atomic_read(&w->seq) != seq ||
						READ_ONCE(pool->dead), left);
	return left < 0 ? -EINTR : 0;
}

static void pool_wake_all(struct hymc_pool *pool)
{
	unsigned int i;

	for (i = 0; i < HYMC_WAITQS; i++)
		hymc_waitq_wake(&pool->waitqs[i]);
	hymc_waitq_wake(&pool->room);
}

/**
 * hymc_pool_enter - use the pool's core, memory and drive
 * @pool: pool
 *
 * Return: true, to be paired with hymc_pool_exit(); false when the pool is dead.
 * Any context.
 */
bool hymc_pool_enter(struct hymc_pool *pool)
{
	return percpu_ref_tryget_live(&pool->live);
}

/**
 * hymc_pool_exit - end of use, see hymc_pool_enter()
 * @pool: pool
 */
void hymc_pool_exit(struct hymc_pool *pool)
{
	percpu_ref_put(&pool->live);
}

static void pool_live_release(struct percpu_ref *ref)
{
	struct hymc_pool *pool = container_of(ref, struct hymc_pool, live);

	complete_all(&pool->drained);
}

/**
 * hymc_pool_kill - end all waits and new uses of a pool
 * @pool: pool
 * @why: for the log, or NULL when that was expected
 *
 * Idempotent. May sleep for pool->lock, not for I/O.
 */
void hymc_pool_kill(struct hymc_pool *pool, const char *why)
{
	bool first;

	mutex_lock(&pool->lock);
	first = !pool->dead;
	WRITE_ONCE(pool->dead, true);
	if (pool->core)
		hymc_core_stop(pool->core);
	mutex_unlock(&pool->lock);
	if (!first)
		return;
	if (why)
		dev_err(&pool->dev, "%s: pool stopped\n", why);
	percpu_ref_kill(&pool->live);
	pool_wake_all(pool);
}

/* True when nobody uses the pool any more; waits HYMC_DRAIN_MS at most. */
static bool pool_drain(struct hymc_pool *pool)
{
	return wait_for_completion_timeout(&pool->drained,
					   msecs_to_jiffies(HYMC_DRAIN_MS));
}

/*
 * The memory goes away and cannot be stopped from doing so: nothing may be
 * transferred into it after this returns, hence the wait is for as long as the
 * drive takes (the block layer bounds that by its own time-outs).
 */
static void pool_mem_gone(void *owner)
{
	struct hymc_pool *pool = owner;

	hymc_pool_kill(pool, "device DRAM is gone");
	while (!pool_drain(pool))
		dev_err(&pool->dev, "still waiting for I/O to end\n");
}

static void pool_mem_poisoned(void *owner, u64 offset, u64 len)
{
	struct hymc_pool *pool = owner;

	dev_err(&pool->dev, "memory error: %llu bytes of device DRAM at %#llx\n",
		len, offset);
}

/* Page faults ask this; leaf, lockless: see hymc_pool.writers. */
static bool pool_may_write(void *owner, struct file *file, u64 offset)
{
	struct hymc_pool *pool = owner;
	u64 frame = div_u64(offset, pool->cfg.frame_bytes);

	return READ_ONCE(pool->writers[frame]) == file->private_data;
}

static const struct hymc_mem_ops pool_mem_ops = {
	.gone = pool_mem_gone,
	.poisoned = pool_mem_poisoned,
	.may_write = pool_may_write,
};

static void pool_ssd_gone(void *owner)
{
	hymc_pool_kill(owner, "SSD is gone");
}

static const struct hymc_bdev_ops pool_bdev_ops = {
	.gone = pool_ssd_gone,
};

static void pool_core_cfg(const struct hymc_pool *pool,
			  struct hymc_core_cfg *c)
{
	const struct hymc_pool_cfg *cfg = &pool->cfg;

	*c = (struct hymc_core_cfg) {
		.policy = cfg->policy,
		.frame_bytes = cfg->frame_bytes,
		.frames = div_u64(cfg->dram_bytes, cfg->frame_bytes),
		.writes_max = 4,
		.ssd_bytes = cfg->ssd_bytes - HYMC_LOG_START,
		.log_start = HYMC_LOG_START,
		.segment_bytes = cfg->segment_bytes,
		.blocks_max = cfg->blocks_max,
		.window_bytes = cfg->window_bytes,
		.read_bytes_max = max_t(u64, SZ_1M, 4ULL * cfg->frame_bytes),
		.dirty_max_bytes = cfg->dirty_max_bytes,
		.dirty_high_bytes = cfg->dirty_max_bytes / 4 * 3,
		.dirty_low_bytes = cfg->dirty_max_bytes / 2,
		.hash_seed = get_random_u64(),
	};
}

/* Fill in what the caller left open, now that the devices' sizes are known. */
static int pool_complete_cfg(struct hymc_pool *pool,
			     struct netlink_ext_ack *extack)
{
	struct hymc_pool_cfg *cfg = &pool->cfg;
	u64 have = hymc_bdev_bytes(pool->bdev);

	if (cfg->ssd_bytes > have) {
		hymc_extack(extack, "%s has %llu bytes, less than asked for",
			    hymc_bdev_name(pool->bdev), have);
		return -EINVAL;
	}
	if (!cfg->ssd_bytes)
		cfg->ssd_bytes = have;
	cfg->ssd_bytes = round_down(cfg->ssd_bytes, HYMC_ALIGN_BYTES);
	if (cfg->ssd_bytes < HYMC_LOG_START + SZ_1M) {
		hymc_extack(extack, "%s is too small: %llu bytes, needed are %llu",
			    hymc_bdev_name(pool->bdev), cfg->ssd_bytes,
			    HYMC_LOG_START + (u64)SZ_1M);
		return -ENOSPC;
	}
	if (!cfg->segment_bytes)
		cfg->segment_bytes = clamp_t(u64, round_down((cfg->ssd_bytes -
					HYMC_LOG_START) / 8, HYMC_ALIGN_BYTES),
					     SZ_1M, SZ_256M);
	if (!cfg->window_bytes)
		cfg->window_bytes = SZ_128M;
	if (!cfg->blocks_max)
		cfg->blocks_max = clamp_t(u64, cfg->ssd_bytes / SZ_16K, SZ_64K,
					  SZ_512M);
	if (!cfg->dirty_max_bytes)
		cfg->dirty_max_bytes = max_t(u64, cfg->dram_bytes / 4,
					     cfg->frame_bytes);
	if (cfg->dirty_max_bytes < cfg->frame_bytes) {
		hymc_extack(extack, "a write buffer of %llu bytes is less than a frame (%u)",
			    cfg->dirty_max_bytes, cfg->frame_bytes);
		return -EINVAL;
	}
	return 0;
}

static int pool_make_core(struct hymc_pool *pool, struct netlink_ext_ack *extack)
{
	struct hymc_core_cfg c;
	const char *why;
	int err;

	pool_core_cfg(pool, &c);
	err = hymc_core_check(&c, &why);
	if (err) {
		hymc_extack(extack, "bad geometry: %s", why);
		return err;
	}
	/* The sizes follow from what the user asked for: failing is no surprise. */
	pool->core_mem = kvzalloc(hymc_core_bytes(&c), GFP_KERNEL | __GFP_NOWARN);
	pool->writers = kvcalloc(c.frames + 1ULL, sizeof(*pool->writers),
				 GFP_KERNEL | __GFP_NOWARN);
	if (!pool->core_mem || !pool->writers) {
		hymc_extack(extack, "no memory for tables of %u frames, %llu segments, %llu blocks",
			    c.frames, div64_u64(c.ssd_bytes, c.segment_bytes),
			    c.blocks_max);
		return -ENOMEM;
	}
	pool->core = hymc_core_init(pool->core_mem, &c);
	pool->block_bytes_max = hymc_core_block_bytes_max(&c);
	return hymc_pool_feed(pool);
}

static void pool_free_core(struct hymc_pool *pool)
{
	struct hymc_core *core;
	void *chunk;

	mutex_lock(&pool->lock);
	core = pool->core;
	pool->core = NULL;
	mutex_unlock(&pool->lock);
	while (core && (chunk = hymc_core_mem_take(core)))
		kvfree(chunk);
	kvfree(pool->core_mem);
	kvfree(pool->writers);
	pool->core_mem = NULL;
	pool->writers = NULL;
}

/* Give the parts back, newest first. The pool is dead and drained, or half-built. */
static void pool_free_parts(struct hymc_pool *pool)
{
	cancel_delayed_work_sync(&pool->tick);
	if (pool->wq)
		destroy_workqueue(pool->wq);
	pool->wq = NULL;
	if (!IS_ERR_OR_NULL(pool->mem)) {
		hymc_mem_revoke_all(pool->mem);
		hymc_mem_close(pool->mem);
	}
	pool->mem = NULL;
	if (!IS_ERR_OR_NULL(pool->bdev))
		hymc_bdev_close(pool->bdev);
	pool->bdev = NULL;
	pool_free_core(pool);
	hymc_limbo_free(pool);
	hymc_ns_destroy_all(pool);
}

/* The last reference is gone: no open file is left. */
static void pool_release(struct device *dev)
{
	struct hymc_pool *pool = pool_of(dev);

	percpu_ref_exit(&pool->live);
	mutex_destroy(&pool->lock);
	kfree(pool);
}

static void pool_init_waitq(struct hymc_waitq *w)
{
	init_waitqueue_head(&w->wq);
	atomic_set(&w->seq, 0);
}

/* An empty pool with one reference, without parts. */
static struct hymc_pool *pool_alloc(const struct hymc_pool_cfg *cfg)
{
	struct hymc_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	unsigned int i;

	if (!pool)
		return NULL;
	if (percpu_ref_init(&pool->live, pool_live_release, 0, GFP_KERNEL)) {
		kfree(pool);
		return NULL;
	}
	pool->cfg = *cfg;
	uuid_gen(&pool->uuid);
	mutex_init(&pool->lock);
	init_completion(&pool->drained);
	for (i = 0; i < HYMC_WAITQS; i++)
		pool_init_waitq(&pool->waitqs[i]);
	pool_init_waitq(&pool->room);
	INIT_LIST_HEAD(&pool->files);
	INIT_LIST_HEAD(&pool->ureqs);
	INIT_LIST_HEAD(&pool->leases);
	INIT_LIST_HEAD(&pool->limbo);
	xa_init_flags(&pool->namespaces, XA_FLAGS_ALLOC1);
	INIT_DELAYED_WORK(&pool->tick, hymc_pool_tick);
	device_initialize(&pool->dev);
	pool->dev.class = &hymc_class;
	pool->dev.devt = MKDEV(MAJOR(hymc_devt), cfg->id);
	pool->dev.release = pool_release;
	cdev_init(&pool->cdev, &hymc_fops);
	pool->cdev.owner = THIS_MODULE;
	return pool;
}

static int pool_make_parts(struct hymc_pool *pool, struct netlink_ext_ack *extack)
{
	int err;

	pool->wq = alloc_workqueue("hymc%u", WQ_UNBOUND | WQ_MEM_RECLAIM, 0,
				   pool->cfg.id);
	if (!pool->wq)
		return -ENOMEM;
	pool->bdev = hymc_bdev_open(pool->cfg.ssd, &pool_bdev_ops, pool, extack);
	if (IS_ERR(pool->bdev))
		return PTR_ERR(pool->bdev);
	pool->mem = hymc_mem_open(pool->cfg.dram, pool->cfg.dram_start,
				  pool->cfg.dram_bytes, &pool_mem_ops, pool,
				  extack);
	if (IS_ERR(pool->mem))
		return PTR_ERR(pool->mem);
	err = pool_complete_cfg(pool, extack);
	if (err)
		return err;
	err = pool_make_core(pool, extack);
	if (err)
		return err;
	return hymc_pool_format(pool, extack);
}

/**
 * hymc_pool_create - make a pool and its device node
 * @cfg: what is wanted; @cfg->id is a free number
 * @extack: takes a sentence on failure
 *
 * Return: the pool with one reference, or an ERR_PTR. Process context, may sleep
 * for I/O; the caller serialises with other creates.
 */
struct hymc_pool *hymc_pool_create(const struct hymc_pool_cfg *cfg,
				   struct netlink_ext_ack *extack)
{
	struct hymc_pool *pool = pool_alloc(cfg);
	int err;

	if (!pool)
		return ERR_PTR(-ENOMEM);
	err = dev_set_name(&pool->dev, "hymc%u", cfg->id);
	if (!err)
		err = pool_make_parts(pool, extack);
	if (!err)
		err = cdev_device_add(&pool->cdev, &pool->dev);
	if (err) {
		hymc_pool_kill(pool, NULL);
		pool_drain(pool);
		pool_free_parts(pool);
		put_device(&pool->dev);
		return ERR_PTR(err);
	}
	queue_delayed_work(pool->wq, &pool->tick, HZ);
	/* rmmod is refused while there is a pool. */
	__module_get(THIS_MODULE);
	dev_info(&pool->dev, "%s (%llu MiB) before %s (%llu MiB)\n",
		 pool->cfg.dram, pool->cfg.dram_bytes >> 20,
		 hymc_bdev_name(pool->bdev), pool->cfg.ssd_bytes >> 20);
	return pool;
}

/**
 * hymc_pool_pids - who has the node open
 * @pool: pool
 * @pids: room for @max numbers, as seen from the caller's pid namespace
 * @max: size of @pids
 *
 * Return: how many were stored. May sleep.
 */
u32 hymc_pool_pids(struct hymc_pool *pool, u32 *pids, u32 max)
{
	struct hymc_file *file;
	u32 nr = 0;

	mutex_lock(&pool->lock);
	list_for_each_entry(file, &pool->files, link) {
		if (nr == max)
			break;
		pids[nr++] = pid_vnr(file->pid);
	}
	mutex_unlock(&pool->lock);
	return nr;
}

/* Refuse further opens; -EBUSY when there are files and no @force. */
static int pool_begin_destroy(struct hymc_pool *pool, bool force,
			      struct netlink_ext_ack *extack)
{
	u32 files;

	mutex_lock(&pool->lock);
	files = pool->nr_files;
	if (!files || force)
		pool->destroying = true;
	mutex_unlock(&pool->lock);
	if (!files || force)
		return 0;
	hymc_extack(extack, "pool %u is open in %u files", pool->cfg.id,
		    files);
	return -EBUSY;
}

/* Everything that may fail to end in time. Can be repeated. */
static int pool_quiesce(struct hymc_pool *pool, struct netlink_ext_ack *extack)
{
	unsigned long end = jiffies + msecs_to_jiffies(HYMC_DRAIN_MS);

	hymc_pool_kill(pool, NULL);
	if (!pool_drain(pool)) {
		NL_SET_ERR_MSG(extack, "calls or I/O are still in progress: try again");
		return -EBUSY;
	}
	hymc_mem_revoke_all(pool->mem);
	while (!hymc_mem_idle(pool->mem)) {
		if (time_after(jiffies, end)) {
			NL_SET_ERR_MSG(extack,
				       "device DRAM is still pinned (RDMA, io_uring or O_DIRECT): end its users and try again");
			return -EBUSY;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		msleep(20);
	}
	return 0;
}

/*
 * Write what is dirty. Unless forced, a pool that cannot is left as it was: 0, or
 * -ETIMEDOUT or -EINTR.
 */
static int pool_last_sync(struct hymc_pool *pool, bool force,
			  struct netlink_ext_ack *extack)
{
	u64 seen;
	int err;

	if (!hymc_pool_enter(pool))
		return 0;
	seen = hymc_pool_lost(pool);
	err = hymc_pool_sync(pool, HYMC_SYNC_MS, &seen);
	hymc_pool_exit(pool);
	if (!force && (err == -ETIMEDOUT || err == -EINTR)) {
		hymc_extack(extack, "pool %u still has blocks to write: try again, or force",
			    pool->cfg.id);
		return err;
	}
	if (err && err != -ENODEV)
		dev_warn(&pool->dev, "write-back before destroy failed: %d\n", err);
	return 0;
}

/**
 * hymc_pool_destroy - write what is dirty, take the pool apart
 * @pool: the pool; on success the caller's reference is consumed
 * @force: even though files are open or blocks cannot be written: the files get
 *	-ENODEV from then on, the blocks are lost
 * @extack: takes a sentence on failure
 *
 * Process context, bounded.
 *
 * Return: 0; -ETIMEDOUT, -EINTR (nothing has changed); -EBUSY: the pool stays, and
 * when it was not for its open files, it is dead and only waits for another
 * attempt to destroy it.
 */
int hymc_pool_destroy(struct hymc_pool *pool, bool force,
		      struct netlink_ext_ack *extack)
{
	int err = pool_begin_destroy(pool, force, extack);

	if (err)
		return err;
	err = pool_last_sync(pool, force, extack);
	if (err) {
		mutex_lock(&pool->lock);
		pool->destroying = false;
		mutex_unlock(&pool->lock);
		return err;
	}
	err = pool_quiesce(pool, extack);
	if (err)
		return err;
	cdev_device_del(&pool->cdev, &pool->dev);
	pool_free_parts(pool);
	put_device(&pool->dev);
	module_put(THIS_MODULE);
	return 0;
}

/**
 * hymc_pool_fill_stats - one consistent snapshot of all counters
 * @pool: pool
 * @st: result; all zero but the gauges of files when the core is gone. May sleep.
 */
void hymc_pool_fill_stats(struct hymc_pool *pool, struct hymc_stats *st)
{
	memset(st, 0, sizeof(*st));
	mutex_lock(&pool->lock);
	if (pool->core)
		hymc_core_stats(pool->core, ktime_get_ns(), st);
	st->size = sizeof(*st);
	st->namespaces = pool->nr_ns;
	st->files = pool->nr_files;
	st->requests = pool->nr_requests;
	st->views = pool->nr_views;
	st->reservations = pool->nr_reservations;
	mutex_unlock(&pool->lock);
	st->waiters = atomic_read(&pool->nr_waiters);
}
