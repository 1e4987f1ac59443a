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
 * Each 2 MiB of the range is one folio, and its lock is what everything about its
 * entries happens under: a fault looks whether an entry may exist and be writable
 * and makes it; a revocation, after what faults look at has changed, zaps it. So
 * no entry outlives the permission that it was made with. An upgrade of a 4 KiB
 * entry is no exception: page_mkwrite() returns with the lock held, and the kernel
 * unlocks after it has changed the entry. The lock also keeps a 2 MiB entry and a
 * page table of 4 KiB entries from being put into the same place at once, which
 * nothing else does.
 *
 * The folios themselves exist as long as a fault is inside mem->faults, an SRCU
 * read section, that it entered before mem->dead was set.
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

static struct folio *mem_folio(const struct hymc_mem *mem, u64 offset)
{
	return page_folio(hymc_mem_page(mem, offset));
}

/* May there be entries for @offset? Stays true inside of mem->faults. */
static bool mem_is_mappable(const struct hymc_mem *mem, u64 offset)
{
	lockdep_assert(srcu_read_lock_held(&mem->faults));
	return !READ_ONCE(mem->dead) && offset < mem->bytes;
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

/* Make a read-only entry of 4 KiB. The folio is locked. */
static vm_fault_t mem_insert_page(struct hymc_mem *mem, struct vm_fault *vmf,
				  u64 offset)
{
	if (hymc_mem_is_poisoned(mem, offset, PAGE_SIZE))
		return VM_FAULT_HWPOISON;
	/* Another thread made a 2 MiB entry: that will do, or be split. */
	if (pmd_leaf(READ_ONCE(*vmf->pmd)))
		return VM_FAULT_NOPAGE;
	return hymc_vmf_insert_page(vmf, hymc_mem_page(mem, offset));
}

/* A write goes on to mem_page_mkwrite() when the entry exists. */
static vm_fault_t mem_fault(struct vm_fault *vmf)
{
	struct hymc_mem *mem = vmf_to_mem(vmf);
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int idx;

	idx = srcu_read_lock(&mem->faults);
	if (mem_is_mappable(mem, offset)) {
		folio_lock(mem_folio(mem, offset));
		ret = mem_insert_page(mem, vmf, offset);
		folio_unlock(mem_folio(mem, offset));
	}
	srcu_read_unlock(&mem->faults, idx);
	return ret;
}

/* Returns VM_FAULT_LOCKED, and the folio locked, when the write is allowed. */
static vm_fault_t mem_allow_write(struct hymc_mem *mem, struct vm_fault *vmf,
				  u64 offset)
{
	vm_fault_t ret = VM_FAULT_LOCKED;

	folio_lock(mem_folio(mem, offset));
	if (hymc_mem_is_poisoned(mem, offset, PAGE_SIZE))
		ret = VM_FAULT_HWPOISON;
	else if (!mem_may_write(mem, vmf, offset))
		ret = VM_FAULT_SIGBUS;
	if (ret != VM_FAULT_LOCKED)
		folio_unlock(mem_folio(mem, offset));
	return ret;
}

static vm_fault_t mem_page_mkwrite(struct vm_fault *vmf)
{
	struct hymc_mem *mem = vmf_to_mem(vmf);
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int idx;

	idx = srcu_read_lock(&mem->faults);
	if (mem_is_mappable(mem, offset))
		ret = mem_allow_write(mem, vmf, offset);
	srcu_read_unlock(&mem->faults, idx);
	return ret;
}

#if IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && IS_ENABLED(CONFIG_FS_DAX)
/*
 * Make an entry for the 2 MiB at @offset, which lie in the range and in the VMA.
 * The folio is locked.
 */
static vm_fault_t mem_insert_pmd(struct hymc_mem *mem, struct vm_fault *vmf,
				 u64 offset)
{
	bool write = vmf->flags & FAULT_FLAG_WRITE;
	pmd_t pmd = READ_ONCE(*vmf->pmd);

	/* Another thread put a page table there. */
	if (!pmd_none(pmd) && !pmd_leaf(pmd))
		return VM_FAULT_FALLBACK;
	if (hymc_mem_is_poisoned(mem, offset, PMD_SIZE))
		return VM_FAULT_FALLBACK;
	if (write && !mem_may_write(mem, vmf, (u64)vmf->pgoff << PAGE_SHIFT))
		return VM_FAULT_SIGBUS;
	if (write && !mem_may_write_pmd(mem, vmf, offset))
		return VM_FAULT_FALLBACK;
	return hymc_vmf_insert_pmd(vmf, hymc_mem_page(mem, offset), write);
}

static vm_fault_t mem_huge_fault(struct vm_fault *vmf, HYMC_FAULT_ORDER arg)
{
	struct hymc_mem *mem = vmf_to_mem(vmf);
	struct vm_area_struct *vma = vmf->vma;
	unsigned long addr = vmf->address & PMD_MASK;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	u64 offset;
	int idx;

	if (hymc_fault_order(arg) != HYMC_PMD_ORDER || addr < vma->vm_start ||
	    vma->vm_end - addr < PMD_SIZE)
		return VM_FAULT_FALLBACK;
	offset = (u64)linear_page_index(vma, addr) << PAGE_SHIFT;
	if (!IS_ALIGNED(offset, PMD_SIZE))
		return VM_FAULT_FALLBACK;
	idx = srcu_read_lock(&mem->faults);
	if (mem_is_mappable(mem, offset)) {
		folio_lock(mem_folio(mem, offset));
		ret = mem_insert_pmd(mem, vmf, offset);
		folio_unlock(mem_folio(mem, offset));
	}
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

/* Zap [offset, offset + len), each 2 MiB with its folio locked. */
static void mem_zap(struct hymc_mem *mem, u64 offset, u64 len)
{
	u64 end = offset + len;
	u64 next;

	for (; offset < end; offset = next) {
		struct folio *folio = mem_folio(mem, offset);

		next = min(end, round_down(offset, PMD_SIZE) + PMD_SIZE);
		folio_lock(folio);
		unmap_mapping_range(mem->inode->i_mapping, offset,
				    next - offset, 1);
		folio_unlock(folio);
	}
}

/**
 * hymc_mem_zap_poison - unmap lost memory
 * @mem: the memory; its poison bits are set
 * @offset: first lost byte
 * @len: lost bytes
 *
 * Neighbours in the same 2 MiB are unmapped too, if they were mapped together.
 * Context of memory_failure(): process, sleeps. The pages exist, because
 * memunmap_pages() waits for memory_failure().
 */
void hymc_mem_zap_poison(struct hymc_mem *mem, u64 offset, u64 len)
{
	mem_zap(mem, offset, len);
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
	/* No entry is made after this: no need to lock folios. */
	synchronize_srcu(&mem->faults);
	unmap_mapping_range(mem->inode->i_mapping, 0, 0, 1);
	/* Fast GUP may have seen an entry before; then its pin is visible now. */
	synchronize_rcu();
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
	int idx = srcu_read_lock(&mem->faults);

	if (!READ_ONCE(mem->dead))
		mem_zap(mem, offset, len);
	srcu_read_unlock(&mem->faults, idx);
}
