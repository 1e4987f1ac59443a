// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the mapping of the device DRAM
 *
 * Who may map what, what a store does where it is not allowed, and that any order
 * of munmap, close, fork, mremap and release is safe.
 */
#include <signal.h>
#include <sys/uio.h>

#include "hymc_harness.h"

FIXTURE(map) {
	struct ht h;
	__u64 id;
	__u64 len;
};

FIXTURE_SETUP(map)
{
	HT_BEGIN(&self->h, "map");
	self->len = self->h.info.frame_bytes + 5000;
	self->id = ht_new_id();
	ASSERT_EQ(0, ht_put_many(&self->h, self->id, 1, self->len));
}

FIXTURE_TEARDOWN(map)
{
	if (self->h.fd > 0)
		ht_delete(&self->h, self->id);
	ht_end(&self->h);
}

#define H (&self->h)
#define COUNT(field) HT_COUNT(self->h.fd, field)

/* mmap() of the node: 0 or -errno; the mapping is removed again. */
static int try_map(int fd, size_t bytes, int prot, int flags, off_t off)
{
	void *p = mmap(NULL, bytes, prot, flags, fd, off);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, bytes);
	return 0;
}

TEST_F(map, what_can_be_mapped)
{
	const size_t all = self->h.info.dram_bytes;
	int fd = self->h.fd;

	EXPECT_EQ(0, try_map(fd, all, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(fd, 4096, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(fd, 4096, PROT_READ, MAP_SHARED, all - 4096));
	EXPECT_EQ(0, try_map(fd, all, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(fd, all, PROT_READ, MAP_SHARED_VALIDATE, 0));
	EXPECT_EQ(0, try_map(fd, all, PROT_NONE, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, all, PROT_READ, MAP_PRIVATE, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, all, PROT_READ | PROT_WRITE, MAP_PRIVATE,
				   0));
	EXPECT_EQ(-EINVAL, try_map(fd, 4096, PROT_READ, MAP_SHARED, all));
	EXPECT_EQ(-EINVAL, try_map(fd, 8192, PROT_READ, MAP_SHARED,
				   all - 4096));
	EXPECT_EQ(-EINVAL, try_map(fd, all + 4096, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, 4096, PROT_READ, MAP_SHARED,
				   1LL << 50));
	EXPECT_EQ(-EACCES, try_map(fd, 4096, PROT_READ | PROT_EXEC, MAP_SHARED,
				   0));
}

TEST_F(map, file_opened_read_only)
{
	int fd = open(ht_node(), O_RDONLY);
	void *p;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EACCES, try_map(fd, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED, 0));
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(p, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, ht_load(p));
	munmap(p, 4096);
	close(fd);
}

TEST_F(map, no_upgrade)
{
	ASSERT_EQ(0, ht_map(H));
	EXPECT_EQ(-1, mprotect((void *)self->h.map, self->h.info.dram_bytes,
			       PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)self->h.map, 4096,
			       PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(SIGSEGV, ht_store((void *)self->h.map));
	EXPECT_EQ(0, ht_load(self->h.map));
}

/* Every page of the DRAM, before and after views: no store gets through. */
TEST_F_TIMEOUT(map, store_without_a_reservation, 60)
{
	struct ht_block b;
	__u64 off;

	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_map_write(H));
	for (off = 0; off < self->h.info.dram_bytes; off += 61 * 4096)
		ASSERT_EQ(SIGBUS, ht_store(self->h.wmap + off));
	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	for (off = 0; off < b.runs[0].len; off += 4096)
		ASSERT_EQ(SIGBUS, ht_store(self->h.wmap + b.runs[0].offset +
					   off));
	EXPECT_EQ(-1, ht_block_check(H, &b, self->id));
	EXPECT_EQ(0, ht_load(self->h.wmap + b.runs[0].offset));
	EXPECT_EQ(0, ht_release(H, &b));
}

TEST_F(map, store_only_into_ones_own)
{
	struct ht other;
	struct ht_block mine, theirs;
	unsigned char *w;

	ASSERT_EQ(0, ht_begin(&other, "map"));
	ASSERT_EQ(0, ht_map_write(H));
	ASSERT_EQ(0, ht_map_write(&other));
	ASSERT_EQ(0, ht_reserve(H, self->id + 1, self->len, &mine));
	ASSERT_EQ(0, ht_reserve(&other, self->id + 2, self->len, &theirs));
	w = self->h.wmap;
	EXPECT_EQ(0, ht_store(w + mine.runs[0].offset));
	EXPECT_EQ(0, ht_store(w + mine.runs[0].offset + mine.runs[0].len - 1));
	EXPECT_EQ(SIGBUS, ht_store(w + theirs.runs[0].offset));
	EXPECT_EQ(SIGBUS, ht_store(other.wmap + mine.runs[0].offset));
	EXPECT_EQ(0, ht_store(other.wmap + theirs.runs[0].offset));
	/* What the other wrote is seen: it is one memory. */
	EXPECT_EQ(0xff, w[theirs.runs[0].offset]);
	EXPECT_EQ(0, ht_abort(H, &mine));
	EXPECT_EQ(SIGBUS, ht_store(w + mine.runs[0].offset));
	EXPECT_EQ(0, ht_abort(&other, &theirs));
	EXPECT_EQ(SIGBUS, ht_store(other.wmap + theirs.runs[0].offset));
	ht_end(&other);
}

TEST_F(map, no_store_after_commit)
{
	const __u64 id = self->id + 1;
	struct ht_block b, r;
	unsigned int i;
	__u64 off;

	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_map_write(H));
	ASSERT_EQ(0, ht_reserve(H, id, self->len, &b));
	ht_block_fill(H, &b, id);
	ASSERT_EQ(0, ht_commit(H, &b));
	for (i = 0; i < b.view.run_nr; i++)
		for (off = 0; off < b.runs[i].len; off += 4096)
			ASSERT_EQ(SIGBUS, ht_store(self->h.wmap +
						   b.runs[i].offset + off));
	ASSERT_EQ(0, ht_acquire(H, id, HT_LONG_MS, &r));
	EXPECT_EQ(-1, ht_block_check(H, &r, id));
	EXPECT_EQ(0, ht_release(H, &r));
	EXPECT_EQ(0, ht_delete(H, id));
}

/* A small block ends in the middle of a page: the page's rest is no way in. */
TEST_F(map, no_store_into_a_neighbour)
{
	struct ht_block b[8];
	unsigned int i, j;

	ASSERT_EQ(0, ht_map_write(H));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, ht_reserve(H, self->id + 1 + i, 100, &b[i]));
	for (i = 0; i < 8; i++)
		for (j = 0; j < i; j++)
			EXPECT_NE(b[i].runs[0].offset / 4096,
				  b[j].runs[0].offset / 4096);
	for (i = 0; i < 8; i += 2)
		EXPECT_EQ(0, ht_commit(H, &b[i]));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(i % 2 ? 0 : SIGBUS,
			  ht_store(self->h.wmap + b[i].runs[0].offset));
	for (i = 1; i < 8; i += 2)
		EXPECT_EQ(0, ht_abort(H, &b[i]));
	for (i = 0; i < 8; i += 2)
		EXPECT_EQ(0, ht_delete(H, self->id + 1 + i));
}

