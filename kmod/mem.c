// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the device DRAM of a pool
 *
 * Owns a physical range: claims it in the iomem tree, which excludes the stock dax
 * drivers, gives it struct pages, remembers which of them are lost, and gives it
 * back. Knows nothing of frames or blocks, and never gives the pages up while
 * anybody may still use them.
 *
 * References of pages. Each 2 MiB of the range is one compound page whose count
 * is 1 when nobody uses it. Pins (RDMA, io_uring, O_DIRECT in flight) raise it and
 * live on when the mapping they came from is unmapped and the file closed;
 * memunmap_pages() does not wait for them, it would free the struct pages under a
 * running DMA. So both ways out wait for all counts to be 1:
 *
 * - hymc_mem_close(): the owner polls hymc_mem_idle() with a bound of its own and
 *   does not close while it is false.
 * - The device is torn down under us (hymc_mem_leave()): that cannot be refused.
 *   The owner is told, mappings are zapped, and then the teardown is held up until
 *   the pins are gone, with a message now and then. Letting it proceed would hand
 *   memory that a device still writes to somebody else, or crash the machine;
 *   a teardown that waits for the culprit to exit is the lesser evil. It is the
 *   one wait of the module without a bound.
 *
 * Mappings. Entries of 4 KiB, and since 6.15 those of 2 MiB, hold a reference; older
 * 2 MiB entries do not. Hence a live range with any mapping counts as in use, and
 * after hymc_mem_revoke_all() none has entries. Fast GUP looks at page tables
 * without a lock, but in an RCU read section: a grace period after the zap ends it.
 *
 * mem->lock orders teardown against scans of the pages. See mmap.c for the rest.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/ioport.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "compat.h"
#include "extack.h"
#include "mem.h"
#include "mem_internal.h"

/* How often, and how long before the first complaint, a teardown looks for pins. */
#define MEM_PIN_POLL_MS		20U
#define MEM_PIN_QUIET_MS	5000U
#define MEM_PIN_REPEAT_MS	30000U

static struct hymc_mem *pgmap_to_mem(struct dev_pagemap *pgmap)
{
	return container_of(pgmap, struct hymc_mem, pgmap);
}

/*
 * Called by memory_failure() with its mutex held, for errors found by the machine
 * or injected. The pages around the bad ones are mapped again on demand, with
 * 4 KiB entries; the bad one never is, so that whoever touches it gets SIGBUS.
 */
static int mem_memory_failure(struct dev_pagemap *pgmap, unsigned long pfn,
			      unsigned long nr_pages, int mf_flags)
{
	struct hymc_mem *mem = pgmap_to_mem(pgmap);
	u64 offset = PFN_PHYS(pfn) - mem->start;
	unsigned long i;
	bool news = false;

	for (i = 0; i < nr_pages; i++)
		news |= !test_and_set_bit((offset >> PAGE_SHIFT) + i,
					  mem->poison);
	hymc_mem_zap_poison(mem, offset, nr_pages << PAGE_SHIFT);
	if (!news)
		return 0;
	pr_err("%s: memory error, %lu bytes at offset %#llx are lost\n",
	       mem->name, nr_pages << PAGE_SHIFT, offset);
	mem->ops->poisoned(mem->owner, offset, nr_pages << PAGE_SHIFT);
	return 0;
}

static const struct dev_pagemap_ops mem_pgmap_ops = {
	.memory_failure = mem_memory_failure,
};

static int mem_claim(struct hymc_mem *mem, struct netlink_ext_ack *extack)
{
	u64 last = mem->start + mem->bytes - 1;

	if (region_intersects(mem->start, mem->bytes, IORESOURCE_SYSTEM_RAM,
			      IORES_DESC_NONE) != REGION_DISJOINT) {
		hymc_extack(extack, "%s: the range %#llx-%#llx is in use as System RAM",
			    mem->name, mem->start, last);
		return -EBUSY;
	}
	mem->res = request_mem_region(mem->start, mem->bytes, "hymc");
	if (!mem->res) {
		hymc_extack(extack, "%s: the range %#llx-%#llx is in use, /proc/iomem says by whom",
			    mem->name, mem->start, last);
		return -EBUSY;
	}
	return 0;
}

