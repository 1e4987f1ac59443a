// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: random events against the naive model
 *
 * The core and the model get the same events through a host whose I/O completes
 * in any order, late, or with errors. After every event: the core's self-check,
 * every counter and gauge, every answer, the exact action (which block, why, its
 * generation, its parent), and the bytes of a view are compared. A pool lives for
 * some thousand events; then everything is drained (no waiter may be stuck) and
 * taken down (nothing may be left), and another geometry begins.
 *
 * HYMC_MODEL_SEED and HYMC_MODEL_EVENTS override what is run.
 */
#include <stdlib.h>

#include "core_priv.h"
#include "model.h"
#include "pool.h"
#include "random.h"
#include "tap.h"

#define IDS		30U
#define NAMESPACES	2U
#define FILLS		6U
#define VIEWS		16U
#define WAITS		12U
#define LEASES		4U
#define LEASE_ROOM	8U
#define EPOCH_EVENTS	4000U

/**
 * struct use - a reservation, a view, or a wait
 * @used: this slot is in use
 * @n: block in the model
 * @idx: block in the core
 * @rn: request it was acquired for, or -1
 * @item: item of that
 */
struct use {
	bool used;
	int n;
	u32 idx;
	int rn;
	u32 item;
};

/**
 * struct lease_use - a lease
 * @l: the core's, or NULL
 * @block: the model's numbers of the blocks in it
 */
struct lease_use {
	struct hymc_lease *l;
	int block[LEASE_ROOM];
};

/**
 * struct run - one pool's life
 * @p: the core and its devices
 * @m: the model
 * @rnd: the events
 * @version: bytes put last
 * @errors: percentage of I/O that fails
 * @spoilt: a write failed, so space may be short
 * @why: first thing that was not so
 * @req: the core's requests; the model's have the same numbers
 * @fill: reservations
 * @view: views
 * @wait: waits
 * @lease: leases
 * @acts: actions seen
 */
struct run {
	struct pool *p;
	struct model *m;
	struct random rnd;
	u64 version;
	u32 errors;
	bool spoilt;
	const char *why;
	struct hymc_request *req[M_REQUESTS];
	struct use fill[FILLS];
	struct use view[VIEWS];
	struct use wait[WAITS];
	struct lease_use lease[LEASES];
	u64 acts;
};

static struct model the_model;

static void fail(struct run *t, const char *why)
{
	if (!t->why)
		t->why = why;
}

