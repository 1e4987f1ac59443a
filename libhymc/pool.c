// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: pools: making, ending and looking at them
 *
 * hymc_pool_create() asks everything that can be asked without touching
 * anything first, in the order in which a person would want to be told; what it
 * changes (the dax device's driver) it changes last and takes back when the
 * kernel refuses. The kernel checks all of it again: what is said here is for
 * people, what is said there is for safety.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "private.h"

#define FRAME_BYTES_MIN		(64U << 10)
#define FRAME_BYTES_MAX		(64U << 20)
/* The end of struct hymc_pool_params as first published. */
#define PARAMS_BYTES_MIN	sizeof(struct hymc_pool_params)

/**
 * struct hymc_pool_list - a snapshot of all pools
 * @head: the first, in order of number
 */
struct hymc_pool_list {
	struct hymc_pool *head;
};

/**
 * params_copy() - take a caller's parameters, of whatever version
 * @ctx: context
 * @p: the caller's
 * @out: ours
 *
 * Return: 0, -EINVAL (too small), or -E2BIG (asks for what we do not know).
 */
static int params_copy(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
		       struct hymc_pool_params *out)
{
	const char *tail = (const char *)p;
	size_t i;

	if (p->bytes < PARAMS_BYTES_MIN)
		return hymc_err(ctx, -EINVAL,
				"pool parameters: the field bytes is %u, not %zu",
				p->bytes, sizeof(*p));
	for (i = sizeof(*p); i < p->bytes; i++)
		if (tail[i])
			return hymc_err(ctx, -E2BIG,
					"pool parameters: this version of libhymc does not know "
					"all that is asked for");
	*out = *p;
	return 0;
}

/**
 * params_check() - refuse parameters that no kernel takes
 * @ctx: context
 * @p: the parameters
 *
 * Return: 0 or -EINVAL.
 */
static int params_check(struct hymc_ctx *ctx, const struct hymc_pool_params *p)
{
	uint32_t frame = p->frame_bytes;

	if (!p->dram || !*p->dram)
		return hymc_err(ctx, -EINVAL,
				"no dax device was named for the pool's DRAM");
	if (!p->ssd || !*p->ssd)
		return hymc_err(ctx, -EINVAL,
				"no block device was named for the pool's SSD");
	if (frame && (frame & (frame - 1) || frame < FRAME_BYTES_MIN ||
		      frame > FRAME_BYTES_MAX))
		return hymc_err(ctx, -EINVAL,
				"frame size %u is not a power of two from 64 KiB to 64 MiB",
				frame);
	if (!hymc_policy_name(p->policy))
		return hymc_err(ctx, -EINVAL, "there is no policy number %u",
				p->policy);
	return 0;
}

/**
 * check_able() - may and can we make pools here?
 * @ctx: context
 *
 * Return: 0, -EPERM or -ENOPKG.
 */
static int check_able(struct hymc_ctx *ctx)
{
	if (!hymc_is_admin())
		return hymc_err(ctx, -EPERM,
				"making or ending a pool needs root (CAP_SYS_ADMIN)");
	if (!hymc_module_loaded(ctx))
		return hymc_err(ctx, -ENOPKG,
				"the hymc module is not loaded; run `hymcctl load`");
	return 0;
}

/**
 * same_device() - do two paths lead to the same block device?
 * @a: one
 * @b: the other
 *
 * Return: true when they do.
 */
static bool same_device(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, b))
		return true;
	return !stat(a, &x) && !stat(b, &y) && S_ISBLK(x.st_mode) &&
	       S_ISBLK(y.st_mode) && x.st_rdev == y.st_rdev;
}

/**
 * check_free() - does another pool have one of the two devices?
 * @ctx: context
 * @p: parameters
 * @dax: the DRAM
 *
 * Return: 0, -EBUSY, or the errno of listing pools.
 */
