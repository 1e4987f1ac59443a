/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the SSD of a pool
 *
 * A hymc_bdev owns a block device exclusively and moves bytes between it and
 * pages. It knows nothing of records or blocks. Functions are documented where
 * they are defined.
 */
#ifndef HYMC_BDEV_H
#define HYMC_BDEV_H

#include <linux/bio.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct hymc_bdev;
struct netlink_ext_ack;

/**
 * struct hymc_bdev_ops - what a hymc_bdev tells its owner
 * @gone: the device was removed (surprise or not). Called at most once, in process
 *	context; may sleep but must not wait for I/O of this device and must not
 *	call hymc_bdev_close(). All I/O that is in flight completes with an error
 *	by itself. May come before hymc_bdev_open() has returned. The owner must
 *	not call hymc_bdev_close() with a lock held that @gone takes.
 */
struct hymc_bdev_ops {
	void (*gone)(void *owner);
};

/**
 * struct hymc_io - one transfer between a consecutive range of the SSD and memory
 * @bd: filled by hymc_io_submit()
 * @op: REQ_OP_READ or REQ_OP_WRITE, plus flags (REQ_FUA...)
 * @addr: first byte on the SSD; multiple of 4096
 * @vec: pieces of memory, in order; each a physically contiguous run described by
 *	its first page, an offset and a length; lengths multiples of 4096. Owned by
 *	the caller until @done.
 * @vec_nr: number of pieces
 * @wq: where @done runs; it should be WQ_MEM_RECLAIM, since memory may wait for it
 * @done: called exactly once, in process context on @wq, when all is transferred or
 *	failed; @err is 0 or a negative errno
 * @err: first error
 * @left: bios outstanding, private to bdev.c
 * @work: private to bdev.c
 */
struct hymc_io {
	struct hymc_bdev *bd;
	blk_opf_t op;
	u64 addr;
	struct bio_vec *vec;
	unsigned int vec_nr;
	struct workqueue_struct *wq;
	void (*done)(struct hymc_io *io);
	int err;
	atomic_t left;
	struct work_struct work;
};

struct hymc_bdev *hymc_bdev_open(const char *path,
				 const struct hymc_bdev_ops *ops, void *owner,
				 struct netlink_ext_ack *extack);
void hymc_bdev_close(struct hymc_bdev *bd);
u64 hymc_bdev_bytes(const struct hymc_bdev *bd);
const char *hymc_bdev_name(const struct hymc_bdev *bd);
void hymc_io_submit(struct hymc_bdev *bd, struct hymc_io *io);
int hymc_bdev_rw_sync(struct hymc_bdev *bd, blk_opf_t op, u64 addr, void *buf,
		      size_t len);
int hymc_bdev_flush(struct hymc_bdev *bd);

#endif /* HYMC_BDEV_H */
