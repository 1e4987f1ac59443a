// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the SSD of a pool
 *
 * Owns the exclusive claim of a block device, the bios to it, and the knowledge
 * that it went away. Moves bytes between ranges of the device and pages, without
 * a CPU copy, and knows nothing of what they mean. Never waits for I/O except in
 * the two functions that say so; never writes outside the range it is given.
 *
 * A transfer (struct hymc_io) is cut into bios of a size the device takes in one
 * piece, so that it works on the first while the last are still being made. The
 * bios of a transfer are counted in @left, which also counts the submitter, so
 * that the transfer cannot complete while it is still being cut.
 *
 * Removal is told by the block layer (mark_dead) where it can, and concluded
 * from an I/O error on a disk that is marked dead in any case: both end in
 * ssd_tell_gone(), which calls the owner once. gone_lock is held during that
 * call, so hymc_bdev_close() waits for it; hence the owner must not hold a lock in
 * hymc_bdev_close() that its gone() takes.
 */
#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "bdev.h"
#include "compat.h"
#include "extack.h"

/* Addresses and lengths of all transfers are multiples of this. */
#define SSD_ALIGN_BYTES	4096U
/* Bytes of one bio: what the device takes at once, within these limits. */
#define SSD_BIO_BYTES_MIN	SZ_64K
#define SSD_BIO_BYTES_MAX	SZ_1M
/* Bios that can be had although memory is short. */
#define SSD_BIO_RESERVE	64U

/**
 * struct hymc_bdev - a block device held exclusively
 * @claim: what keeps it
 * @name: of the disk or partition
 * @ops: owner's callbacks
 * @owner: argument of the callbacks
 * @bios: where the bios come from
 * @bio_bytes: most bytes of one bio
 * @ref: held by the owner until close, and by mark_dead while it runs
 * @gone_lock: serializes @ops->gone() with close. Outside all locks of the
 *	owner; never held over I/O.
 * @gone: the owner was told (@gone_lock)
 * @closing: the owner wants no more calls (@gone_lock)
 * @gone_work: looks after a failed bio whether the disk is dead
 */
struct hymc_bdev {
	struct hymc_claim claim;
	char name[BDEVNAME_SIZE];
	const struct hymc_bdev_ops *ops;
	void *owner;
	struct bio_set bios;
	unsigned int bio_bytes;
	struct kref ref;
	struct mutex gone_lock;		/* gone() against close */
	bool gone;
	bool closing;
	struct delayed_work gone_work;
};

static void ssd_free(struct kref *ref)
{
	struct hymc_bdev *bd = container_of(ref, struct hymc_bdev, ref);

	bioset_exit(&bd->bios);
	mutex_destroy(&bd->gone_lock);
	kfree(bd);
}

static void ssd_tell_gone(struct hymc_bdev *bd)
{
	mutex_lock(&bd->gone_lock);
	if (!bd->gone && !bd->closing) {
		bd->gone = true;
		bd->ops->gone(bd->owner);
	}
	mutex_unlock(&bd->gone_lock);
}

static bool ssd_is_dead(struct hymc_bdev *bd)
{
	return test_bit(GD_DEAD, &bd->claim.bdev->bd_disk->state);
}

static void ssd_gone_work(struct work_struct *work)
{
	struct hymc_bdev *bd = container_of(to_delayed_work(work),
					    struct hymc_bdev, gone_work);

	if (ssd_is_dead(bd))
		ssd_tell_gone(bd);
}

/*
 * A driver may fail requests some time before the disk is marked dead: look now or
 * a little later. Any context.
 */
static void ssd_suspect(struct hymc_bdev *bd)
{
	schedule_delayed_work(&bd->gone_work, ssd_is_dead(bd) ? 0 : HZ);
}