#define MUST(cond)							\
	do {								\
		if (!(cond))						\
			fail(t, #cond);					\
	} while (0)

static u64 any(struct run *t, u64 n)
{
	return random_below(&t->rnd, n);
}

static bool chance(struct run *t, u32 percent)
{
	return random_chance(&t->rnd, percent);
}

static u64 uid(u64 ns, u64 id)
{
	return ns * 1000 + id;
}

static u64 any_ns(struct run *t)
{
	return 1 + any(t, NAMESPACES);
}

/* Some keys are asked for far more often than others. */
static u64 any_id(struct run *t)
{
	return 1 + any(t, chance(t, 50) ? 6 : IDS);
}

/* Mostly the same length for the same key. */
static u64 any_len(struct run *t, u64 id)
{
	u64 f = t->p->cfg.frame_bytes;

	switch (any(t, 8) ? id % 8 : any(t, 8)) {
	case 0:
		return id;
	case 1:
		return 5 * f + id;
	case 2:
		return any(t, 40) ? 3 * f : any(t, 30) * f;
	default:
		return f + id % 2 * f;
	}
}

/* A random slot in that state, or NULL. */
static struct use *slot(struct run *t, struct use *uses, u32 nr, bool used)
{
	u32 i, at = any(t, nr);

	for (i = 0; i < nr; i++, at = (at + 1) % nr)
		if (uses[at].used == used)
			return &uses[at];
	return NULL;
}

static void use_set(struct use *u, int n, u32 idx, int rn, u32 item)
{
	*u = (struct use){ true, n, idx, rn, item };
}

static bool bytes_right(struct run *t, const struct use *u)
{
	const struct m_block *b = &t->m->b[u->n];

	return pool_right(t->p, u->idx, uid(b->ns, b->id), b->version);
}

/* --- events -------------------------------------------------------------------- */

static void reserved(struct run *t, u64 ns, u64 id, u64 len, u64 parent,
		     u32 idx)
{
	struct use *u = slot(t, t->fill, FILLS, false);
	int n = model_reserve(t->m, ns, id, len, parent, idx);

	use_set(u, n, idx, -1, 0);
	t->m->b[n].version = ++t->version;
	pool_fill(t->p, idx, uid(ns, id), t->version);
}

/* The model cannot know whether there was space; it knows when there must be. */
static void refused_for_space(struct run *t, int got, bool fed)
{
	if (got == -ENOSPC) {
		t->m->st.skip_ssd++;
		MUST(model_used(t->m) || t->spoilt);
	} else {
		MUST(got == -ENOMEM && !fed);
	}
}

static void ev_reserve(struct run *t)
{
	u64 ns = any_ns(t), id = any_id(t), len = any_len(t, id);
	u64 parent = chance(t, 50) ? any_id(t) : 0;
	struct hymc_key key = pool_key(id), pkey = pool_key(parent);
	bool fed = !chance(t, 2);
	u32 idx = HYMC_NIL;
	int want, got;

	if (!slot(t, t->fill, FILLS, false))
		return;
	if (fed)
		pool_feed(t->p);
	want = model_reserve_check(t->m, ns, id, len);
	got = hymc_core_reserve(t->p->c, ns, &key, len, parent ? &pkey : NULL,
				t->p->now, &idx);
	if (want)
		MUST(got == want);
	else if (got)
		refused_for_space(t, got, fed);
	else
		reserved(t, ns, id, len, parent, idx);
}

static void ev_filled(struct run *t)
{
	struct use *u = slot(t, t->fill, FILLS, true);

	if (!u)
		return;
	u->used = false;
	if (chance(t, 15)) {
		hymc_core_abort(t->p->c, u->idx);
		model_abort(t->m, u->n);
	} else {
		MUST(bytes_right(t, u));
		hymc_core_commit(t->p->c, u->idx, t->p->now);
		model_commit(t->m, u->n);
	}
}

static void got(struct run *t, int res, int want, u32 idx, int n, int rn,
		u32 item)
{
	struct use *u;

	MUST(res == want);
	if (res < 0 || t->why)
		return;
	MUST(idx == t->m->b[n].idx);
	if (res == HYMC_GOT_READY)
		u = slot(t, t->view, VIEWS, false);
	else
		u = slot(t, t->wait, WAITS, false);
	use_set(u, n, idx, rn, item);
	if (res == HYMC_GOT_READY)
		MUST(bytes_right(t, u));
}

static bool hands_full(struct run *t)
{
	return !slot(t, t->view, VIEWS, false) ||
	       !slot(t, t->wait, WAITS, false);
}

static void ev_acquire_key(struct run *t)
{
	u64 ns = any_ns(t), id = any_id(t);
	struct hymc_key key = pool_key(id);
	int n, want = -ENOENT, res;
	u32 idx = HYMC_NIL, tier;

	if (hands_full(t))
		return;
	n = model_visible(t->m, ns, id);
	tier = n < 0 ? HYMC_TIER_NONE : model_tier(t->m, n);
	if (n < 0)
		t->m->st.acquire_miss++;
	else
		want = model_acquire(t->m, n, t->p->now);
	res = hymc_acquire_key(t->p->c, ns, &key, t->p->now, &idx);
	got(t, res, want, idx, n, -1, 0);
	if (res >= 0)
		MUST(hymc_core_tier(t->p->c, idx) == tier);
}

static int any_request(struct run *t, bool used)
{
	int i, rn = any(t, M_REQUESTS);

	for (i = 0; i < M_REQUESTS; i++, rn = (rn + 1) % M_REQUESTS)
		if (t->m->r[rn].used == used)
			return rn;
	return -1;
}

/* Mostly the next one in order, as an engine would; sometimes out of range. */
static u32 any_item(struct run *t, const struct m_request *r)
{
	u32 i;

	if (chance(t, 25))
		return any(t, r->nr + 1);
	for (i = 0; i < r->nr; i++)
		if (r->item[i] == M_WAIT || r->item[i] == M_HOLD)
			return i + any(t, 3);
	return r->nr - 1;
}

static void ev_acquire_item(struct run *t)
{
	int n = -1, want, res, rn = any_request(t, true);
	u32 item, idx = HYMC_NIL;

	if (rn < 0 || hands_full(t))
		return;
	item = any_item(t, &t->m->r[rn]);
	want = model_acquire_item(t->m, rn, item, t->p->now, &n);
	res = hymc_acquire_item(t->p->c, t->req[rn], item, t->p->now, &idx);
	got(t, res, want, idx, n, rn, item);
}

static void ev_retry(struct run *t)
{
	struct use *u = slot(t, t->wait, WAITS, true);
	int res, want;

	if (!u || !slot(t, t->view, VIEWS, false))
		return;
	want = model_retry(t->m, u->n);
	res = hymc_acquire_retry(t->p->c, u->idx, t->p->now);
	if (res != HYMC_GOT_WAIT)
		u->used = false;
	MUST(res == want);
	if (res != HYMC_GOT_READY)
		return;
	MUST(bytes_right(t, u));
	use_set(slot(t, t->view, VIEWS, false), u->n, u->idx, u->rn, u->item);
}

static void ev_abandon(struct run *t)
{
	struct use *u = slot(t, t->wait, WAITS, true);
	bool timed_out = chance(t, 70);

	if (!u)
		return;
	u->used = false;
	hymc_acquire_abandon(t->p->c, u->idx, timed_out);
	model_abandon(t->m, u->n, timed_out);
}

static void ev_release(struct run *t)
{
	struct use *u = slot(t, t->view, VIEWS, true);
	struct hymc_request *r;

	if (!u)
		return;
	MUST(bytes_right(t, u));
	/* A host gone wrong names an item that is not the one. */
	if (u->rn < 0 && chance(t, 5)) {
		u->rn = any_request(t, true);
		u->item = any(t, M_ITEMS + 2);
	}
	r = u->rn < 0 ? NULL : t->req[u->rn];
	u->used = false;
	hymc_core_release(t->p->c, u->idx, r, u->item, t->p->now);
	model_release(t->m, u->n, u->rn, u->item);
}

static void request_name(struct run *t, int rn, u32 nr)
{
	u64 ns = t->req[rn]->ns, id = any_id(t);
	struct hymc_key key;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (chance(t, 25))
			id = any_id(t);
		key = pool_key(1 + (id + i) % (IDS + 4));
		MUST(hymc_request_add(t->p->c, t->req[rn], &key) ==
		     (model_visible(t->m, ns, 1 + (id + i) % (IDS + 4)) >= 0));
		model_request_add(t->m, rn, ns, 1 + (id + i) % (IDS + 4));
	}
}

