// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: a good call of every ioctl
 *
 * See ioctl_calls.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ioctl_calls.h"

/* Blocks that are present in every test of the program. */
static __u64 present;

__attribute__((constructor)) static void choose_present(void)
{
	present = ht_new_id();
}

static void keys_of(struct calls *c, __u64 first)
{
	unsigned int i;

	for (i = 0; i < CALLS_NR; i++)
		ht_key(first + i, &c->a->keys[i]);
}

static void descs_of(struct calls *c, __u64 first, bool with_data)
{
	unsigned int i;

	memset(c->a->descs, 0, sizeof(c->a->descs));
	keys_of(c, first);
	for (i = 0; i < CALLS_NR; i++) {
		struct hymc_desc *d = &c->a->descs[i];

		memcpy(d->key, c->a->keys[i].b, sizeof(d->key));
		d->len = CALLS_LEN;
		if (!with_data)
			continue;
		ht_fill(first + i, 0, c->a->data[i], CALLS_LEN);
		d->addr = ht_ptr(c->a->data[i]);
	}
}

/* --- a row for each ioctl --------------------------------------------------- */

static int info_prepare(struct calls *c, void *arg)
{
	(void)c;
	(void)arg;
	return 0;
}

static bool power_of_two(__u64 x)
{
	return x && !(x & (x - 1));
}

static int info_verify(struct calls *c, const void *arg)
{
	const struct hymc_info *i = arg;
	bool right;

	right = i->size == sizeof(*i) && i->policy <= HYMC_POLICY_LRU &&
		i->features & HYMC_FEAT_MMAP && power_of_two(i->frame_bytes) &&
		i->dram_bytes >= i->frame_bytes && i->ssd_bytes &&
		i->block_bytes_max >= i->frame_bytes &&
		i->block_bytes_max <= HYMC_BLOCK_BYTES_MAX && i->window_bytes;
	return right && !memcmp(i->uuid, c->h.info.uuid, sizeof(i->uuid)) ?
	       0 : -EUCLEAN;
}

static int stats_verify(struct calls *c, const void *arg)
{
	const struct hymc_stats *s = arg;
	bool right;

	right = s->size == sizeof(*s) && s->files == 2 &&
		s->blocks >= CALLS_NR && s->namespaces >= 1 &&
		s->ssd_used_bytes <= s->ssd_bytes &&
		s->frames_total * c->h.info.frame_bytes <= c->h.info.dram_bytes;
	return right && s->frames_free + s->frames_reading + s->frames_wanted +
	       s->frames_pinned + s->frames_cold + s->frames_dirty +
	       s->frames_filling == s->frames_total ? 0 : -EUCLEAN;
}

static int ns_attach_prepare(struct calls *c, void *arg)
{
	struct hymc_ns_attach *a = arg;

	(void)c;
	a->flags = HYMC_NS_CREATE;
	strcpy((char *)a->name, "abi-attached");
	return 0;
}

static int ns_attach_verify(struct calls *c, const void *arg)
{
	const struct hymc_ns_attach *a = arg;

	return a->ns && a->ns != c->h.ns ? 0 : -EUCLEAN;
}

static int lookup_prepare(struct calls *c, void *arg)
{
	struct hymc_lookup *l = arg;

	keys_of(c, present);
	memset(c->a->found, 0xff, sizeof(c->a->found));
	l->ns = c->h.ns;
	l->nr = CALLS_NR;
	l->keys = ht_ptr(c->a->keys);
	l->found = ht_ptr(c->a->found);
	l->lease_ms = 10;
	return 0;
}

static int lookup_verify(struct calls *c, const void *arg)
{
	const struct hymc_lookup *l = arg;
	unsigned int i;

	for (i = 0; i < CALLS_NR; i++) {
		const struct hymc_found *f = &c->a->found[i];

		if (f->status || f->len != CALLS_LEN ||
		    f->tier == HYMC_TIER_NONE || f->tier > HYMC_TIER_INFLIGHT)
			return -EUCLEAN;
	}
	return l->nr_hit == CALLS_NR ? 0 : -EUCLEAN;
}

