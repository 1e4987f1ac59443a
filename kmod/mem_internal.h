/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: inside of the device DRAM object
 *
 * Shared by mem.c (claim, pages, teardown), mem_dax.c (the dax device and its
 * disappearance) and mmap.c (user mappings), and by nobody else.
 */
#ifndef HYMC_MEM_INTERNAL_H
#define HYMC_MEM_INTERNAL_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/memremap.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/srcu.h>

#include "compat.h"
#include "mem.h"

/* Device pages are compound pages of this order, and so are huge mappings. */
#define HYMC_PMD_ORDER		(PMD_SHIFT - PAGE_SHIFT)
/* A dax device has fewer ancestors than this; more are not watched. */
#define HYMC_DAX_DEPTH		12U

/**
 * struct hymc_dax_link - an ancestor of the dax device, or the device itself
 * @dev: the device; a reference
 * @registered: @nb is registered on the device's bus
 * @nb: notified of what happens on that bus
 * @watch: back pointer
 */
struct hymc_dax_link {
	struct device *dev;
	bool registered;
	struct notifier_block nb;
	struct hymc_dax *watch;
};

/**
 * struct hymc_dax - the dax device that a range belongs to
 * @links: [0] is the dax device, [i + 1] the parent of [i]
 * @nr: links in use
 * @mem: told when the device is about to go
 */
struct hymc_dax {
	struct hymc_dax_link links[HYMC_DAX_DEPTH];
	unsigned int nr;
	struct hymc_mem *mem;
};

/**
 * struct hymc_mem - device DRAM owned by a pool
 * @ops: owner's callbacks
 * @owner: their argument
 * @ref: held by the owner until hymc_mem_close() and by each file of
 *	hymc_mem_setup_file(), hence by each mapping
 * @name: of the dax device
 * @start: first physical byte, a multiple of PMD_SIZE
 * @bytes: size, a multiple of PMD_SIZE
 * @node: NUMA node
 * @dax: watched device
 * @res: claim in the iomem tree (@lock)
 * @pgmap: makes the struct pages
 * @addr: kernel address of @start
 * @poison: one bit per 4 KiB page that is lost; set with atomics, never cleared
 * @inode: carries the address space that all mappings share
 * @faults: read-locked by whoever works on the pages for a mapping, after having
 *	seen @dead false: as long as that lasts the pages exist
 * @dead: no page may be mapped any more; written once, then a grace period of
 *	@faults passes
 * @lock: protects @present, @leaving and the existence of the pages during a scan.
 *	A leaf but for the locks of the pages' memory; never held during a callback.
 * @present: the range is claimed and has struct pages (@lock)
 * @leaving: the dax device is going or has gone (@lock)
 */
struct hymc_mem {
	const struct hymc_mem_ops *ops;
	void *owner;
	struct kref ref;
	char name[64];
	u64 start;
	u64 bytes;
	int node;
	struct hymc_dax dax;
	struct resource *res;
	struct dev_pagemap pgmap;
	void *addr;
	unsigned long *poison;
	struct inode *inode;
	struct srcu_struct faults;
	bool dead;
	struct mutex lock;		/* existence of the pages */
	bool present;
	bool leaving;
};

/* mem.c */
void hymc_mem_leave(struct hymc_mem *mem);

/* mem_dax.c */
int hymc_dax_watch(struct hymc_mem *mem, struct netlink_ext_ack *extack);
void hymc_dax_unwatch(struct hymc_mem *mem);
int hymc_dax_check(struct hymc_mem *mem, struct netlink_ext_ack *extack);

/* mmap.c */
int hymc_mem_inode_create(struct hymc_mem *mem);
void hymc_mem_inode_destroy(struct hymc_mem *mem);
void hymc_mem_zap_poison(struct hymc_mem *mem, u64 offset, u64 len);

/* Is any page of [offset, offset + len) lost? */
static inline bool hymc_mem_is_poisoned(const struct hymc_mem *mem, u64 offset,
					u64 len)
{
	unsigned long end = DIV_ROUND_UP_ULL(offset + len, PAGE_SIZE);

	return find_next_bit(mem->poison, end, offset >> PAGE_SHIFT) < end;
}

#endif /* HYMC_MEM_INTERNAL_H */