static void mem_unclaim(struct hymc_mem *mem)
{
	if (mem->res)
		release_mem_region(mem->start, mem->bytes);
	mem->res = NULL;
}

static int mem_make_pages(struct hymc_mem *mem, struct netlink_ext_ack *extack)
{
	void *addr;

	mem->pgmap.type = MEMORY_DEVICE_GENERIC;
	mem->pgmap.range.start = mem->start;
	mem->pgmap.range.end = mem->start + mem->bytes - 1;
	mem->pgmap.nr_range = 1;
	mem->pgmap.vmemmap_shift = HYMC_PMD_ORDER;
	mem->pgmap.ops = &mem_pgmap_ops;
	addr = memremap_pages(&mem->pgmap, mem->node);
	if (IS_ERR(addr)) {
		hymc_extack(extack, "%s: no struct pages for %llu bytes: error %ld",
			    mem->name, mem->bytes, -PTR_ERR(addr));
		return PTR_ERR(addr);
	}
	mem->addr = addr;
	return 0;
}

/* Give pages and claim back; every page is idle. */
static void mem_drop_range(struct hymc_mem *mem)
{
	lockdep_assert_held(&mem->lock);
	if (mem->present)
		memunmap_pages(&mem->pgmap);
	mem->present = false;
	mem_unclaim(mem);
}

/* The size has been checked against that of the device: it is not absurd. */
static int mem_make_poison(struct hymc_mem *mem, struct netlink_ext_ack *extack)
{
	mem->poison = kvcalloc(BITS_TO_LONGS(mem->bytes >> PAGE_SHIFT),
			       sizeof(long), GFP_KERNEL);
	if (mem->poison)
		return 0;
	hymc_extack(extack, "%s: no host memory to describe %llu bytes",
		    mem->name, mem->bytes);
	return -ENOMEM;
}

static int mem_take_range(struct hymc_mem *mem, struct netlink_ext_ack *extack)
{
	int err;

	lockdep_assert_held(&mem->lock);
	if (mem->leaving) {
		hymc_extack(extack, "%s is being removed", mem->name);
		return -ENODEV;
	}
	err = mem_claim(mem, extack);
	if (err)
		return err;
	err = mem_make_pages(mem, extack);
	if (err) {
		mem_unclaim(mem);
		return err;
	}
	mem->present = true;
	return 0;
}

static int mem_check_args(const char *name, u64 start, u64 size,
			  struct netlink_ext_ack *extack)
{
	if (!IS_ALIGNED(start | size, PMD_SIZE)) {
		hymc_extack(extack, "%s: the range at %#llx of %llu bytes is not a multiple of %lu",
			    name, start, size, PMD_SIZE);
		return -EINVAL;
	}
	if (start >> MAX_PHYSMEM_BITS || size >> MAX_PHYSMEM_BITS) {
		hymc_extack(extack, "%s: %llu bytes at %#llx are beyond any device of this machine",
			    name, size, start);
		return -EINVAL;
	}
	if (!size) {
		hymc_extack(extack, "%s: the range is empty", name);
		return -EINVAL;
	}
	return 0;
}

static void mem_free(struct kref *ref)
{
	struct hymc_mem *mem = container_of(ref, struct hymc_mem, ref);

	hymc_mem_inode_destroy(mem);
	cleanup_srcu_struct(&mem->faults);
	mutex_destroy(&mem->lock);
	kvfree(mem->poison);
	kfree(mem);
}

/* The node that firmware gives the range, or the nearest one if it gives none. */
static int mem_find_node(u64 start)
{
	int node = phys_to_target_node(start);

	return node == NUMA_NO_NODE ? memory_add_physaddr_to_nid(start) : node;
}

static struct hymc_mem *mem_alloc(const char *name, u64 start, u64 size)
{
	struct hymc_mem *mem;
	int err;