/* The kernel's own stores, by system calls, keep the same rules. */
TEST_F(map, system_calls_obey)
{
	int zero = open("/dev/zero", O_RDONLY);
	struct ht_block b;
	unsigned char *w;

	ASSERT_LE(0, zero);
	ASSERT_EQ(0, ht_map_write(H));
	ASSERT_EQ(0, ht_reserve(H, self->id + 1, self->len, &b));
	w = self->h.wmap + b.runs[0].offset;
	EXPECT_EQ(0, ht_store(w));
	EXPECT_EQ(4096, read(zero, w, 4096));
	EXPECT_EQ(0, w[0]);
	EXPECT_EQ(0, ht_commit(H, &b));
	EXPECT_EQ(-1, read(zero, w, 4096));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, ht_delete(H, self->id + 1));
	close(zero);
}

/* --- fork, mremap, order of ends ---------------------------------------------------- */

static int in_child(struct ht *h, int (*fn)(struct ht *h))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn(h));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int child_touches(struct ht *h)
{
	return ht_load(h->map);
}

static int child_uses_file(struct ht *h)
{
	struct hymc_info info;
	__u32 ns;

	/* The file is shared, as files are; the mapping is not. */
	return ht_info_fd(h->fd, &info) ||
	       ht_attach_fd(h->fd, "map", 1, 0, &ns);
}

