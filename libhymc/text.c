// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: pieces of sentences, and the small files they are made from
 *
 * Helpers without state. Nothing here fails loudly: text that does not fit is
 * cut, a file that cannot be read is an errno for the caller to explain.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "private.h"

/* Longest list of processes in a sentence. */
#define PIDS_SHOWN	8

/**
 * hymc_text_add() - append formatted text
 * @t: the text
 * @fmt: what to append
 */
void hymc_text_add(struct hymc_text *t, const char *fmt, ...)
{
	size_t room = sizeof(t->s) - t->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->len, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n < room ? (size_t)n : room - 1;
}

/**
 * hymc_text_add_bytes() - append a size as people write it
 * @t: the text
 * @bytes: the size; exact, in the largest unit that divides it, or else rounded
 *	to a tenth
 */
void hymc_text_add_bytes(struct hymc_text *t, uint64_t bytes)
{
	static const char * const unit[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes;
	size_t i = 0;

	while (v >= 1024 && i + 1 < HYMC_ARRAY_SIZE(unit)) {
		v /= 1024;
		i++;
	}
	if (bytes == (bytes >> (10 * i)) << (10 * i))
		hymc_text_add(t, "%" PRIu64 " %s", bytes >> (10 * i), unit[i]);
	else
		hymc_text_add(t, "%.1f %s", v, unit[i]);
}

/**
 * hymc_text_add_pids() - append "name (pid), name (pid)..."
 * @t: the text
 * @pids: process ids
 * @nr: number of them
 */
void hymc_text_add_pids(struct hymc_text *t, const uint32_t *pids, size_t nr)
{
	char path[HYMC_NAME_BYTES], name[HYMC_NAME_BYTES];
	size_t i;

	for (i = 0; i < nr && i < PIDS_SHOWN; i++) {
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pids[i]);
		if (hymc_file_read(path, name, sizeof(name)))
			snprintf(name, sizeof(name), "process");
		hymc_text_add(t, "%s%s (%" PRIu32 ")", i ? ", " : "", name,
			      pids[i]);
	}
	if (nr > PIDS_SHOWN)
		hymc_text_add(t, " and %zu more", nr - PIDS_SHOWN);
}

/**
 * hymc_uuid_text() - write a UUID in its usual form
 * @uuid: 16 bytes
 * @out: the text
 */
void hymc_uuid_text(const uint8_t *uuid, char out[HYMC_UUID_TEXT_BYTES])
{
	char *p = out;
	int i;

	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		p += sprintf(p, "%02x", uuid[i]);
	}
}

/**
 * read_retry() - read(2) once more after a signal
 * @fd: file
 * @buf: room
 * @size: bytes of it
 *
 * Return: as read(2).
 */
static ssize_t read_retry(int fd, char *buf, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, buf, size);
	} while (n < 0 && errno == EINTR);
	return n;
}

/**
 * hymc_file_read() - the first line of a small file
 * @path: the file
 * @buf: room for the text; always terminated, without newline
 * @size: bytes of it
 *
 * Return: 0 or a negative errno.
 */
int hymc_file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = read_retry(fd, buf, size - 1);
	err = n < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

/**
 * hymc_file_read_u64() - a number in a small file, decimal or 0x hexadecimal
 * @path: the file
 * @value: out
 *
 * Return: 0, -EINVAL when it holds no number, or a negative errno of the file.
 */
int hymc_file_read_u64(const char *path, uint64_t *value)
{
	char buf[HYMC_NAME_BYTES], *end;
	int err = hymc_file_read(path, buf, sizeof(buf));

	if (err)
		return err;
	errno = 0;
	*value = strtoull(buf, &end, 0);
	if (errno || end == buf || *end)
		return -EINVAL;
	return 0;
}

/**
 * hymc_file_write() - write a word to a file of sysfs
 * @path: the file
 * @text: what to write, in one write(2)
 *
 * Return: 0 or a negative errno.
 */
int hymc_file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return -errno;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = -EIO;
	close(fd);
	return err;
}

/**
 * hymc_link_name() - the last part of a symbolic link's target
 * @path: the link
 * @buf: room for the name
 * @size: bytes of it
 *
 * Return: 0, -ENAMETOOLONG, or a negative errno of readlink(2).
 */
int hymc_link_name(const char *path, char *buf, size_t size)
{
	char target[4096], *base;
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, base);
	return 0;
}

/**
 * hymc_is_admin() - has this thread CAP_SYS_ADMIN?
 *
 * Return: true when it has it in effect.
 */
bool hymc_is_admin(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	const uint32_t bit = 1U << (CAP_SYS_ADMIN % 32);

	if (syscall(SYS_capget, &head, data))
		return geteuid() == 0;
	return data[CAP_SYS_ADMIN / 32].effective & bit;
}
