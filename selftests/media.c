// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: bytes of the drive that are not what was written
 *
 * Finds the record of a block on the raw drive by its payload, damages it behind
 * the pool's back, and reads: the answer is -EIO and from then on a miss, never
 * wrong bytes, and no other block suffers. With HYMC_BADBLOCKS (the attribute of
 * a null_blk device) the drive itself fails reads and writes.
 */
#include "hymc_harness.h"

#define PAGE		4096U
#define SCAN_BYTES	(1U << 20)

FIXTURE(media) {
	struct ht h;
	int raw;
	__u64 id;
	__u64 len;
	unsigned char *buf;
	struct hymc_stats before;
};

/* Three blocks: the one before and the one behind the victim must survive. */
FIXTURE_SETUP(media)
{
	HT_BEGIN(&self->h, "media");
	if (!ht_ssd())
		SKIP(return, "HYMC_SSD does not name the pool's drive");
	self->raw = open(ht_ssd(), O_RDWR | O_DIRECT);
	ASSERT_LE(0, self->raw) TH_LOG("%s: %s", ht_ssd(), strerror(errno));
	ASSERT_EQ(0, posix_memalign((void **)&self->buf, PAGE, SCAN_BYTES));
	ASSERT_EQ(0, ht_map(&self->h));
	self->len = 3 * self->h.info.frame_bytes + 1000;
	self->id = ht_new_id();
	ASSERT_EQ(0, ht_put_many(&self->h, self->id, 3, self->len));
	ASSERT_EQ(0, ht_sync(&self->h));
	ASSERT_EQ(0, ht_evict(&self->h, self->id));
	ASSERT_EQ(0, ht_evict(&self->h, self->id + 1));
	ASSERT_EQ(0, ht_evict(&self->h, self->id + 2));
	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &self->before));
}

FIXTURE_TEARDOWN(media)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		ht_delete(&self->h, self->id + i);
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	ht_end(&self->h);
	close(self->raw);
	free(self->buf);
}

#define H (&self->h)
#define COUNT(field) HT_COUNT(self->h.fd, field)

/* Offset on the drive of the payload of block @id, or -1. */
static off_t find_payload(int raw, unsigned char *buf, __u64 id)
{
	unsigned char want[64];
	ssize_t n, i;
	off_t off;

	ht_fill(id, 0, want, sizeof(want));
	for (off = 0;; off += n) {
		n = pread(raw, buf, SCAN_BYTES, off);
		if (n <= 0)
			return -1;
		for (i = 0; i < n; i += PAGE)
			if (!memcmp(buf + i, want, sizeof(want)))
				return off + i;
	}
}

/* Change one byte of the drive. */
static int flip(int raw, off_t off)
{
	unsigned char *page;
	int ret = -EIO;

	if (posix_memalign((void **)&page, PAGE, PAGE))
		return -ENOMEM;
	if (pread(raw, page, PAGE, off / PAGE * PAGE) == PAGE) {
		page[off % PAGE] ^= 0x10;
		if (pwrite(raw, page, PAGE, off / PAGE * PAGE) == PAGE)
			ret = 0;
	}
	free(page);
	return ret;
}

#define FIND(var, id)							       \
	off_t var = find_payload(self->raw, self->buf, id);		       \
	ASSERT_LT(0, var) TH_LOG("record not found on %s", ht_ssd())

/* The victim is lost, says so once, and can be stored anew; others live. */
#define EXPECT_LOST(status)						       \
do {									       \
	struct ht_block _b;						       \
									       \
	EXPECT_EQ(status, ht_acquire(H, self->id + 1, HT_LONG_MS, &_b));       \
	EXPECT_EQ(-ENOENT, ht_lookup(H, self->id + 1, NULL));		       \
	EXPECT_EQ(-ENOENT, ht_acquire(H, self->id + 1, HT_LONG_MS, &_b));      \
	EXPECT_EQ(-ENOENT, ht_get(H, self->id + 1, self->len, HT_LONG_MS));    \
	EXPECT_EQ(self->before.blocks - 1, COUNT(blocks));		       \
	EXPECT_EQ(0, ht_read(H, self->id, self->len, HT_LONG_MS));	       \
	EXPECT_EQ(0, ht_read(H, self->id + 2, self->len, HT_LONG_MS));	       \
	EXPECT_EQ(0, ht_put(H, self->id + 1, self->len));		       \
	EXPECT_EQ(0, ht_sync(H));					       \
	EXPECT_EQ(0, ht_evict(H, self->id + 1));			       \
	EXPECT_EQ(0, ht_read(H, self->id + 1, self->len, HT_LONG_MS));	       \
} while (0)

