// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: dax devices: finding one, and taking it from its driver
 *
 * All through sysfs. The only thing changed here is the binding of a device to
 * the driver device_dax; memory that kmem made part of the system is never
 * taken offline by us.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

#define DAX_DIR		"/sys/bus/dax"
#define DEVICES_DIR	DAX_DIR "/devices"

/**
 * dax_path() - path of a file of a dax device
 * @path: out
 * @name: the device
 * @file: the file
 */
static void dax_path(char path[HYMC_SYSFS_BYTES], const char *name,
		     const char *file)
{
	snprintf(path, HYMC_SYSFS_BYTES, DEVICES_DIR "/%s/%s", name, file);
}

/**
 * driver_of() - which driver has a dax device?
 * @name: the device
 * @driver: out, "" when none has
 */
static void driver_of(const char *name, char driver[HYMC_NAME_BYTES])
{
	char path[HYMC_SYSFS_BYTES];

	dax_path(path, name, "driver");
	if (hymc_link_name(path, driver, HYMC_NAME_BYTES))
		driver[0] = '\0';
}

/**
 * add_device() - append "dax0.0 (256 MiB, driver kmem)"
 * @t: the text
 * @name: the device
 */
static void add_device(struct hymc_text *t, const char *name)
{
	char path[HYMC_SYSFS_BYTES], driver[HYMC_NAME_BYTES];
	uint64_t bytes = 0;

	dax_path(path, name, "size");
	(void)hymc_file_read_u64(path, &bytes);
	driver_of(name, driver);
	hymc_text_add(t, "%s%s (", t->len ? ", " : "", name);
	hymc_text_add_bytes(t, bytes);
	hymc_text_add(t, *driver ? ", driver %s)" : ")", driver);
}

/**
 * describe_devices() - name the dax devices there are
 * @t: out; stays empty when there is none
 */