	mem = kzalloc(sizeof(*mem), GFP_KERNEL);
	if (!mem)
		return ERR_PTR(-ENOMEM);
	mem->start = start;
	mem->bytes = size;
	mem->node = mem_find_node(start);
	strscpy(mem->name, name, sizeof(mem->name));
	kref_init(&mem->ref);
	mutex_init(&mem->lock);
	err = init_srcu_struct(&mem->faults);
	if (err)
		goto err_free;
	err = hymc_mem_inode_create(mem);
	if (err)
		goto err_srcu;
	return mem;

err_srcu:
	cleanup_srcu_struct(&mem->faults);
err_free:
	kfree(mem);
	return ERR_PTR(err);
}

/**
 * hymc_mem_open - claim the memory of a dax device
 * @name: of the dax device ("dax0.0"), which must not be bound to a driver
 * @start: first physical byte, a multiple of 2 MiB
 * @size: bytes, a multiple of 2 MiB
 * @ops: callbacks, called until hymc_mem_close() returns
 * @owner: their argument
 * @extack: takes a sentence when the call fails
 *
 * Callbacks may come before this returns; see struct hymc_mem_ops for what that
 * means for @gone. The contents of the memory are not touched. Process context,
 * sleeps.
 *
 * Return: the object or an ERR_PTR: -ENODEV (no such dax device, or it is going),
 * -EBUSY (the device is bound, or the range is in use), -EINVAL (alignment, not a
 * range of the device), -ENOMEM.
 */
struct hymc_mem *hymc_mem_open(const char *name, u64 start, u64 size,
			       const struct hymc_mem_ops *ops, void *owner,
			       struct netlink_ext_ack *extack)
{
	struct hymc_mem *mem;
	int err;

	err = mem_check_args(name, start, size, extack);
	if (err)
		return ERR_PTR(err);
	mem = mem_alloc(name, start, size);
	if (IS_ERR(mem))
		return mem;
	mem->ops = ops;
	mem->owner = owner;
	err = hymc_dax_watch(mem, extack);
	if (err)
		goto err_put;
	err = hymc_dax_check(mem, extack);
	if (err)
		goto err_unwatch;
	err = mem_make_poison(mem, extack);
	if (err)
		goto err_unwatch;
	mutex_lock(&mem->lock);
	err = mem_take_range(mem, extack);
	mutex_unlock(&mem->lock);
	if (err)
		goto err_unwatch;
	return mem;

err_unwatch:
	hymc_dax_unwatch(mem);
err_put:
	kref_put(&mem->ref, mem_free);
	return ERR_PTR(err);
}

/* The pages exist. Sleeps now and then: there may be very many. */
static bool mem_pages_idle(struct hymc_mem *mem)
{
	u64 offset;

	lockdep_assert_held(&mem->lock);
	for (offset = 0; offset < mem->bytes; offset += PMD_SIZE) {
		if (page_ref_count(hymc_mem_page(mem, offset)) != 1)
			return false;
		cond_resched();
	}
	return true;
}

/**
 * hymc_mem_idle - does nobody but the owner use the memory?
 * @mem: the memory
 *
 * Lasting only after hymc_mem_revoke_all(): before, a new mapping may come at
 * once. Process context, sleeps.
 *
 * Return: true when no page is mapped, pinned or referenced otherwise.
 */
bool hymc_mem_idle(struct hymc_mem *mem)
{
	bool idle = true;

	mutex_lock(&mem->lock);
	if (mem->present)
		idle = (READ_ONCE(mem->dead) ||
			!mapping_mapped(mem->inode->i_mapping)) &&
		       mem_pages_idle(mem);
	mutex_unlock(&mem->lock);
	return idle;
}

/**
 * hymc_mem_pinned - may something outside of the CPU still access a range?
 * @mem: the memory
 * @offset: first byte
 * @len: bytes
 *
 * For the end of a reservation that was written through a mapping: a direct read
 * from elsewhere into it may be in flight, even when its process has died, and
 * would hit whatever lies in the range next. Says nothing about who pins, nor
 * whether to read or to write, and looks at whole pages of 2 MiB, so true may come
 * from a neighbour's pin; false is certain once the range is no longer mapped
 * writable. Process context, sleeps.
 *
 * Return: true when a page of the range is pinned.
 */
