// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the device node
 *
 * open, close, mmap and the dispatch of ioctls: one table says of each call how
 * large its argument is and which function it is. Arguments are copied in and out
 * here and nowhere else.
 */
#include <linux/cdev.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "pool.h"

static struct hymc_file *file_alloc(struct hymc_pool *pool)
{
	struct hymc_file *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

	if (!f)
		return NULL;
	f->pool = pool;
	f->pid = get_pid(task_tgid(current));
	mutex_init(&f->lock);
	xa_init_flags(&f->views, XA_FLAGS_ALLOC1);
	xa_init_flags(&f->reqs, XA_FLAGS_ALLOC1);
	xa_init(&f->attached);
	INIT_LIST_HEAD(&f->requests);
	INIT_LIST_HEAD(&f->leases);
	return f;
}

static void file_free(struct hymc_file *f)
{
	put_pid(f->pid);
	mutex_destroy(&f->lock);
	kfree(f);
}

/* Join the pool's files, unless it is being destroyed. */
static int file_join(struct hymc_pool *pool, struct hymc_file *f)
{
	guard(mutex)(&pool->lock);
	if (pool->dead || pool->destroying)
		return -ENODEV;
	list_add_tail(&f->link, &pool->files);
	pool->nr_files++;
	return 0;
}

static int hymc_open(struct inode *inode, struct file *filp)
{
	struct hymc_pool *pool = container_of(inode->i_cdev, struct hymc_pool,
					      cdev);
	struct hymc_file *f;
	int err = 0;

	if (!hymc_pool_enter(pool))
		return -ENODEV;
	f = file_alloc(pool);
	if (!f)
		err = -ENOMEM;
	else
		err = file_join(pool, f);
	if (!err) {
		get_device(&pool->dev);
		filp->private_data = f;
		f->lost_seen = hymc_pool_lost(pool);
		f->mem = pool->mem;
		hymc_mem_setup_file(f->mem, filp);
	} else if (f) {
		file_free(f);
	}
	hymc_pool_exit(pool);
	return err;
}

static int hymc_release(struct inode *inode, struct file *filp)
{
	struct hymc_file *f = filp->private_data;
	struct hymc_pool *pool = f->pool;

	hymc_file_end_all(f);
	mutex_lock(&pool->lock);
	list_del(&f->link);
	pool->nr_files--;
	mutex_unlock(&pool->lock);
	if (hymc_pool_enter(pool)) {
		hymc_pool_pump(pool);
		hymc_pool_exit(pool);
	}
	hymc_mem_release_file(f->mem, filp);
	file_free(f);
	put_device(&pool->dev);
	return 0;
}

static int hymc_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct hymc_file *f = filp->private_data;
	int err;

	if (!hymc_pool_enter(f->pool))
		return -ENODEV;
	err = hymc_mem_mmap(f->pool->mem, filp, vma);
	hymc_pool_exit(f->pool);
	return err;
}

static long hymc_call_info(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_pool *pool = file->pool;
	struct hymc_info *arg = p;

	if (arg->flags)
		return -EINVAL;
	*arg = (struct hymc_info) {
		.size = min_t(u32, arg->size, sizeof(*arg)),
		.pool = pool->cfg.id,
		.policy = pool->cfg.policy,
		.features = HYMC_FEAT_MMAP | HYMC_FEAT_VERIFY,
		.dram_bytes = hymc_mem_bytes(pool->mem),
		.ssd_bytes = pool->cfg.ssd_bytes,
		.frame_bytes = pool->cfg.frame_bytes,
		.block_bytes_max = pool->block_bytes_max,
		.window_bytes = pool->cfg.window_bytes,
	};
	memcpy(arg->uuid, pool->uuid.b, sizeof(arg->uuid));
	return 0;
}

static long hymc_call_stats(struct hymc_file *file, void *p, u64 call)
{
	struct hymc_stats *arg = p;
	u32 size = min_t(u32, arg->size, sizeof(*arg));

	if (arg->flags)
		return -EINVAL;
	hymc_pool_fill_stats(file->pool, arg);
	arg->size = size;
	return 0;
}

static long hymc_call_ns_attach(struct hymc_file *file, void *p, u64 call)
{
	return hymc_ns_attach(file, p);
}

/* What a call needs, and what it gives. */
#define CALL_WRITES	BIT(0)	/* changes blocks: the file must be open for writing */
#define CALL_ANSWERS	BIT(1)	/* has output in its structure */
#define CALL_VIEWS	BIT(2)	/* hands out views or reservations */

/**
 * struct hymc_call - one ioctl
 * @bytes: size of its argument as this kernel knows it
 * @bytes_min: size of the first published layout
 * @flags: CALL_*
 * @fn: implementation; gets a kernel copy of the argument and the call's number
 * @undo: takes back what a successful @fn handed out besides views, when its answer
 *	cannot be delivered
 */
struct hymc_call {
	u32 bytes;
	u32 bytes_min;
	u32 flags;
	long (*fn)(struct hymc_file *file, void *arg, u64 call);
	void (*undo)(struct hymc_file *file, void *arg, u64 call);
};

#define HYMC_CALL(nr, type, last, name, fl) \
	[_IOC_NR(nr)] = { \
		.bytes = sizeof(struct type), \
		.bytes_min = offsetofend(struct type, last), \
		.flags = fl, \
		.fn = hymc_call_##name, \
	}

