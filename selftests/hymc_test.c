// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: helpers of the selftests, the part that knows no blocks
 *
 * Environment, time, the two system call entries, counters, keys and payloads.
 * See hymc_test.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hymc_test.h"

/* Stack of a program whose pointers must fit into 32 bits. */
#define HT_LOW_STACK_BYTES	(8UL << 20)
/* ioctl(2) in the i386 system call table. */
#define HT_NR_IOCTL_I386	54

/**
 * ht_node - the device node under test
 *
 * Return: a path.
 */
const char *ht_node(void)
{
	const char *node = getenv("HYMC_DEV");

	return node ? node : "/dev/hymc0";
}

/**
 * ht_ssd - the pool's drive
 *
 * Return: a path, or NULL when the caller of the test did not say it.
 */
const char *ht_ssd(void)
{
	return getenv("HYMC_SSD");
}

/**
 * ht_scratch - a block device for anything
 *
 * Return: a path, or NULL.
 */
const char *ht_scratch(void)
{
	return getenv("HYMC_SCRATCH");
}

/**
 * ht_required - must there be a pool?
 *
 * Return: true when its absence is a failure and not a reason to skip.
 */
bool ht_required(void)
{
	return getenv("HYMC_REQUIRED");
}

/**
 * ht_now_ms - monotonic time
 *
 * Return: milliseconds.
 */
__u64 ht_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

/**
 * ht_sleep_ms - sleep, going on after signals
 * @ms: milliseconds
 */
void ht_sleep_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* --- touching memory -------------------------------------------------------- */

static __thread sigjmp_buf touch_env;
static __thread volatile bool touching;