bool hymc_mem_pinned(struct hymc_mem *mem, u64 offset, u64 len)
{
	u64 end = offset + len;
	bool pinned = false;

	offset = round_down(offset, PMD_SIZE);
	mutex_lock(&mem->lock);
	for (; mem->present && !pinned && offset < end; offset += PMD_SIZE)
		pinned = hymc_folio_pinned(page_folio(hymc_mem_page(mem,
								    offset)));
	mutex_unlock(&mem->lock);
	return pinned;
}

/* See the top of the file for why this has no bound. */
static void mem_wait_for_pins(struct hymc_mem *mem)
{
	unsigned long began = jiffies;
	unsigned long say = began + msecs_to_jiffies(MEM_PIN_QUIET_MS);

	while (!hymc_mem_idle(mem)) {
		if (time_after(jiffies, say)) {
			pr_err("%s cannot be let go: its pages have been pinned by RDMA, io_uring or the like for %u s; waiting for that to end\n",
			       mem->name,
			       jiffies_to_msecs(jiffies - began) / 1000);
			say = jiffies + msecs_to_jiffies(MEM_PIN_REPEAT_MS);
		}
		msleep(MEM_PIN_POLL_MS);
	}
}

/**
 * hymc_mem_leave - the dax device is about to go
 * @mem: the memory
 *
 * On return the range has no user, no struct pages and no claim. Does nothing the
 * second time. Process context, called from bus notifiers, so never concurrently
 * with the end of hymc_mem_close(); waits for pins without bound.
 */
void hymc_mem_leave(struct hymc_mem *mem)
{
	bool act;

	mutex_lock(&mem->lock);
	act = mem->present && !mem->leaving;
	mem->leaving = true;
	mutex_unlock(&mem->lock);
	if (!act)
		return;
	pr_warn("%s is being removed\n", mem->name);
	mem->ops->gone(mem->owner);
	hymc_mem_revoke_all(mem);
	mem_wait_for_pins(mem);
	mutex_lock(&mem->lock);
	mem_drop_range(mem);
	mutex_unlock(&mem->lock);
}

/**
 * hymc_mem_close - give the memory back
 * @mem: from hymc_mem_open(), or NULL
 *
 * The caller has called hymc_mem_revoke_all(), has seen hymc_mem_idle() true after
 * that, and does no I/O. It holds no lock that its gone() callback takes: a running
 * callback is waited for, and none comes after return. Open files may remain;
 * touching their mappings gives SIGBUS. Process context, sleeps.
 */
void hymc_mem_close(struct hymc_mem *mem)
{
	if (!mem)
		return;
	hymc_dax_unwatch(mem);
	/* A caller that broke the rule gets a wait instead of a crash. */
	if (WARN_ON_ONCE(!mem->dead || !hymc_mem_idle(mem))) {
		hymc_mem_revoke_all(mem);
		mem_wait_for_pins(mem);
	}
	mutex_lock(&mem->lock);
	mem_drop_range(mem);
	mutex_unlock(&mem->lock);
	kref_put(&mem->ref, mem_free);
}

/**
 * hymc_mem_setup_file - prepare an open file of the device node
 * @mem: the memory
 * @file: being opened
 *
 * Makes all files share one address space, so that mappings of all of them can be
 * found. Undone by hymc_mem_release_file(). Process context.
 */
void hymc_mem_setup_file(struct hymc_mem *mem, struct file *file)
{
	kref_get(&mem->ref);
	file->f_mapping = mem->inode->i_mapping;
}

/**
 * hymc_mem_release_file - undo hymc_mem_setup_file()
 * @mem: the memory; may have been closed
 * @file: in its release(), hence without mappings
 *
 * Process context, may sleep.
 */
void hymc_mem_release_file(struct hymc_mem *mem, struct file *file)
{
	file->f_mapping = file_inode(file)->i_mapping;
	kref_put(&mem->ref, mem_free);
}

