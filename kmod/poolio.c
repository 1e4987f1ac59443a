// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: performing the core's I/O
 *
 * Pulls actions from the core, moves records between SSD and device DRAM without a
 * CPU copy, checksums what is written and verifies what is read, and wakes those
 * who wait. Decides nothing. pool->lock is taken to talk to the core and never held
 * while a record is built, verified or in flight.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/xxhash.h>

#include "compat.h"
#include "extack.h"
#include "pool.h"

/* Chunks fed in one go at most; more are wanted only after more inserts. */
#define HYMC_FEED_MAX	64

/**
 * struct hymc_rec - a record on its way
 * @io: transfer
 * @pool: its pool; the record holds pool->live
 * @act: what the core asked for
 * @work: builds the header of a write, off the caller's back
 * @hdr: header, physically contiguous
 * @vec: header and frames
 */
struct hymc_rec {
	struct hymc_io io;
	struct hymc_pool *pool;
	struct hymc_act act;
	struct work_struct work;
	void *hdr;
	struct bio_vec vec[];
};

static u32 rec_frames(const struct hymc_pool *pool, const struct hymc_act *act)
{
	return DIV_ROUND_UP_ULL(act->len, pool->cfg.frame_bytes);
}

/* Describe header and frames; the last frame is used up to the padding's end. */
static void rec_fill_vec(struct hymc_rec *rec)
{
	struct hymc_pool *pool = rec->pool;
	u64 left = round_up(rec->act.len, HYMC_ALIGN_BYTES);
	u32 frame = rec->act.frame;
	unsigned int nr = 0;

	bvec_set_page(&rec->vec[nr++], virt_to_page(rec->hdr),
		      rec->act.hdr_bytes, 0);
	while (left) {
		u64 n = min_t(u64, left, pool->cfg.frame_bytes);
		u64 at = (u64)frame * pool->cfg.frame_bytes;

		bvec_set_page(&rec->vec[nr++], hymc_mem_page(pool->mem, at), n, 0);
		left -= n;
		frame = hymc_core_frame_next(pool->core, frame);
	}
	rec->io.vec = rec->vec;
	rec->io.vec_nr = nr;
}

/*
 * Small, and needed to make progress: a read that the core has scheduled cannot
 * be taken back, so this one may not fail.
 */
static struct hymc_rec *rec_alloc(struct hymc_pool *pool,
				  const struct hymc_act *act)
{
	struct hymc_rec *rec;

	rec = kvzalloc(struct_size(rec, vec, rec_frames(pool, act) + 1),
		       GFP_NOIO | __GFP_NOFAIL);
	rec->hdr = (void *)__get_free_pages(GFP_NOIO | __GFP_ZERO | __GFP_NOFAIL,
					    get_order(act->hdr_bytes));
	rec->pool = pool;
	rec->act = *act;
	rec_fill_vec(rec);
	return rec;
}

static void rec_free(struct hymc_rec *rec)
{
	free_pages((unsigned long)rec->hdr, get_order(rec->act.hdr_bytes));
	kvfree(rec);
}

/* Checksum @i of the payload as it lies in DRAM now. */
static u32 rec_csum(const struct hymc_rec *rec, u32 i)
{
	struct hymc_pool *pool = rec->pool;
	u64 left = rec->act.len - (u64)i * pool->cfg.frame_bytes;
	const struct bio_vec *v = &rec->vec[i + 1];

	return (u32)xxh64(page_address(v->bv_page),
			  min_t(u64, left, pool->cfg.frame_bytes), 0);
}

static int rec_verify(struct hymc_rec *rec)
{
	const char *why = "payload checksum differs";
	u32 i, nr = rec_frames(rec->pool, &rec->act);
	int err;

	err = hymc_hdr_verify(rec->hdr, &rec->act, rec->pool->uuid.b,
			      rec->pool->cfg.frame_bytes, &why);
	for (i = 0; !err && i < nr; i++)
		if (rec_csum(rec, i) != hymc_hdr_csum(rec->hdr, i))
			err = -EBADMSG;
	if (err)
		dev_err_ratelimited(&rec->pool->dev,
				    "record at byte %llu of %s refused: %s\n",
				    rec->act.addr,
				    hymc_bdev_name(rec->pool->bdev), why);
	return err;
}

