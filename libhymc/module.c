// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: loading and unloading the kernel module
 *
 * Everything goes through libkmod, so that modprobe's configuration,
 * dependencies and module directories count. A libkmod context is made per
 * call: it is not thread safe and these calls are rare.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <libkmod.h>

#include "private.h"

#define MODULE_NAME	"hymc"

/**
 * kmod_line() - a log line of libkmod, for debugging: errors are explained by
 * us
 * @data: hymc context
 * @priority: syslog priority
 * @file: source file of libkmod
 * @line: line there
 * @fn: function there
 * @format: text
 * @args: its arguments
 */
__attribute__((format(printf, 6, 0)))
static void kmod_line(void *data, int priority, const char *file, int line,
		      const char *fn, const char *format, va_list args)
{
	(void)file;
	(void)line;
	(void)fn;
	(void)priority;
	hymc_vlog(data, LOG_DEBUG, format, args);
}

/**
 * kmod_open() - a libkmod context whose lines go to ours
 * @ctx: context
 *
 * Return: the libkmod context, or NULL without memory.
 */
static struct kmod_ctx *kmod_open(struct hymc_ctx *ctx)
{
	struct kmod_ctx *kmod = kmod_new(NULL, NULL);

	if (kmod)
		kmod_set_log_fn(kmod, kmod_line, ctx);
	else
		hymc_err(ctx, -ENOMEM, "out of memory");
	return kmod;
}

/**
 * hymc_module_loaded() - is the module there?
 * @ctx: context
 *
 * Return: true when it is loaded and initialised, or built in.
 */
HYMC_EXPORT bool hymc_module_loaded(struct hymc_ctx *ctx)
{
	char state[HYMC_NAME_BYTES];
	int err = hymc_file_read("/sys/module/" MODULE_NAME "/initstate",
				 state, sizeof(state));

	(void)ctx;
	if (!err)
		return !strcmp(state, "live");
	/* A module that is built in has a directory without that file. */
	return err == -ENOENT && !access("/sys/module/" MODULE_NAME, F_OK);
}

/**
 * err_insert() - explain why the kernel does not take a module
 * @ctx: context
 * @name: module or file
 * @err: negative errno
 *
 * Return: @err.
 */
static int err_insert(struct hymc_ctx *ctx, const char *name, int err)
{
	const char *why;

	switch (err) {
	case -EPERM:
	case -EACCES:
		why = hymc_is_admin() ?
			"this kernel does not let modules be loaded (lockdown or "
			"kernel.modules_disabled)" :
			"loading a module needs root";
		break;
	case -EKEYREJECTED:
	case -ENOKEY:
		why = "this kernel does not trust its signature (Secure Boot?)";
		break;
	case -ENOEXEC:
	case -EINVAL:
		why = "it was built for another kernel; see dmesg";
		break;
	case -ENOENT:
		why = "it needs a symbol that this kernel does not have; see dmesg";
		break;
	default:
		why = strerror(-err);
	}
	return hymc_err(ctx, err, "cannot load %s: %s", name, why);
}

/**
 * err_missing() - explain that there is no module to load
 * @ctx: context
 *
 * Return: -ENOENT.
 */
static int err_missing(struct hymc_ctx *ctx)
{
	struct utsname uts;

	if (uname(&uts))
		snprintf(uts.release, sizeof(uts.release), "this kernel");
	return hymc_err(ctx, -ENOENT,
			"there is no module hymc for %s: build and install it, or give the path "
			"of hymc.ko",
			uts.release);
}

/**
 * probe_list() - insert the modules of a list, with dependencies
 * @ctx: context
 * @list: modules that a name stands for
 *
 * Return: 0 or a negative errno.
 */
static int probe_list(struct hymc_ctx *ctx, struct kmod_list *list)
{
	struct kmod_list *item;
	int err;

	kmod_list_foreach(item, list) {
		struct kmod_module *mod = kmod_module_get_module(item);
		const char *name = kmod_module_get_name(mod);

		err = kmod_module_probe_insert_module(mod, 0, NULL, NULL, NULL,
						      NULL);
		err = err > 0 ? -EPERM : err;
		if (err && err != -EEXIST)
			err_insert(ctx, name, err);
		kmod_module_unref(mod);
		if (err && err != -EEXIST)
			return err;
	}
	return 0;
}

