// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: a process that holds things of a pool, on command
 *
 * For the shell tests: reads commands from its standard input, one word a line,
 * and answers each with one line: "ok", or the name of the errno or signal. What
 * it holds it keeps until it is told otherwise or killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ioctl_calls.h"

/* Bytes of the mapping that a pipe pins. */
#define PINNED_BYTES	(8 * 4096U)

/**
 * struct holder - what is held
 * @c: open pool and memory for calls
 * @args: a good call of each ioctl
 * @id: number of the first block of this process
 * @pins: all frames, when held
 * @pipe: pages of the mapping, when held
 * @waiter: thread inside an acquire
 * @waited: what it got
 */
struct holder {
	struct calls c;
	unsigned char args[CALLS][1024];
	__u64 id;
	struct ht_pins pins;
	int pipe[2];
	pthread_t waiter;
	int waited;
};

static struct holder holder;

static int do_open(struct holder *o)
{
	o->id = ht_new_id();
	return ht_begin(&o->c.h, "hold");
}

static int do_map(struct holder *o)
{
	int ret = ht_map(&o->c.h);

	return ret ? ret : ht_map_write(&o->c.h);
}

/* A block, and views, a request and a reservation of it and others. */
static int do_hold(struct holder *o)
{
	struct ht *h = &o->c.h;
	struct ht_block b;
	__u64 request;
	int ret = ht_put(h, o->id, h->info.frame_bytes);

	if (!ret)
		ret = ht_acquire(h, o->id, HT_LONG_MS, &b);
	if (!ret)
		ret = ht_prefetch(h, &o->id, 1, 0, 0, &request);
	if (!ret)
		ret = ht_reserve(h, o->id + 1, h->info.frame_bytes, &b);
	return ret;
}

static int do_load(struct holder *o)
{
	return ht_load(o->c.h.map);
}

/* Every page of both mappings: the first signal, or 0. */
static int do_load_all(struct holder *o)
{
	__u64 off;
	int sig = 0;

	for (off = 0; !sig && off < o->c.h.info.dram_bytes; off += 4096)
		sig = ht_load(o->c.h.map + off);
	return sig;
}

/* The last page of the DRAM is the one that gets poisoned. */
static char *victim(struct holder *o)
{
	return (char *)o->c.h.map + o->c.h.info.dram_bytes - 4096;
}

static int do_poison(struct holder *o)
{
	int sig = ht_load(victim(o));

	if (sig)
		return sig;
	return madvise(victim(o), 4096, MADV_HWPOISON) ? -errno : 0;
}

static int do_load_poisoned(struct holder *o)
{
	return ht_load(victim(o));
}

/* Its neighbours, in the same 2 MiB. */
static int do_load_beside(struct holder *o)
{
	int sig = ht_load(victim(o) - 1);

	return sig ? sig : ht_load(victim(o) - 4096);
}

/* A block put, looked up, and read back right. */
static int do_serve(struct holder *o)
{
	struct ht *h = &o->c.h;
	__u64 id = ht_new_id();
	int ret = ht_put(h, id, 100000);

	if (!ret)
		ret = ht_get(h, id, 100000, HT_LONG_MS);
	if (!ret)
		ret = ht_delete(h, id);
	return ret;
}

static int do_sync(struct holder *o)
{
	struct ht *h = &o->c.h;
	int ret = ht_put(h, ht_new_id(), 1000);

	return ret ? ret : ht_sync(h);
}

static int do_store(struct holder *o)
{
	return ht_store(o->c.h.wmap);
}

static int do_info(struct holder *o)
{
	struct hymc_info info;

	return ht_info_fd(o->c.h.fd, &info);
}

static int do_remap(struct holder *o)
{
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, o->c.h.fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	return munmap(p, 4096);
}

