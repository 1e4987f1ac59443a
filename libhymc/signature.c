// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: what lies on a block device
 *
 * Filesystems, RAID members, swap and partition tables are libblkid's to know;
 * our own superblock is looked for here. A signature with a bad checksum
 * counts, for somebody may still want to rescue what is behind it.
 */
#include <string.h>
#include <unistd.h>

#include <blkid.h>

#include "private.h"
#include "superblock.h"

/**
 * pread_retry() - read exactly @size bytes
 * @fd: file
 * @buf: room
 * @size: bytes
 * @offset: where
 *
 * Return: 0, -EIO at the end of the device, or an errno of pread(2).
 */
static int pread_retry(int fd, void *buf, size_t size, off_t offset)
{
	ssize_t n;

	do {
		n = pread(fd, buf, size, offset);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EIO;
}

/**
 * le64_at() - a little-endian number
 * @p: where it lies
 *
 * Return: the number.
 */
static uint64_t le64_at(const uint8_t *p)
{
	uint64_t v = 0;
	int i;

	for (i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

/**
 * find_pool() - look for a superblock of ours
 * @fd: the device
 * @t: out; stays empty when there is none
 *
 * Return: 0 or a negative errno. A device too short to have one has none.
 */
static int find_pool(int fd, struct hymc_text *t)
{
	uint8_t sb[SUPERBLOCK_UUID + 16];
	char uuid[HYMC_UUID_TEXT_BYTES];
	unsigned int i;
	int err;

	for (i = 0; i < SUPERBLOCK_COPIES && !t->len; i++) {
		err = pread_retry(fd, sb, sizeof(sb),
				  (off_t)i * SUPERBLOCK_BYTES);
		if (err)
			return err == -EIO && i ? 0 : err;
		if (le64_at(sb) != SUPERBLOCK_MAGIC)
			continue;
		hymc_uuid_text(sb + SUPERBLOCK_UUID, uuid);
		hymc_text_add(t, "a pool of hymc (UUID %s)", uuid);
	}
	return 0;
}

/**
 * value() - a fact that libblkid found
 * @pr: probe
 * @name: name of the fact
 *
 * Return: its text, which belongs to @pr, or NULL.
 */
static const char *value(blkid_probe pr, const char *name)
{
	const char *text = NULL;

	if (blkid_probe_lookup_value(pr, name, &text, NULL))
		return NULL;
	return text && *text ? text : NULL;
}

/**
 * describe() - append what libblkid found last
 * @pr: probe
 * @t: the text
 */
static void describe(blkid_probe pr, struct hymc_text *t)
{
	const char *type = value(pr, "TYPE"), *label = value(pr, "LABEL");
	const char *usage = value(pr, "USAGE"), *uuid = value(pr, "UUID");
	const char *table = value(pr, "PTTYPE");
	const char *sep = t->len ? " and " : "";

	if (!type) {
		hymc_text_add(t, "%sa partition table (%s)", sep,
			      table ? table : "of unknown type");
		return;
	}
	if (usage && !strcmp(usage, "filesystem"))
		hymc_text_add(t, "%sa filesystem (%s", sep, type);
	else
		hymc_text_add(t, "%sa %s signature (%s", sep,
			      usage ? usage : "known", type);
	if (label)
		hymc_text_add(t, ", label \"%s\"", label);
	if (uuid)
		hymc_text_add(t, ", UUID %s", uuid);
	hymc_text_add(t, ")");
}

/**
 * probe_setup() - tell libblkid what to look for, and where
 * @pr: probe
 * @fd: the device
 *
 * Return: 0, or -EIO when the device cannot be probed.
 */
static int probe_setup(blkid_probe pr, int fd)
{
	if (blkid_probe_set_device(pr, fd, 0, 0))
		return -EIO;
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE |
					  BLKID_SUBLKS_USAGE |
					  BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_UUID |
					  BLKID_SUBLKS_MAGIC |
					  BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_FORCE_GPT |
					 BLKID_PARTS_MAGIC);
	return 0;
}

/**
 * find_others() - look for what libblkid knows
 * @fd: the device
 * @t: what was found is appended
 *
 * Return: 0, -ENOMEM or -EIO.
 */
static int find_others(int fd, struct hymc_text *t)
{
	blkid_probe pr = blkid_new_probe();
	int n, err;

	if (!pr)
		return -ENOMEM;
	err = probe_setup(pr, fd);
	if (err)
		goto out;
	while ((n = blkid_do_probe(pr)) == 0)
		describe(pr, t);
	if (n < 0)
		err = -EIO;
out:
	blkid_free_probe(pr);
	return err;
}

/**
 * hymc_signature_check() - refuse a device on which something lies
 * @ctx: context
 * @path: the device
 * @fd: open file of it
 * @force: do not refuse, but say what is given up
 *
 * Return: 0, -EEXIST, -EIO (it cannot be read), or another negative errno.
 */
int hymc_signature_check(struct hymc_ctx *ctx, const char *path, int fd,
			 bool force)
{
	struct hymc_text t = { 0 };
	int err;

	err = find_pool(fd, &t);
	if (!err)
		err = find_others(fd, &t);
	if (err)
		return hymc_err(ctx, err, "cannot read %s: %s", path,
				strerror(-err));
	if (!t.len)
		return 0;
	if (!force)
		return hymc_err(ctx, -EEXIST,
				"%s has %s; its content would be lost: use force if you mean it",
				path, t.s);
	hymc_log(ctx, LOG_NOTICE, "giving up what is on %s: %s", path, t.s);
	return 0;
}