/**
 * probe_name() - load a module by name, like modprobe
 * @ctx: context
 * @kmod: libkmod context
 * @name: module name or alias
 *
 * Return: 0, -ENOENT when there is no such module, or another negative errno.
 */
static int probe_name(struct hymc_ctx *ctx, struct kmod_ctx *kmod,
		      const char *name)
{
	struct kmod_list *list = NULL;
	int err = kmod_module_new_from_lookup(kmod, name, &list);

	if (err < 0 && err != -ENOENT && err != -ENOSYS)
		return hymc_err(ctx, err, "cannot look up module %s: %s", name,
				strerror(-err));
	if (!list)
		return err_missing(ctx);
	err = probe_list(ctx, list);
	kmod_module_unref_list(list);
	return err;
}

/**
 * hymc_module_load() - load the installed module with what it depends on
 * @ctx: context
 *
 * Return: 0 (also when it is loaded already), -ENOENT (none installed for this
 * kernel), -EPERM, -ENOEXEC (of another kernel), or another negative errno.
 */
HYMC_EXPORT int hymc_module_load(struct hymc_ctx *ctx)
{
	struct kmod_ctx *kmod;
	int err;

	if (hymc_module_loaded(ctx))
		return 0;
	kmod = kmod_open(ctx);
	if (!kmod)
		return -ENOMEM;
	err = probe_name(ctx, kmod, MODULE_NAME);
	kmod_unref(kmod);
	return err;
}

/**
 * load_depends() - load what a module's file says it depends on
 * @ctx: context
 * @kmod: libkmod context
 * @depends: names, separated by commas
 *
 * Return: 0 or a negative errno.
 */
static int load_depends(struct hymc_ctx *ctx, struct kmod_ctx *kmod,
			const char *depends)
{
	char name[HYMC_NAME_BYTES];
	size_t len;
	int err;

	for (; *depends; depends += len + (depends[len] == ',')) {
		len = strcspn(depends, ",");
		if (!len || len >= sizeof(name))
			continue;
		memcpy(name, depends, len);
		name[len] = '\0';
		err = probe_name(ctx, kmod, name);
		if (err)
			return err;
	}
	return 0;
}

/**
 * load_needed() - load the dependencies of a module that is not installed
 * @ctx: context
 * @kmod: libkmod context
 * @mod: the module
 * @path: its file
 *
 * Return: 0, -EINVAL when it is not module hymc, or another negative errno.
 */
static int load_needed(struct hymc_ctx *ctx, struct kmod_ctx *kmod,
		       struct kmod_module *mod, const char *path)
{
	struct kmod_list *info = NULL, *item;
	bool ours = false;
	int err = kmod_module_get_info(mod, &info);

	if (err < 0)
		return hymc_err(ctx, err, "%s is not a kernel module", path);
	err = 0;
	kmod_list_foreach(item, info) {
		const char *key = kmod_module_info_get_key(item);
		const char *value = kmod_module_info_get_value(item);

		if (!strcmp(key, "name"))
			ours = !strcmp(value, MODULE_NAME);
		else if (!strcmp(key, "depends") && !err)
			err = load_depends(ctx, kmod, value);
	}
	kmod_module_info_free_list(info);
	if (!ours)
		return hymc_err(ctx, -EINVAL, "%s is not the module hymc",
				path);
	return err;
}

/**
 * insert_file() - load the module in a file
 * @ctx: context
 * @kmod: libkmod context
 * @path: the file
 *
 * Return: 0 or a negative errno.
 */
static int insert_file(struct hymc_ctx *ctx, struct kmod_ctx *kmod,
		       const char *path)
{
	struct kmod_module *mod = NULL;
	int err = kmod_module_new_from_path(kmod, path, &mod);

	if (err < 0)
		return hymc_err(ctx, err, "cannot read %s: %s", path,
				strerror(-err));
	err = load_needed(ctx, kmod, mod, path);
	if (!err) {
		err = kmod_module_insert_module(mod, 0, NULL);
		if (err == -EEXIST)
			err = 0;
		else if (err)
			err_insert(ctx, path, err);
	}
	kmod_module_unref(mod);
	return err;
}

