// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the random calls of the stress test
 *
 * Each operation returns 0, or the error of a call that must not fail; answers
 * that are wrong are noted with stress_fail(). An element may fail for a reason
 * that other threads can cause; any other status is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "stress.h"

static __u64 shared_slot(struct worker *w)
{
	/* Half of the calls go to a few keys, to make threads meet. */
	return stress_random(w, stress_random(w, 2) ? 32 : w->s->slots);
}

static __u64 own_slot(const struct worker *w, unsigned int i)
{
	return w->s->slots + w->index * STRESS_OWN + i;
}

static void slot_key(const struct worker *w, __u64 slot, void *key)
{
	ht_key(w->s->keys + slot, key);
}

static bool one_of(int status, const int *allowed)
{
	for (; *allowed; allowed++)
		if (status == *allowed)
			return true;
	return !status;
}

#define ALLOW(...) ((const int[]){ __VA_ARGS__, 0 })

/* Note a status that cannot be. */
static void expect(struct worker *w, __u64 slot, int status, const int *allowed)
{
	if (!one_of(status, allowed))
		stress_fail(w, "%s of slot %llu: %s", w->op, slot,
			    strerror(-status));
}

/* --- finding ---------------------------------------------------------------- */

static int op_lookup(struct worker *w)
{
	struct ht_key keys[STRESS_BATCH];
	struct hymc_found found[STRESS_BATCH];
	unsigned int i, hit = 0, nr = 1 + stress_random(w, STRESS_BATCH);
	struct hymc_lookup l = {
		.size = sizeof(l), .ns = w->h.ns, .nr = nr,
		.keys = ht_ptr(keys), .found = ht_ptr(found),
		.lease_ms = stress_random(w, 3) ? 0 : stress_random(w, 50),
	};
	int ret;

	for (i = 0; i < nr; i++)
		slot_key(w, shared_slot(w), &keys[i]);
	ret = ht_ioctl(w->h.fd, HYMC_IOC_LOOKUP, &l);
	if (ret)
		return ret;
	for (i = 0; i < nr; i++) {
		expect(w, i, found[i].status, ALLOW(-ENOENT));
		if (!found[i].status == !found[i].tier)
			stress_fail(w, "lookup: tier %u with status %d",
				    found[i].tier, found[i].status);
	}
	while (hit < nr && !found[hit].status)
		hit++;
	if (hit != l.nr_hit)
		stress_fail(w, "lookup: nr_hit %u, but %u", l.nr_hit, hit);
	return 0;
}

static int op_prefetch(struct worker *w)
{
	static const __u64 windows[] = { 0, 1, 1 << 20, HYMC_WINDOW_DEFAULT };
	struct hinted *r = &w->requests[stress_random(w, STRESS_REQUESTS)];
	__u64 ids[STRESS_BATCH];
	unsigned int i;
	int ret;

	if (r->request) {
		ret = ht_cancel(&w->h, r->request);
		r->request = 0;
		return ret == -ENOENT ? 0 : ret;
	}
	r->nr = 1 + stress_random(w, STRESS_BATCH);
	for (i = 0; i < r->nr; i++) {
		r->slots[i] = shared_slot(w);
		ids[i] = w->s->keys + r->slots[i];
	}
	return ht_prefetch(&w->h, ids, r->nr, windows[stress_random(w, 4)],
			   1 + stress_random(w, 3000), &r->request);
}

static int op_stats(struct worker *w)
{
	struct hymc_stats st;
	int ret = ht_stats_fd(w->h.fd, &st);

	if (ret)
		return ret;
	if (st.frames_free + st.frames_reading + st.frames_wanted +
	    st.frames_pinned + st.frames_cold + st.frames_dirty +
	    st.frames_filling != st.frames_total)
		stress_fail(w, "stats: frames do not add up");
	if (st.ssd_used_bytes > st.ssd_bytes)
		stress_fail(w, "stats: more used than there is");
	if (st.lookup_hits > st.lookup_keys)
		stress_fail(w, "stats: more hits than lookups");
	return 0;
}

