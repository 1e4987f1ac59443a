// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: an open device node and its mappings
 *
 * A hymc_dev owns the file descriptor and at most two mappings of the whole
 * DRAM. The mappings are made when first asked for and stay until close, so
 * that every thread sees the same addresses.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "private.h"

/* Mappings start at a multiple of this, so that huge entries can be used. */
#define MAP_ALIGN	(2UL << 20)

/**
 * struct hymc_dev - an open device node
 * @ctx: context, referenced
 * @node: path, for sentences
 * @fd: file descriptor
 * @lock: protects @ro and @rw; a leaf, held over mmap(2)
 * @bytes: bytes of the mapping
 * @ro: read-only mapping, NULL until asked for
 * @rw: writable mapping, NULL until asked for
 *
 * Everything but @ro and @rw is constant while the device is open.
 */
struct hymc_dev {
	struct hymc_ctx *ctx;
	char node[HYMC_NAME_BYTES];
	int fd;
	pthread_mutex_t lock;
	size_t bytes;
	void *ro;
	void *rw;
};

/**
 * node_path() - the path of a node that may be given as "0" or "hymc0"
 * @ctx: context
 * @node: what the caller said
 * @path: room for the path
 * @size: bytes of it
 *
 * Return: 0, or -EINVAL when it is too long or empty.
 */
static int node_path(struct hymc_ctx *ctx, const char *node, char *path,
		     size_t size)
{
	const char *prefix = "";
	int n;

	if (!node || !*node)
		return hymc_err(ctx, -EINVAL, "no device node was named");
	if (strspn(node, "0123456789") == strlen(node))
		prefix = "/dev/hymc";
	else if (!strchr(node, '/'))
		prefix = "/dev/";
	n = snprintf(path, size, "%s%s", prefix, node);
	if (n < 0 || (size_t)n >= size)
		return hymc_err(ctx, -EINVAL, "%s is no node of a pool", node);
	return 0;
}

/**
 * err_absent() - explain a node that does not exist
 * @ctx: context
 * @path: the node
 *
 * Return: -ENOENT.
 */
static int err_absent(struct hymc_ctx *ctx, const char *path)
{
	if (!hymc_module_loaded(ctx))
		return hymc_err(ctx, -ENOENT,
				"%s does not exist: the hymc module is not loaded; run `hymcctl "
				"load`",
				path);
	return hymc_err(ctx, -ENOENT,
			"%s does not exist; `hymcctl pool list` shows the pools there are",
			path);
}

/**
 * err_open() - explain why a node cannot be opened
 * @ctx: context
 * @path: the node
 * @err: negative errno of open(2)
 *
 * Return: the errno: -ENODEV for every way of being gone, else @err.
 */
static int err_open(struct hymc_ctx *ctx, const char *path, int err)
{
	switch (err) {
	case -ENOENT:
		return err_absent(ctx, path);
	case -EACCES:
	case -EPERM:
		return hymc_err(ctx, err,
				"no permission to open %s: its group may use it",
				path);
	case -ENXIO:
	case -ENODEV:
		return hymc_err(ctx, -ENODEV, "the pool of %s is gone", path);
	default:
		return hymc_err(ctx, err, "cannot open %s: %s", path,
				strerror(-err));
	}
}

/**
 * check_node() - is this a pool's node at all?
 * @ctx: context
 * @path: its path
 *
 * Asked before open(2), for opening a FIFO waits and opening some devices has
 * effects. Where sysfs is absent the question is left to the first ioctl.
 *
 * Return: 0, -ENODEV when it is something else, or the errno of stat(2).
 */
static int check_node(struct hymc_ctx *ctx, const char *path)
{
	char link[HYMC_SYSFS_BYTES], name[HYMC_NAME_BYTES];
	struct stat st;

	if (stat(path, &st))
		return err_open(ctx, path, -errno);
	if (!S_ISCHR(st.st_mode))
		return hymc_err(ctx, -ENODEV, "%s is not a character device",
				path);
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u",
		 major(st.st_rdev), minor(st.st_rdev));
	if (!hymc_link_name(link, name, sizeof(name)) &&
	    strncmp(name, "hymc", strlen("hymc")))
		return hymc_err(ctx, -ENODEV,
				"%s is the device %s, not a pool of hymc",
				path, name);
	return 0;
}

/**
 * open_fd() - open the node
 * @ctx: context
 * @path: its path
 *
 * Return: a file descriptor or a negative errno.
 */