/**
 * hymc_mem_bytes - size of the memory
 * @mem: the memory
 *
 * Return: bytes, a multiple of 2 MiB. Any context.
 */
u64 hymc_mem_bytes(const struct hymc_mem *mem)
{
	return mem->bytes;
}

/**
 * hymc_mem_node - where the memory is
 * @mem: the memory
 *
 * Return: the NUMA node. Any context.
 */
int hymc_mem_node(const struct hymc_mem *mem)
{
	return mem->node;
}

/**
 * hymc_mem_page - the struct page of a byte
 * @mem: the memory; the owner has not returned from gone()
 * @offset: below hymc_mem_bytes()
 *
 * Return: the page. It is part of a compound page of 2 MiB. Any context.
 */
struct page *hymc_mem_page(const struct hymc_mem *mem, u64 offset)
{
	return pfn_to_page(PHYS_PFN(mem->start + offset));
}

/**
 * hymc_mem_addr - the kernel address of a byte
 * @mem: the memory; the owner has not returned from gone()
 * @offset: below hymc_mem_bytes()
 *
 * Reading lost memory there may crash the machine, see hymc_mem_copy_from().
 *
 * Return: the address; the whole range is contiguous. Any context.
 */
void *hymc_mem_addr(const struct hymc_mem *mem, u64 offset)
{
	return mem->addr + offset;
}

/**
 * hymc_mem_copy_from - copy from device memory, surviving lost memory
 * @mem: the memory; the owner has not returned from gone()
 * @dst: kernel memory
 * @offset: first byte
 * @len: bytes
 *
 * Any context.
 *
 * Return: 0, or -EIO when a byte is lost; @dst is undefined then.
 */
int hymc_mem_copy_from(struct hymc_mem *mem, void *dst, u64 offset, size_t len)
{
	if (hymc_mem_is_poisoned(mem, offset, len))
		return -EIO;
	return copy_mc_to_kernel(dst, mem->addr + offset, len) ? -EIO : 0;
}

/* Bytes up to the end of the compound page that holds @offset, at most @len. */
static size_t mem_chunk(u64 offset, size_t len)
{
	return min_t(u64, len, PMD_SIZE - (offset & (PMD_SIZE - 1)));
}

/**
 * hymc_mem_to_user - copy from device memory to user space
 * @mem: the memory; the owner has not returned from gone()
 * @dst: user memory
 * @offset: first byte
 * @len: bytes
 *
 * Survives lost memory. Process context, may fault.
 *
 * Return: 0, -EFAULT, or -EIO when a byte is lost; some bytes may have been
 * copied in both cases.
 */
int hymc_mem_to_user(struct hymc_mem *mem, void __user *dst, u64 offset,
		     size_t len)
{
	struct iov_iter iter;
	size_t done;

	if (hymc_mem_is_poisoned(mem, offset, len))
		return -EIO;
	iov_iter_ubuf(&iter, ITER_DEST, dst, len);
	done = _copy_mc_to_iter(mem->addr + offset, len, &iter);
	if (done == len)
		return 0;
	/* Short for one of two reasons: only one of them is still there. */
	return fault_in_writeable(dst + done, len - done) ? -EFAULT : -EIO;
}

/**
 * hymc_mem_from_user - copy from user space to device memory
 * @mem: the memory; the owner has not returned from gone()
 * @offset: first byte
 * @src: user memory
 * @len: bytes
 *
 * Piece by piece, because copy_from_user() refuses to cross the end of a
 * compound page. Process context, may fault.
 *
 * Return: 0, or -EFAULT; some bytes may have been copied then.
 */
int hymc_mem_from_user(struct hymc_mem *mem, u64 offset,
		       const void __user *src, size_t len)
{
	size_t n;

	for (; len; offset += n, src += n, len -= n) {
		n = mem_chunk(offset, len);
		if (copy_from_user(mem->addr + offset, src, n))
			return -EFAULT;
	}
	return 0;
}