static void describe_devices(struct hymc_text *t)
{
	struct dirent **names;
	int i, nr;

	nr = scandir(DEVICES_DIR, &names, NULL, versionsort);
	for (i = 0; i < nr; i++) {
		if (names[i]->d_name[0] != '.')
			add_device(t, names[i]->d_name);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
}

/**
 * err_no_device() - explain that there is no such dax device
 * @ctx: context
 * @name: the name
 *
 * Return: -ENODEV.
 */
static int err_no_device(struct hymc_ctx *ctx, const char *name)
{
	struct hymc_text t = { 0 };

	describe_devices(&t);
	if (t.len)
		return hymc_err(ctx, -ENODEV,
				"there is no dax device %s; there are: %s",
				name, t.s);
	if (access(DAX_DIR, F_OK))
		return hymc_err(ctx, -ENODEV,
				"there is no dax device %s: this kernel has no dax devices at "
				"all (is the driver of the memory loaded, e.g. dax_cxl or "
				"dax_hmem?)",
				name);
	return hymc_err(ctx, -ENODEV,
			"there is no dax device %s, nor any other; a CXL device gets one with "
			"its region (`cxl create-region -t ram`)",
			name);
}

/**
 * hymc_dax_find() - learn about a dax device
 * @ctx: context
 * @name: "dax0.0", also as "/dev/dax0.0"
 * @dax: out
 *
 * Return: 0, -ENODEV (the sentence lists those that exist), -EINVAL (one
 * without memory), or another negative errno.
 */
int hymc_dax_find(struct hymc_ctx *ctx, const char *name, struct hymc_dax *dax)
{
	char path[HYMC_SYSFS_BYTES];
	int err;

	if (!strncmp(name, "/dev/", strlen("/dev/")))
		name += strlen("/dev/");
	if (!*name || *name == '.' || strchr(name, '/') ||
	    strlen(name) >= sizeof(dax->name))
		return err_no_device(ctx, name);
	memset(dax, 0, sizeof(*dax));
	strcpy(dax->name, name);
	dax_path(path, name, "size");
	err = hymc_file_read_u64(path, &dax->bytes);
	if (err == -ENOENT)
		return err_no_device(ctx, name);
	if (!err) {
		dax_path(path, name, "resource");
		err = hymc_file_read_u64(path, &dax->start);
	}
	if (err)
		return hymc_err(ctx, err, "cannot read %s: %s", path,
				strerror(-err));
	if (!dax->bytes)
		return hymc_err(ctx, -EINVAL,
				"dax device %s has no memory assigned to it",
				name);
	driver_of(name, dax->driver);
	return 0;
}

/**
 * err_driver() - explain that a driver has the device
 * @ctx: context
 * @dax: the device
 *
 * Return: -EBUSY.
 */
static int err_driver(struct hymc_ctx *ctx, const struct hymc_dax *dax)
{
	if (!strcmp(dax->driver, "kmem"))
		return hymc_err(ctx, -EBUSY,
				"the memory of %s is in use as System RAM (driver kmem); take "
				"it out with `daxctl reconfigure-device --mode=devdax --force "
				"%s` and try again",
				dax->name, dax->name);
	if (!strcmp(dax->driver, "device_dax"))
		return hymc_err(ctx, -EBUSY,
				"%s is bound to the driver device_dax, and taking it was not "
				"asked for",
				dax->name);
	return hymc_err(ctx, -EBUSY,
			"%s is in use by the driver %s; unbind it first: "
			"echo %s > " DAX_DIR "/drivers/%s/unbind",
			dax->name, dax->driver, dax->name, dax->driver);
}

/**
 * hymc_dax_check() - can this device be had?
 * @ctx: context
 * @dax: the device
 * @want_bytes: bytes wanted of it; 0 = all
 * @take: it may be taken from the driver device_dax
 *
 * Return: 0, -EBUSY (a driver has it) or -EFBIG (it is smaller).
 */
int hymc_dax_check(struct hymc_ctx *ctx, const struct hymc_dax *dax,
		   uint64_t want_bytes, bool take)
{
	struct hymc_text has = { 0 }, want = { 0 };

	if (want_bytes > dax->bytes) {
		hymc_text_add_bytes(&has, dax->bytes);
		hymc_text_add_bytes(&want, want_bytes);
		return hymc_err(ctx, -EFBIG,
				"%s has %s, less than the %s asked for",
				dax->name, has.s, want.s);
	}
	if (!*dax->driver || (take && !strcmp(dax->driver, "device_dax")))
		return 0;
	return err_driver(ctx, dax);
}

/**
 * write_driver() - bind or unbind
 * @dax: the device
 * @file: "bind" or "unbind"
 *
 * Return: 0 or a negative errno.
 */
static int write_driver(const struct hymc_dax *dax, const char *file)
{
	char path[HYMC_SYSFS_BYTES];

	snprintf(path, sizeof(path), DAX_DIR "/drivers/%s/%s", dax->driver,
		 file);
	return hymc_file_write(path, dax->name);
}

/**
 * hymc_dax_unbind() - take the device from its driver, saying so
 * @ctx: context
 * @dax: the device, bound
 *
 * Return: 0, -EBUSY or -ENODEV (it went away), or another errno of sysfs.
 */
int hymc_dax_unbind(struct hymc_ctx *ctx, const struct hymc_dax *dax)
{
	int err;

	hymc_log(ctx, LOG_NOTICE, "taking %s from its driver %s", dax->name,
		 dax->driver);
	err = write_driver(dax, "unbind");
	if (err)
		return hymc_err(ctx, err,
				"cannot unbind %s from its driver %s: %s",
				dax->name, dax->driver, strerror(-err));
	return 0;
}

/**
 * hymc_dax_rebind() - give the device back to the driver it was taken from
 * @ctx: context
 * @dax: the device as it was found
 *
 * A failure is reported to the log only: the caller has a worse one to tell.
 */
void hymc_dax_rebind(struct hymc_ctx *ctx, const struct hymc_dax *dax)
{
	int err = write_driver(dax, "bind");

	if (err)
		hymc_log(ctx, LOG_WARNING,
			 "cannot give %s back to its driver %s: %s", dax->name,
			 dax->driver, strerror(-err));
	else
		hymc_log(ctx, LOG_NOTICE, "gave %s back to its driver %s",
			 dax->name, dax->driver);
}