TEST_F(map, child_has_no_mapping)
{
	struct ht_block b;

	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_map_write(H));
	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	EXPECT_EQ(SIGSEGV, in_child(H, child_touches));
	EXPECT_EQ(0, in_child(H, child_uses_file));
	/* A child's end ends nothing of its parent. */
	EXPECT_EQ(1, COUNT(views));
	EXPECT_EQ(-1, ht_block_check(H, &b, self->id));
	EXPECT_EQ(0, ht_release(H, &b));
}

/* Store twice, with the parent's commit in between; the second must fail. */
static int child_stores(volatile unsigned char *p, int go)
{
	char c;

	ht_store(p);
	if (read(go, &c, 1) != 1)
		return -1;
	return ht_store(p);
}

/* A process may ask that its children inherit; no rule is weaker for it. */
TEST_F(map, inherited_by_advice)
{
	const __u64 id = self->id + 1;
	volatile unsigned char *p;
	int go[2], status;
	struct ht_block b;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_map_write(H));
	madvise(self->h.wmap, self->h.info.dram_bytes, MADV_DOFORK);
	ASSERT_EQ(0, ht_reserve(H, id, self->len, &b));
	p = self->h.wmap + b.runs[0].offset;
	pid = fork();
	if (!pid)
		_exit(child_stores(p, go[0]));
	ht_sleep_ms(100);
	ht_block_fill(H, &b, id);
	ASSERT_EQ(0, ht_commit(H, &b));
	ASSERT_EQ(1, write(go[1], "g", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_TRUE(WEXITSTATUS(status) == SIGBUS ||
		    WEXITSTATUS(status) == SIGSEGV);
	EXPECT_EQ(0, ht_read(H, id, self->len, HT_LONG_MS));
	EXPECT_EQ(0, ht_delete(H, id));
}

TEST_F(map, mremap)
{
	const size_t all = self->h.info.dram_bytes;
	struct ht_block b;
	void *p, *q;

	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	p = mmap(NULL, all, PROT_READ, MAP_SHARED, self->h.fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(MAP_FAILED, mremap(p, all, all + 4096, MREMAP_MAYMOVE));
	/* Duplicating a mapping by an old size of zero grows it, too. */
	EXPECT_EQ(MAP_FAILED, mremap(p, 0, all, MREMAP_MAYMOVE));
	q = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, q);
	ASSERT_EQ(q, mremap(p, all, all, MREMAP_MAYMOVE | MREMAP_FIXED, q));
	self->h.map = q;
	EXPECT_EQ(-1, ht_block_check(H, &b, self->id));
	ASSERT_EQ(q, mremap(q, all, all / 2, 0));
	EXPECT_EQ(SIGSEGV, ht_load((char *)q + all / 2));
	EXPECT_EQ(0, ht_load((char *)q + all / 2 - 1));
	munmap(q, all / 2);
	self->h.map = NULL;
	EXPECT_EQ(0, ht_release(H, &b));
}

TEST_F(map, holes_and_partial_unmap)
{
	struct ht_block b;
	unsigned char *p;
	__u64 at;

	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	at = b.runs[0].offset;
	p = (unsigned char *)self->h.map;
	EXPECT_EQ(0, ht_load(p + at));
	ASSERT_EQ(0, munmap(p + at + 4096, 4096));
	EXPECT_EQ(0, ht_load(p + at));
	EXPECT_EQ(SIGSEGV, ht_load(p + at + 4096));
	EXPECT_EQ(0, ht_load(p + at + 8192));
	EXPECT_EQ(-1, ht_check(self->id, 0, p + at, 4096));
	EXPECT_EQ(0, ht_release(H, &b));
}

/* The mapping keeps the file: views stay until both are gone, in any order. */
TEST_F_TIMEOUT(map, order_of_ends, 60)
{
	unsigned int order;
	struct ht watch;

	ASSERT_EQ(0, ht_begin(&watch, "map"));
	for (order = 0; order < 6; order++) {
		static const char *const orders[] = {
			"umc", "ucm", "muc", "mcu", "cmu", "cum",
		};
		const char *step;
		struct ht_block b, w;
		struct ht h;

		ASSERT_EQ(0, ht_begin(&h, "map"));
		ASSERT_EQ(0, ht_map(&h));
		ASSERT_EQ(0, ht_map_write(&h));
		ASSERT_EQ(0, ht_acquire(&h, self->id, HT_LONG_MS, &b));
		ASSERT_EQ(0, ht_reserve(&h, self->id + 1, 5000, &w));
		EXPECT_EQ(0, ht_store(h.wmap + w.runs[0].offset));
		for (step = orders[order]; *step; step++) {
			switch (*step) {
			case 'u':
				munmap(h.wmap, h.info.dram_bytes);
				break;
			case 'm':
				EXPECT_EQ(-1, ht_block_check(&h, &b, self->id));
				munmap((void *)h.map, h.info.dram_bytes);
				break;
			case 'c':
				close(h.fd);
				break;
			}
			EXPECT_EQ(step[1] ? 1 : 0,
				  HT_COUNT(watch.fd, views));
			EXPECT_EQ(step[1] ? 1 : 0,
				  HT_COUNT(watch.fd, reservations));
		}
	}
	EXPECT_EQ(0, ht_wait_stat(watch.fd, HT_STAT(files), 2, HT_SETTLE_MS));
	ht_end(&watch);
}

/* A mapping without a descriptor still reads, and still may write its own. */
TEST_F(map, descriptor_closed_early)
{
	struct ht_block b, w;
	struct ht h;

	ASSERT_EQ(0, ht_begin(&h, "map"));
	ASSERT_EQ(0, ht_map(&h));
	ASSERT_EQ(0, ht_map_write(&h));
	ASSERT_EQ(0, ht_acquire(&h, self->id, HT_LONG_MS, &b));
	ASSERT_EQ(0, ht_reserve(&h, self->id + 1, self->len, &w));
	close(h.fd);
	h.fd = -1;
	EXPECT_EQ(-1, ht_block_check(&h, &b, self->id));
	ht_block_fill(&h, &w, self->id + 1);
	EXPECT_EQ(1, COUNT(views));
	EXPECT_EQ(1, COUNT(reservations));
	ht_end(&h);
	EXPECT_EQ(0, COUNT(views));
	EXPECT_EQ(0, COUNT(reservations));
	EXPECT_EQ(-ENOENT, ht_lookup(H, self->id + 1, NULL));
}

/* --- pins ------------------------------------------------------------------------------ */

static int open_scratch(void)
{
	return ht_scratch() ? open(ht_scratch(), O_RDWR | O_DIRECT) : -ENOENT;
}

TEST_F(map, direct_write_from_the_mapping)
{
	const __u64 len = self->h.info.frame_bytes;
	int fd = open_scratch();
	struct ht_block b;
	void *buf;

	if (fd == -ENOENT)
		SKIP(return, "HYMC_SCRATCH names no block device");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	ASSERT_EQ(len, pwrite(fd, self->h.map + b.runs[0].offset, len, 0));
	ASSERT_EQ(0, posix_memalign(&buf, 4096, len));
	ASSERT_EQ(len, pread(fd, buf, len, 0));
	EXPECT_EQ(-1, ht_check(self->id, 0, buf, len));
	EXPECT_EQ(0, ht_release(H, &b));
	/* The pins are gone with the write. */
	EXPECT_EQ(0, ht_wait_idle(self->h.fd, 1));
	free(buf);
	close(fd);
}

TEST_F(map, direct_read_into_a_reservation)
{
	const __u64 len = self->h.info.frame_bytes, id = self->id + 1;
	int fd = open_scratch();
	struct ht_block b;
	void *buf;

	if (fd == -ENOENT)
		SKIP(return, "HYMC_SCRATCH names no block device");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, posix_memalign(&buf, 4096, len));
	ht_fill(id, 0, buf, len);
	ASSERT_EQ(len, pwrite(fd, buf, len, 0));
	ASSERT_EQ(0, ht_map_write(H));
	ASSERT_EQ(0, ht_reserve(H, id, len, &b));
	ASSERT_EQ(len, pread(fd, self->h.wmap + b.runs[0].offset, len, 0));
	ASSERT_EQ(0, ht_commit(H, &b));
	EXPECT_EQ(0, ht_get(H, id, len, HT_LONG_MS));
	/* And nowhere else. */
	EXPECT_EQ(-1, pread(fd, self->h.wmap + b.runs[0].offset, len, 0));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, ht_get(H, id, len, HT_LONG_MS));
	EXPECT_EQ(0, ht_delete(H, id));
	free(buf);
	close(fd);
}