#if HYMC_HAS_HOLDER_OPS
/* Called with bd_holder_lock held, which keeps the claim; drops it. */
static void ssd_dead(struct block_device *bdev, bool surprise)
{
	struct hymc_bdev *bd = bdev->bd_holder;

	lockdep_assert_held(&bdev->bd_holder_lock);
	kref_get(&bd->ref);
	mutex_unlock(&bdev->bd_holder_lock);
	ssd_tell_gone(bd);
	kref_put(&bd->ref, ssd_free);
}

static const struct blk_holder_ops ssd_holder_ops = {
	.mark_dead = ssd_dead,
};

#define SSD_HOLDER_OPS		(&ssd_holder_ops)
#else
#define SSD_HOLDER_OPS		NULL
#endif

static int ssd_open_error(const char *path, int err,
			  struct netlink_ext_ack *extack)
{
	switch (err) {
	case -ENOENT:
		hymc_extack(extack, "%s does not exist", path);
		break;
	case -ENOTBLK:
		hymc_extack(extack, "%s is not a block device", path);
		break;
	case -EBUSY:
		hymc_extack(extack,
			    "%s is in use: mounted, swap, part of md or dm, or open exclusively",
			    path);
		break;
	case -EACCES:
		hymc_extack(extack, "%s lies on a file system mounted nodev",
			    path);
		break;
	case -EROFS:
		hymc_extack(extack, "%s is read-only", path);
		break;
	case -ENXIO:
	case -ENODEV:
		hymc_extack(extack, "%s names a device that is not there",
			    path);
		break;
	default:
		hymc_extack(extack, "%s cannot be opened: error %d", path,
			    -err);
	}
	return err;
}

static int ssd_claim(struct hymc_bdev *bd, const char *path,
		     struct netlink_ext_ack *extack)
{
	dev_t devt;
	int err;

	err = lookup_bdev(path, &devt);
	if (err)
		return ssd_open_error(path, err, extack);
	err = hymc_claim_open(&bd->claim, path, bd, SSD_HOLDER_OPS);
	if (err == -EACCES)
		err = -EROFS;
	if (err)
		return ssd_open_error(path, err, extack);
	snprintf(bd->name, sizeof(bd->name), "%pg", bd->claim.bdev);
	return 0;
}

/* What the claimed device must be like. */
static int ssd_check(struct hymc_bdev *bd, struct netlink_ext_ack *extack)
{
	struct block_device *bdev = bd->claim.bdev;

	if (bdev_read_only(bdev)) {
		hymc_extack(extack, "%s is read-only", bd->name);
		return -EROFS;
	}
	if (bdev_logical_block_size(bdev) > SSD_ALIGN_BYTES) {
		hymc_extack(extack, "%s has logical blocks of %u bytes, at most %u are possible",
			    bd->name, bdev_logical_block_size(bdev),
			    SSD_ALIGN_BYTES);
		return -EINVAL;
	}
	if (bdev_is_zoned(bdev)) {
		hymc_extack(extack, "%s is a zoned device, which must be written in order",
			    bd->name);
		return -EINVAL;
	}
	return 0;
}

/*
 * Our bios go past the page cache of the device. What others left dirty in it must
 * not be written over ours later, and what they left clean must not hide ours.
 */
static int ssd_drop_cache(struct hymc_bdev *bd, struct netlink_ext_ack *extack)
{
	int err = sync_blockdev(bd->claim.bdev);

	if (err)
		hymc_extack(extack, "%s failed to write what was cached for it: error %d",
			    bd->name, -err);
	else
		invalidate_bdev(bd->claim.bdev);
	return err;
}

/* The size of bios that the device's driver will not have to split. */
static unsigned int ssd_pick_bio_bytes(struct block_device *bdev)
{
	u64 bytes = (u64)queue_max_sectors(bdev_get_queue(bdev)) << SECTOR_SHIFT;

	bytes = clamp_t(u64, bytes, SSD_BIO_BYTES_MIN, SSD_BIO_BYTES_MAX);
	return round_down(bytes, SSD_ALIGN_BYTES);
}