static int check_free(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
		      const struct hymc_dax *dax)
{
	struct hymc_pool_list *list;
	const struct hymc_pool *q;
	int err = hymc_pool_list_get(ctx, &list);

	if (err)
		return err;
	for (q = list->head; q && !err; q = q->next) {
		if (!strcmp(q->dram, dax->name))
			err = hymc_err(ctx, -EBUSY,
				       "%s is the DRAM of the pool /dev/hymc%u",
				       dax->name, q->id);
		else if (same_device(q->ssd, p->ssd))
			err = hymc_err(ctx, -EBUSY,
				       "%s is the SSD of the pool /dev/hymc%u",
				       p->ssd, q->id);
	}
	hymc_pool_list_free(list);
	return err;
}

/**
 * create_at() - make the pool, naming the SSD so that everybody understands it
 * @ctx: context
 * @p: parameters; a relative path becomes an absolute one for the kernel
 * @dax: the DRAM, without a driver
 * @id: out
 *
 * Return: 0 or a negative errno.
 */
static int create_at(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
		     const struct hymc_dax *dax, uint32_t *id)
{
	struct hymc_pool_params q = *p;
	char *path = NULL;
	int err;

	if (*p->ssd != '/') {
		path = realpath(p->ssd, NULL);
		if (!path) {
			err = -errno;
			return hymc_err(ctx, err, "cannot resolve %s: %s",
					p->ssd, strerror(-err));
		}
		q.ssd = path;
	}
	err = hymc_control_create(ctx, &q, dax, id);
	free(path);
	return err;
}

/**
 * create() - make the pool on devices that were found good
 * @ctx: context
 * @p: parameters
 * @dax: the DRAM
 * @id: out
 *
 * Return: 0 or a negative errno; then the dax device has its driver again.
 */
static int create(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
		  const struct hymc_dax *dax, uint32_t *id)
{
	bool unbind = *dax->driver;
	int err = 0;

	if (unbind)
		err = hymc_dax_unbind(ctx, dax);
	if (err)
		return err;
	err = create_at(ctx, p, dax, id);
	if (err && unbind)
		hymc_dax_rebind(ctx, dax);
	return err;
}

/**
 * hymc_pool_create() - make a pool; the SSD is formatted
 * @ctx: context
 * @params: what it shall be
 * @id: out, its number
 *
 * May sleep for as long as formatting takes. On failure nothing was changed.
 *
 * Return: 0, -EPERM (not CAP_SYS_ADMIN), -ENOPKG (module not loaded), -ENODEV
 * (no such dax or block device), -EBUSY (one of them in use, by whom),
 * -ENOTBLK,
 * -EROFS, -EEXIST (a signature, and not forced), -EINVAL, -EFBIG or -ENOSPC
 * (too small), -E2BIG (@params of a later library), or another errno of the
 * kernel.
 */
HYMC_EXPORT int hymc_pool_create(struct hymc_ctx *ctx,
				 const struct hymc_pool_params *params,
				 uint32_t *id)
{
	struct hymc_pool_params p;
	struct hymc_dax dax;
	int err;

	err = params_copy(ctx, params, &p);
	if (!err)
		err = params_check(ctx, &p);
	if (!err)
		err = check_able(ctx);
	if (!err)
		err = hymc_dax_find(ctx, p.dram, &dax);
	if (!err)
		err = check_free(ctx, &p, &dax);
	if (!err)
		err = hymc_dax_check(ctx, &dax, p.dram_bytes, p.take_dax);
	if (!err)
		err = hymc_ssd_check(ctx, p.ssd, p.ssd_bytes, p.force);
	if (err)
		return err;
	return create(ctx, &p, &dax, id);
}

/**
 * add_holders() - add to the thread's sentence who has a pool open
 * @ctx: context
 * @id: the pool
 * @err: errno to return
 *
 * Return: @err.
 */
static int add_holders(struct hymc_ctx *ctx, uint32_t id, int err)
{
	struct hymc_text why = { 0 }, who = { 0 };
	struct hymc_pool_list *list;
	const struct hymc_pool *pool;

	/* The listing below may leave a sentence of its own. */
	hymc_text_add(&why, "%s", hymc_last_error(ctx));
	if (!hymc_pool_list_get(ctx, &list)) {
		pool = hymc_pool_find(list, id);
		if (pool && pool->pids_nr)
			hymc_text_add_pids(&who, pool->pids, pool->pids_nr);
		hymc_pool_list_free(list);
	}
	if (!who.len)
		return hymc_err(ctx, err, "%s", why.s);
	return hymc_err(ctx, err, "%s; opened by %s", why.s, who.s);
}