TEST_F(map, read_by_another_process)
{
	struct ht_block b;
	char buf[4096];
	struct iovec to = { buf, sizeof(buf) }, from = { NULL, sizeof(buf) };

	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	from.iov_base = (void *)(self->h.map + b.runs[0].offset);
	ASSERT_EQ(sizeof(buf), process_vm_readv(getpid(), &to, 1, &from, 1, 0));
	EXPECT_EQ(-1, ht_check(self->id, 0, buf, sizeof(buf)));
	EXPECT_EQ(-1, process_vm_writev(getpid(), &to, 1, &from, 1, 0));
	EXPECT_EQ(-1, ht_block_check(H, &b, self->id));
	EXPECT_EQ(0, ht_release(H, &b));
}

/* A debugger may write where the process may not; the pool's bytes stay. */
TEST_F(map, proc_mem)
{
	int fd = open("/proc/self/mem", O_RDWR);
	struct ht_block b;
	char buf[64] = { 1 };

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_map_write(H));
	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	EXPECT_EQ(-1, pwrite(fd, buf, sizeof(buf), (off_t)(uintptr_t)
			     (self->h.map + b.runs[0].offset)));
	EXPECT_EQ(-1, pwrite(fd, buf, sizeof(buf), (off_t)(uintptr_t)
			     (self->h.wmap + b.runs[0].offset)));
	EXPECT_EQ(-1, ht_block_check(H, &b, self->id));
	EXPECT_EQ(0, ht_release(H, &b));
	close(fd);
}

TEST_F(map, madvise_and_mlock)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_WILLNEED, MADV_DONTFORK, MADV_HUGEPAGE,
		MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ, MADV_NOHUGEPAGE,
	};
	struct ht_block b;
	unsigned int i;

	ASSERT_EQ(0, ht_map(H));
	ASSERT_EQ(0, ht_acquire(H, self->id, HT_LONG_MS, &b));
	for (i = 0; i < ARRAY_SIZE(advice); i++) {
		madvise((void *)self->h.map, self->h.info.dram_bytes,
			advice[i]);
		EXPECT_EQ(-1, ht_block_check(H, &b, self->id));
	}
	EXPECT_NE(0, madvise((void *)self->h.map, self->h.info.dram_bytes,
			     MADV_REMOVE));
	mlock(self->h.map, self->h.info.dram_bytes);
	EXPECT_EQ(-1, ht_block_check(H, &b, self->id));
	munlock(self->h.map, self->h.info.dram_bytes);
	EXPECT_EQ(0, ht_release(H, &b));
}

HT_MAIN;