static u64 any_window(struct run *t)
{
	switch (any(t, 8)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return HYMC_WINDOW_DEFAULT;
	case 3:
		return HYMC_WINDOW_DEFAULT - 1;
	default:
		return any(t, 8 * t->p->cfg.frame_bytes);
	}
}

static void ev_hint(struct run *t)
{
	u64 window = any_window(t), deadline = any(t, 5);
	u32 nr = 1 + any(t, M_ITEMS);
	int rn = any_request(t, false);

	if (rn < 0)
		return;
	t->m->r[rn] = (struct m_request) {
		.used = true, .window = window, .deadline = deadline,
	};
	t->req[rn] = hymc_request_init(calloc(1, hymc_request_bytes(nr)),
				       any_ns(t), nr, window, deadline,
				       t->p->now);
	request_name(t, rn, nr);
	if (chance(t, 10))
		return;
	MUST(hymc_request_start(t->p->c, t->req[rn], t->p->now) ==
	     model_request_start(t->m, rn));
}

static void request_drop(struct run *t, int rn)
{
	u32 i, left = hymc_request_left(t->req[rn]);

	MUST(left >= model_request_left(t->m, rn, false));
	MUST(left <= model_request_left(t->m, rn, true));
	for (i = 0; i < VIEWS; i++)
		if (t->view[i].rn == rn)
			t->view[i].rn = -1;
	for (i = 0; i < WAITS; i++)
		if (t->wait[i].rn == rn)
			t->wait[i].rn = -1;
	model_request_end(t->m, rn, t->m->r[rn].started && left);
	hymc_request_end(t->p->c, t->req[rn], t->p->now);
	free(t->req[rn]);
	t->req[rn] = NULL;
}