#define READS		CALL_ANSWERS
#define WRITES		(CALL_ANSWERS | CALL_WRITES)

static const struct hymc_call hymc_calls[] = {
	HYMC_CALL(HYMC_IOC_INFO, hymc_info, uuid, info, READS),
	HYMC_CALL(HYMC_IOC_STATS, hymc_stats, lead_hist, stats, READS),
	HYMC_CALL(HYMC_IOC_NS_ATTACH, hymc_ns_attach, __reserved, ns_attach, READS),
	HYMC_CALL(HYMC_IOC_LOOKUP, hymc_lookup, nr_hit, lookup, READS),
	[_IOC_NR(HYMC_IOC_PREFETCH)] = {
		.bytes = sizeof(struct hymc_prefetch),
		.bytes_min = offsetofend(struct hymc_prefetch, __reserved),
		.flags = READS,
		.fn = hymc_call_prefetch,
		.undo = hymc_undo_prefetch,
	},
	HYMC_CALL(HYMC_IOC_CANCEL, hymc_cancel, request, cancel, 0),
	HYMC_CALL(HYMC_IOC_ACQUIRE, hymc_acquire, __reserved, acquire,
		  READS | CALL_VIEWS),
	HYMC_CALL(HYMC_IOC_RELEASE, hymc_views, status, release, READS),
	HYMC_CALL(HYMC_IOC_RESERVE, hymc_reserve, nr_runs, reserve,
		  WRITES | CALL_VIEWS),
	HYMC_CALL(HYMC_IOC_COMMIT, hymc_views, status, commit, WRITES),
	HYMC_CALL(HYMC_IOC_ABORT, hymc_views, status, abort, WRITES),
	HYMC_CALL(HYMC_IOC_PUT, hymc_copy, nr_ok, put, WRITES),
	HYMC_CALL(HYMC_IOC_GET, hymc_copy, nr_ok, get, READS),
	HYMC_CALL(HYMC_IOC_DELETE, hymc_delete, __reserved, delete, WRITES),
	HYMC_CALL(HYMC_IOC_SYNC, hymc_sync, __reserved, sync, 0),
};

/* Room for the largest argument, on the stack. */
union hymc_arg {
	struct hymc_info info;
	struct hymc_stats stats;
	struct hymc_ns_attach ns_attach;
	struct hymc_reserve reserve;
	struct hymc_acquire acquire;
	struct hymc_copy copy;
};

static const struct hymc_call *call_find(unsigned int cmd)
{
	const struct hymc_call *call;

	if (_IOC_TYPE(cmd) != HYMC_IOC_TYPE || _IOC_NR(cmd) >= ARRAY_SIZE(hymc_calls))
		return NULL;
	call = &hymc_calls[_IOC_NR(cmd)];
	if (cmd != _IO(HYMC_IOC_TYPE, _IOC_NR(cmd)) || !call->fn)
		return NULL;
	return call;
}

/* Copy the argument in by the rules of extensible structures. */
static int arg_get(const struct hymc_call *call, void *arg, void __user *uarg,
		   u32 *usize)
{
	BUILD_BUG_ON(sizeof(union hymc_arg) > 1024);
	if (get_user(*usize, (u32 __user *)uarg))
		return -EFAULT;
	if (*usize < call->bytes_min)
		return -EINVAL;
	if (*usize > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(arg, call->bytes, uarg, *usize);
}

static int arg_put(const struct hymc_call *call, void *arg, void __user *uarg,
		   u32 usize)
{
	if (!(call->flags & CALL_ANSWERS))
		return 0;
	return copy_to_user(uarg, arg, min(usize, call->bytes)) ? -EFAULT : 0;
}

/* Do the call; when it fails, the caller holds nothing that it did not before. */
static long call_run(struct hymc_file *f, const struct hymc_call *call, void *arg,
		     void __user *uarg, u32 usize)
{
	u64 nr = atomic64_inc_return(&f->calls);
	long err = call->fn(f, arg, nr);

	if (!err) {
		err = arg_put(call, arg, uarg, usize);
		if (err && call->undo)
			call->undo(f, arg, nr);
	}
	if (err && (call->flags & CALL_VIEWS))
		hymc_uview_undo(f, nr);
	/* Whatever came free by this call may be what others wait for. */
	hymc_pool_pump(f->pool);
	return err;
}

static long hymc_ioctl(struct file *filp, unsigned int cmd, unsigned long uptr)
{
	struct hymc_file *f = filp->private_data;
	const struct hymc_call *call = call_find(cmd);
	void __user *uarg = (void __user *)uptr;
	union hymc_arg arg;
	u32 usize;
	long err;

	if (!call)
		return -ENOTTY;
	err = arg_get(call, &arg, uarg, &usize);
	if (err)
		return err;
	if ((call->flags & CALL_WRITES) && !(filp->f_mode & FMODE_WRITE))
		return -EACCES;
	if (!hymc_pool_enter(f->pool))
		return -ENODEV;
	err = call_run(f, call, &arg, uarg, usize);
	hymc_pool_exit(f->pool);
	return err;
}

const struct file_operations hymc_fops = {
	.owner = THIS_MODULE,
	.open = hymc_open,
	.release = hymc_release,
	.mmap = hymc_mmap,
	.get_unmapped_area = thp_get_unmapped_area,
	.unlocked_ioctl = hymc_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};