static struct hymc_bdev *ssd_alloc(const struct hymc_bdev_ops *ops,
				   void *owner)
{
	struct hymc_bdev *bd;
	int err;

	bd = kzalloc(sizeof(*bd), GFP_KERNEL);
	if (!bd)
		return ERR_PTR(-ENOMEM);
	err = bioset_init(&bd->bios, SSD_BIO_RESERVE, 0, BIOSET_NEED_BVECS);
	if (err) {
		kfree(bd);
		return ERR_PTR(err);
	}
	bd->ops = ops;
	bd->owner = owner;
	kref_init(&bd->ref);
	mutex_init(&bd->gone_lock);
	INIT_DELAYED_WORK(&bd->gone_work, ssd_gone_work);
	return bd;
}

/**
 * hymc_bdev_open - open a block device exclusively
 * @path: of a block device node
 * @ops: callbacks, kept until hymc_bdev_close()
 * @owner: their argument
 * @extack: takes a sentence that names the device when the call fails
 *
 * Writes what the page cache of the device has pending, nothing else. Process
 * context, sleeps.
 *
 * Return: the object or an ERR_PTR: -EBUSY (mounted, swap, part of md or dm, opened
 * exclusively), -ENOENT, -ENOTBLK, -ENXIO (no such device), -EROFS, -EACCES
 * (read-only, nodev), -EINVAL (logical blocks above 4096 bytes, zoned), -ENOMEM, or
 * the error of writing what was cached.
 */
struct hymc_bdev *hymc_bdev_open(const char *path,
				 const struct hymc_bdev_ops *ops, void *owner,
				 struct netlink_ext_ack *extack)
{
	struct hymc_bdev *bd;
	int err;

	bd = ssd_alloc(ops, owner);
	if (IS_ERR(bd))
		return bd;
	err = ssd_claim(bd, path, extack);
	if (!err)
		err = ssd_check(bd, extack);
	if (!err)
		err = ssd_drop_cache(bd, extack);
	if (err) {
		hymc_bdev_close(bd);
		return ERR_PTR(err);
	}
	bd->bio_bytes = ssd_pick_bio_bytes(bd->claim.bdev);
	return bd;
}

/**
 * hymc_bdev_close - give a block device back
 * @bd: from hymc_bdev_open(), or NULL
 *
 * No I/O may be in flight. Waits for a running gone() callback; none comes after
 * return. Process context, may sleep.
 */
void hymc_bdev_close(struct hymc_bdev *bd)
{
	if (!bd)
		return;
	mutex_lock(&bd->gone_lock);
	bd->closing = true;
	mutex_unlock(&bd->gone_lock);
	cancel_delayed_work_sync(&bd->gone_work);
	if (bd->claim.bdev)
		invalidate_bdev(bd->claim.bdev);
	hymc_claim_close(&bd->claim);
	kref_put(&bd->ref, ssd_free);
}

/**
 * hymc_bdev_bytes - size of the device
 * @bd: the device
 *
 * Return: its bytes now. Any context.
 */
u64 hymc_bdev_bytes(const struct hymc_bdev *bd)
{
	return bdev_nr_bytes(bd->claim.bdev);
}

/**
 * hymc_bdev_name - name of the device, for messages
 * @bd: the device
 *
 * Any context.
 *
 * Return: the name of the disk or partition ("nvme0n1p2"), valid until close.
 */
const char *hymc_bdev_name(const struct hymc_bdev *bd)
{
	return bd->name;
}

/*
 * Drop a count of @io. The last one hands it back: through the owner's workqueue
 * or, for the transfers of this file that have none, right here.
 */
static void io_put(struct hymc_io *io)
{
	if (!atomic_dec_and_test(&io->left))
		return;
	if (io->wq)
		queue_work(io->wq, &io->work);
	else
		io->done(io);
}

static void io_work(struct work_struct *work)
{
	struct hymc_io *io = container_of(work, struct hymc_io, work);

	io->done(io);
}