static void ev_end(struct run *t)
{
	int rn = any_request(t, true);

	if (rn >= 0)
		request_drop(t, rn);
}

static void ev_delete(struct run *t)
{
	u64 ns = any_ns(t), id = any_id(t);
	struct hymc_key key = pool_key(id);
	int n = model_visible(t->m, ns, id);

	MUST(hymc_core_delete(t->p->c, ns, &key) == (n < 0 ? -ENOENT : 0));
	if (n >= 0)
		model_delete(t->m, n);
}

static void ev_drop_ns(struct run *t)
{
	u64 ns = any_ns(t);

	if (chance(t, 3))
		MUST(hymc_core_drop_ns(t->p->c, ns) ==
		     model_drop_ns(t->m, ns));
}

static void lease_free(struct run *t, u32 i)
{
	free(t->lease[i].l);
	t->lease[i].l = NULL;
}

static void lease_drop(struct run *t, u32 i)
{
	struct lease_use *u = &t->lease[i];
	u32 nr, k;

	if (!u->l)
		return;
	nr = hymc_lease_nr(u->l);
	hymc_lease_end(t->p->c, u->l);
	for (k = nr; k > 0; k--)
		model_lease(t->m, u->block[k - 1], -1);
	lease_free(t, i);
}

/* One that has room, or not; now and then one ends. */
static struct lease_use *any_lease(struct run *t)
{
	u32 i = any(t, LEASES);

	if (chance(t, 10))
		lease_drop(t, i);
	if (!t->lease[i].l)
		t->lease[i].l = hymc_lease_init(calloc(1, hymc_lease_bytes(LEASE_ROOM)),
						LEASE_ROOM, t->p->now);
	return &t->lease[i];
}

static void ev_lookup(struct run *t)
{
	struct lease_use *u = chance(t, 30) ? any_lease(t) : NULL;
	u64 ns = any_ns(t), id = any_id(t);
	u32 had = u ? hymc_lease_nr(u->l) : 0;
	struct hymc_key key = pool_key(id);
	int n = model_visible(t->m, ns, id);
	struct hymc_hit hit;

	MUST(hymc_core_lookup(t->p->c, ns, &key, u ? u->l : NULL, t->p->now,
			      &hit) == (n >= 0));
	MUST(hit.tier == (n < 0 ? HYMC_TIER_NONE : model_tier(t->m, n)));
	MUST(hit.len == (n < 0 ? 0 : t->m->b[n].len));
	t->m->st.lookup_keys++;
	t->m->st.lookup_hits += n >= 0;
	if (!u || n < 0 || had == LEASE_ROOM)
		return;
	MUST(hymc_lease_nr(u->l) == had + 1);
	u->block[had] = n;
	model_lease(t->m, n, 1);
}

/* Is @act, which the core handed out, what the model expected? */
static void act_check(struct run *t, const struct hymc_act *act,
		      const struct m_act *want)
{
	struct hymc_key key, parent = { { 0 } };
	const struct m_block *b;

	if (act->kind != want->kind)
		fprintf(stderr, "# the core did %d, the model %d\n", act->kind,
			want->kind);
	MUST(act->kind == want->kind);
	if (t->why || want->kind == HYMC_ACT_NONE)
		return;
	b = &t->m->b[want->n];
	key = pool_key(b->id);
	if (b->parent >= 0)
		parent = pool_key(b->parent_id);
	MUST(act->block == b->idx && act->ns == b->ns && act->gen == b->gen);
	MUST(act->len == b->len);
	MUST(!memcmp(&act->key, &key, sizeof(key)));
	MUST(!memcmp(&act->parent, &parent, sizeof(parent)));
	MUST(act->frame == hymc_core_frame_first(t->p->c, act->block));
	t->acts++;
}

