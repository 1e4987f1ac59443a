// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: pointers to arrays, numbers of elements and namespace handles
 *
 * One variant per array pointer of each batched ioctl. A fault anywhere in an
 * array fails the call with -EFAULT and leaves nothing outstanding that the
 * caller could not learn of.
 */
#include "hymc_harness.h"
#include "ioctl_calls.h"

/* What an array is to the kernel. */
enum array_use {
	ARRAY_IN,		/* read; must be there */
	ARRAY_OUT,		/* written; must be there */
	ARRAY_OUT_OR_NULL,	/* written; 0 when the caller does not care */
};

/* --- array pointers --------------------------------------------------------- */

FIXTURE(array) {
	struct calls c;
};

FIXTURE_VARIANT(array) {
	enum call_id id;
	enum array_use use;
	size_t field;
	size_t bytes;
};

#define ARRAY(call, type, member, element, how)				       \
FIXTURE_VARIANT_ADD(array, call##_##member)				       \
{									       \
	.id = CALL_##call,						       \
	.use = ARRAY_##how,						       \
	.field = offsetof(struct type, member),				       \
	.bytes = CALLS_NR * sizeof(element),				       \
}

ARRAY(lookup, hymc_lookup, keys, struct ht_key, IN);
ARRAY(lookup, hymc_lookup, found, struct hymc_found, OUT_OR_NULL);
ARRAY(prefetch, hymc_prefetch, keys, struct ht_key, IN);
ARRAY(acquire, hymc_acquire, keys, struct ht_key, IN);
ARRAY(acquire, hymc_acquire, views, struct hymc_view, OUT);
ARRAY(acquire, hymc_acquire, runs, struct hymc_run, OUT);
ARRAY(release, hymc_views, views, __u64, IN);
ARRAY(release, hymc_views, status, __s32, OUT_OR_NULL);
ARRAY(reserve, hymc_reserve, descs, struct hymc_desc, IN);
ARRAY(reserve, hymc_reserve, views, struct hymc_view, OUT);
ARRAY(reserve, hymc_reserve, runs, struct hymc_run, OUT);
ARRAY(commit, hymc_views, views, __u64, IN);
ARRAY(commit, hymc_views, status, __s32, OUT_OR_NULL);
ARRAY(abort, hymc_views, views, __u64, IN);
ARRAY(abort, hymc_views, status, __s32, OUT_OR_NULL);
ARRAY(put, hymc_copy, descs, struct hymc_desc, IN);
ARRAY(put, hymc_copy, done, struct hymc_done, OUT);
ARRAY(get, hymc_copy, descs, struct hymc_desc, IN);
ARRAY(get, hymc_copy, done, struct hymc_done, OUT);
ARRAY(delete, hymc_delete, keys, struct ht_key, IN);
ARRAY(delete, hymc_delete, status, __s32, OUT_OR_NULL);

FIXTURE_SETUP(array)
{
	HT_BEGIN(&self->c.h, "abi");
	ASSERT_EQ(0, calls_begin(&self->c));
}

FIXTURE_TEARDOWN(array)
{
	EXPECT_EQ(0, calls_end(&self->c));
}

/* Point the variant's array elsewhere. */
#define POINT(p) call_set_u64(&self->c, variant->field, (__u64)(p))
#define PREPARE() ASSERT_EQ(0, call_prepare(&self->c, variant->id))
#define CALL() call_do(&self->c, variant->id)
#define FAULTS()							       \
do {									       \
	ASSERT_EQ(0, calls_snapshot(&self->c));				       \
	EXPECT_EQ(-EFAULT, CALL());					       \
	EXPECT_EQ(0, calls_not_more(&self->c));				       \
} while (0)

TEST_F(array, null)
{
	int want = variant->use == ARRAY_OUT_OR_NULL ? 0 : -EFAULT;

	PREPARE();
	POINT(0);
	ASSERT_EQ(0, calls_snapshot(&self->c));
	EXPECT_EQ(want, CALL());
	if (want)
		EXPECT_EQ(0, calls_not_more(&self->c));
}

TEST_F(array, not_mapped)
{
	const __u64 bad[] = {
		8, ht_ptr(calls_hole(&self->c)), 1ULL << 47, ~0ULL << 47,
		-4096ULL, -1ULL, 1ULL << 63,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		PREPARE();
		POINT(bad[i]);
		FAULTS();
	}
}

TEST_F(array, half_mapped)
{
	const size_t element = variant->bytes / CALLS_NR;
	const size_t there[] = {
		1, element - 1, element, element * 64 - 1, element * 64,
		element * 100, element * 128 + 1, variant->bytes - 1,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(there); i++) {
		unsigned char *p = calls_hole(&self->c) - there[i];

		PREPARE();
		memcpy(p, (void *)(uintptr_t)call_get_u64(&self->c,
							  variant->field),
		       there[i]);
		POINT((uintptr_t)p);
		FAULTS();
	}
}

TEST_F(array, read_only)
{
	unsigned char *p = calls_page(&self->c);
	int ret;

	PREPARE();
	memcpy(p, (void *)(uintptr_t)call_get_u64(&self->c, variant->field),
	       variant->bytes);
	POINT((uintptr_t)p);
	ASSERT_EQ(0, mprotect(p, CALLS_AREA_BYTES, PROT_READ));
	if (variant->use == ARRAY_IN) {
		EXPECT_EQ(0, CALL());
		EXPECT_EQ(0, call_verify(&self->c, variant->id));
	} else {
		FAULTS();
	}
	ret = mprotect(p, CALLS_AREA_BYTES, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, ret);
}

/* After a fault the file is as good as before. */
TEST_F(array, good_call_after_a_fault)
{
	PREPARE();
	POINT(calls_hole(&self->c) - variant->bytes / 2);
	FAULTS();
	PREPARE();
	EXPECT_EQ(0, CALL());
	EXPECT_EQ(0, call_verify(&self->c, variant->id));
}

TEST_F(array, any_alignment)
{
	unsigned char *p = calls_page(&self->c) + 1;
	unsigned char *real;

	PREPARE();
	real = (void *)(uintptr_t)call_get_u64(&self->c, variant->field);
	memcpy(p, real, variant->bytes);
	POINT((uintptr_t)p);
	EXPECT_EQ(0, CALL());
	memcpy(real, p, variant->bytes);
	EXPECT_EQ(0, call_verify(&self->c, variant->id));
}

/* --- number of elements ------------------------------------------------------ */

FIXTURE(number) {
	struct calls c;
};

FIXTURE_VARIANT(number) {
	enum call_id id;
	size_t field;
};

#define NUMBER(call, type) \
	FIXTURE_VARIANT_ADD(number, call) \
	{ .id = CALL_##call, .field = offsetof(struct type, nr) }

NUMBER(lookup, hymc_lookup);
NUMBER(prefetch, hymc_prefetch);
NUMBER(acquire, hymc_acquire);
NUMBER(release, hymc_views);
NUMBER(reserve, hymc_reserve);
NUMBER(commit, hymc_views);
NUMBER(abort, hymc_views);
NUMBER(put, hymc_copy);
NUMBER(get, hymc_copy);
NUMBER(delete, hymc_delete);

FIXTURE_SETUP(number)
{
	HT_BEGIN(&self->c.h, "abi");
	ASSERT_EQ(0, calls_begin(&self->c));
}

FIXTURE_TEARDOWN(number)
{
	EXPECT_EQ(0, calls_end(&self->c));
}

TEST_F(number, none)
{
	PREPARE();
	call_set_u32(&self->c, variant->field, 0);
	ASSERT_EQ(0, calls_snapshot(&self->c));
	EXPECT_EQ(-EINVAL, CALL());
	EXPECT_EQ(0, calls_unchanged(&self->c));
}

TEST_F(number, too_many)
{
	const __u32 nr[] = { HYMC_BATCH_MAX + 1, 1U << 31, ~0U };
	unsigned int i;

	PREPARE();
	ASSERT_EQ(0, calls_snapshot(&self->c));
	for (i = 0; i < ARRAY_SIZE(nr); i++) {
		call_set_u32(&self->c, variant->field, nr[i]);
		EXPECT_EQ(-E2BIG, CALL());
	}
	EXPECT_EQ(0, calls_unchanged(&self->c));
}

/* Allowed, but the arrays are not that long. */
TEST_F(number, more_than_there_are)
{
	PREPARE();
	call_set_u32(&self->c, variant->field, HYMC_BATCH_MAX);
	ASSERT_EQ(0, calls_snapshot(&self->c));
	EXPECT_EQ(-EFAULT, CALL());
	EXPECT_EQ(0, calls_not_more(&self->c));
}

/* --- namespace handles -------------------------------------------------------- */

FIXTURE(handle) {
	struct calls c;
};

FIXTURE_VARIANT(handle) {
	enum call_id id;
	size_t field;
};

#define HANDLE(call, type) \
	FIXTURE_VARIANT_ADD(handle, call) \
	{ .id = CALL_##call, .field = offsetof(struct type, ns) }

HANDLE(lookup, hymc_lookup);
HANDLE(prefetch, hymc_prefetch);
HANDLE(acquire, hymc_acquire);
HANDLE(reserve, hymc_reserve);
HANDLE(put, hymc_copy);
HANDLE(get, hymc_copy);
HANDLE(delete, hymc_delete);

FIXTURE_SETUP(handle)
{
	HT_BEGIN(&self->c.h, "abi");
	ASSERT_EQ(0, calls_begin(&self->c));
}

FIXTURE_TEARDOWN(handle)
{
	EXPECT_EQ(0, calls_end(&self->c));
}

TEST_F(handle, not_attached)
{
	__u32 other;
	unsigned int i;

	ASSERT_EQ(0, ht_attach_fd(self->c.watch, "abi-other-file", 1,
				  HYMC_NS_CREATE, &other));
	ASSERT_NE(self->c.h.ns, other);
	PREPARE();
	ASSERT_EQ(0, calls_snapshot(&self->c));
	for (i = 0; i < 5; i++) {
		const __u32 ns[] = { 0, other, 9999, 65536, ~0U };

		call_set_u32(&self->c, variant->field, ns[i]);
		EXPECT_EQ(-EBADF, CALL());
	}
	EXPECT_EQ(0, calls_unchanged(&self->c));
}

HT_MAIN;