/**
 * hymc_module_load_file() - load a module that is not installed
 * @ctx: context
 * @path: path of hymc.ko; what it depends on is loaded from the installed
 *	modules
 *
 * Return: 0 (also when a module hymc is loaded already), -ENOENT (no such
 * file),
 * -EINVAL or -ENOEXEC (not the module), -EPERM, or another negative errno.
 */
HYMC_EXPORT int hymc_module_load_file(struct hymc_ctx *ctx, const char *path)
{
	struct kmod_ctx *kmod;
	int err;

	if (hymc_module_loaded(ctx))
		return 0;
	kmod = kmod_open(ctx);
	if (!kmod)
		return -ENOMEM;
	err = insert_file(ctx, kmod, path);
	kmod_unref(kmod);
	return err;
}

/**
 * describe_pools() - name the pools that keep the module busy
 * @ctx: context
 * @t: text to append to
 */
static void describe_pools(struct hymc_ctx *ctx, struct hymc_text *t)
{
	struct hymc_pool_list *list;
	const struct hymc_pool *p;
	const char *sep = "";
	const uint32_t *pids;
	size_t nr;

	if (hymc_pool_list_get(ctx, &list))
		return;
	for (p = hymc_pool_first(list); p; p = hymc_pool_next(list, p)) {
		hymc_text_add(t, "%s/dev/hymc%u", sep, hymc_pool_id(p));
		pids = hymc_pool_pids(p, &nr);
		if (nr) {
			hymc_text_add(t, ", opened by ");
			hymc_text_add_pids(t, pids, nr);
		}
		sep = "; ";
	}
	hymc_pool_list_free(list);
}

/**
 * err_remove() - explain why the module stays
 * @ctx: context
 * @err: negative errno
 *
 * Return: @err.
 */
static int err_remove(struct hymc_ctx *ctx, int err)
{
	struct hymc_text t = { 0 };

	if (err == -EPERM)
		return hymc_err(ctx, err, "unloading a module needs root");
	if (err != -EBUSY && err != -EAGAIN)
		return hymc_err(ctx, err, "cannot unload hymc: %s",
				strerror(-err));
	describe_pools(ctx, &t);
	if (t.len)
		return hymc_err(ctx, -EBUSY,
				"hymc is in use: %s; destroy the pools first",
				t.s);
	return hymc_err(ctx, -EBUSY,
			"hymc is in use, but has no pool: a file of a destroyed pool is still open, "
			"or its memory is still pinned");
}

/**
 * remove_module() - unload if loaded
 * @ctx: context
 * @kmod: libkmod context
 *
 * Return: 0 or a negative errno.
 */
static int remove_module(struct hymc_ctx *ctx, struct kmod_ctx *kmod)
{
	struct kmod_module *mod = NULL;
	int err = kmod_module_new_from_name(kmod, MODULE_NAME, &mod);

	if (err < 0)
		return hymc_err(ctx, err, "cannot unload hymc: %s",
				strerror(-err));
	if (kmod_module_get_initstate(mod) == KMOD_MODULE_BUILTIN) {
		err = hymc_err(ctx, -EOPNOTSUPP,
			       "hymc is built into this kernel");
	} else {
		err = kmod_module_remove_module(mod, 0);
		if (err)
			err = err_remove(ctx, err);
	}
	kmod_module_unref(mod);
	return err;
}

/**
 * hymc_module_unload() - unload the module
 * @ctx: context
 *
 * Return: 0, -ENOENT (not loaded), -EBUSY (a pool exists; the sentence says who
 * holds it), -EPERM, -EOPNOTSUPP (built in), or another negative errno.
 */
HYMC_EXPORT int hymc_module_unload(struct hymc_ctx *ctx)
{
	struct kmod_ctx *kmod;
	int err;

	if (!hymc_module_loaded(ctx))
		return hymc_err(ctx, -ENOENT, "hymc is not loaded");
	kmod = kmod_open(ctx);
	if (!kmod)
		return -ENOMEM;
	err = remove_module(ctx, kmod);
	kmod_unref(kmod);
	return err;
}