static bool ev_pull(struct run *t)
{
	struct hymc_act none = { .kind = HYMC_ACT_NONE };
	struct m_act want;
	u64 unplaced;
	int n;

	if (t->p->io_nr == IO_MAX)
		return false;
	n = pool_pull(t->p);
	unplaced = pool_stats(t->p).write_errors - t->m->st.write_errors;
	MUST(!unplaced || t->spoilt);
	want = model_next(t->m, unplaced);
	act_check(t, n < 0 ? &none : &t->p->io[n], &want);
	return n >= 0;
}

static void ev_pull_some(struct run *t)
{
	u32 nr = chance(t, 60) ? IO_MAX : any(t, 3);

	while (nr-- && !t->why && ev_pull(t))
		;
}

static int any_error(struct run *t)
{
	if (!chance(t, t->errors))
		return 0;
	return chance(t, 50) ? -EIO : -EBADMSG;
}

static int block_in_io(struct run *t, const struct hymc_act *act)
{
	bool read = act->kind == HYMC_ACT_READ;
	int n;

	for (n = 0; n < M_BLOCKS; n++) {
		const struct m_block *b = &t->m->b[n];

		if (b->state != M_FREE && b->idx == act->block &&
		    (read ? b->reading : b->writing))
			return n;
	}
	return -1;
}

static void finish(struct run *t, u32 i, int err)
{
	struct hymc_act act = t->p->io[i];
	int n = block_in_io(t, &act);

	MUST(n >= 0);
	if (t->why)
		return;
	t->spoilt |= err && act.kind == HYMC_ACT_WRITE;
	if (act.kind == HYMC_ACT_READ)
		model_read_done(t->m, n, err, t->p->now);
	else
		model_write_done(t->m, n, err);
	pool_finish(t->p, i, err);
}

static void ev_finish(struct run *t)
{
	if (t->p->io_nr)
		finish(t, any(t, t->p->io_nr), any_error(t));
}

static void ev_woken(struct run *t)
{
	int n = model_woken(t->m);
	u32 idx = hymc_core_woken(t->p->c);

	MUST(idx == (n < 0 ? HYMC_NIL : t->m->b[n].idx));
}

static void ev_sync(struct run *t)
{
	u64 lost, ticket = hymc_core_sync(t->p->c);

	MUST(ticket == t->m->gen);
	t->m->sync_gen = ticket;
	MUST(hymc_core_synced(t->p->c, ticket, &lost) ==
	     (model_written_gen(t->m) >= ticket));
	MUST(lost == t->m->st.write_errors);
	MUST(hymc_core_clean(t->p->c) ==
	     !(t->m->st.dirty_bytes + t->m->st.writes_inflight));
}

static void ev_time(struct run *t)
{
	t->p->now += any(t, chance(t, 5) ? 1ULL << 38 : 20000);
}

static void event(struct run *t)
{
	static const struct {
		u32 weight;
		void (*fn)(struct run *t);
	} ev[] = {
		{ 60, ev_reserve }, { 60, ev_filled }, { 50, ev_acquire_key },
		{ 90, ev_acquire_item }, { 80, ev_retry }, { 10, ev_abandon },
		{ 110, ev_release }, { 16, ev_hint }, { 6, ev_end },
		{ 3, ev_delete }, { 2, ev_drop_ns }, { 20, ev_lookup },
		{ 80, ev_pull_some }, { 55, ev_finish }, { 30, ev_woken },
		{ 4, ev_sync }, { 20, ev_time },
	};
	u32 i, at, sum = 0;

	for (i = 0; i < ARRAY_SIZE(ev); i++)
		sum += ev[i].weight;
	at = any(t, sum);
	for (i = 0; at >= ev[i].weight; i++)
		at -= ev[i].weight;
	ev[i].fn(t);
}