static void io_fail(struct hymc_io *io, int err)
{
	cmpxchg(&io->err, 0, err);
}

/* Any context, interrupts included. */
static void io_bio_end(struct bio *bio)
{
	struct hymc_io *io = bio->bi_private;

	if (bio->bi_status) {
		io_fail(io, blk_status_to_errno(bio->bi_status));
		ssd_suspect(io->bd);
	}
	bio_put(bio);
	io_put(io);
}

/**
 * struct io_pos - how far the cutting of a transfer has come
 * @addr: next byte on the device
 * @vec: current piece
 * @vec_left: pieces left, the current one included
 * @used: bytes of the current piece that are done
 */
struct io_pos {
	u64 addr;
	const struct bio_vec *vec;
	unsigned int vec_left;
	unsigned int used;
};

/* Put as much as possible of the current piece into @bio; 0 when it is full. */
static unsigned int io_add_piece(struct hymc_bdev *bd, struct bio *bio,
				 const struct io_pos *pos)
{
	unsigned int offset = pos->vec->bv_offset + pos->used;
	unsigned int len = min(pos->vec->bv_len - pos->used,
			       bd->bio_bytes - bio->bi_iter.bi_size);

	if (!len)
		return 0;
	return bio_add_page(bio, pos->vec->bv_page + (offset >> PAGE_SHIFT), len,
			    offset_in_page(offset));
}

static void io_fill_bio(struct hymc_bdev *bd, struct bio *bio,
			struct io_pos *pos)
{
	unsigned int len;

	while (pos->vec_left) {
		len = io_add_piece(bd, bio, pos);
		if (!len)
			break;
		pos->addr += len;
		pos->used += len;
		if (pos->used == pos->vec->bv_len) {
			pos->used = 0;
			pos->vec++;
			pos->vec_left--;
		}
	}
}

static void io_submit_bio(struct hymc_bdev *bd, struct hymc_io *io,
			  struct io_pos *pos)
{
	struct bio *bio;

	/*
	 * Cannot fail: the mempool waits for one of our own bios, all of which
	 * have been submitted.
	 */
	bio = bio_alloc_bioset(bd->claim.bdev, bio_max_segs(pos->vec_left),
			       io->op, GFP_NOIO, &bd->bios);
	bio->bi_iter.bi_sector = pos->addr >> SECTOR_SHIFT;
	bio->bi_private = io;
	bio->bi_end_io = io_bio_end;
	io_fill_bio(bd, bio, pos);
	atomic_inc(&io->left);
	submit_bio(bio);
}

static bool io_is_aligned(const struct hymc_io *io)
{
	unsigned int i;

	if (!IS_ALIGNED(io->addr, SSD_ALIGN_BYTES))
		return false;
	for (i = 0; i < io->vec_nr; i++)
		if (!io->vec[i].bv_len ||
		    !IS_ALIGNED(io->vec[i].bv_len, SSD_ALIGN_BYTES))
			return false;
	return true;
}

/**
 * hymc_io_submit - start a transfer
 * @bd: the device
 * @io: what to do; @op, @addr, @vec, @vec_nr, @wq and @done are filled by the
 *	caller, who may reuse or free it in or after @done
 *
 * Never fails by itself: all errors come through @done, with @io->err set. A
 * transfer whose parts are not multiples of 4096 bytes gives -EINVAL. After a
 * failure the contents of the target are undefined. Process context, may sleep
 * for memory and for room in the device's queue, not for the transfer.
 */
void hymc_io_submit(struct hymc_bdev *bd, struct hymc_io *io)
{
	struct io_pos pos = {
		.addr = io->addr,
		.vec = io->vec,
		.vec_left = io->vec_nr,
	};
	struct blk_plug plug;

	io->bd = bd;
	io->err = 0;
	atomic_set(&io->left, 1);
	if (io->wq)
		INIT_WORK(&io->work, io_work);
	if (WARN_ON_ONCE(!io_is_aligned(io))) {
		io_fail(io, -EINVAL);
		io_put(io);
		return;
	}
	blk_start_plug(&plug);
	while (pos.vec_left && !READ_ONCE(io->err))
		io_submit_bio(bd, io, &pos);
	blk_finish_plug(&plug);
	io_put(io);
}