static int prefetch_prepare(struct calls *c, void *arg)
{
	struct hymc_prefetch *p = arg;

	keys_of(c, present);
	p->ns = c->h.ns;
	p->nr = CALLS_NR;
	p->keys = ht_ptr(c->a->keys);
	p->window_bytes = HYMC_WINDOW_DEFAULT;
	p->request = 0;
	return 0;
}

static int prefetch_verify(struct calls *c, const void *arg)
{
	const struct hymc_prefetch *p = arg;

	if (!p->request || p->nr_known != CALLS_NR)
		return -EUCLEAN;
	return ht_cancel(&c->h, p->request);
}

static int cancel_prepare(struct calls *c, void *arg)
{
	struct hymc_cancel *k = arg;
	__u64 request;
	int ret;

	ret = ht_prefetch(&c->h, &present, 1, HYMC_WINDOW_DEFAULT, 0, &request);
	k->request = request;
	return ret;
}

static int cancel_verify(struct calls *c, const void *arg)
{
	const struct hymc_cancel *k = arg;

	return ht_cancel(&c->h, k->request) == -ENOENT ? 0 : -EUCLEAN;
}

static int acquire_prepare(struct calls *c, void *arg)
{
	struct hymc_acquire *a = arg;

	keys_of(c, present);
	memset(c->a->views, 0xff, sizeof(c->a->views));
	a->ns = c->h.ns;
	a->nr = CALLS_NR;
	a->keys = ht_ptr(c->a->keys);
	a->timeout_ms = HT_LONG_MS;
	a->views = ht_ptr(c->a->views);
	a->runs = ht_ptr(c->a->runs);
	a->runs_max = CALLS_NR;
	return 0;
}

/* All views good, one run each, and the bytes of blocks @first.. in them. */
static int views_right(struct calls *c, __u64 first, bool bytes)
{
	unsigned int i;

	if (ht_map(&c->h))
		return -EUCLEAN;
	for (i = 0; i < CALLS_NR; i++) {
		const struct hymc_view *v = &c->a->views[i];
		const struct hymc_run *r = &c->a->runs[i];

		if (v->status || !v->view || v->len != CALLS_LEN ||
		    v->run_first != i || v->run_nr != 1 || r->len != CALLS_LEN)
			return -EUCLEAN;
		if (bytes && ht_check(first + i, 0, c->h.map + r->offset,
				      CALLS_LEN) >= 0)
			return -EILSEQ;
		c->a->handles[i] = v->view;
	}
	return 0;
}

static int end_all(struct calls *c, unsigned long cmd)
{
	int ret = ht_views(c->h.fd, cmd, c->a->handles, CALLS_NR, NULL);

	return ret == CALLS_NR ? 0 : -EUCLEAN;
}

static int acquire_verify(struct calls *c, const void *arg)
{
	const struct hymc_acquire *a = arg;
	int ret = views_right(c, present, true);

	if (ret || a->nr_ok != CALLS_NR || a->nr_runs != CALLS_NR)
		return ret ? ret : -EUCLEAN;
	return end_all(c, HYMC_IOC_RELEASE);
}

/* Make a call of another row, to have something to end. */
static int call_first(struct calls *c, enum call_id id, __u64 first)
{
	union {
		struct hymc_acquire a;
		struct hymc_reserve r;
		__u32 size;
	} arg;
	int ret;

	memset(&arg, 0, sizeof(arg));
	arg.size = calls[id].bytes;
	ret = calls[id].prepare(c, &arg);
	if (!ret)
		ret = ht_ioctl(c->h.fd, calls[id].cmd, &arg);
	return ret ? ret : views_right(c, first, id == CALL_acquire);
}

/* What an earlier, refused, call did not end. */
static void drop_handles(struct calls *c)
{
	ht_views(c->h.fd, HYMC_IOC_RELEASE, c->a->handles, CALLS_NR, NULL);
	ht_views(c->h.fd, HYMC_IOC_ABORT, c->a->handles, CALLS_NR, NULL);
}