static int do_reopen(struct holder *o)
{
	int fd = open(ht_node(), O_RDWR);

	(void)o;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Make a good call of every ioctl, to be done later. */
static int do_prepare(struct holder *o)
{
	unsigned int id;
	int ret = calls_begin(&o->c);

	close(o->c.watch);
	for (id = 0; !ret && id < CALLS; id++) {
		ret = call_prepare(&o->c, id);
		memcpy(o->args[id], o->c.arg, sizeof(o->args[id]));
	}
	return ret;
}

/* Do them all: what they return, or -EPROTO when they do not agree. */
static int do_every(struct holder *o)
{
	unsigned int id;
	int first = 0, ret;

	for (id = 0; id < CALLS; id++) {
		ret = call_at(&o->c, id, o->args[id]);
		if (!id)
			first = ret;
		if (ret == first)
			continue;
		fprintf(stderr, "hold: ioctl %#lx gave %d, not %d\n",
			calls[id].cmd, ret, first);
		return -EPROTO;
	}
	return first;
}

/* Pages of the mapping in a pipe are pinned until the pipe is read or closed. */
static int do_pin(struct holder *o)
{
	struct iovec iov = {
		.iov_base = (void *)o->c.h.map, .iov_len = PINNED_BYTES,
	};

	if (pipe(o->pipe))
		return -errno;
	return vmsplice(o->pipe[1], &iov, 1, 0) == PINNED_BYTES ? 0 : -errno;
}

static int do_unpin(struct holder *o)
{
	close(o->pipe[0]);
	close(o->pipe[1]);
	return 0;
}

/* What lies in the pinned pages: they must still be memory. */
static int do_drain(struct holder *o)
{
	static char buf[PINNED_BYTES];

	return read(o->pipe[0], buf, sizeof(buf)) > 0 ? 0 : -errno;
}

static void *wait_in_acquire(void *arg)
{
	struct holder *o = arg;
	struct ht_block b;

	o->waited = ht_acquire(&o->c.h, o->id, 3600000, &b);
	return NULL;
}

/* Pin every frame, and wait for one more block in a thread. */
static int do_block(struct holder *o)
{
	struct ht *h = &o->c.h;
	int ret = ht_put(h, o->id, h->info.frame_bytes);

	if (!ret)
		ret = ht_pin_all(h, &o->pins);
	if (!ret)
		ret = -pthread_create(&o->waiter, NULL, wait_in_acquire, o);
	if (!ret)
		ret = ht_wait_stat(h->fd, HT_STAT(waiters), 1, HT_SETTLE_MS);
	return ret;
}

static int do_blocked(struct holder *o)
{
	pthread_join(o->waiter, NULL);
	return o->waited;
}

static int do_unmap(struct holder *o)
{
	munmap((void *)o->c.h.map, o->c.h.info.dram_bytes);
	munmap(o->c.h.wmap, o->c.h.info.dram_bytes);
	o->c.h.map = NULL;
	o->c.h.wmap = NULL;
	return 0;
}

/* Only the descriptor; mappings stay. */
static int do_close(struct holder *o)
{
	return close(o->c.h.fd) ? -errno : 0;
}

static const struct {
	const char *word;
	int (*fn)(struct holder *o);
} commands[] = {
	{ "open", do_open },
	{ "map", do_map },
	{ "hold", do_hold },
	{ "load", do_load },
	{ "load-all", do_load_all },
	{ "store", do_store },
	{ "poison", do_poison },
	{ "load-poisoned", do_load_poisoned },
	{ "load-beside", do_load_beside },
	{ "serve", do_serve },
	{ "sync", do_sync },
	{ "info", do_info },
	{ "remap", do_remap },
	{ "reopen", do_reopen },
	{ "prepare", do_prepare },
	{ "every", do_every },
	{ "pin", do_pin },
	{ "unpin", do_unpin },
	{ "drain", do_drain },
	{ "block", do_block },
	{ "blocked", do_blocked },
	{ "unmap", do_unmap },
	{ "close", do_close },
};

static void answer(int ret)
{
	if (!ret)
		puts("ok");
	else if (ret > 0)
		printf("SIG%s\n", sigabbrev_np(ret));
	else
		puts(strerrorname_np(-ret) ? strerrorname_np(-ret) : "?");
}

static int command(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(word, commands[i].word))
			return commands[i].fn(&holder);
	return -ENOSYS;
}

int main(void)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		answer(command(line));
	}
	return 0;
}