TEST_F_TIMEOUT(media, undamaged, 60)
{
	FIND(at, self->id + 1);

	EXPECT_EQ(0, at % PAGE);
	EXPECT_EQ(0, ht_read(H, self->id + 1, self->len, HT_LONG_MS));
	EXPECT_EQ(self->before.verify_errors, COUNT(verify_errors));
}

/* --- damage -------------------------------------------------------------------------- */

FIXTURE(damage) {
	struct ht h;
	int raw;
	__u64 id;
	__u64 len;
	unsigned char *buf;
	struct hymc_stats before;
};

/* Where a byte is changed, from the start of the payload (negative: header). */
FIXTURE_VARIANT(damage) {
	long at;
	long frames;
};

FIXTURE_VARIANT_ADD(damage, first_byte) { .at = 0 };
FIXTURE_VARIANT_ADD(damage, second_chunk) { .at = 17, .frames = 1 };
FIXTURE_VARIANT_ADD(damage, end_of_second_chunk) { .at = -1, .frames = 2 };
FIXTURE_VARIANT_ADD(damage, last_byte) { .at = 999, .frames = 3 };
FIXTURE_VARIANT_ADD(damage, header_magic) { .at = -4096 };
FIXTURE_VARIANT_ADD(damage, header_crc) { .at = -4096 + 8 };
FIXTURE_VARIANT_ADD(damage, header_pool) { .at = -4096 + 16 };
FIXTURE_VARIANT_ADD(damage, header_key) { .at = -4096 + 32 + 31 };
FIXTURE_VARIANT_ADD(damage, header_checksum) { .at = -4096 + 136 };
FIXTURE_VARIANT_ADD(damage, header_end) { .at = -1 };

FIXTURE_SETUP(damage)
{
	media_setup(_metadata, (void *)self, NULL);
}

FIXTURE_TEARDOWN(damage)
{
	media_teardown(_metadata, (void *)self, NULL);
}

TEST_F_TIMEOUT(damage, one_byte, 60)
{
	FIND(at, self->id + 1);

	ASSERT_EQ(0, flip(self->raw, at + variant->at +
			  variant->frames * (long)self->h.info.frame_bytes));
	EXPECT_LOST(-EIO);
	EXPECT_EQ(self->before.verify_errors + 1, COUNT(verify_errors));
	EXPECT_EQ(self->before.read_errors, COUNT(read_errors));
}

TEST_F_TIMEOUT(media, padding_does_not_matter, 60)
{
	FIND(at, self->id + 1);

	ASSERT_EQ(0, flip(self->raw, at + self->len + 1));
	EXPECT_EQ(0, ht_read(H, self->id + 1, self->len, HT_LONG_MS));
}

TEST_F_TIMEOUT(media, zeroes, 60)
{
	FIND(at, self->id + 1);

	memset(self->buf, 0, SCAN_BYTES);
	ASSERT_EQ(2 * PAGE, pwrite(self->raw, self->buf, 2 * PAGE, at - PAGE));
	EXPECT_LOST(-EIO);
	EXPECT_EQ(self->before.verify_errors + 1, COUNT(verify_errors));
}

/* The whole record of a neighbour, intact, at the wrong place. */
TEST_F_TIMEOUT(media, misplaced_record, 60)
{
	const size_t bytes = PAGE + (self->len + PAGE - 1) / PAGE * PAGE;
	off_t from = find_payload(self->raw, self->buf, self->id);
	off_t to = find_payload(self->raw, self->buf, self->id + 1);

	ASSERT_LT(0, from);
	ASSERT_LT(0, to);
	ASSERT_GE(SCAN_BYTES, bytes);
	ASSERT_EQ(bytes, pread(self->raw, self->buf, bytes, from - PAGE));
	ASSERT_EQ(bytes, pwrite(self->raw, self->buf, bytes, to - PAGE));
	EXPECT_LOST(-EIO);
	EXPECT_EQ(self->before.verify_errors + 1, COUNT(verify_errors));
}

/* A record of the same key, from before it was deleted and put again. */
TEST_F_TIMEOUT(media, stale_record, 120)
{
	const size_t bytes = PAGE + (self->len + PAGE - 1) / PAGE * PAGE;
	off_t old = find_payload(self->raw, self->buf, self->id + 1), new;
	unsigned char *copy;

	ASSERT_LT(0, old);
	ASSERT_EQ(0, posix_memalign((void **)&copy, PAGE, bytes));
	ASSERT_EQ(bytes, pread(self->raw, copy, bytes, old - PAGE));
	/* Blot the old one out, to find the new one. */
	memset(self->buf, 0, SCAN_BYTES);
	ASSERT_EQ(PAGE, pwrite(self->raw, self->buf, PAGE, old));
	ASSERT_EQ(0, ht_delete(H, self->id + 1));
	ASSERT_EQ(0, ht_put_many(H, self->id + 1, 1, self->len));
	ASSERT_EQ(0, ht_sync(H));
	ASSERT_EQ(0, ht_evict(H, self->id + 1));
	new = find_payload(self->raw, self->buf, self->id + 1);
	ASSERT_LT(0, new);
	ASSERT_EQ(bytes, pwrite(self->raw, copy, bytes, new - PAGE));
	EXPECT_LOST(-EIO);
	free(copy);
}