static int ending_prepare(struct calls *c, void *arg, enum call_id id)
{
	struct hymc_views *v = arg;

	drop_handles(c);
	memset(c->a->status, 0xff, sizeof(c->a->status));
	v->nr = CALLS_NR;
	v->views = ht_ptr(c->a->handles);
	v->status = ht_ptr(c->a->status);
	return call_first(c, id, present);
}

static int release_prepare(struct calls *c, void *arg)
{
	return ending_prepare(c, arg, CALL_acquire);
}

static int statuses_zero(const struct calls *c)
{
	unsigned int i;

	for (i = 0; i < CALLS_NR; i++)
		if (c->a->status[i])
			return -EUCLEAN;
	return 0;
}

/* Ended handles are no handles any more. */
static int ended(struct calls *c, unsigned long cmd, __u32 nr_ok)
{
	if (nr_ok != CALLS_NR || statuses_zero(c))
		return -EUCLEAN;
	return ht_views(c->h.fd, cmd, c->a->handles, CALLS_NR, NULL) ?
	       -EUCLEAN : 0;
}

static int release_verify(struct calls *c, const void *arg)
{
	const struct hymc_views *v = arg;

	return ended(c, HYMC_IOC_RELEASE, v->nr_ok);
}

static int reserve_prepare(struct calls *c, void *arg)
{
	struct hymc_reserve *r = arg;

	c->made = ht_new_id();
	descs_of(c, c->made, false);
	memset(c->a->views, 0xff, sizeof(c->a->views));
	r->ns = c->h.ns;
	r->nr = CALLS_NR;
	r->descs = ht_ptr(c->a->descs);
	r->views = ht_ptr(c->a->views);
	r->runs = ht_ptr(c->a->runs);
	r->runs_max = CALLS_NR;
	return 0;
}

static int reserve_verify(struct calls *c, const void *arg)
{
	const struct hymc_reserve *r = arg;
	int ret = views_right(c, 0, false);

	if (ret || r->nr_ok != CALLS_NR || r->nr_runs != CALLS_NR)
		return -EUCLEAN;
	return end_all(c, HYMC_IOC_ABORT);
}

static int commit_prepare(struct calls *c, void *arg)
{
	return ending_prepare(c, arg, CALL_reserve);
}

static int made_present(struct calls *c, bool want)
{
	unsigned int i;

	for (i = 0; i < CALLS_NR; i++)
		if (ht_lookup(&c->h, c->made + i, NULL) !=
		    (want ? 0 : -ENOENT))
			return -EUCLEAN;
	return 0;
}

static void made_delete(struct calls *c)
{
	unsigned int i;

	for (i = 0; i < CALLS_NR; i++)
		ht_delete(&c->h, c->made + i);
}

static int commit_verify(struct calls *c, const void *arg)
{
	const struct hymc_views *v = arg;
	int ret = ended(c, HYMC_IOC_COMMIT, v->nr_ok);

	if (!ret)
		ret = made_present(c, true);
	made_delete(c);
	return ret;
}

static int abort_verify(struct calls *c, const void *arg)
{
	const struct hymc_views *v = arg;
	int ret = ended(c, HYMC_IOC_ABORT, v->nr_ok);

	return ret ? ret : made_present(c, false);
}

static void copy_prepare(struct calls *c, struct hymc_copy *p)
{
	memset(c->a->done, 0xff, sizeof(c->a->done));
	p->ns = c->h.ns;
	p->nr = CALLS_NR;
	p->descs = ht_ptr(c->a->descs);
	p->done = ht_ptr(c->a->done);
	p->timeout_ms = HT_LONG_MS;
}

static int put_prepare(struct calls *c, void *arg)
{
	c->made = ht_new_id();
	descs_of(c, c->made, true);
	copy_prepare(c, arg);
	return 0;
}

static int all_done(struct calls *c, __u32 nr_ok)
{
	unsigned int i;

	for (i = 0; i < CALLS_NR; i++)
		if (c->a->done[i].status || c->a->done[i].len != CALLS_LEN)
			return -EUCLEAN;
	return nr_ok == CALLS_NR ? 0 : -EUCLEAN;
}

