// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: every ioctl keeps the rules that all ioctls share
 *
 * One table row per ioctl knows how to make a good call of it. The tests bend
 * that call in one place each: its size, flags, reserved bytes, pointers, number
 * of elements, namespace, file. A refused call must have done nothing; what any
 * call handed out must be gone after the last close. Shared with ioctl_ptr.c by
 * ioctl_calls.h.
 */
#include "hymc_harness.h"
#include "ioctl_calls.h"

FIXTURE(abi) {
	struct calls c;
};

FIXTURE_VARIANT(abi) {
	enum call_id id;
};

#define CALL_VARIANT(name) \
	FIXTURE_VARIANT_ADD(abi, name) { .id = CALL_##name }

CALL_VARIANT(info);
CALL_VARIANT(stats);
CALL_VARIANT(ns_attach);
CALL_VARIANT(lookup);
CALL_VARIANT(prefetch);
CALL_VARIANT(cancel);
CALL_VARIANT(acquire);
CALL_VARIANT(release);
CALL_VARIANT(reserve);
CALL_VARIANT(commit);
CALL_VARIANT(abort);
CALL_VARIANT(put);
CALL_VARIANT(get);
CALL_VARIANT(delete);
CALL_VARIANT(sync);

FIXTURE_SETUP(abi)
{
	HT_BEGIN(&self->c.h, "abi");
	ASSERT_EQ(0, calls_begin(&self->c));
}

FIXTURE_TEARDOWN(abi)
{
	EXPECT_EQ(0, calls_end(&self->c));
}

/* Make a good call of the variant in self->c.arg. */
#define PREPARE() ASSERT_EQ(0, call_prepare(&self->c, variant->id))
#define CALL() call_do(&self->c, variant->id)
/* A refused call leaves the counts of things handed out as they were. */
#define REFUSED(error)							       \
do {									       \
	ASSERT_EQ(0, calls_snapshot(&self->c));				       \
	EXPECT_EQ(error, CALL());					       \
	EXPECT_EQ(0, calls_unchanged(&self->c));			       \
} while (0)

TEST_F(abi, good_call)
{
	PREPARE();
	ASSERT_EQ(0, CALL());
	EXPECT_EQ(0, call_verify(&self->c, variant->id));
}

TEST_F(abi, size_too_small)
{
	const __u32 first = calls[variant->id].first_bytes;
	const __u32 sizes[] = { 0, 1, 4, 8, first / 2, first - 4, first - 1 };
	unsigned int i;

	PREPARE();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i] >= first)
			continue;
		call_set_size(&self->c, sizes[i]);
		REFUSED(-EINVAL);
	}
}

TEST_F(abi, larger_with_zero_tail)
{
	const __u32 more[] = { 1, 4, 8, 100, 1000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		PREPARE();
		call_set_size(&self->c,
			      calls[variant->id].bytes + more[i]);
		EXPECT_EQ(0, CALL()) TH_LOG("with %u more bytes", more[i]);
		EXPECT_EQ(0, call_verify(&self->c, variant->id));
	}
}

TEST_F(abi, larger_with_nonzero_tail)
{
	const __u32 bytes = calls[variant->id].bytes;
	const __u32 at[] = { 0, 7, 63, 999 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		PREPARE();
		call_set_size(&self->c, bytes + 1000);
		self->c.arg[bytes + at[i]] = 1;
		REFUSED(-E2BIG);
	}
}

TEST_F(abi, as_large_as_a_page)
{
	PREPARE();
	call_set_size(&self->c, 4096);
	EXPECT_EQ(0, CALL());
	EXPECT_EQ(0, call_verify(&self->c, variant->id));
}

TEST_F(abi, larger_than_a_page)
{
	const __u32 sizes[] = { 4097, 8192, CALLS_ARG_BYTES, 1U << 31, ~0U };
	unsigned int i;

	PREPARE();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		call_set_size(&self->c, sizes[i]);
		REFUSED(-E2BIG);
	}
}

/* Only INFO and STATS change the size field, to what the kernel filled. */
TEST_F(abi, size_on_return)
{
	const __u32 bytes = calls[variant->id].bytes;
	bool says = variant->id == CALL_info || variant->id == CALL_stats;
	__u32 size;

	PREPARE();
	call_set_size(&self->c, bytes + 64);
	ASSERT_EQ(0, CALL());
	memcpy(&size, self->c.arg, sizeof(size));
	EXPECT_EQ(says ? bytes : bytes + 64, size);
}

TEST_F(abi, unknown_flags)
{
	__u32 bit;

	PREPARE();
	for (bit = 1; bit; bit <<= 1) {
		if (bit & calls[variant->id].flags_known)
			continue;
		call_set_flags(&self->c, bit);
		REFUSED(-EINVAL);
	}
}

TEST_F(abi, reserved_bytes)
{
	const struct call *call = &calls[variant->id];
	size_t i;

	PREPARE();
	for (i = 0; i < call->reserved_bytes; i++) {
		self->c.arg[call->reserved + i] = 1;
		REFUSED(-EINVAL);
		self->c.arg[call->reserved + i] = 0;
	}
	EXPECT_EQ(0, CALL());
}