/* --- checks -------------------------------------------------------------------- */

#define FIELD(name, kind, unit, help)					\
	{ #name, offsetof(struct hymc_stats, name), #kind[0] == 'C' },

/* The counters and gauges, by name. */
static const struct {
	const char *name;
	size_t at;
	bool counter;
} field[] = {
	HYMC_STATS_U64(FIELD)
};

static unsigned long long *value(struct hymc_stats *st, u32 i)
{
	return (unsigned long long *)((char *)st + field[i].at);
}

static void stats_differ(struct run *t, struct hymc_stats *st,
			 struct hymc_stats *want)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(field); i++) {
		if (*value(st, i) == *value(want, i))
			continue;
		fprintf(stderr, "# %s is %llu, the model says %llu\n",
			field[i].name, *value(st, i), *value(want, i));
	}
	fail(t, "counters differ");
}

/* What the model does not predict: how records lie on the SSD. */
static void check_stats(struct run *t)
{
	struct hymc_stats st = pool_stats(t->p), *want = &t->m->st;

	model_gauges(t->m);
	MUST(st.ssd_used_bytes <= t->p->cfg.ssd_bytes);
	MUST(st.ssd_used_bytes <= st.ssd_bytes);
	want->leases = model_leased(t->m);
	want->ssd_bytes = st.ssd_bytes;
	want->ssd_used_bytes = st.ssd_used_bytes;
	if (memcmp(&st, want, sizeof(st)))
		stats_differ(t, &st, want);
}

static void check(struct run *t, u32 step)
{
	struct use *u = slot(t, t->view, VIEWS, true);
	const char *why;

	if (t->why)
		return;
	if (u)
		MUST(bytes_right(t, u));
	MUST(t->p->wrong == 0);
	if (hymc_core_selfcheck(t->p->c, &why))
		fail(t, why);
	check_stats(t);
	if (step % 64 == 0)
		MUST(model_used(t->m) == t->p->c->slab.used);
}

/* --- a pool's life ------------------------------------------------------------- */

static struct hymc_core_cfg any_cfg(struct run *t, u32 policy)
{
	u64 f = 4 * KB << any(t, 2);
	u64 dirty = (1 + any(t, 20)) * f;

	return (struct hymc_core_cfg) {
		.policy = policy,
		.frame_bytes = f,
		.frames = 6 + any(t, 30),
		.writes_max = 1 + any(t, 4),
		.ssd_bytes = 1024 * KB + any(t, 16 * 1024 * KB),
		.log_start = 1024 * KB,
		.segment_bytes = (24 + any(t, 100)) * 4 * KB,
		.blocks_max = chance(t, 15) ? 10 + any(t, 40) : M_BLOCKS,
		.window_bytes = any(t, 10) * f,
		.read_bytes_max = 1 + any(t, 12 * f),
		.dirty_max_bytes = dirty,
		.dirty_high_bytes = dirty * 3 / 4,
		.dirty_low_bytes = dirty / 4,
		.hash_seed = random_next(&t->rnd),
	};
}

static void run_begin(struct run *t, u64 seed, u32 policy)
{
	struct hymc_core_cfg cfg;

	*t = (struct run){ .rnd = { seed }, .m = &the_model };
	cfg = any_cfg(t, policy);
	t->errors = chance(t, 50) ? 0 : any(t, 12);
	t->p = pool_new(&cfg);
	model_init(t->m, &cfg);
}

/* All I/O ends well; the woken look again. */
static void drain(struct run *t)
{
	u32 i;

	do {
		while (!t->why && t->p->io_nr)
			finish(t, 0, 0);
	} while (!t->why && ev_pull(t));
	for (i = 0; i < WAITS && !t->why; i++)
		if (t->wait[i].used)
			ev_retry(t);
}

static void end_uses(struct run *t)
{
	while (!t->why && slot(t, t->fill, FILLS, true))
		ev_filled(t);
	while (!t->why && slot(t, t->view, VIEWS, true))
		ev_release(t);
}