/**
 * struct sync_io - a transfer that someone waits for
 * @io: the transfer
 * @done: completed when it is over
 */
struct sync_io {
	struct hymc_io io;
	struct completion done;
};

static void sync_io_done(struct hymc_io *io)
{
	complete(&container_of(io, struct sync_io, io)->done);
}

/* Describe @len bytes of vmalloc memory page by page, other memory as one piece. */
static unsigned int sync_io_fill(struct bio_vec *vec, void *buf, size_t len)
{
	unsigned int i, nr = len >> PAGE_SHIFT;

	if (!is_vmalloc_addr(buf)) {
		bvec_set_page(vec, virt_to_page(buf), len, offset_in_page(buf));
		return 1;
	}
	for (i = 0; i < nr; i++)
		bvec_set_page(&vec[i], vmalloc_to_page(buf + i * PAGE_SIZE),
			      PAGE_SIZE, 0);
	return nr;
}

static int sync_io_run(struct hymc_bdev *bd, blk_opf_t op, u64 addr,
		       struct bio_vec *vec, unsigned int vec_nr)
{
	struct sync_io s = {
		.io = {
			.op = op | REQ_SYNC,
			.addr = addr,
			.vec = vec,
			.vec_nr = vec_nr,
			.done = sync_io_done,
		},
	};

	init_completion(&s.done);
	hymc_io_submit(bd, &s.io);
	wait_for_completion_io(&s.done);
	return s.io.err;
}

/**
 * hymc_bdev_rw_sync - read or write a buffer and wait
 * @bd: the device
 * @op: REQ_OP_READ or REQ_OP_WRITE, with flags
 * @addr: first byte on the device, a multiple of 4096
 * @buf: memory from kmalloc, vmalloc, kvmalloc or the page allocator; page-aligned
 *	when it is vmalloc memory
 * @len: bytes, a positive multiple of 4096, below 2 GiB
 *
 * Waits as long as the block layer takes to complete or time out the request.
 * Process context, sleeps.
 *
 * Return: 0, or -EINVAL (alignment), -ENOMEM, or the error of the device.
 */
int hymc_bdev_rw_sync(struct hymc_bdev *bd, blk_opf_t op, u64 addr, void *buf,
		      size_t len)
{
	struct bio_vec *vec;
	unsigned int nr;
	int err;

	if (!len || len > INT_MAX || !IS_ALIGNED(len, SSD_ALIGN_BYTES) ||
	    !IS_ALIGNED(addr, SSD_ALIGN_BYTES) ||
	    (is_vmalloc_addr(buf) && !PAGE_ALIGNED(buf)))
		return -EINVAL;
	vec = kvmalloc_array(is_vmalloc_addr(buf) ? len >> PAGE_SHIFT : 1,
			     sizeof(*vec), GFP_KERNEL);
	if (!vec)
		return -ENOMEM;
	nr = sync_io_fill(vec, buf, len);
	if (is_vmalloc_addr(buf))
		flush_kernel_vmap_range(buf, len);
	err = sync_io_run(bd, op, addr, vec, nr);
	if (is_vmalloc_addr(buf))
		invalidate_kernel_vmap_range(buf, len);
	kvfree(vec);
	return err;
}

/**
 * hymc_bdev_flush - flush the device's volatile cache and wait
 * @bd: the device
 *
 * Process context, sleeps.
 *
 * Return: 0 or the error of the device.
 */
int hymc_bdev_flush(struct hymc_bdev *bd)
{
	return blkdev_issue_flush(bd->claim.bdev);
}
