// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: what lies on a device is seen, named, and left alone
 *
 * On image files: libblkid does not care. The images are made here, byte by
 * byte.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/tap.h"
#include "private.h"
#include "superblock.h"

#define IMAGE_BYTES	(16 << 20)

static struct hymc_ctx *ctx;
static char image[64];
static char logged[HYMC_TEXT_BYTES];

static void note_line(int priority, const char *line, void *data)
{
	(void)priority;
	snprintf(data, HYMC_TEXT_BYTES, "%s", line);
}

/* An empty image. */
static int image_new(void)
{
	int fd = open(image, O_RDWR | O_TRUNC | O_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT_EQ(ftruncate(fd, IMAGE_BYTES), 0);
	return fd;
}

static unsigned long sum(int fd)
{
	static unsigned char buf[IMAGE_BYTES];
	unsigned long h = 5381;
	size_t i;

	EXPECT_EQ(pread(fd, buf, sizeof(buf), 0), sizeof(buf));
	for (i = 0; i < sizeof(buf); i++)
		h = h * 33 + buf[i];
	return h;
}

/* Refused with a sentence that has @word; with force said and let through. */
static void refused(int fd, const char *word)
{
	unsigned long before = sum(fd);
	int err = hymc_signature_check(ctx, image, fd, false);
	const char *text = hymc_last_error(ctx);

	if (err != -EEXIST || !strstr(text, word))
		fprintf(stderr, "# %d: %s\n", err, text);
	EXPECT_EQ(err, -EEXIST);
	EXPECT(strstr(text, word));
	EXPECT(strstr(text, image));
	logged[0] = '\0';
	EXPECT_EQ(hymc_signature_check(ctx, image, fd, true), 0);
	EXPECT(strstr(logged, word));
	EXPECT_EQ(sum(fd), before);
}

static void test_blank(void)
{
	int fd = image_new();

	EXPECT_EQ(hymc_signature_check(ctx, image, fd, false), 0);
	close(fd);
}

static void put_super(int fd, unsigned int copy)
{
	uint8_t sb[SUPERBLOCK_UUID + 16];
	uint64_t magic = SUPERBLOCK_MAGIC;
	int i;

	memset(sb, 0xee, sizeof(sb));
	for (i = 0; i < 8; i++)
		sb[i] = (uint8_t)(magic >> (8 * i));
	for (i = 0; i < 16; i++)
		sb[SUPERBLOCK_UUID + i] = (uint8_t)i;
	EXPECT_EQ(pwrite(fd, sb, sizeof(sb), copy * SUPERBLOCK_BYTES),
		  sizeof(sb));
}

static void test_pool(void)
{
	unsigned int copy;

	for (copy = 0; copy < SUPERBLOCK_COPIES; copy++) {
		int fd = image_new();

		put_super(fd, copy);
		refused(fd, "a pool of hymc (UUID 00010203-0405-0607-0809-0a0b0c0d0e0f)");
		close(fd);
	}
}

static void test_partition_table(void)
{
	/* One Linux partition of 8 MiB from sector 2048. */
	static const uint8_t entry[16] = {
		0, 0, 2, 0, 0x83, 0, 2, 0, 0, 8, 0, 0, 0, 0x40, 0, 0,
	};
	static const uint8_t end[2] = { 0x55, 0xaa };
	int fd = image_new();

	EXPECT_EQ(pwrite(fd, entry, sizeof(entry), 446), sizeof(entry));
	EXPECT_EQ(pwrite(fd, end, sizeof(end), 510), sizeof(end));
	refused(fd, "a partition table (dos)");
	close(fd);
}

static void put(int fd, const void *p, size_t len, off_t offset)
{
	EXPECT_EQ(pwrite(fd, p, len, offset), len);
}

static void put_swap(int fd)
{
	/* Version 1, 4095 pages. */
	static const uint32_t header[] = { 1, 4095, 0 };

	put(fd, header, sizeof(header), 1024);
	put(fd, "spare", 5, 1024 + 28);
	put(fd, "SWAPSPACE2", 10, 4096 - 10);
}

static void test_swap(void)
{
	int fd = image_new();

	put_swap(fd);
	refused(fd, "swap, label \"spare\"");
	close(fd);
}

static void test_filesystem(void)
{
	static const uint8_t magic[] = { 0x53, 0xef }, rev[] = { 1, 0, 0, 0 };
	/* Extents: what makes it ext4. */
	static const uint8_t incompat[] = { 0x40, 0, 0, 0 };
	int fd = image_new();

	put(fd, magic, sizeof(magic), 1024 + 56);
	put(fd, rev, sizeof(rev), 1024 + 76);
	put(fd, incompat, sizeof(incompat), 1024 + 96);
	put(fd, "data", 4, 1024 + 120);
	refused(fd, "a filesystem (ext4, label \"data\"");
	close(fd);
}

static void test_two_signatures(void)
{
	int fd = image_new();

	put_swap(fd);
	put_super(fd, 0);
	refused(fd, "a pool of hymc");
	EXPECT(strstr(hymc_last_error(ctx), " and "));
	EXPECT(strstr(hymc_last_error(ctx), "swap"));
	close(fd);
}

static void test_short(void)
{
	int fd = image_new();

	EXPECT_EQ(ftruncate(fd, SUPERBLOCK_BYTES), 0);
	EXPECT_EQ(hymc_signature_check(ctx, image, fd, false), 0);
	EXPECT_EQ(ftruncate(fd, 0), 0);
	EXPECT_EQ(hymc_signature_check(ctx, image, fd, false), -EIO);
	EXPECT(strstr(hymc_last_error(ctx), image));
	close(fd);
}

static const struct tap_test tests[] = {
	{ "a blank device is fine", test_blank },
	{ "either superblock of a pool is seen", test_pool },
	{ "a partition table is seen", test_partition_table },
	{ "swap space is seen", test_swap },
	{ "a filesystem is seen", test_filesystem },
	{ "all of several signatures are named", test_two_signatures },
	{ "a device shorter than two superblocks is read to its end", test_short },
};

int main(void)
{
	int fd, ret;

	snprintf(image, sizeof(image), "/tmp/hymc-test-XXXXXX");
	fd = mkstemp(image);
	if (fd < 0 || hymc_ctx_new(&ctx))
		return 1;
	close(fd);
	hymc_ctx_set_log(ctx, note_line, logged);
	ret = tap_run(tests, HYMC_ARRAY_SIZE(tests));
	hymc_ctx_unref(ctx);
	unlink(image);
	return ret;
}