/* With the hands empty and I/O completing, every wait ends. */
static void no_wait_is_stuck(struct run *t)
{
	u32 round;

	for (round = 0; round < 3 * WAITS && !t->why; round++) {
		end_uses(t);
		drain(t);
	}
	MUST(!slot(t, t->wait, WAITS, true));
}

/* Then everything goes, and nothing is left. */
static void nothing_is_left(struct run *t)
{
	struct hymc_stats st;
	u32 ns;
	int rn;

	for (rn = 0; rn < M_REQUESTS && !t->why; rn++)
		if (t->m->r[rn].used)
			request_drop(t, rn);
	for (ns = 0; ns < LEASES; ns++)
		lease_drop(t, ns);
	for (ns = 1; ns <= NAMESPACES; ns++)
		hymc_core_drop_ns(t->p->c, ns);
	st = pool_stats(t->p);
	MUST(t->p->c->slab.used == 0 && t->p->c->index.nr == 0);
	MUST(st.frames_free == st.frames_total);
	MUST(st.blocks == 0 && st.block_bytes == 0 && st.leases == 0);
	MUST(st.dirty_bytes == 0 && st.reads_inflight + st.writes_inflight == 0);
	MUST(t->p->c->log.promised == 0 && !t->p->c->heap);
	MUST(t->spoilt || t->errors || st.ssd_used_bytes <=
	     t->p->cfg.segment_bytes);
}

static void run_end(struct run *t)
{
	int rn;

	for (rn = 0; rn < M_REQUESTS; rn++)
		free(t->req[rn]);
	for (rn = 0; rn < (int)LEASES; rn++)
		lease_free(t, rn);
	pool_free(t->p);
}

/* What all pools together saw, to judge whether the events are worth anything. */
static struct hymc_stats totals;

static void totals_add(struct hymc_stats *st)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(field); i++)
		*value(&totals, i) += *value(st, i);
}

static void totals_print(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(field); i++)
		if (field[i].counter)
			printf("#  %-18s %llu\n", field[i].name,
			       *value(&totals, i));
	memset(&totals, 0, sizeof(totals));
}

/* @nr events on one pool. False, having said why, when something was not so. */
static bool epoch(u64 seed, u32 policy, u32 nr, u64 *acts)
{
	struct run t;
	u32 step;

	run_begin(&t, seed, policy);
	for (step = 0; step < nr && !t.why; step++) {
		event(&t);
		check(&t, step);
	}
	if (!t.why)
		no_wait_is_stuck(&t);
	if (!t.why)
		nothing_is_left(&t);
	if (t.why)
		fprintf(stderr, "# seed %llu step %u: not so: %s\n",
			(unsigned long long)seed, step, t.why);
	totals_add(&t.m->st);
	*acts += t.acts;
	run_end(&t);
	return !t.why;
}

static u64 setting(const char *name, u64 otherwise)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : otherwise;
}

static void many_epochs(u32 policy, u64 events)
{
	u64 seed = setting("HYMC_MODEL_SEED", 20250101), acts = 0, done;

	printf("# seed %llu, %llu events\n", (unsigned long long)seed,
	       (unsigned long long)events);
	for (done = 0; done < events; done += EPOCH_EVENTS) {
		if (!EXPECT(epoch(seed++, policy, EPOCH_EVENTS, &acts)))
			break;
	}
	printf("# %llu actions compared\n", (unsigned long long)acts);
	totals_print();
}

static void staging(void)
{
	many_epochs(HYMC_POLICY_STAGE,
		    setting("HYMC_MODEL_EVENTS", 1000000) * 3 / 4);
}

static void transparent(void)
{
	many_epochs(HYMC_POLICY_LRU,
		    setting("HYMC_MODEL_EVENTS", 1000000) / 4);
}

static const struct tap_test tests[] = {
	{ "model: a staging pool does what the naive model says", staging },
	{ "model: a transparent cache does what the naive model says",
	  transparent },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