static void rec_done(struct hymc_io *io)
{
	struct hymc_rec *rec = container_of(io, struct hymc_rec, io);
	struct hymc_pool *pool = rec->pool;
	int err = io->err;

	if (!err && rec->act.kind == HYMC_ACT_READ)
		err = rec_verify(rec);
	mutex_lock(&pool->lock);
	if (rec->act.kind == HYMC_ACT_READ)
		hymc_core_read_done(pool->core, rec->act.block, err,
				    ktime_get_ns());
	else
		hymc_core_write_done(pool->core, rec->act.block, err,
				     ktime_get_ns());
	mutex_unlock(&pool->lock);
	rec_free(rec);
	hymc_pool_pump(pool);
	/* Syncs wait for writes; reservers for what write-back made clean. */
	hymc_waitq_wake(&pool->room);
	hymc_pool_exit(pool);
}

static void rec_submit(struct hymc_rec *rec)
{
	rec->io.addr = rec->act.addr;
	rec->io.wq = rec->pool->wq;
	rec->io.done = rec_done;
	rec->io.op = rec->act.kind == HYMC_ACT_READ ? REQ_OP_READ : REQ_OP_WRITE;
	hymc_io_submit(rec->pool->bdev, &rec->io);
}

/* Write a committed block: nobody changes its bytes any more, so read them here. */
static void rec_write_work(struct work_struct *work)
{
	struct hymc_rec *rec = container_of(work, struct hymc_rec, work);
	u32 i, nr = rec_frames(rec->pool, &rec->act);
	u32 *csums = kvmalloc_array(nr, sizeof(*csums), GFP_NOIO | __GFP_NOFAIL);

	for (i = 0; i < nr; i++)
		csums[i] = rec_csum(rec, i);
	hymc_hdr_build(rec->hdr, &rec->act, rec->pool->uuid.b,
		       rec->pool->cfg.frame_bytes, csums);
	kvfree(csums);
	rec_submit(rec);
}

static void pool_start(struct hymc_pool *pool, const struct hymc_act *act)
{
	struct hymc_rec *rec = rec_alloc(pool, act);

	percpu_ref_get(&pool->live);
	if (act->kind == HYMC_ACT_READ) {
		rec_submit(rec);
		return;
	}
	INIT_WORK(&rec->work, rec_write_work);
	queue_work(pool->wq, &rec->work);
}

/* Wake the waiters of blocks that the core has news about. Holds pool->lock. */
static void pool_wake_woken(struct hymc_pool *pool)
{
	u32 block;

	lockdep_assert_held(&pool->lock);
	while ((block = hymc_core_woken(pool->core)) != HYMC_NIL)
		hymc_waitq_wake(&pool->waitqs[block % HYMC_WAITQS]);
	if (hymc_core_room(pool->core))
		hymc_waitq_wake(&pool->room);
}

/**
 * hymc_pool_pump - perform what the core wants to be done now
 * @pool: pool, entered
 *
 * To be called after every event. May sleep for memory and for the block layer's
 * throttling, not for I/O to complete.
 */
void hymc_pool_pump(struct hymc_pool *pool)
{
	struct hymc_act act;
	bool more;

	do {
		mutex_lock(&pool->lock);
		more = hymc_core_next(pool->core, ktime_get_ns(), &act);
		if (!more)
			pool_wake_woken(pool);
		mutex_unlock(&pool->lock);
		if (more)
			pool_start(pool, &act);
	} while (more);
}

/**
 * hymc_pool_feed - give the core memory for the next inserts
 * @pool: pool; no lock held
 *
 * Return: 0 or -ENOMEM. May sleep.
 */
int hymc_pool_feed(struct hymc_pool *pool)
{
	int i;

	for (i = 0; i < HYMC_FEED_MAX; i++) {
		void *chunk;
		bool wanted;

		mutex_lock(&pool->lock);
		wanted = hymc_core_mem_short(pool->core);
		mutex_unlock(&pool->lock);
		if (!wanted)
			return 0;
		chunk = kvmalloc(HYMC_CHUNK_BYTES, GFP_KERNEL);
		if (!chunk)
			return -ENOMEM;
		mutex_lock(&pool->lock);
		wanted = hymc_core_mem_feed(pool->core, chunk);
		mutex_unlock(&pool->lock);
		if (!wanted)
			kvfree(chunk);
	}
	return 0;
}

static bool pool_synced(struct hymc_pool *pool, u64 ticket, u64 *lost)
{
	bool done;

	mutex_lock(&pool->lock);
	done = hymc_core_synced(pool->core, ticket, lost);
	mutex_unlock(&pool->lock);
	return done;
}

