// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: is a block device fit to be a pool's SSD?
 *
 * Questions only: nothing here writes, and the device is opened for reading, so
 * that not even udev notices.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/fs.h>

#include "private.h"

/**
 * err_not_block() - explain that a path is no block device
 * @ctx: context
 * @path: the path
 * @mode: st_mode of it
 *
 * Return: -ENOTBLK.
 */
static int err_not_block(struct hymc_ctx *ctx, const char *path, mode_t mode)
{
	const char *what = "not a block device";

	if (S_ISREG(mode))
		what = "a regular file, not a block device (losetup makes one of it)";
	else if (S_ISDIR(mode))
		what = "a directory, not a block device";
	else if (S_ISCHR(mode) && !strncmp(path, "/dev/nvme", 9))
		what = "an NVMe controller; its drive is a block device like /dev/nvme0n1";
	else if (S_ISCHR(mode))
		what = "a character device, not a block device";
	return hymc_err(ctx, -ENOTBLK, "%s is %s", path, what);
}

/**
 * check_type() - does it exist, and is it a block device?
 * @ctx: context
 * @path: the path
 * @st: out
 *
 * Return: 0, -ENODEV, -ENOTBLK or another errno of stat(2).
 */
static int check_type(struct hymc_ctx *ctx, const char *path, struct stat *st)
{
	if (stat(path, st)) {
		int err = -errno;

		if (err == -ENOENT || err == -ENOTDIR)
			return hymc_err(ctx, -ENODEV,
					"there is no block device %s", path);
		return hymc_err(ctx, err, "cannot look at %s: %s", path,
				strerror(-err));
	}
	if (!S_ISBLK(st->st_mode))
		return err_not_block(ctx, path, st->st_mode);
	return 0;
}

/**
 * err_in_use() - explain who uses a block device
 * @ctx: context
 * @path: the device
 * @st: what stat(2) said of it
 *
 * Return: -EBUSY.
 */
static int err_in_use(struct hymc_ctx *ctx, const char *path,
		      const struct stat *st)
{
	struct hymc_text t = { 0 };

	hymc_users_describe(major(st->st_rdev), minor(st->st_rdev), &t);
	if (t.len)
		return hymc_err(ctx, -EBUSY, "%s is in use: %s", path, t.s);
	return hymc_err(ctx, -EBUSY,
			"%s is in use: something has opened it exclusively",
			path);
}

/**
 * open_exclusive() - open for reading, sharing with nobody who uses it
 * @ctx: context
 * @path: the device
 * @st: what stat(2) said of it
 *
 * Return: a file descriptor, -EBUSY (by whom), -ENODEV (no driver or no medium
 * behind it) or another errno of open(2).
 */
static int open_exclusive(struct hymc_ctx *ctx, const char *path,
			  const struct stat *st)
{
	int fd, err;

	do {
		fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	} while (fd < 0 && errno == EINTR);
	if (fd >= 0)
		return fd;
	err = -errno;
	if (err == -EBUSY)
		return err_in_use(ctx, path, st);
	if (err == -ENXIO || err == -ENODEV || err == -ENOMEDIUM)
		return hymc_err(ctx, -ENODEV, "there is no device behind %s",
				path);
	return hymc_err(ctx, err, "cannot open %s: %s", path, strerror(-err));
}

/**
 * check_writable() - may it be written?
 * @ctx: context
 * @path: the device
 * @fd: open file of it
 *
 * Return: 0, -EROFS, or another errno of the ioctl.
 */
static int check_writable(struct hymc_ctx *ctx, const char *path, int fd)
{
	int ro = 0, err;

	if (ioctl(fd, BLKROGET, &ro)) {
		err = -errno;
		return hymc_err(ctx, err, "cannot ask %s: %s", path,
				strerror(-err));
	}
	if (ro)
		return hymc_err(ctx, -EROFS, "%s is read-only", path);
	return 0;
}

/**
 * check_size() - is it large enough?
 * @ctx: context
 * @path: the device
 * @fd: open file of it
 * @want_bytes: bytes wanted of it; 0 = all
 *
 * The kernel knows how small a pool can be; here only what was asked for
 * counts.
 *
 * Return: 0, -ENOSPC, or an errno of the ioctl.
 */
static int check_size(struct hymc_ctx *ctx, const char *path, int fd,
		      uint64_t want_bytes)
{
	struct hymc_text has = { 0 }, want = { 0 };
	uint64_t bytes = 0;
	int err;

	if (ioctl(fd, BLKGETSIZE64, &bytes)) {
		err = -errno;
		return hymc_err(ctx, err, "cannot ask for the size of %s: %s",
				path, strerror(-err));
	}
	if (!bytes)
		return hymc_err(ctx, -ENOSPC, "%s has a size of 0", path);
	if (bytes >= want_bytes)
		return 0;
	hymc_text_add_bytes(&has, bytes);
	hymc_text_add_bytes(&want, want_bytes);
	return hymc_err(ctx, -ENOSPC, "%s has %s, less than the %s asked for",
			path, has.s, want.s);
}

/**
 * check_open() - everything that needs the device open
 * @ctx: context
 * @path: the device
 * @fd: open file of it
 * @want_bytes: bytes wanted of it; 0 = all
 * @force: signatures do not matter
 *
 * Return: 0 or a negative errno.
 */
static int check_open(struct hymc_ctx *ctx, const char *path, int fd,
		      uint64_t want_bytes, bool force)
{
	int err = check_writable(ctx, path, fd);

	if (!err)
		err = check_size(ctx, path, fd, want_bytes);
	if (!err)
		err = hymc_signature_check(ctx, path, fd, force);
	return err;
}

/**
 * hymc_ssd_check() - is a block device fit to be a pool's SSD?
 * @ctx: context
 * @path: the device
 * @want_bytes: bytes wanted of it; 0 = all
 * @force: what lies on it does not matter
 *
 * Return: 0, -ENODEV, -ENOTBLK, -EBUSY (by whom), -EROFS, -ENOSPC, -EEXIST
 * (what lies on it), -EIO, or another negative errno.
 */
int hymc_ssd_check(struct hymc_ctx *ctx, const char *path, uint64_t want_bytes,
		   bool force)
{
	struct stat st;
	int fd, err;

	err = check_type(ctx, path, &st);
	if (err)
		return err;
	fd = open_exclusive(ctx, path, &st);
	if (fd < 0)
		return fd;
	err = check_open(ctx, path, fd, want_bytes, force);
	close(fd);
	return err;
}