/* --- reading ------------------------------------------------------------------ */

/* Check a view's bytes; the first time, find out which version it is. */
static int check_view(struct worker *w, struct held *v, bool first)
{
	const struct hymc_run *r = v->b.runs;
	const __u8 *p = w->h.map + r->offset;
	unsigned int i;
	__u64 off = 0;
	int ret = 0;

	if (first) {
		if (!ht_runs_ok(&w->h, &v->b)) {
			stress_fail(w, "%s: runs make no sense", w->op);
			return 0;
		}
		ret = stress_version(w, v->slot, v->b.view.len, p);
		v->version = ret;
	}
	for (i = 0; ret >= 0 && i < v->b.view.run_nr; i++) {
		ret = stress_check(w, v->slot, v->version, off,
				   w->h.map + r[i].offset, r[i].len);
		off += r[i].len;
	}
	if (ret == -EILSEQ)
		stress_fail(w, "%s: wrong bytes in slot %llu, %s", w->op,
			    v->slot, first ? "acquired" : "later");
	return ret == -ENODEV ? ret : 0;
}

static int drop_view(struct worker *w, struct held *v)
{
	int ret = check_view(w, v, false);

	if (!ret)
		ret = ht_release(&w->h, &v->b);
	if (ret == -ENOENT)
		stress_fail(w, "release: no such view");
	v->b.view.view = 0;
	return ret;
}

static int op_release(struct worker *w)
{
	struct held *v = &w->held[stress_random(w, STRESS_HELD)];

	return v->b.view.view ? drop_view(w, v) : 0;
}

/* An empty place for a view; makes one when there is none. */
static struct held *place(struct worker *w, int *ret)
{
	struct held *v = &w->held[stress_random(w, STRESS_HELD)];

	*ret = v->b.view.view ? drop_view(w, v) : 0;
	return v;
}

static int keep_view(struct worker *w, struct held *v, int status)
{
	if (status == -ENODEV)
		return status;
	expect(w, v->slot, status, ALLOW(-ENOENT, -ETIMEDOUT));
	if (status) {
		v->b.view.view = 0;
		return 0;
	}
	return check_view(w, v, true);
}

static int op_acquire(struct worker *w)
{
	int ret;
	struct held *v = place(w, &ret);

	if (ret)
		return ret;
	v->slot = shared_slot(w);
	return keep_view(w, v, ht_acquire(&w->h, w->s->keys + v->slot,
					  stress_random(w, 300), &v->b));
}

static int op_acquire_item(struct worker *w)
{
	struct hinted *r = &w->requests[stress_random(w, STRESS_REQUESTS)];
	unsigned int i;
	int ret;
	struct held *v = place(w, &ret);

	if (ret || !r->request)
		return ret;
	i = stress_random(w, r->nr);
	v->slot = r->slots[i];
	return keep_view(w, v, ht_acquire_item(&w->h, r->request, i,
					       stress_random(w, 300), &v->b));
}

static int op_acquire_batch(struct worker *w)
{
	struct ht_key keys[STRESS_BATCH];
	struct hymc_view views[STRESS_BATCH];
	struct hymc_run runs[STRESS_BATCH];
	unsigned int i, ok = 0, nr = 1 + stress_random(w, STRESS_BATCH);
	struct hymc_acquire a = {
		.size = sizeof(a), .ns = w->h.ns, .nr = nr,
		.keys = ht_ptr(keys), .views = ht_ptr(views),
		.runs = ht_ptr(runs), .runs_max = stress_random(w, nr + 1),
		.timeout_ms = stress_random(w, 200),
	};
	int ret;

	for (i = 0; i < nr; i++)
		slot_key(w, shared_slot(w), &keys[i]);
	ret = ht_ioctl(w->h.fd, HYMC_IOC_ACQUIRE, &a);
	if (ret)
		return ret;
	for (i = 0; i < nr; i++) {
		expect(w, i, views[i].status,
		       ALLOW(-ENOENT, -ETIMEDOUT, -ENOBUFS));
		ok += i == ok && !views[i].status;
		if (views[i].status)
			continue;
		if (ht_views(w->h.fd, HYMC_IOC_RELEASE, &views[i].view, 1,
			     NULL) == 0)
			stress_fail(w, "batch: view %u is none", i);
	}
	if (ok != a.nr_ok || a.nr_runs > a.runs_max)
		stress_fail(w, "batch: nr_ok %u, but %u", a.nr_ok, ok);
	return 0;
}

