// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: namespaces
 *
 * A namespace belongs to the user who made it, holds blocks of one fingerprint
 * only, and its keys are its own.
 */
#include <grp.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "hymc_harness.h"

#define NOBODY	65534

FIXTURE(space) {
	struct ht h;
	char name[40];
};

FIXTURE_SETUP(space)
{
	HT_BEGIN(&self->h, "space");
	snprintf(self->name, sizeof(self->name), "space-%llx", ht_new_id());
}

FIXTURE_TEARDOWN(space)
{
	ht_end(&self->h);
}

#define H (&self->h)
#define ATTACH(name, fp, flags, ns) \
	ht_attach_fd(self->h.fd, name, fp, flags, ns)

TEST_F(space, made_only_when_asked)
{
	__u32 ns, again;
	__u64 before = HT_COUNT(self->h.fd, namespaces);

	EXPECT_EQ(-ENOENT, ATTACH(self->name, 1, 0, &ns));
	EXPECT_EQ(before, HT_COUNT(self->h.fd, namespaces));
	ASSERT_EQ(0, ATTACH(self->name, 1, HYMC_NS_CREATE, &ns));
	EXPECT_EQ(before + 1, HT_COUNT(self->h.fd, namespaces));
	EXPECT_EQ(0, ATTACH(self->name, 1, 0, &again));
	EXPECT_EQ(ns, again);
	EXPECT_EQ(0, ATTACH(self->name, 1, HYMC_NS_CREATE, &again));
	EXPECT_EQ(ns, again);
	EXPECT_EQ(before + 1, HT_COUNT(self->h.fd, namespaces));
}

TEST_F(space, other_fingerprint)
{
	struct hymc_ns_attach a = {
		.size = sizeof(a), .flags = HYMC_NS_CREATE,
	};
	__u32 ns;
	unsigned int i;

	ASSERT_EQ(0, ATTACH(self->name, 7, HYMC_NS_CREATE, &ns));
	EXPECT_EQ(-EUCLEAN, ATTACH(self->name, 8, 0, &ns));
	EXPECT_EQ(-EUCLEAN, ATTACH(self->name, 8, HYMC_NS_CREATE, &ns));
	/* One bit, anywhere, is another fingerprint. */
	strcpy((char *)a.name, self->name);
	for (i = 0; i < HYMC_FP_BYTES; i++) {
		memset(a.fingerprint, 7, sizeof(a.fingerprint));
		a.fingerprint[i] ^= 1 << i % 8;
		EXPECT_EQ(-EUCLEAN,
			  ht_ioctl(self->h.fd, HYMC_IOC_NS_ATTACH, &a));
	}
	EXPECT_EQ(0, ATTACH(self->name, 7, 0, &ns));
}

static int attach_raw(int fd, const char *name, size_t bytes)
{
	struct hymc_ns_attach a = {
		.size = sizeof(a), .flags = HYMC_NS_CREATE,
	};

	memcpy(a.name, name, bytes);
	return ht_ioctl(fd, HYMC_IOC_NS_ATTACH, &a);
}

TEST_F(space, names)
{
	char name[HYMC_NS_NAME_BYTES];
	int fd = self->h.fd;

	memset(name, 'x', sizeof(name));
	EXPECT_EQ(-EINVAL, attach_raw(fd, name, sizeof(name)));
	EXPECT_EQ(-EINVAL, attach_raw(fd, "", 1));
	EXPECT_EQ(-EINVAL, attach_raw(fd, "a\0b", 3));
	memset(name, 0, sizeof(name));
	name[0] = 'a';
	name[63] = 'b';
	EXPECT_EQ(-EINVAL, attach_raw(fd, name, sizeof(name)));
	EXPECT_EQ(0, attach_raw(fd, "a", 1));
	memset(name, 'x', sizeof(name));
	EXPECT_EQ(0, attach_raw(fd, name, sizeof(name) - 1));
	/* Bytes, not letters: nothing is folded or trimmed. */
	EXPECT_EQ(0, attach_raw(fd, "\x01 /..\xff", 6));
}

TEST_F(space, keys_are_its_own)
{
	struct ht other = self->h;
	__u64 id = ht_new_id();
	struct ht_block b;

	ASSERT_EQ(0, ATTACH(self->name, 1, HYMC_NS_CREATE, &other.ns));
	ASSERT_EQ(0, ht_put(H, id, 4000));
	EXPECT_EQ(-ENOENT, ht_lookup(&other, id, NULL));
	EXPECT_EQ(-ENOENT, ht_acquire(&other, id, 100, &b));
	EXPECT_EQ(-ENOENT, ht_delete(&other, id));
	/* The same key with another length: two blocks. */
	EXPECT_EQ(0, ht_put(&other, id, 5000));
	EXPECT_EQ(0, ht_get(H, id, 4000, 1000));
	EXPECT_EQ(0, ht_get(&other, id, 5000, 1000));
	EXPECT_EQ(0, ht_delete(H, id));
	EXPECT_EQ(0, ht_get(&other, id, 5000, 1000));
	EXPECT_EQ(0, ht_delete(&other, id));
}

