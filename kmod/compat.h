/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: differences between kernel versions
 *
 * The only file of the module that looks at the version of the kernel. The code
 * elsewhere is written for the newest kernel; each block here makes an older
 * one look like it and names the oldest kernel that no longer needs the block,
 * so that a block can be deleted when support for its kernels ends. A block is
 * added when a supported kernel (6.1 and later) fails to build, never before.
 *
 * What needs no block, because its form did not change since 6.1, is found by
 * building: misc_register() and class_register() on a static class,
 * genl_small_ops with resv_start_op, genlmsg_multicast_allns(), bio_alloc_bioset(),
 * alloc_workqueue() with WQ_UNBOUND given, memremap_pages(), .mmap,
 * thp_get_unmapped_area(), guard() and scoped_guard() on mutexes and spinlocks.
 */
#ifndef HYMC_COMPAT_H
#define HYMC_COMPAT_H

#include <linux/version.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/huge_mm.h>
#include <linux/module.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#include <linux/pfn_t.h>
#endif

/*
 * MODULE_IMPORT_NS() takes a string since 6.13, a bare token before.
 * Delete when: 6.13.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define HYMC_IMPORT_NS(ns)	MODULE_IMPORT_NS(#ns)
#else
#define HYMC_IMPORT_NS(ns)	MODULE_IMPORT_NS(ns)
#endif

/*
 * struct class.devnode gets a const device since 6.2.
 * Delete when: 6.2.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
typedef const struct device hymc_devnode_dev;
#else
typedef struct device hymc_devnode_dev;
#endif

/*
 * Flags of a vm_area_struct are changed through functions since 6.3.
 * Delete when: 6.3.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/*
 * vm_operations_struct.huge_fault is told the order of the entry since 6.6, an
 * enum before. A callback takes a HYMC_FAULT_ORDER and asks hymc_fault_order(),
 * which gives 0 for a size that no callback of ours serves.
 * Delete when: 6.6.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define HYMC_FAULT_ORDER	unsigned int

static inline unsigned int hymc_fault_order(unsigned int order)
{
	return order;
}
#else
#define HYMC_FAULT_ORDER	enum page_entry_size

static inline unsigned int hymc_fault_order(enum page_entry_size size)
{
	return size == PE_SIZE_PMD ? PMD_SHIFT - PAGE_SHIFT : 0;
}
#endif

/*
 * Mapping pages of device memory. Since 6.15 they are mapped as what they are,
 * folios, which each mapping references. Before, 2 MiB entries take no reference,
 * and 4 KiB entries are those of vm_insert_page(), which wants VM_MIXEDMAP to be
 * set in advance when it is called from a fault.
 * Delete when: 6.15.
 *
 * The old 2 MiB entries are of the devmap kind, or GUP refuses them. But before
 * 6.5 (when pte_offset_map_lock() learned to fail) devmap entries were taken for
 * damaged page tables by some walkers, which cleared them without flushing the
 * TLB (MADV_COLD and races of zapping with faults do that: "bad pmd"). There, and
 * only there, GUP accepts entries that look like those of any other huge page.
 * Delete when: 6.5.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define HYMC_PFN_PMD_FLAGS	(PFN_DEV | PFN_MAP)
#else
#define HYMC_PFN_PMD_FLAGS	0
#endif
#define HYMC_VM_MAP_FLAGS	VM_MIXEDMAP

static inline vm_fault_t hymc_vmf_insert_page(struct vm_fault *vmf,
					      struct page *page)
{
	return vmf_insert_page(vmf->vma, vmf->address, page);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static inline vm_fault_t hymc_vmf_insert_pmd(struct vm_fault *vmf,
					     struct page *head, bool write)
{
	pfn_t pfn = phys_to_pfn_t(PFN_PHYS(page_to_pfn(head)),
				  HYMC_PFN_PMD_FLAGS);

	return vmf_insert_pfn_pmd(vmf, pfn, write);
}
#endif
#else
#define HYMC_VM_MAP_FLAGS	VM_NONE

static inline vm_fault_t hymc_vmf_insert_page(struct vm_fault *vmf,
					      struct page *page)
{
	return vmf_insert_page_mkwrite(vmf, page, false);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static inline vm_fault_t hymc_vmf_insert_pmd(struct vm_fault *vmf,
					     struct page *head, bool write)
{
	return vmf_insert_folio_pmd(vmf, page_folio(head), write);
}
#endif
#endif

/*
 * Direct I/O pins the pages it works on since 6.5, so that pins can be told from
 * other references; before, it takes plain references, and any reference but the
 * one that a device page always has must be taken for a pin.
 * Delete when: 6.5.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
static inline bool hymc_folio_pinned(struct folio *folio)
{
	return folio_maybe_dma_pinned(folio);
}
#else
static inline bool hymc_folio_pinned(struct folio *folio)
{
	return folio_ref_count(folio) > 1;
}
#endif

/**
 * struct hymc_claim - a block device that is open exclusively
 * @bdev: the device, NULL when the claim is not held
 * @file: what keeps it open (since 6.9)
 */
struct hymc_claim {
	struct block_device *bdev;
	struct file *file;
};

/*
 * An open block device is a struct file since 6.9; before, the device itself is
 * handed around. Removal is told to the holder since 6.5, and only through a
 * form we use since 6.9: on older kernels the first failing bio tells.
 * Delete when: 6.9.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define HYMC_HAS_HOLDER_OPS	1

static inline int hymc_claim_open(struct hymc_claim *claim, const char *path,
				  void *holder,
				  const struct blk_holder_ops *hops)
{
	struct file *file;

	file = bdev_file_open_by_path(path, BLK_OPEN_READ | BLK_OPEN_WRITE,
				      holder, hops);
	if (IS_ERR(file))
		return PTR_ERR(file);
	claim->file = file;
	claim->bdev = file_bdev(file);
	return 0;
}

static inline void hymc_claim_close(struct hymc_claim *claim)
{
	if (claim->bdev)
		bdev_fput(claim->file);
	claim->bdev = NULL;
}
#else
#define HYMC_HAS_HOLDER_OPS	0

struct blk_holder_ops;

static inline int hymc_claim_open(struct hymc_claim *claim, const char *path,
				  void *holder,
				  const struct blk_holder_ops *hops)
{
	struct block_device *bdev;

	bdev = blkdev_get_by_path(path, FMODE_READ | FMODE_WRITE | FMODE_EXCL,
				  holder);
	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	claim->file = NULL;
	claim->bdev = bdev;
	return 0;
}

static inline void hymc_claim_close(struct hymc_claim *claim)
{
	if (claim->bdev)
		blkdev_put(claim->bdev, FMODE_READ | FMODE_WRITE | FMODE_EXCL);
	claim->bdev = NULL;
}
#endif

#endif /* HYMC_COMPAT_H */