static int put_verify(struct calls *c, const void *arg)
{
	const struct hymc_copy *p = arg;
	int ret = all_done(c, p->nr_ok);
	unsigned int i;

	for (i = 0; !ret && i < CALLS_NR; i++)
		ret = ht_get(&c->h, c->made + i, CALLS_LEN, HT_LONG_MS);
	made_delete(c);
	return ret;
}

static int get_prepare(struct calls *c, void *arg)
{
	descs_of(c, present, true);
	memset(c->a->data, 0xff, sizeof(c->a->data));
	copy_prepare(c, arg);
	return 0;
}

static int get_verify(struct calls *c, const void *arg)
{
	const struct hymc_copy *p = arg;
	unsigned int i;

	for (i = 0; i < CALLS_NR; i++)
		if (ht_check(present + i, 0, c->a->data[i], CALLS_LEN) >= 0)
			return -EILSEQ;
	return all_done(c, p->nr_ok);
}

/* Store CALLS_NR blocks in one call, at the second try with an empty buffer. */
static int put_blocks(struct calls *c, __u64 first)
{
	struct hymc_copy p = { .size = sizeof(p) };
	int ret;

	descs_of(c, first, true);
	copy_prepare(c, &p);
	ret = ht_ioctl(c->h.fd, HYMC_IOC_PUT, &p);
	if (!ret && p.nr_ok < CALLS_NR) {
		ret = ht_sync(&c->h);
		if (!ret)
			ret = ht_ioctl(c->h.fd, HYMC_IOC_PUT, &p);
	}
	return ret ? ret : all_done(c, p.nr_ok);
}

static int delete_prepare(struct calls *c, void *arg)
{
	struct hymc_delete *d = arg;

	c->made = ht_new_id();
	memset(c->a->status, 0xff, sizeof(c->a->status));
	d->ns = c->h.ns;
	d->nr = CALLS_NR;
	d->keys = ht_ptr(c->a->keys);
	d->status = ht_ptr(c->a->status);
	return put_blocks(c, c->made);
}

static int delete_verify(struct calls *c, const void *arg)
{
	const struct hymc_delete *d = arg;

	if (d->nr_ok != CALLS_NR || statuses_zero(c))
		return -EUCLEAN;
	return made_present(c, false);
}

static int sync_prepare(struct calls *c, void *arg)
{
	struct hymc_sync *s = arg;

	(void)c;
	s->timeout_ms = HT_LONG_MS;
	return 0;
}

static int sync_verify(struct calls *c, const void *arg)
{
	struct hymc_stats st;

	(void)arg;
	return ht_stats_fd(c->watch, &st) || st.dirty_bytes ? -EUCLEAN : 0;
}

#define CALL(NR, type, first)						       \
	.cmd = HYMC_IOC_##NR,						       \
	.bytes = sizeof(struct type),					       \
	.first_bytes = first
#define NS(type)							       \
	.ns = offsetof(struct type, ns)
#define ZERO(type, field, n)						       \
	.reserved = offsetof(struct type, field),			       \
	.reserved_bytes = n