TEST_F(space, attached_to_one_file_only)
{
	struct ht other;
	__u64 id = ht_new_id();
	__u32 ns;

	ASSERT_EQ(0, ATTACH(self->name, 1, HYMC_NS_CREATE, &ns));
	ASSERT_EQ(0, ht_begin(&other, "space"));
	other.ns = ns;
	EXPECT_EQ(-EBADF, ht_put(&other, id, 100));
	EXPECT_EQ(-EBADF, ht_lookup(&other, id, NULL));
	ASSERT_EQ(0, ht_attach_fd(other.fd, self->name, 1, 0, &other.ns));
	EXPECT_EQ(0, ht_put(&other, id, 100));
	EXPECT_EQ(0, ht_delete(&other, id));
	ht_end(&other);
}

/* Blocks live on when the file that put them is gone. */
TEST_F(space, outlives_its_files)
{
	__u64 id = ht_new_id();
	struct ht other;

	ASSERT_EQ(0, ht_begin(&other, self->name));
	ASSERT_EQ(0, ht_put(&other, id, 100));
	ht_end(&other);
	ASSERT_EQ(0, ht_begin(&other, self->name));
	EXPECT_EQ(0, ht_get(&other, id, 100, 1000));
	EXPECT_EQ(0, ht_delete(&other, id));
	ht_end(&other);
}

/* --- users ------------------------------------------------------------------------ */

/* What @fn returns (0..120, or an errno) when it runs as user nobody. */
static int as_nobody(int (*fn)(int fd, const char *name), int fd,
		     const char *name)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(125);
		_exit(-fn(fd, name));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return -WEXITSTATUS(status);
}

static int attach_existing(int fd, const char *name)
{
	__u32 ns;

	return ht_attach_fd(fd, name, 1, 0, &ns);
}

static int attach_creating(int fd, const char *name)
{
	__u32 ns;

	return ht_attach_fd(fd, name, 1, HYMC_NS_CREATE, &ns);
}

static int open_node(int fd, const char *name)
{
	int other = open(ht_node(), O_RDWR);

	(void)fd;
	(void)name;
	return other < 0 ? -errno : 0;
}

TEST_F(space, belongs_to_its_user)
{
	char theirs[48];
	__u32 ns;

	if (geteuid())
		SKIP(return, "changing the user needs root");
	snprintf(theirs, sizeof(theirs), "%s-n", self->name);
	ASSERT_EQ(0, ATTACH(self->name, 1, HYMC_NS_CREATE, &ns));
	EXPECT_EQ(-EACCES, as_nobody(attach_existing, self->h.fd, self->name));
	EXPECT_EQ(-EACCES, as_nobody(attach_creating, self->h.fd, self->name));
	EXPECT_EQ(0, as_nobody(attach_creating, self->h.fd, theirs));
	EXPECT_EQ(0, as_nobody(attach_existing, self->h.fd, theirs));
}

/* Which fingerprint another user's namespace has is none of one's business. */
TEST_F(space, refusal_comes_before_the_fingerprint)
{
	__u32 ns;

	if (geteuid())
		SKIP(return, "changing the user needs root");
	ASSERT_EQ(0, ATTACH(self->name, 2, HYMC_NS_CREATE, &ns));
	EXPECT_EQ(-EACCES, as_nobody(attach_existing, self->h.fd, self->name));
}

TEST_F(space, node_permissions)
{
	struct stat st;

	if (geteuid())
		SKIP(return, "changing the user needs root");
	ASSERT_EQ(0, fstat(self->h.fd, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0660, st.st_mode & 07777);
	EXPECT_EQ(-EACCES, as_nobody(open_node, -1, NULL));
}

/* Namespaces last as long as the pool: nothing can come after this test. */
TEST_F_TIMEOUT(space, too_many, 120)
{
	char name[64];
	unsigned int i;
	__u32 ns;
	int ret = 0;

	for (i = 0; !ret && i < 70000; i++) {
		snprintf(name, sizeof(name), "%s-%u", self->name, i);
		ret = ATTACH(name, 1, HYMC_NS_CREATE, &ns);
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_LE(64, i);
	/* What exists is as good as before. */
	snprintf(name, sizeof(name), "%s-%u", self->name, 0);
	EXPECT_EQ(0, ATTACH(name, 1, HYMC_NS_CREATE, &ns));
}

HT_MAIN;