static int get_slot(struct worker *w, __u64 slot, struct hymc_done *done)
{
	struct hymc_desc d = {
		.len = 4 * w->s->frame_bytes + 65536, .addr = ht_ptr(w->buf),
	};
	struct hymc_copy c = {
		.size = sizeof(c), .ns = w->h.ns, .nr = 1, .descs = ht_ptr(&d),
		.done = ht_ptr(done), .timeout_ms = stress_random(w, 500),
	};

	slot_key(w, slot, d.key);
	return ht_ioctl(w->h.fd, HYMC_IOC_GET, &c);
}

static int op_get(struct worker *w)
{
	__u64 slot = shared_slot(w);
	struct hymc_done done;
	int ret = get_slot(w, slot, &done), version;

	if (ret)
		return ret;
	expect(w, slot, done.status, ALLOW(-ENOENT, -ETIMEDOUT));
	if (done.status)
		return 0;
	version = stress_version(w, slot, done.len, w->buf);
	if (version < 0 || stress_check(w, slot, version, 0, w->buf, done.len))
		stress_fail(w, "get: wrong bytes in slot %llu", slot);
	return 0;
}

/* --- writing -------------------------------------------------------------------- */

/* For want of room a staging pool skips, and an LRU pool waits. */
static int no_room(const struct worker *w)
{
	return w->h.info.policy == HYMC_POLICY_LRU ? -ETIMEDOUT : -EAGAIN;
}

/* Statuses that any writer must live with. */
static void expect_write(struct worker *w, __u64 slot, int status)
{
	expect(w, slot, status, ALLOW(-EEXIST, -EALREADY, -EBUSY, -ENOSPC,
				      no_room(w)));
}

static int put_slot(struct worker *w, __u64 slot, unsigned int version,
		    struct hymc_done *done)
{
	struct hymc_desc d = {
		.len = stress_len(w->s, slot, version), .addr = ht_ptr(w->buf),
	};
	struct hymc_copy c = {
		.size = sizeof(c), .ns = w->h.ns, .nr = 1, .descs = ht_ptr(&d),
		.done = ht_ptr(done), .timeout_ms = 100,
	};

	slot_key(w, slot, d.key);
	ht_fill(stress_seed(w->s, slot, version), 0, w->buf, d.len);
	return ht_ioctl(w->h.fd, HYMC_IOC_PUT, &c);
}

static int op_put(struct worker *w)
{
	__u64 slot = shared_slot(w);
	struct hymc_done done;
	int ret = put_slot(w, slot, stress_random(w, STRESS_VERSIONS), &done);

	if (!ret)
		expect_write(w, slot, done.status);
	return ret;
}

static int fill_view(struct worker *w, const struct ht_block *b, __u64 slot,
		     unsigned int version)
{
	__u64 off = 0;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < b->view.run_nr; i++) {
		ret = stress_fill(w, slot, version, off,
				  w->h.wmap + b->runs[i].offset,
				  b->runs[i].len);
		off += b->runs[i].len;
	}
	return ret;
}

static int op_reserve(struct worker *w)
{
	__u64 slot = shared_slot(w);
	unsigned int version = stress_random(w, STRESS_VERSIONS);
	struct ht_block b;
	int ret = ht_reserve(&w->h, w->s->keys + slot,
			     stress_len(w->s, slot, version), &b);

	if (ret == -ENODEV)
		return ret;
	expect_write(w, slot, ret);
	if (ret)
		return 0;
	ret = fill_view(w, &b, slot, version);
	if (ret)
		return ret;
	return stress_random(w, 4) ? ht_commit(&w->h, &b) :
				     ht_abort(&w->h, &b);
}

