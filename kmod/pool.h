/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: pools, open files and what they hold
 *
 * Lifetime: a pool is made by netlink and lives in the table of netlink.c until
 * it is destroyed. struct hymc_pool is reference counted by its embedded device;
 * open files hold a reference, so the structure outlives a forced destroy, while
 * its parts (core, memory, drive) do not. pool->live guards the parts: every entry
 * from user space holds it (hymc_pool_enter), teardown kills and drains it.
 *
 * Locks, outer to inner: hymc_pools_lock (control plane), file->lock (handle
 * tables of one open file), pool->lock (core state). None is held over I/O, over
 * copies from or to user space, or over a wait for a block.
 */
#ifndef HYMC_POOL_H
#define HYMC_POOL_H

#include <linux/cdev.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <linux/hymc.h>
#include <linux/hymc_netlink.h>

#include "bdev.h"
#include "core/core.h"
#include "core/format.h"
#include "mem.h"

#define HYMC_POOLS_MAX		64U
/* Wait queues that blocks are hashed onto. */
#define HYMC_WAITQS		64U
/* Elements of a batched call handled per round. */
#define HYMC_ROUND		64U
/* Longest lease and longest life of a request, in milliseconds. */
#define HYMC_LEASE_MS_MAX	(10U * 60U * 1000U)
#define HYMC_TTL_MS_MAX		(60U * 60U * 1000U)
/* Per open file: requests and leases outstanding. */
#define HYMC_FILE_REQUESTS_MAX	4096U
#define HYMC_FILE_LEASES_MAX	4096U
/* Namespaces of a pool, and of one user without CAP_SYS_ADMIN. */
#define HYMC_NS_MAX		4096U
#define HYMC_NS_USER_MAX	256U
/* How long a destroy waits for each of: write-back, users, I/O, pins. */
#define HYMC_DRAIN_MS		10000U
#define HYMC_SYNC_MS		60000U

/**
 * struct hymc_waitq - a wait queue with an event count, so that a waiter can
 *	check a condition that needs pool->lock without losing a wake-up
 * @wq: sleepers
 * @seq: bumped by each wake-up
 */
struct hymc_waitq {
	wait_queue_head_t wq;
	atomic_t seq;
};

/**
 * struct hymc_pool_cfg - what netlink asked for, defaults filled in
 * @id: number, or HYMC_NIL for the first free
 * @policy: enum hymc_policy
 * @frame_bytes: DRAM allocation unit
 * @force: format although the drive carries a pool
 * @dram: name of the dax device
 * @ssd: path of the block device
 * @dram_start: physical start of the range
 * @dram_bytes: size of the range used
 * @ssd_bytes: bytes of the device used
 * @segment_bytes: log segment
 * @window_bytes: default request window
 * @blocks_max: most blocks
 * @dirty_max_bytes: write buffer limit
 */
struct hymc_pool_cfg {
	u32 id;
	u32 policy;
	u32 frame_bytes;
	bool force;
	char dram[64];
	char ssd[256];
	u64 dram_start;
	u64 dram_bytes;
	u64 ssd_bytes;
	u64 segment_bytes;
	u64 window_bytes;
	u64 blocks_max;
	u64 dirty_max_bytes;
};

/**
 * struct hymc_ns - a namespace of a pool; lives as long as the pool
 * @id: 1.., its number in the core
 * @owner: uid that created it; only it (or CAP_SYS_ADMIN) attaches
 * @name: NUL-terminated
 * @fingerprint: must match on attach
 */
struct hymc_ns {
	u32 id;
	kuid_t owner;
	u8 name[HYMC_NS_NAME_BYTES];
	u8 fingerprint[HYMC_FP_BYTES];
};

/**
 * struct hymc_pool - one device DRAM range and one SSD
 * @dev: device node's device; its reference count is the pool's
 * @cdev: character device
 * @cfg: configuration, constant after creation
 * @uuid: identity, constant
 * @block_bytes_max: longest block, constant
 * @lock: protects the core and all fields marked (lock). Innermost mutex.
 * @core: pure core (lock); NULL once torn down
 * @core_mem: its memory
 * @mem: device DRAM; valid while @live is held or @dead is false
 * @bdev: SSD; the same
 * @live: held by every entry from user space and every I/O in flight; killed by
 *	hymc_pool_kill()
 * @drained: completed when @live dropped to zero
 * @dead: a device is gone or the pool is being destroyed; waits end
 * @destroying: destroy has begun: no new opens (lock)
 * @wq: runs I/O completions, checksums and the tick
 * @waitqs: where acquires wait for blocks, by hash of the block number
 * @room: where reservers wait for frames, and syncs for writes
 * @files: open files (lock)
 * @nr_files: their number (lock)
 * @nr_requests: requests outstanding (lock)
 * @nr_views: views outstanding (lock)
 * @nr_reservations: reservations outstanding (lock)
 * @nr_waiters: threads that wait for a block
 * @ureqs: requests that have not ended (lock)
 * @leases: leases, in the order they were given (lock)
 * @limbo: reservations given up whose frames are still pinned (lock)
 * @namespaces: struct hymc_ns by id (lock)
 * @nr_ns: their number (lock)
 * @writers: for each frame the open file that may write it, or NULL. Written
 *	under @lock, read locklessly by page faults.
 * @tick: ends requests whose time is over
 */