/* One bad block of a batch or a request does not poison the others. */
TEST_F_TIMEOUT(media, batch, 60)
{
	struct ht_key keys[3];
	struct hymc_view v[3];
	struct hymc_run runs[12];
	struct hymc_acquire a = {
		.size = sizeof(a), .ns = self->h.ns, .nr = 3,
		.keys = ht_ptr(keys), .views = ht_ptr(v), .runs = ht_ptr(runs),
		.runs_max = 12, .timeout_ms = HT_LONG_MS,
	};
	unsigned int i;

	FIND(at, self->id + 1);

	ASSERT_EQ(0, flip(self->raw, at));
	for (i = 0; i < 3; i++)
		ht_key(self->id + i, &keys[i]);
	ASSERT_EQ(0, ht_ioctl(self->h.fd, HYMC_IOC_ACQUIRE, &a));
	EXPECT_EQ(1, a.nr_ok);
	EXPECT_EQ(0, v[0].status);
	EXPECT_EQ(-EIO, v[1].status);
	EXPECT_EQ(0, v[1].view);
	EXPECT_EQ(0, v[2].status);
	EXPECT_EQ(2, COUNT(views));
	for (i = 0; i < 3; i += 2)
		EXPECT_EQ(1, ht_views(self->h.fd, HYMC_IOC_RELEASE, &v[i].view,
				      1, NULL));
}

TEST_F_TIMEOUT(media, prefetched, 60)
{
	__u64 ids[3] = { self->id, self->id + 1, self->id + 2 }, request;
	struct ht_block b;
	unsigned int i;
	int ret;

	FIND(at, self->id + 1);

	ASSERT_EQ(HYMC_POLICY_STAGE, self->h.info.policy);
	ASSERT_EQ(0, flip(self->raw, at));
	ASSERT_EQ(0, ht_prefetch(H, ids, 3, HYMC_WINDOW_DEFAULT, 0, &request));
	EXPECT_EQ(0, ht_wait_stat(self->h.fd, HT_STAT(verify_errors),
				  self->before.verify_errors + 1,
				  HT_SETTLE_MS));
	EXPECT_EQ(-ENOENT, ht_lookup(H, self->id + 1, NULL));
	for (i = 0; i < 3; i++) {
		ret = ht_acquire_item(H, request, i, HT_LONG_MS, &b);
		/* Lost before it was asked for: an error or a miss. */
		EXPECT_TRUE(i == 1 ? ret == -EIO || ret == -ENOENT : !ret);
		if (ret)
			continue;
		EXPECT_EQ(-1, ht_block_check(H, &b, ids[i]));
		EXPECT_EQ(0, ht_release(H, &b));
	}
	/* The lost one is not waited for. */
	EXPECT_EQ(0, COUNT(requests));
}

TEST_F_TIMEOUT(media, superblock_is_not_needed_while_serving, 60)
{
	memset(self->buf, 0xff, 2 * PAGE);
	ASSERT_EQ(2 * PAGE, pwrite(self->raw, self->buf, 2 * PAGE, 0));
	EXPECT_EQ(0, ht_read(H, self->id + 1, self->len, HT_LONG_MS));
	EXPECT_EQ(0, ht_put(H, self->id + 10, 100));
	EXPECT_EQ(0, ht_sync(H));
	EXPECT_EQ(0, ht_delete(H, self->id + 10));
}

/* --- a drive that fails ------------------------------------------------------------------ */

/* One piece of bad_sectors(). */
static int bad_piece(int fd, char sign, off_t from, off_t bytes)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%c%lld-%lld", sign,
			 (long long)from / 512,
			 (long long)(from + bytes) / 512 - 1);

	return pwrite(fd, text, n, 0) == n ? 0 : -errno;
}

/*
 * Make sectors of the drive fail ('+') or work again ('-'), in pieces of 512:
 * kernels before 6.8 get a longer list wrong.
 */
