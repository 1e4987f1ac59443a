// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: user mappings of the device DRAM
 *
 * Owns the address space that all mappings of a pool share, the page faults, and
 * taking permissions back. Decides nothing: who may write is asked of the owner.
 *
 * A mapping that was made without PROT_WRITE stays read-only for ever. In a
 * writable one each entry starts read-only, and the first write asks may_write():
 * 2 MiB at once where all of it may be written, else page by page. A write that is
 * not allowed gives SIGBUS. Both kinds read through 2 MiB entries wherever
 * alignment permits and nothing in the 2 MiB is lost. Children do not inherit
 * mappings, unless a process wants that and the kernel lets it (MADV_DOFORK).
 *
 * Taking a permission back races with faults that are being handled. Everywhere
 * the order is: change what faults look at; wait for faults that may have looked
 * before; zap. Two kinds of waiting:
 *
 * - Whether an entry may exist at all (mem->dead, mem->poison) is looked at in an
 *   SRCU read section of mem->faults that ends after the entry was made.
 * - Whether it may be writable is looked at with the folio locked. An entry of
 *   2 MiB is made before unlocking; for one of 4 KiB, page_mkwrite() returns
 *   with the lock held, and the kernel unlocks after it changed the entry. That
 *   lock is what keeps a revoked page, read again by another thread in the
 *   meantime, from being upgraded on the strength of the old answer.
 *
 * Order: mmap_lock or VMA lock, mem->faults, folio lock, locks of may_write().
 *
 * What a revocation cannot reach is a pin: a direct read into a reservation that is
 * in flight lands when it lands; see hymc_mem_pinned(). Pins that are made for long
 * and for writing (RDMA, io_uring buffers) are refused by the kernel since 6.5 for
 * mappings that track writes, as ours do, and for read-only ones always.
 */
#include <linux/fs_context.h>
#include <linux/huge_mm.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/pseudo_fs.h>
#include <linux/rcupdate.h>

#include "compat.h"
#include "mem.h"
#include "mem_internal.h"

#define MEM_FS_MAGIC	0x48794d43	/* "HyMC" */

static struct vfsmount *mem_mnt;
static int mem_mnt_count;

static int mem_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, MEM_FS_MAGIC) ? 0 : -ENOMEM;
}

/* Exists so that our inode has a superblock; never visible to anyone. */
static struct file_system_type mem_fs_type = {
	.name = "hymc",
	.owner = THIS_MODULE,
	.init_fs_context = mem_init_fs_context,
	.kill_sb = kill_anon_super,
};

/**
 * hymc_mem_inode_create - make the address space that mappings share
 * @mem: the memory; @bytes is set
 *
 * Process context, sleeps. Holds a reference on the module until
 * hymc_mem_inode_destroy().
 *
 * Return: 0 or -ENOMEM.
 */
int hymc_mem_inode_create(struct hymc_mem *mem)
{
	struct inode *inode;
	int err;

	err = simple_pin_fs(&mem_fs_type, &mem_mnt, &mem_mnt_count);
	if (err)
		return err;
	inode = alloc_anon_inode(mem_mnt->mnt_sb);
	if (IS_ERR(inode)) {
		simple_release_fs(&mem_mnt, &mem_mnt_count);
		return PTR_ERR(inode);
	}
	/* Huge entries of pages that are not in the page cache need S_DAX. */
	inode->i_flags |= S_DAX;
	i_size_write(inode, mem->bytes);
	mem->inode = inode;
	return 0;
}

/**
 * hymc_mem_inode_destroy - undo hymc_mem_inode_create()
 * @mem: the memory; no file uses its address space
 *
 * Process context, sleeps.
 */
void hymc_mem_inode_destroy(struct hymc_mem *mem)
{
	iput(mem->inode);
	simple_release_fs(&mem_mnt, &mem_mnt_count);
}

static struct hymc_mem *vmf_to_mem(const struct vm_fault *vmf)
{
	return vmf->vma->vm_private_data;
}

static bool mem_may_write(struct hymc_mem *mem, const struct vm_fault *vmf,
			  u64 offset)
{
	return mem->ops->may_write(mem->owner, vmf->vma->vm_file, offset);
}

/* May [offset, offset + PMD_SIZE) be written, all of it? */
static bool mem_may_write_pmd(struct hymc_mem *mem, const struct vm_fault *vmf,
			      u64 offset)
{
	u64 end = offset + PMD_SIZE;

	/* The far end first: it is where a smaller reservation shows. */
	if (!mem_may_write(mem, vmf, end - PAGE_SIZE))
		return false;
	for (; offset < end; offset += PAGE_SIZE)
		if (!mem_may_write(mem, vmf, offset))
			return false;
	return true;
}

