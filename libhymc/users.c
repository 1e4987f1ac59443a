// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: who uses a block device
 *
 * For sentences only: whether a device is in use is decided by opening it
 * exclusively. Looks at mounts, swap and holders (dm, md, bcache...) of the
 * device and, when it is a disk, of its partitions.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "private.h"

/**
 * struct device - a disk or partition whose users are looked for
 * @number: device number
 * @name: kernel's name, e.g. "nvme0n1p1"
 * @dir: its directory in sysfs
 */
struct device {
	dev_t number;
	char name[HYMC_NAME_BYTES];
	char dir[HYMC_SYSFS_BYTES];
};

/**
 * is_device() - does a path lead to this device?
 * @path: the path
 * @dev: the device
 *
 * Return: true when it is a node of it.
 */
static bool is_device(const char *path, const struct device *dev)
{
	struct stat st;

	return *path == '/' && !stat(path, &st) && S_ISBLK(st.st_mode) &&
	       st.st_rdev == dev->number;
}

/**
 * match_mount() - is a line of mountinfo a mount of this device?
 * @line: "36 35 98:0 / /mnt rw ... - ext4 /dev/sda1 rw"
 * @dev: the device
 * @t: where it is mounted is appended
 *
 * Filesystems with several devices show an anonymous number, hence the source
 * counts as well.
 *
 * Return: true when it is.
 */
static bool match_mount(const char *line, const struct device *dev,
			struct hymc_text *t)
{
	char point[256], type[32], source[256];
	const char *tail = strstr(line, " - ");
	unsigned int maj, min;

	if (!tail || sscanf(line, "%*d %*d %u:%u %*s %255s", &maj, &min,
			    point) != 3 ||
	    sscanf(tail, " - %31s %255s", type, source) != 2)
		return false;
	if (makedev(maj, min) != dev->number && !is_device(source, dev))
		return false;
	hymc_text_add(t, "%s%s is mounted on %s (%s)", t->len ? ", " : "",
		      dev->name, point, type);
	return true;
}

/**
 * match_swap() - is a line of /proc/swaps this device?
 * @line: "/dev/sda2 partition 8388604 0 -2"
 * @dev: the device
 * @t: the finding is appended
 *
 * Return: true when it is.
 */
static bool match_swap(const char *line, const struct device *dev,
		       struct hymc_text *t)
{
	char path[256];

	if (sscanf(line, "%255s", path) != 1 || !is_device(path, dev))
		return false;
	hymc_text_add(t, "%s%s is swap space", t->len ? ", " : "", dev->name);
	return true;
}

/**
 * search() - look through a file for the first line that matches
 * @path: the file
 * @match: the test
 * @dev: its second argument
 * @t: its third argument
 */
static void search(const char *path,
		   bool (*match)(const char *line, const struct device *dev,
				 struct hymc_text *t),
		   const struct device *dev, struct hymc_text *t)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		if (match(line, dev, t))
			break;
	free(line);
	if (f)
		fclose(f);
}

/**
 * add_holder() - append a device that is built on this one
 * @dev: the device
 * @holder: name of the holder, e.g. "dm-0"
 * @t: the text
 */
static void add_holder(const struct device *dev, const char *holder,
		       struct hymc_text *t)
{
	char path[2 * HYMC_SYSFS_BYTES + HYMC_NAME_BYTES];
	char name[HYMC_NAME_BYTES];

	hymc_text_add(t, "%s%s is part of %s", t->len ? ", " : "", dev->name,
		      holder);
	snprintf(path, sizeof(path), "/sys/block/%s/dm/name", holder);
	if (!hymc_file_read(path, name, sizeof(name)))
		hymc_text_add(t, " (/dev/mapper/%s)", name);
}

/**
 * find_holders() - append the devices that are built on this one
 * @dev: the device
 * @t: the text
 */
static void find_holders(const struct device *dev, struct hymc_text *t)
{
	char path[HYMC_SYSFS_BYTES + 16];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/holders", dev->dir);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			add_holder(dev, e->d_name, t);
	if (d)
		closedir(d);
}

/**
 * find_users() - append all users of one device
 * @dev: the device
 * @t: the text
 */
static void find_users(const struct device *dev, struct hymc_text *t)
{
	search("/proc/self/mountinfo", match_mount, dev, t);
	search("/proc/swaps", match_swap, dev, t);
	find_holders(dev, t);
}

/**
 * partition() - learn about a partition of a disk
 * @disk: the disk
 * @name: an entry in its directory
 * @part: out
 *
 * Return: true when the entry is a partition.
 */
static bool partition(const struct device *disk, const char *name,
		      struct device *part)
{
	char path[HYMC_SYSFS_BYTES + 16], number[HYMC_NAME_BYTES];
	unsigned int maj, min;
	int n;

	n = snprintf(part->dir, sizeof(part->dir), "%s/%s", disk->dir, name);
	if (n < 0 || (size_t)n >= sizeof(part->dir) ||
	    strlen(name) >= sizeof(part->name))
		return false;
	strcpy(part->name, name);
	snprintf(path, sizeof(path), "%s/partition", part->dir);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "%s/dev", part->dir);
	if (hymc_file_read(path, number, sizeof(number)) ||
	    sscanf(number, "%u:%u", &maj, &min) != 2)
		return false;
	part->number = makedev(maj, min);
	return true;
}

/**
 * hymc_users_describe() - say who uses a block device
 * @maj: its major number
 * @min: its minor number
 * @t: out; stays empty when nobody is found
 */
void hymc_users_describe(uint32_t maj, uint32_t min, struct hymc_text *t)
{
	struct device dev = { .number = makedev(maj, min) }, part;
	struct dirent *e;
	DIR *d;

	snprintf(dev.dir, sizeof(dev.dir), "/sys/dev/block/%u:%u", maj, min);
	if (hymc_link_name(dev.dir, dev.name, sizeof(dev.name)))
		snprintf(dev.name, sizeof(dev.name), "it");
	find_users(&dev, t);
	d = opendir(dev.dir);
	while (d && (e = readdir(d)))
		if (partition(&dev, e->d_name, &part))
			find_users(&part, t);
	if (d)
		closedir(d);
}