static int op_delete(struct worker *w)
{
	__u64 slot = shared_slot(w);
	int ret = ht_delete(&w->h, w->s->keys + slot);

	return ret == -ENOENT ? 0 : ret;
}

static int op_sync(struct worker *w)
{
	struct hymc_sync s = {
		.size = sizeof(s), .timeout_ms = stress_random(w, 100),
	};
	int ret = ht_ioctl(w->h.fd, HYMC_IOC_SYNC, &s);

	return ret == -ETIMEDOUT ? 0 : ret;
}

/* --- what nobody else touches ------------------------------------------------------ */

/* A slot of one's own is exactly what one made it. */
static int op_own(struct worker *w)
{
	unsigned int i = stress_random(w, STRESS_OWN), version;
	__u64 slot = own_slot(w, i);
	struct hymc_done done;
	int ret = get_slot(w, slot, &done);

	if (ret)
		return ret;
	expect(w, slot, done.status, ALLOW(-ENOENT, -ETIMEDOUT));
	if (done.status == -ENOENT && w->own[i])
		stress_fail(w, "own slot %u is lost", i);
	if (!done.status && (!w->own[i] ||
			     done.len != stress_len(w->s, slot, w->own[i] - 1) ||
			     stress_check(w, slot, w->own[i] - 1, 0, w->buf,
					  done.len)))
		stress_fail(w, "own slot %u is not what was put", i);
	if (w->own[i] && stress_random(w, 3) == 0) {
		w->own[i] = 0;
		ret = ht_delete(&w->h, w->s->keys + slot);
		if (ret == -ENOENT)
			stress_fail(w, "own slot %u was not there", i);
		return ret;
	}
	if (w->own[i])
		return 0;
	version = stress_random(w, STRESS_VERSIONS);
	ret = put_slot(w, slot, version, &done);
	if (ret)
		return ret;
	expect(w, slot, done.status, ALLOW(-ENOSPC, no_room(w)));
	if (!done.status)
		w->own[i] = version + 1;
	return 0;
}

static int op_reopen(struct worker *w)
{
	return stress_random(w, 20) ? 0 : stress_reopen(w);
}

static const struct {
	const char *name;
	unsigned int weight;
	int (*fn)(struct worker *w);
} ops[] = {
	{ "lookup", 10, op_lookup },
	{ "prefetch", 10, op_prefetch },
	{ "acquire", 15, op_acquire },
	{ "acquire by request", 15, op_acquire_item },
	{ "acquire of a batch", 5, op_acquire_batch },
	{ "release", 15, op_release },
	{ "get", 8, op_get },
	{ "put", 15, op_put },
	{ "reserve", 10, op_reserve },
	{ "delete", 6, op_delete },
	{ "own", 12, op_own },
	{ "sync", 1, op_sync },
	{ "stats", 2, op_stats },
	{ "reopen", 1, op_reopen },
};

/**
 * stress_op - do one random thing
 * @w: worker
 *
 * Return: 0, or the error of a call that must not fail.
 */
int stress_op(struct worker *w)
{
	unsigned int i, total = 0, at;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		total += ops[i].weight;
	at = stress_random(w, total);
	for (i = 0; at >= ops[i].weight; i++)
		at -= ops[i].weight;
	w->op = ops[i].name;
	return ops[i].fn(w);
}

/**
 * stress_end - give everything back
 * @w: worker
 */
void stress_end(struct worker *w)
{
	unsigned int i;

	w->op = "end";
	for (i = 0; i < STRESS_HELD; i++)
		if (w->held[i].b.view.view)
			drop_view(w, &w->held[i]);
	for (i = 0; i < STRESS_REQUESTS; i++)
		if (w->requests[i].request)
			ht_cancel(&w->h, w->requests[i].request);
}