/* May an entry for [offset, offset + len) exist? 0 or the fault's result. */
static vm_fault_t mem_fault_check(struct hymc_mem *mem, u64 offset, u64 len)
{
	lockdep_assert(srcu_read_lock_held(&mem->faults));
	if (READ_ONCE(mem->dead) || offset >= mem->bytes ||
	    len > mem->bytes - offset)
		return VM_FAULT_SIGBUS;
	if (hymc_mem_is_poisoned(mem, offset, len))
		return VM_FAULT_HWPOISON;
	return 0;
}

/* A read-only entry of 4 KiB; mem_page_mkwrite() makes it writable. */
static vm_fault_t mem_fault(struct vm_fault *vmf)
{
	struct hymc_mem *mem = vmf_to_mem(vmf);
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret;
	int idx;

	idx = srcu_read_lock(&mem->faults);
	ret = mem_fault_check(mem, offset, PAGE_SIZE);
	if (!ret)
		ret = hymc_vmf_insert_page(vmf, hymc_mem_page(mem, offset));
	srcu_read_unlock(&mem->faults, idx);
	return ret;
}

/* Returns with the folio locked when the write is allowed. */
static vm_fault_t mem_page_mkwrite(struct vm_fault *vmf)
{
	struct hymc_mem *mem = vmf_to_mem(vmf);
	struct folio *folio = page_folio(vmf->page);
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret;
	int idx;

	idx = srcu_read_lock(&mem->faults);
	folio_lock(folio);
	ret = mem_fault_check(mem, offset, PAGE_SIZE);
	if (!ret && !mem_may_write(mem, vmf, offset))
		ret = VM_FAULT_SIGBUS;
	if (ret)
		folio_unlock(folio);
	srcu_read_unlock(&mem->faults, idx);
	return ret ?: VM_FAULT_LOCKED;
}

#if IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && IS_ENABLED(CONFIG_FS_DAX)
static vm_fault_t mem_insert_pmd_writable(struct hymc_mem *mem,
					  struct vm_fault *vmf, u64 offset)
{
	struct page *head = hymc_mem_page(mem, offset);
	vm_fault_t ret = VM_FAULT_FALLBACK;

	folio_lock(page_folio(head));
	if (mem_may_write_pmd(mem, vmf, offset))
		ret = hymc_vmf_insert_pmd(vmf, head, true);
	else if (!mem_may_write(mem, vmf, (u64)vmf->pgoff << PAGE_SHIFT))
		ret = VM_FAULT_SIGBUS;
	folio_unlock(page_folio(head));
	return ret;
}

/* The 2 MiB at @offset are in the range and in the VMA. */
static vm_fault_t mem_insert_pmd(struct hymc_mem *mem, struct vm_fault *vmf,
				 u64 offset)
{
	vm_fault_t ret;

	ret = mem_fault_check(mem, offset, PMD_SIZE);
	if (ret == VM_FAULT_HWPOISON)
		return VM_FAULT_FALLBACK;
	if (ret)
		return ret;
	if (vmf->flags & FAULT_FLAG_WRITE)
		return mem_insert_pmd_writable(mem, vmf, offset);
	return hymc_vmf_insert_pmd(vmf, hymc_mem_page(mem, offset), false);
}

static vm_fault_t mem_huge_fault(struct vm_fault *vmf, HYMC_FAULT_ORDER arg)
{
	struct hymc_mem *mem = vmf_to_mem(vmf);
	struct vm_area_struct *vma = vmf->vma;
	unsigned long addr = vmf->address & PMD_MASK;
	vm_fault_t ret;
	u64 offset;
	int idx;

	if (hymc_fault_order(arg) != HYMC_PMD_ORDER || addr < vma->vm_start ||
	    vma->vm_end - addr < PMD_SIZE)
		return VM_FAULT_FALLBACK;
	offset = (u64)linear_page_index(vma, addr) << PAGE_SHIFT;
	if (!IS_ALIGNED(offset, PMD_SIZE))
		return VM_FAULT_FALLBACK;
	idx = srcu_read_lock(&mem->faults);
	ret = mem_insert_pmd(mem, vmf, offset);
	srcu_read_unlock(&mem->faults, idx);
	return ret;
}
#else
static vm_fault_t mem_huge_fault(struct vm_fault *vmf, HYMC_FAULT_ORDER arg)
{
	return VM_FAULT_FALLBACK;
}
#endif