/**
 * hymc_pool_destroy() - end a pool
 * @ctx: context
 * @id: its number
 * @force: also when its node is open; those who have it open get -ENODEV
 *
 * May sleep for as long as writing what is dirty takes.
 *
 * Return: 0, -EPERM, -ENOPKG (module not loaded), -ENOENT, -EBUSY (open; the
 * sentence says by whom), or another errno of the kernel.
 */
HYMC_EXPORT int hymc_pool_destroy(struct hymc_ctx *ctx, uint32_t id, bool force)
{
	int err = check_able(ctx);

	if (err)
		return err;
	err = hymc_control_destroy(ctx, id, force);
	return err == -EBUSY ? add_holders(ctx, id, err) : err;
}

/**
 * hymc_pool_free() - free one snapshot
 * @pool: the snapshot, or NULL
 */
void hymc_pool_free(struct hymc_pool *pool)
{
	if (!pool)
		return;
	free(pool->dram);
	free(pool->ssd);
	free(pool->pids);
	free(pool);
}

/**
 * hymc_pool_list_get() - a snapshot of all pools
 * @ctx: context
 * @list: out, to be freed with hymc_pool_list_free()
 *
 * Return: 0, -ENOPKG (module not loaded), -ENOMEM, or another negative errno.
 */
HYMC_EXPORT int hymc_pool_list_get(struct hymc_ctx *ctx,
				   struct hymc_pool_list **list)
{
	struct hymc_pool_list *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return hymc_err(ctx, -ENOMEM, "out of memory");
	err = hymc_control_list(ctx, &l->head);
	if (err) {
		free(l);
		return err;
	}
	*list = l;
	return 0;
}

/**
 * hymc_pool_list_free() - free a list and its pools
 * @list: the list, or NULL
 */
HYMC_EXPORT void hymc_pool_list_free(struct hymc_pool_list *list)
{
	struct hymc_pool *pool, *next;

	if (!list)
		return;
	for (pool = list->head; pool; pool = next) {
		next = pool->next;
		hymc_pool_free(pool);
	}
	free(list);
}

/**
 * hymc_pool_first() - the first pool of a list
 * @list: the list
 *
 * Return: the pool, or NULL when there is none.
 */
HYMC_EXPORT const struct hymc_pool *
hymc_pool_first(const struct hymc_pool_list *list)
{
	return list->head;
}

/**
 * hymc_pool_next() - the pool behind another
 * @list: the list
 * @pool: one of its pools
 *
 * Return: the pool, or NULL at the end.
 */
HYMC_EXPORT const struct hymc_pool *
hymc_pool_next(const struct hymc_pool_list *list, const struct hymc_pool *pool)
{
	(void)list;
	return pool->next;
}

/**
 * hymc_pool_find() - a pool by number
 * @list: the list
 * @id: the number
 *
 * Return: the pool, or NULL when the list has none of that number.
 */
HYMC_EXPORT const struct hymc_pool *
hymc_pool_find(const struct hymc_pool_list *list, uint32_t id)
{
	const struct hymc_pool *pool = list->head;

	while (pool && pool->id != id)
		pool = pool->next;
	return pool;
}

/**
 * hymc_pool_id() - number N of /dev/hymc<N>
 * @pool: a snapshot
 *
 * Return: the number.
 */
HYMC_EXPORT uint32_t hymc_pool_id(const struct hymc_pool *pool)
{
	return pool->id;
}

/**
 * hymc_pool_dram() - name of the dax device
 * @pool: a snapshot
 *
 * Return: the name, which belongs to @pool.
 */
HYMC_EXPORT const char *hymc_pool_dram(const struct hymc_pool *pool)
{
	return pool->dram;
}

/**
 * hymc_pool_dram_start() - where its range starts
 * @pool: a snapshot
 *
 * Return: the physical address.
 */