static int bad_sectors(char sign, off_t from, off_t bytes)
{
	int fd = open(getenv("HYMC_BADBLOCKS"), O_WRONLY), ret = 0;
	const off_t most = 512 * 512;
	off_t n;

	if (fd < 0)
		return -errno;
	for (; !ret && bytes; from += n, bytes -= n) {
		n = most - from % most < bytes ? most - from % most : bytes;
		ret = bad_piece(fd, sign, from, n);
	}
	close(fd);
	return ret;
}

TEST_F_TIMEOUT(media, failing_read, 60)
{
	off_t at = find_payload(self->raw, self->buf, self->id + 1);

	if (!getenv("HYMC_BADBLOCKS"))
		SKIP(return, "the drive cannot be made to fail");
	ASSERT_LT(0, at);
	ASSERT_EQ(0, bad_sectors('+', at + 2 * PAGE, PAGE));
	EXPECT_LOST(-EIO);
	EXPECT_EQ(self->before.read_errors + 1, COUNT(read_errors));
	EXPECT_EQ(self->before.verify_errors, COUNT(verify_errors));
	EXPECT_EQ(0, bad_sectors('-', at + 2 * PAGE, PAGE));
}

TEST_F_TIMEOUT(media, failing_header_read, 60)
{
	off_t at = find_payload(self->raw, self->buf, self->id + 1);

	if (!getenv("HYMC_BADBLOCKS"))
		SKIP(return, "the drive cannot be made to fail");
	ASSERT_LT(0, at);
	ASSERT_EQ(0, bad_sectors('+', at - PAGE, PAGE));
	EXPECT_LOST(-EIO);
	EXPECT_EQ(self->before.read_errors + 1, COUNT(read_errors));
	EXPECT_EQ(0, bad_sectors('-', at - PAGE, PAGE));
}

/* The whole drive refuses writes for a while. */
TEST_F_TIMEOUT(media, failing_writes, 60)
{
	const off_t all = self->h.info.ssd_bytes;
	const __u64 id = self->id + 100;
	unsigned int i;

	if (!getenv("HYMC_BADBLOCKS"))
		SKIP(return, "the drive cannot be made to fail");
	ASSERT_EQ(0, bad_sectors('+', 0, all));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, ht_put(H, id + i, self->len));
	EXPECT_EQ(-EIO, ht_sync(H));
	EXPECT_EQ(self->before.write_errors + 4, COUNT(write_errors));
	EXPECT_EQ(0, COUNT(dirty_bytes));
	EXPECT_EQ(0, COUNT(frames_dirty));
	/* A block that could not be written is not there. */
	for (i = 0; i < 4; i++)
		EXPECT_EQ(-ENOENT, ht_lookup(H, id + i, NULL));
	EXPECT_EQ(self->before.blocks, COUNT(blocks));
	ASSERT_EQ(0, bad_sectors('-', 0, all));
	/* Afterwards all is as before. */
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, ht_put(H, id + i, self->len));
	EXPECT_EQ(0, ht_sync(H));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, ht_evict(H, id + i));
		EXPECT_EQ(0, ht_read(H, id + i, self->len, HT_LONG_MS));
		EXPECT_EQ(0, ht_delete(H, id + i));
	}
	EXPECT_EQ(0, ht_read(H, self->id + 1, self->len, HT_LONG_MS));
}

/* Put a block whose write will fail, and take a view before that happens. */
static int put_and_hold(struct ht *h, __u64 id, __u64 len, struct ht_block *b)
{
	unsigned int tries;
	int ret = -ENOENT;

	for (tries = 0; ret == -ENOENT && tries < 50; tries++) {
		ret = ht_put(h, id, len);
		if (!ret)
			ret = ht_acquire(h, id, HT_LONG_MS, b);
		if (ret)
			ht_sync(h);
	}
	return ret;
}

/* Who holds a view of a block keeps the bytes, though their write failed. */
TEST_F_TIMEOUT(media, failing_write_with_a_view_out, 60)
{
	const off_t all = self->h.info.ssd_bytes;
	const __u64 id = self->id + 100;
	struct ht_block b;

	if (!getenv("HYMC_BADBLOCKS"))
		SKIP(return, "the drive cannot be made to fail");
	ASSERT_EQ(0, bad_sectors('+', 0, all));
	ASSERT_EQ(0, put_and_hold(H, id, self->len, &b));
	EXPECT_EQ(-EIO, ht_sync(H));
	EXPECT_EQ(-ENOENT, ht_lookup(H, id, NULL));
	EXPECT_EQ(-1, ht_block_check(H, &b, id));
	EXPECT_EQ(0, ht_release(H, &b));
	ASSERT_EQ(0, bad_sectors('-', 0, all));
}

HT_MAIN;