static const struct vm_operations_struct mem_vm_ops = {
	.fault = mem_fault,
	.huge_fault = mem_huge_fault,
	.page_mkwrite = mem_page_mkwrite,
};

static int mem_mmap_check(const struct hymc_mem *mem,
			  struct vm_area_struct *vma)
{
	u64 pages = mem->bytes >> PAGE_SHIFT;

	if (READ_ONCE(mem->dead))
		return -ENODEV;
	/* VM_SHARED is cleared for files that are not open for writing. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_pgoff > pages || vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	if ((vma->vm_flags & VM_WRITE) && !mem->ops->may_write)
		return -EACCES;
	return 0;
}

/**
 * hymc_mem_mmap - mmap of the device node
 * @mem: the memory
 * @file: prepared by hymc_mem_setup_file()
 * @vma: wanted; its offset counts bytes of the memory
 *
 * Use thp_get_unmapped_area() for .get_unmapped_area, or 2 MiB entries are left to
 * luck. Context of .mmap: mmap_lock is held.
 *
 * Return: 0, -ENODEV (after hymc_mem_revoke_all()), -EINVAL (MAP_PRIVATE, or beyond
 * the end), -EACCES (PROT_EXEC, or writable when nothing may be written).
 */
int hymc_mem_mmap(struct hymc_mem *mem, struct file *file,
		  struct vm_area_struct *vma)
{
	int err;

	err = mem_mmap_check(mem, vma);
	if (err)
		return err;
	vm_flags_clear(vma, VM_MAYEXEC);
	if (!(vma->vm_flags & VM_WRITE))
		vm_flags_clear(vma, VM_MAYWRITE);
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP |
			  VM_HUGEPAGE | HYMC_VM_MAP_FLAGS);
	vma->vm_private_data = mem;
	vma->vm_ops = &mem_vm_ops;
	return 0;
}

static void mem_zap(struct hymc_mem *mem, u64 offset, u64 len)
{
	unmap_mapping_range(mem->inode->i_mapping, offset, len, 1);
}

/* Wait for faults that looked at mem->dead or mem->poison before they changed. */
static void mem_wait_for_faults(struct hymc_mem *mem)
{
	synchronize_srcu(&mem->faults);
}

/**
 * hymc_mem_zap_poison - unmap lost memory
 * @mem: the memory; its poison bits are set
 * @offset: first lost byte
 * @len: lost bytes
 *
 * Context of memory_failure(): process, sleeps.
 */
void hymc_mem_zap_poison(struct hymc_mem *mem, u64 offset, u64 len)
{
	u64 end = round_up(offset + len, PMD_SIZE);

	mem_wait_for_faults(mem);
	offset = round_down(offset, PMD_SIZE);
	mem_zap(mem, offset, end - offset);
}

/**
 * hymc_mem_revoke_all - unmap everything for ever
 * @mem: the memory
 *
 * Touching a mapping gives SIGBUS from here on, new ones are refused. Pins remain:
 * see hymc_mem_idle(). Process context, sleeps; not with a lock held that faults or
 * may_write() take.
 */
void hymc_mem_revoke_all(struct hymc_mem *mem)
{
	WRITE_ONCE(mem->dead, true);
	mem_wait_for_faults(mem);
	mem_zap(mem, 0, 0);
	/* Fast GUP may have seen an entry before; then its pin is visible now. */
	synchronize_rcu();
}

/* Wait for faults that asked may_write() for this range before it changed. */
static void mem_wait_for_writers(struct hymc_mem *mem, u64 offset, u64 len)
{
	u64 end = offset + len;

	for (offset = round_down(offset, PMD_SIZE); offset < end;
	     offset += PMD_SIZE) {
		struct folio *folio = page_folio(hymc_mem_page(mem, offset));

		folio_lock(folio);
		folio_unlock(folio);
	}
}

/**
 * hymc_mem_revoke_write - make a range read-only again
 * @mem: the memory
 * @offset: first byte
 * @len: bytes
 *
 * The owner's may_write() says no for the range already. On return no mapping can
 * write to it before may_write() says yes. Process context, sleeps; not with a lock
 * held that faults or may_write() take.
 */
void hymc_mem_revoke_write(struct hymc_mem *mem, u64 offset, u64 len)
{
	int idx;

	/* Keeps the pages: they go only after a grace period of @faults. */
	idx = srcu_read_lock(&mem->faults);
	if (!READ_ONCE(mem->dead)) {
		mem_wait_for_writers(mem, offset, len);
		mem_zap(mem, offset, len);
	}
	srcu_read_unlock(&mem->faults, idx);
}