HYMC_EXPORT uint64_t hymc_pool_dram_start(const struct hymc_pool *pool)
{
	return pool->dram_start;
}

/**
 * hymc_pool_dram_bytes() - how much DRAM the pool has
 * @pool: a snapshot
 *
 * Return: bytes.
 */
HYMC_EXPORT uint64_t hymc_pool_dram_bytes(const struct hymc_pool *pool)
{
	return pool->dram_bytes;
}

/**
 * hymc_pool_ssd() - path of the block device
 * @pool: a snapshot
 *
 * Return: the path, which belongs to @pool.
 */
HYMC_EXPORT const char *hymc_pool_ssd(const struct hymc_pool *pool)
{
	return pool->ssd;
}

/**
 * hymc_pool_ssd_bytes() - how much of the block device the pool may use
 * @pool: a snapshot
 *
 * Return: bytes.
 */
HYMC_EXPORT uint64_t hymc_pool_ssd_bytes(const struct hymc_pool *pool)
{
	return pool->ssd_bytes;
}

/**
 * hymc_pool_frame_bytes() - unit of DRAM allocation
 * @pool: a snapshot
 *
 * Return: bytes.
 */
HYMC_EXPORT uint32_t hymc_pool_frame_bytes(const struct hymc_pool *pool)
{
	return pool->frame_bytes;
}

/**
 * hymc_pool_segment_bytes() - unit of the log on the SSD
 * @pool: a snapshot
 *
 * Return: bytes.
 */
HYMC_EXPORT uint64_t hymc_pool_segment_bytes(const struct hymc_pool *pool)
{
	return pool->segment_bytes;
}

/**
 * hymc_pool_window_bytes() - default window of a request
 * @pool: a snapshot
 *
 * Return: bytes.
 */
HYMC_EXPORT uint64_t hymc_pool_window_bytes(const struct hymc_pool *pool)
{
	return pool->window_bytes;
}

/**
 * hymc_pool_blocks_max() - most blocks the index may hold
 * @pool: a snapshot
 *
 * Return: blocks.
 */
HYMC_EXPORT uint64_t hymc_pool_blocks_max(const struct hymc_pool *pool)
{
	return pool->blocks_max;
}

/**
 * hymc_pool_dirty_max_bytes() - limit of the write buffer
 * @pool: a snapshot
 *
 * Return: bytes.
 */
HYMC_EXPORT uint64_t hymc_pool_dirty_max_bytes(const struct hymc_pool *pool)
{
	return pool->dirty_max_bytes;
}

/**
 * hymc_pool_policy() - how the DRAM is managed
 * @pool: a snapshot
 *
 * Return: enum hymc_policy.
 */
HYMC_EXPORT uint32_t hymc_pool_policy(const struct hymc_pool *pool)
{
	return pool->policy;
}

/**
 * hymc_pool_state() - what the pool can do
 * @pool: a snapshot
 *
 * Return: enum hymc_pool_state.
 */
HYMC_EXPORT uint32_t hymc_pool_state(const struct hymc_pool *pool)
{
	return pool->state;
}

/**
 * hymc_pool_uuid() - identity of the pool, as on the SSD
 * @pool: a snapshot
 *
 * Return: 16 bytes, which belong to @pool.
 */
HYMC_EXPORT const uint8_t *hymc_pool_uuid(const struct hymc_pool *pool)
{
	return pool->uuid;
}

/**
 * hymc_pool_stats() - counters
 * @pool: a snapshot
 *
 * Return: the counters, which belong to @pool.
 */
HYMC_EXPORT const struct hymc_stats *
hymc_pool_stats(const struct hymc_pool *pool)
{
	return &pool->stats;
}

/**
 * hymc_pool_pids() - who has the node open
 * @pool: a snapshot
 * @nr: out, number of process ids
 *
 * Return: the process ids, which belong to @pool; NULL when @nr is 0.
 */
HYMC_EXPORT const uint32_t *hymc_pool_pids(const struct hymc_pool *pool,
					   size_t *nr)
{
	*nr = pool->pids_nr;
	return pool->pids;
}