const struct call calls[CALLS] = {
	[CALL_info] = {
		CALL(INFO, hymc_info, 80), .answers = true,
		.prepare = info_prepare, .verify = info_verify,
	},
	[CALL_stats] = {
		CALL(STATS, hymc_stats, 744), .answers = true,
		.prepare = info_prepare, .verify = stats_verify,
	},
	[CALL_ns_attach] = {
		CALL(NS_ATTACH, hymc_ns_attach, 112), .answers = true,
		.flags_known = HYMC_NS_CREATE,
		ZERO(hymc_ns_attach, __reserved, 4),
		.prepare = ns_attach_prepare, .verify = ns_attach_verify,
	},
	[CALL_lookup] = {
		CALL(LOOKUP, hymc_lookup, 40), .answers = true,
		NS(hymc_lookup),
		.prepare = lookup_prepare, .verify = lookup_verify,
	},
	[CALL_prefetch] = {
		CALL(PREFETCH, hymc_prefetch, 56), .answers = true,
		NS(hymc_prefetch),
		ZERO(hymc_prefetch, __reserved, 4),
		.prepare = prefetch_prepare, .verify = prefetch_verify,
	},
	[CALL_cancel] = {
		CALL(CANCEL, hymc_cancel, 16),
		.prepare = cancel_prepare, .verify = cancel_verify,
	},
	[CALL_acquire] = {
		CALL(ACQUIRE, hymc_acquire, 72), .answers = true,
		NS(hymc_acquire),
		ZERO(hymc_acquire, __reserved, 4),
		.prepare = acquire_prepare, .verify = acquire_verify,
	},
	[CALL_release] = {
		CALL(RELEASE, hymc_views, 32), .answers = true,
		.prepare = release_prepare, .verify = release_verify,
	},
	[CALL_reserve] = {
		CALL(RESERVE, hymc_reserve, 88), .answers = true,
		NS(hymc_reserve),
		.flags_known = HYMC_PUT_PARENT | HYMC_PUT_CHAIN,
		ZERO(hymc_reserve, parent, HYMC_KEY_BYTES),
		.prepare = reserve_prepare, .verify = reserve_verify,
	},
	[CALL_commit] = {
		CALL(COMMIT, hymc_views, 32), .answers = true,
		.prepare = commit_prepare, .verify = commit_verify,
	},
	[CALL_abort] = {
		CALL(ABORT, hymc_views, 32), .answers = true,
		.prepare = commit_prepare, .verify = abort_verify,
	},
	[CALL_put] = {
		CALL(PUT, hymc_copy, 72), .answers = true,
		NS(hymc_copy),
		.flags_known = HYMC_PUT_PARENT | HYMC_PUT_CHAIN,
		ZERO(hymc_copy, parent, HYMC_KEY_BYTES),
		.prepare = put_prepare, .verify = put_verify,
	},
	[CALL_get] = {
		CALL(GET, hymc_copy, 72), .answers = true,
		NS(hymc_copy),
		ZERO(hymc_copy, parent, HYMC_KEY_BYTES),
		.prepare = get_prepare, .verify = get_verify,
	},
	[CALL_delete] = {
		CALL(DELETE, hymc_delete, 40), .answers = true,
		NS(hymc_delete),
		ZERO(hymc_delete, __reserved, 4),
		.prepare = delete_prepare, .verify = delete_verify,
	},
	[CALL_sync] = {
		CALL(SYNC, hymc_sync, 16),
		ZERO(hymc_sync, __reserved, 4),
		.prepare = sync_prepare, .verify = sync_verify,
	},
};

/* --- making a call ------------------------------------------------------------ */

/**
 * call_prepare - make a good call in c->arg
 * @c: state
 * @id: which
 *
 * Return: 0 or a negative errno.
 */
int call_prepare(struct calls *c, enum call_id id)
{
	memset(c->arg, 0, CALLS_ARG_BYTES);
	call_set_size(c, calls[id].bytes);
	return calls[id].prepare(c, c->arg);
}

/**
 * call_at - make the call with the structure elsewhere
 * @c: state
 * @id: which
 * @arg: structure
 *
 * Return: 0 or the call's error.
 */
int call_at(struct calls *c, enum call_id id, void *arg)
{
	return ht_ioctl(c->h.fd, calls[id].cmd, arg);
}

/**
 * call_do - make the prepared call
 * @c: state
 * @id: which
 *
 * Return: 0 or the call's error.
 */
int call_do(struct calls *c, enum call_id id)
{
	return call_at(c, id, c->arg);
}

/**
 * call_verify - check the answer of a good call, and undo it
 * @c: state
 * @id: which
 *
 * Return: 0, -EILSEQ for wrong payload, -EUCLEAN for anything else.
 */
int call_verify(struct calls *c, enum call_id id)
{
	return calls[id].verify(c, c->arg);
}

/**
 * call_set_u32 - change a field of the structure
 * @c: state
 * @off: offset of the field
 * @value: its value
 */
void call_set_u32(struct calls *c, size_t off, __u32 value)
{
	memcpy(c->arg + off, &value, sizeof(value));
}

/**
 * call_set_u64 - change a field of the structure
 * @c: state
 * @off: offset of the field
 * @value: its value
 */