struct hymc_pool {
	struct device dev;
	struct cdev cdev;
	struct hymc_pool_cfg cfg;
	uuid_t uuid;
	u64 block_bytes_max;

	struct mutex lock;
	struct hymc_core *core;
	void *core_mem;
	struct hymc_mem *mem;
	struct hymc_bdev *bdev;

	struct percpu_ref live;
	struct completion drained;
	bool dead;
	bool destroying;

	struct workqueue_struct *wq;
	struct hymc_waitq waitqs[HYMC_WAITQS];
	struct hymc_waitq room;

	struct list_head files;
	u32 nr_files;
	u64 nr_requests;
	u64 nr_views;
	u64 nr_reservations;
	atomic_t nr_waiters;

	struct list_head ureqs;
	struct list_head leases;
	struct list_head limbo;
	struct xarray namespaces;
	u32 nr_ns;
	struct hymc_file **writers;
	struct delayed_work tick;
};

/**
 * struct hymc_ureq - a prefetch request of an open file
 * @file: its owner
 * @link: in file->requests while it has a handle (file->lock)
 * @plink: in pool->ureqs from its start to its end (pool->lock)
 * @id: handle; 0 before it has one and after it lost it (file->lock)
 * @refs: views and calls that use it, plus one for the handle (pool->lock)
 * @ended: hymc_request_end() was called (pool->lock)
 * @ns: its namespace, constant
 * @nr: number of its keys, constant
 * @req: the core's part (pool->lock)
 */
struct hymc_ureq {
	struct hymc_file *file;
	struct list_head link;
	struct list_head plink;
	u32 id;
	u32 refs;
	bool ended;
	u32 ns;
	u32 nr;
	struct hymc_request *req;
};

/**
 * struct hymc_ulease - a lease of an open file; it has no handle
 * @link: in file->leases (pool->lock)
 * @plink: in pool->leases (pool->lock)
 * @file: its owner
 * @lease: the core's part (pool->lock)
 */
struct hymc_ulease {
	struct list_head link;
	struct list_head plink;
	struct hymc_file *file;
	struct hymc_lease *lease;
};

/**
 * struct hymc_limbo - a reservation that was given up while something may still
 *	write to its frames
 * @link: in pool->limbo (pool->lock)
 * @block: the reserved block
 */
struct hymc_limbo {
	struct list_head link;
	u32 block;
};

/* What a handle of file->views is. */
enum hymc_uview_kind { HYMC_UVIEW_READ, HYMC_UVIEW_WRITE };

/**
 * struct hymc_uview - an acquired view or a reservation of an open file
 * @kind: enum hymc_uview_kind
 * @block: the core's block
 * @item: position in @req
 * @call: number of the call that handed it out, see hymc_uview_undo()
 * @req: request it was acquired for (a reference), or NULL
 */
struct hymc_uview {
	enum hymc_uview_kind kind;
	u32 block;
	u32 item;
	u64 call;
	struct hymc_ureq *req;
};

/**
 * struct hymc_file - an open of the device node
 * @pool: a reference
 * @mem: the pool's memory, kept by hymc_mem_setup_file()
 * @link: in pool->files (pool->lock)
 * @pid: who opened it
 * @lock: protects the tables below; outside pool->lock
 * @views: struct hymc_uview by handle (lock)
 * @views_next: cyclic allocation cursor (lock)
 * @reqs: struct hymc_ureq by handle (lock)
 * @reqs_next: cyclic allocation cursor (lock)
 * @requests: the same requests, oldest first (lock)
 * @nr_requests: their number (lock)
 * @expired: the tick ended requests that still have their handles
 * @leases: struct hymc_ulease (pool->lock)
 * @nr_leases: their number (pool->lock)
 * @lost_seen: write losses that a sync of this file has reported (lock)
 * @calls: numbers calls
 * @attached: namespaces attached, xa_mk_value(1) by number (own lock)
 */
struct hymc_file {
	struct hymc_pool *pool;
	struct hymc_mem *mem;
	struct list_head link;
	struct pid *pid;
	struct mutex lock;
	struct xarray views;
	u32 views_next;
	struct xarray reqs;
	u32 reqs_next;
	struct list_head requests;
	u32 nr_requests;
	bool expired;
	struct list_head leases;
	u32 nr_leases;
	u64 lost_seen;
	atomic64_t calls;
	struct xarray attached;
};

