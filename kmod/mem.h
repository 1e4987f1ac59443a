/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the device DRAM of a pool
 *
 * A hymc_mem owns a physical range (that of an unbound dax device): it claims it
 * in the iomem tree, gives it struct pages, maps it to user space and knows when
 * it goes away. It knows nothing of frames or blocks. Functions are documented
 * where they are defined.
 *
 * Life: hymc_mem_open(); hymc_mem_setup_file() and hymc_mem_release_file() for each
 * open of the device node; at the end hymc_mem_revoke_all(), hymc_mem_idle() until
 * it is true, hymc_mem_close(). Files may be released after that.
 */
#ifndef HYMC_MEM_H
#define HYMC_MEM_H

#include <linux/types.h>
#include <linux/mm_types.h>

struct file;
struct hymc_mem;
struct netlink_ext_ack;
struct vm_area_struct;

/**
 * struct hymc_mem_ops - what a hymc_mem asks and tells its owner
 * @gone: the range is going away (region torn down, dax device removed). Called
 *	at most once, in process context, may sleep, must end soon. On return the
 *	owner starts no new access to the pages (I/O, copies, checksums) and has
 *	none in flight; the pages cease to exist shortly after. May come before
 *	hymc_mem_open() has returned: the owner must then not touch the pages at
 *	all. Not called with locks of the owner held, so the owner must not call
 *	hymc_mem_open() or hymc_mem_close() with a lock held that @gone takes.
 * @poisoned: the bytes [@offset, @offset + @len) are lost (memory error). Process
 *	context, may sleep; called with the memory-failure mutex held, so it must
 *	not wait for user mappings or page references.
 * @may_write: may @file write the page at @offset through its mapping now? Called
 *	from page faults, with mmap_lock and a folio lock held, up to 512 times in
 *	a row: takes only leaf locks. NULL when nothing may ever be written.
 */
struct hymc_mem_ops {
	void (*gone)(void *owner);
	void (*poisoned)(void *owner, u64 offset, u64 len);
	bool (*may_write)(void *owner, struct file *file, u64 offset);
};

/* mem.c */
struct hymc_mem *hymc_mem_open(const char *name, u64 start, u64 size,
			       const struct hymc_mem_ops *ops, void *owner,
			       struct netlink_ext_ack *extack);
bool hymc_mem_idle(struct hymc_mem *mem);
bool hymc_mem_pinned(struct hymc_mem *mem, u64 offset, u64 len);
void hymc_mem_close(struct hymc_mem *mem);
void hymc_mem_setup_file(struct hymc_mem *mem, struct file *file);
void hymc_mem_release_file(struct hymc_mem *mem, struct file *file);

u64 hymc_mem_bytes(const struct hymc_mem *mem);
int hymc_mem_node(const struct hymc_mem *mem);
struct page *hymc_mem_page(const struct hymc_mem *mem, u64 offset);
void *hymc_mem_addr(const struct hymc_mem *mem, u64 offset);
int hymc_mem_copy_from(struct hymc_mem *mem, void *dst, u64 offset, size_t len);
int hymc_mem_to_user(struct hymc_mem *mem, void __user *dst, u64 offset,
		     size_t len);
int hymc_mem_from_user(struct hymc_mem *mem, u64 offset,
		       const void __user *src, size_t len);

/* mmap.c */
int hymc_mem_mmap(struct hymc_mem *mem, struct file *file,
		  struct vm_area_struct *vma);
void hymc_mem_revoke_write(struct hymc_mem *mem, u64 offset, u64 len);
void hymc_mem_revoke_all(struct hymc_mem *mem);

#endif /* HYMC_MEM_H */