/* Wait for the ticket's writes. 0 or -ETIMEDOUT, -EINTR, -ENODEV. */
static int pool_wait_synced(struct hymc_pool *pool, u64 ticket, u32 timeout_ms,
			    u64 *lost)
{
	unsigned long end = jiffies + msecs_to_jiffies(timeout_ms);
	int err = 0;

	while (!err) {
		int seq = atomic_read(&pool->room.seq);

		if (pool_synced(pool, ticket, lost))
			return 0;
		err = hymc_waitq_wait(pool, &pool->room, seq, end);
	}
	return err;
}

/**
 * hymc_pool_lost - blocks that could not be written since the pool was made
 * @pool: pool, entered. May sleep.
 */
u64 hymc_pool_lost(struct hymc_pool *pool)
{
	u64 lost;

	pool_synced(pool, 0, &lost);
	return lost;
}

/**
 * hymc_pool_sync - wait until what is dirty now is on the SSD, and flush its cache
 * @pool: pool, entered
 * @timeout_ms: longest wait for the writes
 * @seen: losses that the caller has been told of; advanced
 *
 * Return: 0, -ETIMEDOUT, -EINTR, -ENODEV, an error of the flush, or -EIO when a
 * block was lost that the caller has not been told of.
 */
int hymc_pool_sync(struct hymc_pool *pool, u32 timeout_ms, u64 *seen)
{
	u64 lost, ticket;
	int err;

	mutex_lock(&pool->lock);
	ticket = hymc_core_sync(pool->core);
	mutex_unlock(&pool->lock);
	hymc_pool_pump(pool);
	err = pool_wait_synced(pool, ticket, timeout_ms, &lost);
	if (err)
		return err;
	err = hymc_bdev_flush(pool->bdev);
	if (err)
		return err;
	err = lost == *seen ? 0 : -EIO;
	*seen = lost;
	return err;
}

/* Another pool's superblock, intact or not, is not overwritten unasked. */
static int pool_check_foreign(struct hymc_pool *pool, const void *buf,
			      struct netlink_ext_ack *extack)
{
	const struct hymc_super *sb = buf;

	if (pool->cfg.force || le64_to_cpu(sb->magic) != HYMC_SB_MAGIC)
		return 0;
	hymc_extack(extack, "%s carries a hymc pool; force overwrites it",
		    hymc_bdev_name(pool->bdev));
	return -EEXIST;
}

static int pool_write_supers(struct hymc_pool *pool, void *buf)
{
	struct hymc_core_cfg c = {
		.ssd_bytes = pool->cfg.ssd_bytes - HYMC_LOG_START,
		.log_start = HYMC_LOG_START,
		.segment_bytes = pool->cfg.segment_bytes,
		.frame_bytes = pool->cfg.frame_bytes,
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < HYMC_SB_COPIES; i++) {
		memset(buf, 0, HYMC_SB_BYTES);
		hymc_super_build(buf, &c, i + 1, pool->uuid.b);
		err = hymc_bdev_rw_sync(pool->bdev, REQ_OP_WRITE | REQ_FUA,
					(u64)i * HYMC_SB_BYTES, buf,
					HYMC_SB_BYTES);
	}
	return err;
}

/**
 * hymc_pool_format - write the superblocks of a new pool
 * @pool: pool with an open drive
 * @extack: takes a sentence on failure
 *
 * Refuses a drive that carries a pool unless cfg.force. Return: 0, -EEXIST or an
 * I/O error. May sleep for I/O.
 */
int hymc_pool_format(struct hymc_pool *pool, struct netlink_ext_ack *extack)
{
	void *buf __free(kfree) = kzalloc(HYMC_SB_BYTES, GFP_KERNEL);
	unsigned int i;
	int err = 0;

	if (!buf)
		return -ENOMEM;
	for (i = 0; !err && i < HYMC_SB_COPIES; i++) {
		err = hymc_bdev_rw_sync(pool->bdev, REQ_OP_READ,
					(u64)i * HYMC_SB_BYTES, buf,
					HYMC_SB_BYTES);
		if (!err)
			err = pool_check_foreign(pool, buf, extack);
	}
	if (!err)
		err = pool_write_supers(pool, buf);
	if (err && err != -EEXIST)
		hymc_extack(extack, "%s: cannot read or write its start (error %d)",
			    hymc_bdev_name(pool->bdev), -err);
	return err;
}