TEST_F(abi, bad_structure_pointer)
{
	void *bad[] = {
		NULL, (void *)8, calls_hole(&self->c), (void *)(1UL << 47),
		(void *)(~0UL << 47), (void *)-4096UL,
	};
	unsigned int i;

	PREPARE();
	ASSERT_EQ(0, calls_snapshot(&self->c));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EFAULT, call_at(&self->c, variant->id, bad[i]));
	EXPECT_EQ(0, calls_unchanged(&self->c));
}

TEST_F(abi, half_mapped_structure)
{
	size_t bytes = calls[variant->id].bytes, cut;

	PREPARE();
	ASSERT_EQ(0, calls_snapshot(&self->c));
	for (cut = 4; cut < bytes; cut += 4) {
		unsigned char *p = calls_hole(&self->c) - cut;

		memcpy(p, self->c.arg, cut);
		EXPECT_EQ(-EFAULT, call_at(&self->c, variant->id, p));
	}
	EXPECT_EQ(0, calls_unchanged(&self->c));
}

/* The answer cannot be delivered: what it would have handed out must not stay. */
TEST_F(abi, read_only_structure)
{
	unsigned char *page = calls_page(&self->c);

	PREPARE();
	memcpy(page, self->c.arg, calls[variant->id].bytes);
	ASSERT_EQ(0, mprotect(page, 4096, PROT_READ));
	ASSERT_EQ(0, calls_snapshot(&self->c));
	if (!calls[variant->id].answers) {
		EXPECT_EQ(0, call_at(&self->c, variant->id, page));
	} else {
		EXPECT_EQ(-EFAULT, call_at(&self->c, variant->id, page));
		EXPECT_EQ(0, calls_not_more(&self->c));
	}
	ASSERT_EQ(0, mprotect(page, 4096, PROT_READ | PROT_WRITE));
}

TEST_F(abi, wrong_file)
{
	int null = open("/dev/null", O_RDWR);
	int path = open(ht_node(), O_PATH);
	unsigned long cmd = calls[variant->id].cmd;

	ASSERT_LE(0, null);
	ASSERT_LE(0, path);
	PREPARE();
	EXPECT_EQ(-ENOTTY, ht_ioctl(null, cmd, self->c.arg));
	EXPECT_EQ(-EBADF, ht_ioctl(path, cmd, self->c.arg));
	EXPECT_EQ(-EBADF, ht_ioctl(-1, cmd, self->c.arg));
	close(null);
	close(path);
}

/* What a file that was not opened for writing answers to a call. */
static int read_only_answer(enum call_id id)
{
	switch (id) {
	case CALL_reserve:
	case CALL_commit:
	case CALL_abort:
	case CALL_put:
	case CALL_delete:
		return -EACCES;
	case CALL_cancel:
		/* The request is another file's. */
		return -ENOENT;
	default:
		return 0;
	}
}

TEST_F(abi, file_not_open_for_writing)
{
	int fd = open(ht_node(), O_RDONLY);
	__u32 ns;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ht_attach_fd(fd, "abi", 1, 0, &ns));
	PREPARE();
	if (calls[variant->id].ns)
		call_set_u32(&self->c, calls[variant->id].ns, ns);
	ASSERT_EQ(0, calls_snapshot(&self->c));
	EXPECT_EQ(read_only_answer(variant->id),
		  ht_ioctl(fd, calls[variant->id].cmd, self->c.arg));
	if (read_only_answer(variant->id))
		EXPECT_EQ(0, calls_unchanged(&self->c));
	close(fd);
}

/* The number carries no size: with one it is another, unknown, number. */
TEST_F(abi, number_with_a_size)
{
	unsigned int nr = _IOC_NR(calls[variant->id].cmd);
	unsigned long cmds[] = {
		_IOC(_IOC_READ, 'H', nr, calls[variant->id].bytes),
		_IOC(_IOC_WRITE, 'H', nr, calls[variant->id].bytes),
		_IOC(_IOC_READ | _IOC_WRITE, 'H', nr, 8),
		_IO('I', nr),
	};
	unsigned int i;

	PREPARE();
	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		EXPECT_EQ(-ENOTTY,
			  ht_ioctl(self->c.h.fd, cmds[i], self->c.arg));
}

FIXTURE(abi_numbers) {
	struct ht h;
};

FIXTURE_SETUP(abi_numbers)
{
	HT_BEGIN(&self->h, "abi");
}

FIXTURE_TEARDOWN(abi_numbers)
{
	ht_end(&self->h);
}

TEST_F(abi_numbers, unknown_numbers)
{
	unsigned char arg[4096] = { sizeof(struct hymc_info) };
	unsigned int nr;

	for (nr = _IOC_NR(HYMC_IOC_SYNC) + 1; nr < 256; nr++)
		EXPECT_EQ(-ENOTTY, ht_ioctl(self->h.fd, _IO('H', nr), arg));
}

HT_MAIN;