void call_set_u64(struct calls *c, size_t off, __u64 value)
{
	memcpy(c->arg + off, &value, sizeof(value));
}

/**
 * call_get_u64 - read a field of the structure
 * @c: state
 * @off: offset of the field
 *
 * Return: its value.
 */
__u64 call_get_u64(const struct calls *c, size_t off)
{
	__u64 value;

	memcpy(&value, c->arg + off, sizeof(value));
	return value;
}

/**
 * call_set_size - change the structure's size field
 * @c: state
 * @size: its value
 */
void call_set_size(struct calls *c, __u32 size)
{
	call_set_u32(c, 0, size);
}

/**
 * call_set_flags - change the structure's flags field
 * @c: state
 * @flags: its value
 */
void call_set_flags(struct calls *c, __u32 flags)
{
	call_set_u32(c, offsetof(struct hymc_info, flags), flags);
}

/* --- the surroundings ----------------------------------------------------------- */

/* Memory below 4 GiB that ends, within a page, with a hole. */
static void *low_pages(size_t bytes)
{
	char *p;

	bytes = (bytes + 4095) & ~4095UL;
	p = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (p == MAP_FAILED || mprotect(p + bytes, 4096, PROT_NONE))
		return NULL;
	return p;
}

/**
 * calls_hole - where memory ends
 * @c: state
 *
 * Return: first address that is not mapped; CALLS_AREA_BYTES below it are.
 */
unsigned char *calls_hole(struct calls *c)
{
	return c->area + CALLS_AREA_BYTES;
}

/**
 * calls_page - a page whose protection may be changed
 * @c: state
 *
 * Return: its address.
 */
unsigned char *calls_page(struct calls *c)
{
	return c->area;
}

/**
 * calls_begin - get ready for calls
 * @c: state with an open pool
 *
 * Return: 0 or a negative errno.
 */
int calls_begin(struct calls *c)
{
	c->watch = open(ht_node(), O_RDWR | O_CLOEXEC);
	if (c->watch < 0)
		return -errno;
	c->a = low_pages(sizeof(*c->a));
	c->arg = low_pages(CALLS_ARG_BYTES);
	c->area = low_pages(CALLS_AREA_BYTES);
	if (!c->a || !c->arg || !c->area)
		return -ENOMEM;
	return put_blocks(c, present);
}

/**
 * calls_end - close, and check that nothing stays
 * @c: state
 *
 * Return: 0, or -ETIMEDOUT when something is still outstanding.
 */
int calls_end(struct calls *c)
{
	int ret;

	ht_end(&c->h);
	ret = ht_wait_idle(c->watch, 1);
	close(c->watch);
	return ret;
}

/**
 * calls_snapshot - note the counters
 * @c: state
 *
 * Return: 0 or a negative errno.
 */
int calls_snapshot(struct calls *c)
{
	return ht_stats_fd(c->watch, &c->before);
}

/**
 * calls_unchanged - did the calls since the snapshot do nothing?
 * @c: state
 *
 * Return: 0 when so, or -EUCLEAN.
 */
int calls_unchanged(struct calls *c)
{
	const struct hymc_stats *b = &c->before;
	struct hymc_stats n;

	if (ht_stats_fd(c->watch, &n))
		return -EUCLEAN;
	return n.requests == b->requests && n.views == b->views &&
	       n.reservations == b->reservations && n.blocks == b->blocks &&
	       n.namespaces == b->namespaces && n.leases <= b->leases &&
	       n.put_blocks == b->put_blocks &&
	       n.delete_blocks == b->delete_blocks &&
	       n.hint_requests == b->hint_requests ? 0 : -EUCLEAN;
}

/**
 * calls_not_more - is nothing more outstanding than at the snapshot?
 * @c: state
 *
 * Return: 0 when so, or -EUCLEAN.
 */
int calls_not_more(struct calls *c)
{
	const struct hymc_stats *b = &c->before;
	struct hymc_stats n;

	if (ht_stats_fd(c->watch, &n))
		return -EUCLEAN;
	return n.requests <= b->requests && n.views <= b->views &&
	       n.reservations <= b->reservations ? 0 : -EUCLEAN;
}