static int open_fd(struct hymc_ctx *ctx, const char *path)
{
	int fd, err;

	err = check_node(ctx, path);
	if (err)
		return err;
	do {
		fd = open(path, O_RDWR | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? err_open(ctx, path, -errno) : fd;
}

/**
 * dev_setup() - learn the size, which also proves that this is a pool
 * @dev: device with an open @fd
 *
 * Return: 0 or a negative errno.
 */
static int dev_setup(struct hymc_dev *dev)
{
	struct hymc_info info;
	int err = hymc_dev_info(dev, &info);

	if (err)
		return err;
	dev->bytes = info.dram_bytes;
	if (dev->bytes != info.dram_bytes)
		return hymc_err(dev->ctx, -EOVERFLOW,
				"the DRAM of %s does not fit in this process's address space",
				dev->node);
	return 0;
}

/**
 * hymc_dev_open() - open the node of a pool
 * @ctx: context
 * @node: "/dev/hymc0", "hymc0" or "0"
 * @dev: out
 *
 * Return: 0, -ENOENT (no such node), -EACCES, -ENODEV (not a pool, or its pool
 * is gone), -EINVAL, -ENOMEM, or another errno of open(2).
 */
HYMC_EXPORT int hymc_dev_open(struct hymc_ctx *ctx, const char *node,
			      struct hymc_dev **dev)
{
	struct hymc_dev *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return hymc_err(ctx, -ENOMEM, "out of memory");
	d->ctx = hymc_ctx_ref(ctx);
	d->fd = -1;
	pthread_mutex_init(&d->lock, NULL);
	err = node_path(ctx, node, d->node, sizeof(d->node));
	if (err)
		goto err_close;
	d->fd = open_fd(ctx, d->node);
	if (d->fd < 0) {
		err = d->fd;
		goto err_close;
	}
	err = dev_setup(d);
	if (err)
		goto err_close;
	*dev = d;
	return 0;

err_close:
	hymc_dev_close(d);
	return err;
}

/**
 * hymc_dev_close() - close the node; everything it handed out ends
 * @dev: the device, or NULL. No other thread may use it any more.
 */
HYMC_EXPORT void hymc_dev_close(struct hymc_dev *dev)
{
	if (!dev)
		return;
	if (dev->ro)
		munmap(dev->ro, dev->bytes);
	if (dev->rw)
		munmap(dev->rw, dev->bytes);
	if (dev->fd >= 0)
		close(dev->fd);
	pthread_mutex_destroy(&dev->lock);
	hymc_ctx_unref(dev->ctx);
	free(dev);
}

/**
 * hymc_dev_fd() - the file descriptor
 * @dev: the device
 *
 * Return: the descriptor, which stays @dev's.
 */
HYMC_EXPORT int hymc_dev_fd(const struct hymc_dev *dev)
{
	return dev->fd;
}

/**
 * err_call() - explain a failed ioctl
 * @dev: the device
 * @what: name of the call
 * @err: negative errno
 *
 * Return: @err, or -ENODEV when the file is not a pool's.
 */
static int err_call(struct hymc_dev *dev, const char *what, int err)
{
	switch (err) {
	case -ENODEV:
		return hymc_err(dev->ctx, err,
				"%s on %s: a device of the pool is gone",
				what, dev->node);
	case -ENOTTY:
		return hymc_err(dev->ctx, -ENODEV,
				"%s on %s: the kernel does not know this call; is this a pool, "
				"and of this version?",
				what, dev->node);
	case -EBADF:
		return hymc_err(dev->ctx, err,
				"%s on %s: the namespace is not attached to this open file",
				what, dev->node);
	case -E2BIG:
		return hymc_err(dev->ctx, err,
				"%s on %s: more elements than one call may carry, or fields "
				"that this kernel does not know",
				what, dev->node);
	default:
		return hymc_err(dev->ctx, err, "%s on %s: %s", what, dev->node,
				strerror(-err));
	}
}

/**
 * hymc_dev_call() - one ioctl
 * @dev: the device
 * @cmd: HYMC_IOC_*
 * @arg: its structure
 * @what: name of the call, for the sentence
 * @restart: true hides signals; false for calls that wait, which a signal ends
 *
 * Return: 0 or a negative errno.
 */
int hymc_dev_call(struct hymc_dev *dev, unsigned long cmd, void *arg,
		  const char *what, bool restart)
{
	int n;

	do {
		n = ioctl(dev->fd, cmd, arg);
	} while (n < 0 && errno == EINTR && restart);
	return n < 0 ? err_call(dev, what, -errno) : 0;
}

/**
 * hymc_dev_info() - facts of the pool
 * @dev: the device
 * @info: out
 *
 * Return: 0 or a negative errno.
 */
HYMC_EXPORT int hymc_dev_info(struct hymc_dev *dev, struct hymc_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return hymc_dev_call(dev, HYMC_IOC_INFO, info, "info", true);
}

/**
 * hymc_dev_stats() - counters of the pool, one consistent snapshot
 * @dev: the device
 * @stats: out; counters that the kernel does not know are 0
 *
 * Return: 0 or a negative errno.
 */
HYMC_EXPORT int hymc_dev_stats(struct hymc_dev *dev, struct hymc_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	return hymc_dev_call(dev, HYMC_IOC_STATS, stats, "stats", true);
}

/**
 * map_aligned() - map the whole DRAM at a 2 MiB boundary
 * @dev: the device
 * @prot: PROT_* bits
 *
 * Takes an address range that is large enough to contain an aligned one, maps
 * the device over that part and gives the two ends back:
 *
 *   | end | device ......................... | end |
 *         ^ multiple of MAP_ALIGN
 *
 * Return: the address, or MAP_FAILED with errno set.
 */
static void *map_aligned(struct hymc_dev *dev, int prot)
{
	size_t room = dev->bytes + MAP_ALIGN, head;
	char *area, *base;
	void *map;
	int err;

	area = mmap(NULL, room, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return MAP_FAILED;
	base = (char *)(((uintptr_t)area + MAP_ALIGN - 1) & ~(MAP_ALIGN - 1));
	map = mmap(base, dev->bytes, prot, MAP_SHARED | MAP_FIXED, dev->fd, 0);
	if (map == MAP_FAILED) {
		err = errno;
		munmap(area, room);
		errno = err;
		return MAP_FAILED;
	}
	head = (size_t)(base - area);
	if (head)
		munmap(area, head);
	if (room - head > dev->bytes)
		munmap(base + dev->bytes, room - head - dev->bytes);
	return map;
}

/**
 * map_once() - the mapping in @slot, made if it is not there
 * @dev: the device
 * @slot: &dev->ro or &dev->rw
 * @prot: PROT_* bits
 *
 * Return: 0 or a negative errno.
 */
static int map_once(struct hymc_dev *dev, void **slot, int prot)
{
	void *map;
	int err = 0;

	pthread_mutex_lock(&dev->lock);
	if (!*slot) {
		map = map_aligned(dev, prot);
		if (map == MAP_FAILED)
			err = -errno;
		else
			*slot = map;
	}
	pthread_mutex_unlock(&dev->lock);
	if (!err)
		return 0;
	return hymc_err(dev->ctx, err, "cannot map the %zu bytes of %s%s: %s",
			dev->bytes, dev->node,
			prot & PROT_WRITE ? " for writing" : "",
			strerror(-err));
}

/**
 * hymc_dev_map() - map the whole DRAM read-only
 * @dev: the device
 * @base: out, the same for every call
 * @bytes: out
 *
 * Return: 0 or a negative errno of mmap(2).
 */
HYMC_EXPORT int hymc_dev_map(struct hymc_dev *dev, const void **base,
			     size_t *bytes)
{
	int err = map_once(dev, &dev->ro, PROT_READ);

	if (err)
		return err;
	*base = dev->ro;
	*bytes = dev->bytes;
	return 0;
}

/**
 * hymc_dev_map_write() - map the whole DRAM writable
 * @dev: the device
 * @base: out, the same for every call. Writing to what is not one's own open
 *	reservation gives SIGBUS.
 * @bytes: out
 *
 * Return: 0 or a negative errno of mmap(2).
 */
HYMC_EXPORT int hymc_dev_map_write(struct hymc_dev *dev, void **base,
				   size_t *bytes)
{
	int err = map_once(dev, &dev->rw, PROT_READ | PROT_WRITE);

	if (err)
		return err;
	*base = dev->rw;
	*bytes = dev->bytes;
	return 0;
}

/**
 * err_attach() - explain a refused namespace
 * @dev: the device
 * @name: the namespace
 * @err: negative errno
 *
 * Return: @err.
 */
static int err_attach(struct hymc_dev *dev, const char *name, int err)
{
	const char *why;

	switch (err) {
	case -ENOENT:
		why = "there is no such namespace";
		break;
	case -EACCES:
		why = "it belongs to another user";
		break;
	case -EUCLEAN:
		why = "its fingerprint differs: it holds blocks of another model or layout";
		break;
	case -ENOSPC:
		why = "there are too many namespaces";
		break;
	default:
		return err;
	}
	return hymc_err(dev->ctx, err, "namespace \"%s\" on %s: %s", name,
			dev->node, why);
}

/**
 * hymc_ns_attach() - make a namespace usable by this device's calls
 * @dev: the device
 * @name: its name, 1..63 bytes
 * @fingerprint: digest of whatever makes blocks exchangeable
 * @flags: HYMC_NS_CREATE or 0
 * @ns: out, handle
 *
 * Return: 0, -ENOENT, -EACCES, -EUCLEAN (other fingerprint), -ENOSPC,
 * -EINVAL...
 */
HYMC_EXPORT int hymc_ns_attach(struct hymc_dev *dev, const char *name,
			       const uint8_t fingerprint[HYMC_FP_BYTES],
			       uint32_t flags, uint32_t *ns)
{
	struct hymc_ns_attach arg = { .size = sizeof(arg), .flags = flags };
	size_t len = strlen(name);
	int err;

	if (!len || len >= sizeof(arg.name))
		return hymc_err(dev->ctx, -EINVAL,
				"a namespace's name has 1 to %zu bytes, not %zu",
				sizeof(arg.name) - 1, len);
	memcpy(arg.name, name, len);
	memcpy(arg.fingerprint, fingerprint, sizeof(arg.fingerprint));
	err = hymc_dev_call(dev, HYMC_IOC_NS_ATTACH, &arg, "attach", true);
	if (err)
		return err_attach(dev, name, err);
	*ns = arg.ns;
	return 0;
}