static void touch_fault(int sig)
{
	if (touching)
		siglongjmp(touch_env, sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

static int touch(volatile unsigned char *p, bool store)
{
	struct sigaction sa = { .sa_handler = touch_fault };
	int sig;

	sigaction(SIGBUS, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	sig = sigsetjmp(touch_env, 1);
	if (!sig) {
		touching = true;
		if (store)
			*p = *p ^ 0xff;
		else
			(void)*p;
	}
	touching = false;
	return sig;
}

/**
 * ht_load - load a byte
 * @p: its address
 *
 * Return: 0, or the signal that the load gave.
 */
int ht_load(const volatile void *p)
{
	return touch((volatile unsigned char *)p, false);
}

/**
 * ht_store - change a byte
 * @p: its address
 *
 * Return: 0, or the signal that the store gave.
 */
int ht_store(volatile void *p)
{
	return touch(p, true);
}

/* --- calls on a file descriptor -------------------------------------------- */

static bool compat(void)
{
	return getenv("HYMC_COMPAT");
}

#ifdef __x86_64__
/*
 * A 64-bit program may use the 32-bit entry: the kernel then takes it for a
 * 32-bit caller, which is what compat_ioctl handlers exist for.
 */
static int ioctl_i386(int fd, unsigned long cmd, void *arg)
{
	long ret = HT_NR_IOCTL_I386;

	asm volatile("int $0x80"
		     : "+a" (ret)
		     : "b" (fd), "c" (cmd), "d" (arg)
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	return (int)ret;
}
#else
static int ioctl_i386(int fd, unsigned long cmd, void *arg)
{
	(void)fd;
	(void)cmd;
	(void)arg;
	return -ENOSYS;
}
#endif

/**
 * ht_ioctl - ioctl(2) without errno
 * @fd: file
 * @cmd: number
 * @arg: structure
 *
 * Return: 0, a positive answer, or a negative errno.
 */
int ht_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret;

	if (compat())
		return ioctl_i386(fd, cmd, arg);
	ret = ioctl(fd, cmd, arg);
	return ret < 0 ? -errno : ret;
}

static void (*low_entry)(void);
static int (*low_main)(int argc, char **argv);
static int low_argc;
static char **low_argv;

static void run_low(void)
{
	exit(low_main(low_argc, low_argv));
}

/**
 * ht_run - run a test program where HYMC_COMPAT's pointers are possible
 * @fn: the program's real main
 * @argc: arguments
 * @argv: arguments
 *
 * With HYMC_COMPAT the stack and the heap are placed below 4 GiB; the program
 * must be linked at a fixed low address (-no-pie).
 *
 * Return: what @fn returns.
 */
int ht_run(int (*fn)(int argc, char **argv), int argc, char **argv)
{
	static ucontext_t here, low;
	void *stack;

	if (!compat())
		return fn(argc, argv);
	mallopt(M_MMAP_MAX, 0);
	stack = mmap(NULL, HT_LOW_STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_NORESERVE,
		     -1, 0);
	if (stack == MAP_FAILED || getcontext(&low))
		return 1;
	low.uc_stack.ss_sp = stack;
	low.uc_stack.ss_size = HT_LOW_STACK_BYTES;
	low.uc_link = &here;
	low_main = fn;
	low_argc = argc;
	low_argv = argv;
	low_entry = run_low;
	makecontext(&low, low_entry, 0);
	swapcontext(&here, &low);
	return 1;
}

/**
 * ht_info_fd - facts of a pool
 * @fd: file
 * @info: filled
 *
 * Return: 0 or a negative errno.
 */
int ht_info_fd(int fd, struct hymc_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return ht_ioctl(fd, HYMC_IOC_INFO, info);
}

/**
 * ht_stats_fd - counters of a pool
 * @fd: file
 * @st: filled
 *
 * Return: 0 or a negative errno.
 */
int ht_stats_fd(int fd, struct hymc_stats *st)
{
	memset(st, 0, sizeof(*st));
	st->size = sizeof(*st);
	return ht_ioctl(fd, HYMC_IOC_STATS, st);
}

/**
 * ht_attach_fd - attach a namespace
 * @fd: file
 * @name: its name
 * @fp: each byte of its fingerprint
 * @flags: HYMC_NS_CREATE or 0
 * @ns: set to the handle
 *
 * Return: 0 or a negative errno.
 */
int ht_attach_fd(int fd, const char *name, __u8 fp, __u32 flags, __u32 *ns)
{
	struct hymc_ns_attach a = { .size = sizeof(a), .flags = flags };
	int ret;

	strncpy((char *)a.name, name, sizeof(a.name) - 1);
	memset(a.fingerprint, fp, sizeof(a.fingerprint));
	ret = ht_ioctl(fd, HYMC_IOC_NS_ATTACH, &a);
	*ns = a.ns;
	return ret;
}

static __u64 stat_at(const struct hymc_stats *st, size_t offset)
{
	__u64 value;

	memcpy(&value, (const char *)st + offset, sizeof(value));
	return value;
}

/**
 * ht_wait_stat - wait until a counter has a value
 * @fd: file
 * @offset: HT_STAT(name)
 * @want: value
 * @ms: longest wait
 *
 * Return: 0, -ETIMEDOUT, or another negative errno.
 */
int ht_wait_stat(int fd, size_t offset, __u64 want, unsigned int ms)
{
	__u64 end = ht_now_ms() + ms;
	struct hymc_stats st;
	int ret;

	for (;;) {
		ret = ht_stats_fd(fd, &st);
		if (ret)
			return ret;
		if (stat_at(&st, offset) == want)
			return 0;
		if (ht_now_ms() >= end)
			return -ETIMEDOUT;
		ht_sleep_ms(2);
	}
}

/**
 * ht_wait_idle - wait until callers hold nothing
 * @fd: file
 * @files: open files there are, @fd included
 *
 * Return: 0, -ETIMEDOUT, or another negative errno.
 */
int ht_wait_idle(int fd, __u64 files)
{
	static const size_t gauges[] = {
		HT_STAT(requests), HT_STAT(views), HT_STAT(reservations),
		HT_STAT(waiters), HT_STAT(leases), HT_STAT(frames_reading),
		HT_STAT(frames_wanted), HT_STAT(frames_pinned),
		HT_STAT(frames_filling), HT_STAT(reads_inflight),
	};
	unsigned int i;
	int ret;

	ret = ht_wait_stat(fd, HT_STAT(files), files, HT_SETTLE_MS);
	for (i = 0; !ret && i < sizeof(gauges) / sizeof(gauges[0]); i++)
		ret = ht_wait_stat(fd, gauges[i], 0, HT_SETTLE_MS);
	return ret;
}

/* --- keys and payloads ----------------------------------------------------- */

static __u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/**
 * ht_new_id - a block number that nobody has used
 *
 * The 2^20 numbers from it on are the caller's.
 *
 * Return: the number.
 */
__u64 ht_new_id(void)
{
	__u64 id = 0;

	while (getrandom(&id, sizeof(id), 0) != sizeof(id))
		;
	return id << 20;
}

/**
 * ht_key - the key of a block
 * @id: block number
 * @key: filled
 */
void ht_key(__u64 id, struct ht_key *key)
{
	__u64 word;
	unsigned int i;

	for (i = 0; i < HYMC_KEY_BYTES / sizeof(word); i++) {
		word = mix(id + (i + 1) * 0x9e3779b97f4a7c15ULL);
		memcpy(key->b + i * sizeof(word), &word, sizeof(word));
	}
}

static __u64 payload_word(__u64 id, __u64 i)
{
	__u64 x = (id ^ 0x6a09e667f3bcc909ULL) + i * 0xd1342543de82ef95ULL;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x ^ x >> 32;
}

/* Bytes of the word at @off that lie in the range, and where they start. */
static size_t word_part(__u64 off, size_t len, size_t *skip)
{
	*skip = off % sizeof(__u64);
	return len < sizeof(__u64) - *skip ? len : sizeof(__u64) - *skip;
}

/**
 * ht_fill - write a part of a block's payload
 * @id: block number
 * @off: where the part starts in the payload
 * @buf: destination
 * @len: bytes
 */
void ht_fill(__u64 id, __u64 off, void *buf, size_t len)
{
	unsigned char *p = buf;
	size_t n, skip;
	__u64 word;

	while (len) {
		word = payload_word(id, off / sizeof(word));
		n = word_part(off, len, &skip);
		memcpy(p, (char *)&word + skip, n);
		p += n;
		off += n;
		len -= n;
	}
}

static ssize_t first_difference(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;
	size_t i;

	for (i = 0; i < n && x[i] == y[i]; i++)
		;
	return i;
}

/**
 * ht_check - check a part of a block's payload
 * @id: block number
 * @off: where the part starts in the payload
 * @buf: the bytes
 * @len: their number
 *
 * Return: -1 when all are right, else the payload offset of the first wrong one.
 */
ssize_t ht_check(__u64 id, __u64 off, const void *buf, size_t len)
{
	const unsigned char *p = buf;
	size_t n, skip;
	__u64 word;

	while (len) {
		word = payload_word(id, off / sizeof(word));
		n = word_part(off, len, &skip);
		if (memcmp(p, (char *)&word + skip, n))
			return off + first_difference(p, (char *)&word + skip,
						      n);
		p += n;
		off += n;
		len -= n;
	}
	return -1;
}