/* pool.c */
struct hymc_pool *hymc_pool_create(const struct hymc_pool_cfg *cfg,
				   struct netlink_ext_ack *extack);
int hymc_pool_destroy(struct hymc_pool *pool, bool force,
		      struct netlink_ext_ack *extack);
bool hymc_pool_enter(struct hymc_pool *pool);
void hymc_pool_exit(struct hymc_pool *pool);
void hymc_pool_kill(struct hymc_pool *pool, const char *why);
void hymc_pool_fill_stats(struct hymc_pool *pool, struct hymc_stats *st);
void hymc_waitq_wake(struct hymc_waitq *w);
int hymc_waitq_wait(struct hymc_pool *pool, struct hymc_waitq *w, int seq,
		    unsigned long end);
u32 hymc_pool_pids(struct hymc_pool *pool, u32 *pids, u32 max);

/* poolio.c */
void hymc_pool_pump(struct hymc_pool *pool);
int hymc_pool_feed(struct hymc_pool *pool);
u64 hymc_pool_lost(struct hymc_pool *pool);
int hymc_pool_sync(struct hymc_pool *pool, u32 timeout_ms, u64 *seen);
int hymc_pool_format(struct hymc_pool *pool, struct netlink_ext_ack *extack);

/* ns.c */
int hymc_ns_attach(struct hymc_file *file, struct hymc_ns_attach *arg);
bool hymc_ns_attached(struct hymc_file *file, u32 ns);
void hymc_ns_destroy_all(struct hymc_pool *pool);

/* handles.c */
struct hymc_ureq *hymc_ureq_new(struct hymc_file *file, u32 ns, u32 nr,
				u64 window_bytes, u64 deadline, u64 expires);
u32 hymc_ureq_start(struct hymc_ureq *u, u32 *nr_known);
int hymc_ureq_publish(struct hymc_ureq *u, u64 *id);
struct hymc_ureq *hymc_ureq_get(struct hymc_file *file, u64 id);
void hymc_ureq_put(struct hymc_ureq *u);
int hymc_ureq_cancel(struct hymc_file *file, u64 id);
int hymc_uview_add(struct hymc_file *file, const struct hymc_uview *v, u64 *id);
struct hymc_uview *hymc_uview_take(struct hymc_file *file, u64 id,
				   enum hymc_uview_kind kind);
void hymc_uview_undo(struct hymc_file *file, u64 call);
void hymc_uview_release(struct hymc_file *file, const struct hymc_uview *v);
void hymc_uview_open(struct hymc_file *file, u32 block);
int hymc_uview_commit(struct hymc_file *file, u32 block, bool mapped);
void hymc_uview_abort(struct hymc_file *file, u32 block, bool mapped);
struct hymc_ulease *hymc_ulease_new(u32 nr, u64 until);
void hymc_ulease_discard(struct hymc_pool *pool, struct hymc_ulease *l);
int hymc_ulease_give(struct hymc_file *file, struct hymc_ulease *l);
void hymc_limbo_free(struct hymc_pool *pool);
void hymc_file_end_all(struct hymc_file *file);
void hymc_pool_tick(struct work_struct *work);

/* calls_read.c, calls_write.c: one function per ioctl, see cdev.c */
int hymc_call_go_on(struct hymc_pool *pool);
int hymc_put_runs(struct hymc_pool *pool, u32 block,
		  struct hymc_run __user *runs, u32 max, u32 *used);
long hymc_for_views(struct hymc_file *file, struct hymc_views *arg,
		    enum hymc_uview_kind kind,
		    int (*end)(struct hymc_file *, const struct hymc_uview *));
void hymc_undo_prefetch(struct hymc_file *file, void *arg, u64 call);
long hymc_call_lookup(struct hymc_file *file, void *arg, u64 call);
long hymc_call_prefetch(struct hymc_file *file, void *arg, u64 call);
long hymc_call_cancel(struct hymc_file *file, void *arg, u64 call);
long hymc_call_acquire(struct hymc_file *file, void *arg, u64 call);
long hymc_call_release(struct hymc_file *file, void *arg, u64 call);
long hymc_call_get(struct hymc_file *file, void *arg, u64 call);
long hymc_call_reserve(struct hymc_file *file, void *arg, u64 call);
long hymc_call_commit(struct hymc_file *file, void *arg, u64 call);
long hymc_call_abort(struct hymc_file *file, void *arg, u64 call);
long hymc_call_put(struct hymc_file *file, void *arg, u64 call);
long hymc_call_delete(struct hymc_file *file, void *arg, u64 call);
long hymc_call_sync(struct hymc_file *file, void *arg, u64 call);

/* cdev.c */
extern const struct file_operations hymc_fops;

/* netlink.c */
int hymc_netlink_init(void);
void hymc_netlink_exit(void);

/* main.c */
extern struct class hymc_class;
extern dev_t hymc_devt;

#endif /* HYMC_POOL_H */
