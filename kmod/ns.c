// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: namespaces of a pool
 *
 * Knows which namespaces there are, whose they are, and which open file attached
 * which. The core only sees their numbers. pool->lock protects the table.
 */
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "pool.h"

static struct hymc_ns *ns_find(struct hymc_pool *pool, const u8 *name)
{
	struct hymc_ns *ns;
	unsigned long id;

	lockdep_assert_held(&pool->lock);
	xa_for_each(&pool->namespaces, id, ns)
		if (!memcmp(ns->name, name, HYMC_NS_NAME_BYTES))
			return ns;
	return NULL;
}

/* May the caller use @ns with what it says it is? */
static int ns_admit(const struct hymc_ns *ns, const struct hymc_ns_attach *arg)
{
	if (!uid_eq(ns->owner, current_fsuid()) && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	if (memcmp(ns->fingerprint, arg->fingerprint, HYMC_FP_BYTES))
		return -EUCLEAN;
	return 0;
}

static u32 ns_owned_by(struct hymc_pool *pool, kuid_t uid)
{
	struct hymc_ns *ns;
	unsigned long id;
	u32 nr = 0;

	lockdep_assert_held(&pool->lock);
	xa_for_each(&pool->namespaces, id, ns)
		nr += uid_eq(ns->owner, uid);
	return nr;
}

/* Insert @ns; -ENOSPC when there are too many, or too many of this user. */
static int ns_insert(struct hymc_pool *pool, struct hymc_ns *ns)
{
	int err;

	lockdep_assert_held(&pool->lock);
	if (pool->nr_ns >= HYMC_NS_MAX)
		return -ENOSPC;
	if (!capable(CAP_SYS_ADMIN) &&
	    ns_owned_by(pool, ns->owner) >= HYMC_NS_USER_MAX)
		return -ENOSPC;
	err = xa_alloc(&pool->namespaces, &ns->id, ns, XA_LIMIT(1, U16_MAX),
		       GFP_KERNEL);
	if (!err)
		pool->nr_ns++;
	return err;
}

static struct hymc_ns *ns_new(const struct hymc_ns_attach *arg)
{
	struct hymc_ns *ns = kzalloc(sizeof(*ns), GFP_KERNEL_ACCOUNT);

	if (!ns)
		return NULL;
	memcpy(ns->name, arg->name, HYMC_NS_NAME_BYTES);
	memcpy(ns->fingerprint, arg->fingerprint, HYMC_FP_BYTES);
	ns->owner = current_fsuid();
	return ns;
}

/* Find or make the namespace @arg names; its number goes to arg->ns. */
static int ns_resolve(struct hymc_pool *pool, struct hymc_ns_attach *arg)
{
	struct hymc_ns *fresh __free(kfree) = NULL;
	struct hymc_ns *ns;
	int err;

	if (arg->flags & HYMC_NS_CREATE) {
		fresh = ns_new(arg);
		if (!fresh)
			return -ENOMEM;
	}
	guard(mutex)(&pool->lock);
	ns = ns_find(pool, arg->name);
	if (ns)
		err = ns_admit(ns, arg);
	else if (fresh)
		err = ns_insert(pool, fresh);
	else
		err = -ENOENT;
	if (err)
		return err;
	arg->ns = ns ? ns->id : no_free_ptr(fresh)->id;
	return 0;
}

/**
 * hymc_ns_attach - HYMC_IOC_NS_ATTACH
 * @file: open file
 * @arg: argument, already checked for size; arg->ns is filled
 *
 * Return: 0 or an errno of struct hymc_ns_attach. May sleep.
 */
int hymc_ns_attach(struct hymc_file *file, struct hymc_ns_attach *arg)
{
	size_t len = strnlen(arg->name, HYMC_NS_NAME_BYTES);
	int err;

	if (arg->flags & ~HYMC_NS_CREATE || arg->__reserved)
		return -EINVAL;
	if (!len || len == HYMC_NS_NAME_BYTES ||
	    memchr_inv(arg->name + len, 0, HYMC_NS_NAME_BYTES - len))
		return -EINVAL;
	err = ns_resolve(file->pool, arg);
	if (err)
		return err;
	return xa_err(xa_store(&file->attached, arg->ns, xa_mk_value(1),
			       GFP_KERNEL_ACCOUNT));
}

/**
 * hymc_ns_attached - may @file use namespace @ns?
 * @file: open file
 * @ns: handle as given by the caller
 */
bool hymc_ns_attached(struct hymc_file *file, u32 ns)
{
	return xa_load(&file->attached, ns);
}

/**
 * hymc_ns_destroy_all - free the table of a pool that is being taken apart
 * @pool: pool without users
 */
void hymc_ns_destroy_all(struct hymc_pool *pool)
{
	struct hymc_ns *ns;
	unsigned long id;

	mutex_lock(&pool->lock);
	xa_for_each(&pool->namespaces, id, ns)
		kfree(ns);
	xa_destroy(&pool->namespaces);
	pool->nr_ns = 0;
	mutex_unlock(&pool->lock);
}
