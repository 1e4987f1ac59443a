// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: the naive model, see model.h
 */
#include "format.h"
#include "model.h"

/* --- looking ---------------------------------------------------------------- */

static bool lru(const struct model *m)
{
	return m->cfg.policy == HYMC_POLICY_LRU;
}

static u32 frames_of(const struct model *m, u64 len)
{
	return (len + m->cfg.frame_bytes - 1) / m->cfg.frame_bytes;
}

static bool visible(const struct m_block *b)
{
	return b->state != M_FREE && b->state != M_FILLING &&
	       b->state != M_DEAD;
}

static bool resident(const struct m_block *b)
{
	return b->state == M_DIRTY || b->state == M_CLEAN;
}

/* Items of protecting requests that name @n and are in state @state. */
static u32 named(const struct model *m, int n, enum m_item state)
{
	u32 r, i, nr = 0;

	for (r = 0; r < M_REQUESTS; r++) {
		if (!m->r[r].used || !m->r[r].started || !m->r[r].protects)
			continue;
		for (i = 0; i < m->r[r].nr; i++)
			nr += m->r[r].block[i] == n && m->r[r].item[i] == state;
	}
	return nr;
}

/* Items of any request, in any state, that name @n. */
static bool named_at_all(const struct model *m, int n)
{
	u32 r, i;

	for (r = 0; r < M_REQUESTS; r++)
		for (i = 0; m->r[r].used && i < m->r[r].nr; i++)
			if (m->r[r].block[i] == n &&
			    m->r[r].item[i] != M_UNKNOWN)
				return true;
	return false;
}

static enum m_class class_of(const struct model *m, int n)
{
	const struct m_block *b = &m->b[n];

	if (b->reading)
		return M_READING;
	if (b->writing)
		return M_WRITING;
	if (b->filling)
		return M_CFILLING;
	if (b->state == M_QUEUED)
		return M_CQUEUED;
	if (!b->frames)
		return M_NONE;
	if (b->state == M_DIRTY)
		return M_CDIRTY;
	if (b->pins || b->waiters || b->state == M_DEAD)
		return M_PINNED;
	if (named(m, n, M_HOLD))
		return M_HELD;
	if (named(m, n, M_WAIT))
		return M_WANTED;
	if (b->consumed)
		return M_CONSUMED;
	return b->fresh ? M_FRESH : M_COLD;
}

/* A class change gives a block a new place: the end, or the safe front. */
static void touch(struct model *m, int n)
{
	struct m_block *b = &m->b[n];
	enum m_class cls = class_of(m, n);
	bool safe = (cls == M_WANTED || cls == M_HELD) &&
		    (b->cls == M_PINNED || b->cls == M_HELD);

	if (cls == b->cls)
		return;
	b->cls = cls;
	m->clock++;
	b->stamp = safe ? -m->clock : m->clock;
}

static u32 class_frames(const struct model *m, enum m_class cls)
{
	u32 n, nr = 0;

	for (n = 0; n < M_BLOCKS; n++)
		if (m->b[n].frames && m->b[n].cls == cls)
			nr += frames_of(m, m->b[n].len);
	return nr;
}

static u32 free_frames(const struct model *m)
{
	u32 n, nr = m->cfg.frames;

	for (n = 0; n < M_BLOCKS; n++)
		if (m->b[n].frames)
			nr -= frames_of(m, m->b[n].len);
	return nr;
}

/* The block of a class with the least or the greatest stamp; -1. */
static int extreme(const struct model *m, enum m_class cls, bool last)
{
	int n, best = -1;
	bool more;

	for (n = 0; n < M_BLOCKS; n++) {
		if (m->b[n].state == M_FREE || m->b[n].cls != cls)
			continue;
		more = best >= 0 && m->b[n].stamp > m->b[best].stamp;
		if (best < 0 || more == last)
			best = n;
	}
	return best;
}

static u64 bytes_where(const struct model *m, bool reads)
{
	u64 sum = 0;
	u32 n;

	for (n = 0; n < M_BLOCKS; n++)
		if (reads ? m->b[n].reading : m->b[n].filling)
			sum += m->b[n].len;
	return sum;
}

static u64 dirty_bytes(const struct model *m)
{
	u64 sum = 0;
	u32 n;

	for (n = 0; n < M_BLOCKS; n++)
		if (m->b[n].state == M_DIRTY || m->b[n].writing)
			sum += m->b[n].len;
	return sum;
}

static u32 in_flight(const struct model *m, bool reads)
{
	u32 n, nr = 0;

	for (n = 0; n < M_BLOCKS; n++)
		nr += reads ? m->b[n].reading : m->b[n].writing;
	return nr;
}

int model_find(const struct model *m, u64 ns, u64 id)
{
	int n;

	for (n = 0; n < M_BLOCKS; n++) {
		const struct m_block *b = &m->b[n];

		if (b->state != M_FREE && b->state != M_DEAD &&
		    b->ns == ns && b->id == id)
			return n;
	}
	return -1;
}

int model_visible(const struct model *m, u64 ns, u64 id)
{
	int n = model_find(m, ns, id);

	return n >= 0 && visible(&m->b[n]) ? n : -1;
}

u32 model_tier(const struct model *m, int n)
{
	const struct m_block *b = &m->b[n];

	if (b->state == M_DIRTY)
		return HYMC_TIER_BUFFER;
	if (b->state == M_CLEAN)
		return HYMC_TIER_DRAM;
	if (b->state == M_QUEUED || (b->state == M_SSD && b->reading))
		return HYMC_TIER_INFLIGHT;
	return b->state == M_SSD ? HYMC_TIER_SSD : HYMC_TIER_NONE;
}

/* --- life ------------------------------------------------------------------- */

void model_init(struct model *m, const struct hymc_core_cfg *cfg)
{
	memset(m, 0, sizeof(*m));
	m->cfg = *cfg;
	m->gen = 1;
}

static bool has_child(const struct model *m, int n)
{
	int k;

	for (k = 0; k < M_BLOCKS; k++)
		if (m->b[k].state != M_FREE && m->b[k].parent == n)
			return true;
	return false;
}

static bool busy(const struct m_block *b)
{
	return b->reading || b->writing || b->filling;
}

/* Free what nothing names; a freed child may free its parent. */
static void settle(struct model *m, int n)
{
	struct m_block *b = &m->b[n];

	if (b->state == M_QUEUED && !b->waiters && !named(m, n, M_HOLD))
		b->state = M_SSD;
	if (b->state == M_DEAD && !b->pins && !busy(b))
		b->frames = false;
	touch(m, n);
	if (b->state == M_DEAD && !busy(b) && !b->pins && !b->waiters &&
	    !b->leases && !has_child(m, n) && !named_at_all(m, n))
		b->state = M_FREE;
}

static void forget_copy(struct m_block *b)
{
	b->prefetched = false;
	b->demand = false;
	b->consumed = false;
	b->fresh = false;
}

static void wake(struct model *m, int n)
{
	if (m->b[n].waiters && !m->b[n].woken)
		m->b[n].woken = ++m->clock;
}

static void die(struct model *m, int n, bool lost)
{
	struct m_block *b = &m->b[n];
	int parent = b->parent;

	b->parent = -1;
	b->state = M_DEAD;
	b->lost = lost;
	forget_copy(b);
	wake(m, n);
	settle(m, n);
	if (parent >= 0)
		settle(m, parent);
}

/* --- frames ------------------------------------------------------------------ */

/* Classes that may be evicted for an insert, a prefetch, a demand read. */
static const enum m_class last_class[] = { M_COLD, M_WANTED, M_HELD };

static bool can_take(const struct model *m, u64 len, u32 depth)
{
	u32 have = free_frames(m);
	enum m_class cls;

	for (cls = M_CONSUMED; cls <= last_class[depth]; cls++)
		have += class_frames(m, cls);
	return have >= frames_of(m, len);
}

static void evict_one(struct model *m)
{
	enum m_class cls = M_CONSUMED;
	struct m_block *b;
	int n;

	while ((n = extreme(m, cls, cls >= M_WANTED)) < 0)
		cls++;
	b = &m->b[n];
	m->st.evict_consumed += cls == M_CONSUMED;
	m->st.evict_cold += cls == M_FRESH || cls == M_COLD;
	m->st.evict_wanted += cls == M_WANTED || cls == M_HELD;
	m->st.wasted_blocks += b->prefetched;
	b->frames = false;
	b->state = M_SSD;
	forget_copy(b);
	touch(m, n);
}

static bool take(struct model *m, int n, u32 depth)
{
	if (!can_take(m, m->b[n].len, depth))
		return false;
	while (free_frames(m) < frames_of(m, m->b[n].len))
		evict_one(m);
	m->b[n].frames = true;
	return true;
}

/* --- inserts ------------------------------------------------------------------ */

static int reserve_present(struct model *m, int n, u64 len)
{
	if (!visible(&m->b[n]))
		return -EBUSY;
	if (m->b[n].len == len) {
		m->st.put_present++;
		return -EALREADY;
	}
	m->st.put_conflict++;
	return -EEXIST;
}

int model_reserve_check(struct model *m, u64 ns, u64 id, u64 len)
{
	u64 have = dirty_bytes(m) + bytes_where(m, false);
	int n = model_find(m, ns, id);

	if (!len)
		return -EINVAL;
	if (len > hymc_core_block_bytes_max(&m->cfg))
		return -EFBIG;
	if (n >= 0)
		return reserve_present(m, n, len);
	if (!lru(m) && have && have + len > m->cfg.dirty_max_bytes) {
		m->st.skip_buffer++;
		return -EAGAIN;
	}
	if (!can_take(m, len, 0)) {
		m->st.skip_frames += !lru(m);
		return -EAGAIN;
	}
	return 0;
}

int model_reserve(struct model *m, u64 ns, u64 id, u64 len, u64 parent, u32 idx)
{
	struct m_block *b = m->b;
	int n = 0, up = parent ? model_find(m, ns, parent) : -1;

	while (m->b[n].state != M_FREE)
		n++;
	b = &m->b[n];
	*b = (struct m_block) {
		.ns = ns, .id = id, .len = len, .idx = idx, .parent = up,
		.parent_id = up >= 0 ? parent : 0, .state = M_FILLING,
	};
	take(m, n, 0);
	b->filling = true;
	touch(m, n);
	return n;
}

void model_commit(struct model *m, int n)
{
	struct m_block *b = &m->b[n];

	b->filling = false;
	if (b->state == M_DEAD) {
		settle(m, n);
		return;
	}
	b->state = M_DIRTY;
	b->gen = m->gen++;
	m->st.put_blocks++;
	m->st.put_bytes += b->len;
	touch(m, n);
}

void model_abort(struct model *m, int n)
{
	struct m_block *b = &m->b[n];

	m->st.put_aborted++;
	b->filling = false;
	if (b->state == M_DEAD)
		settle(m, n);
	else
		die(m, n, false);
}

void model_delete(struct model *m, int n)
{
	m->st.delete_blocks++;
	die(m, n, false);
}

u64 model_drop_ns(struct model *m, u64 ns)
{
	/* In the order of the core's indexes. */
	u64 nr = 0;
	u32 idx;
	int n;

	for (idx = 0; idx < m->cfg.blocks_max; idx++) {
		for (n = 0; n < M_BLOCKS; n++) {
			struct m_block *b = &m->b[n];

			if (b->state == M_FREE || b->state == M_DEAD ||
			    b->ns != ns || b->idx != idx)
				continue;
			nr += visible(b);
			die(m, n, false);
		}
	}
	m->st.delete_blocks += nr;
	return nr;
}

/* --- requests ----------------------------------------------------------------- */

static bool live(const struct m_request *r, u32 i)
{
	return r->item[i] == M_WAIT || r->item[i] == M_HOLD;
}

void model_request_add(struct model *m, int rn, u64 ns, u64 id)
{
	struct m_request *r = &m->r[rn];
	int n = model_visible(m, ns, id);

	m->st.hint_blocks++;
	m->st.hint_unknown += n < 0;
	r->block[r->nr] = n;
	r->item[r->nr++] = n < 0 ? M_UNKNOWN : M_WAIT;
}

u32 model_request_start(struct model *m, int rn)
{
	struct m_request *r = &m->r[rn];
	u32 i;

	r->started = true;
	r->seq = m->seq++;
	m->st.hint_requests++;
	if (r->window == HYMC_WINDOW_DEFAULT)
		r->window = m->cfg.window_bytes;
	/* One by one: as the items become wanted, in order. */
	r->protects = r->window && !lru(m);
	for (i = 0; r->protects && i < r->nr; i++)
		if (live(r, i))
			settle(m, r->block[i]);
	for (i = 0; i < r->nr && r->item[i] != M_UNKNOWN; i++)
		;
	return i;
}

u32 model_request_left(const struct model *m, int rn, bool dead_too)
{
	const struct m_request *r = &m->r[rn];
	u32 i, nr = 0;

	for (i = 0; i < r->nr; i++)
		nr += live(r, i) &&
		      (dead_too || m->b[r->block[i]].state != M_DEAD);
	return nr;
}

void model_request_end(struct model *m, int rn, bool cancelled)
{
	struct m_request *r = &m->r[rn];
	u32 i;
	int n;

	m->st.hint_cancelled += cancelled;
	for (i = 0; i < r->nr; i++) {
		n = r->block[i];
		if (r->item[i] == M_UNKNOWN)
			continue;
		r->item[i] = M_UNKNOWN;
		if (!named(m, n, M_WAIT) && !named(m, n, M_HOLD) &&
		    m->b[n].prefetched)
			m->b[n].fresh = true;
		settle(m, n);
	}
	r->used = false;
}

static u64 held_bytes(const struct model *m, const struct m_request *r)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (r->item[i] == M_HOLD)
			sum += m->b[r->block[i]].len;
	return sum;
}

/* --- acquire ------------------------------------------------------------------- */

static int pin(struct model *m, int n)
{
	m->b[n].pins++;
	m->b[n].prefetched = false;
	m->st.acquire_bytes += m->b[n].len;
	touch(m, n);
	return HYMC_GOT_READY;
}

static void lead(struct model *m, u64 ns)
{
	u32 bucket = 0;

	while (bucket < HYMC_LEAD_BUCKETS - 1 && ns >= 1000ULL << bucket)
		bucket++;
	m->st.lead_hist[bucket]++;
	m->st.lead_count++;
	m->st.lead_ns_sum += ns;
}

int model_acquire(struct model *m, int n, u64 now)
{
	struct m_block *b = &m->b[n];

	if (resident(b)) {
		m->st.acquire_staged++;
		if (b->prefetched)
			lead(m, now - b->ready);
		return pin(m, n);
	}
	b->waiters++;
	if (b->state == M_SSD && !b->reading)
		b->state = M_QUEUED;
	touch(m, n);
	return HYMC_GOT_WAIT;
}

int model_acquire_item(struct model *m, int rn, u32 i, u64 now, int *n)
{
	struct m_request *r = &m->r[rn];

	if (i >= r->nr)
		return -EINVAL;
	*n = r->block[i];
	if (r->item[i] != M_UNKNOWN && m->b[*n].state != M_DEAD)
		return model_acquire(m, *n, now);
	if (live(r, i)) {
		r->item[i] = M_DONE;
		r->full = false;
	}
	m->st.acquire_miss++;
	return -ENOENT;
}

int model_retry(struct model *m, int n)
{
	struct m_block *b = &m->b[n];
	bool lost = b->lost, dead = b->state == M_DEAD;

	if (!dead && !resident(b))
		return HYMC_GOT_WAIT;
	if (!--b->waiters)
		b->woken = 0;
	if (dead) {
		m->st.acquire_miss += !lost;
		settle(m, n);
		return lost ? -EIO : -ENOENT;
	}
	m->st.acquire_demand += b->demand;
	m->st.acquire_late += !b->demand;
	return pin(m, n);
}

void model_abandon(struct model *m, int n, bool timed_out)
{
	m->st.acquire_timeout += timed_out;
	if (!--m->b[n].waiters)
		m->b[n].woken = 0;
	settle(m, n);
}

void model_release(struct model *m, int n, int rn, u32 i)
{
	struct m_block *b = &m->b[n];

	b->pins--;
	b->consumed = false;
	b->fresh = false;
	if (rn >= 0 && i < m->r[rn].nr && live(&m->r[rn], i) &&
	    m->r[rn].block[i] == n) {
		m->r[rn].item[i] = M_DONE;
		m->r[rn].full = false;
		b->consumed = m->r[rn].protects && b->state != M_DEAD;
	}
	settle(m, n);
}

/* --- I/O ----------------------------------------------------------------------- */

static bool budget(const struct model *m, u64 len)
{
	u64 have = bytes_where(m, true);

	return !in_flight(m, true) || have + len <= m->cfg.read_bytes_max;
}

static struct m_act read_start(struct model *m, int n, bool demand)
{
	struct m_block *b = &m->b[n];

	forget_copy(b);
	b->state = M_SSD;
	b->reading = true;
	b->demand = demand;
	b->prefetched = !demand;
	m->st.demand_blocks += demand;
	m->st.demand_bytes += demand ? b->len : 0;
	m->st.prefetch_blocks += !demand;
	m->st.prefetch_bytes += demand ? 0 : b->len;
	touch(m, n);
	return (struct m_act){ HYMC_ACT_READ, n };
}

static const struct m_act nothing = { HYMC_ACT_NONE, -1 };

static struct m_act next_demand(struct model *m)
{
	int n = extreme(m, M_CQUEUED, false);

	if (n < 0 || !budget(m, m->b[n].len) || !take(m, n, 2))
		return nothing;
	return read_start(m, n, true);
}

/* Requests by deadline, then by arrival; the first one after @after. */
static int next_request(const struct model *m, int after)
{
	const struct m_request *r = m->r, *last = after < 0 ? NULL : &r[after];
	int n, best = -1;

	for (n = 0; n < M_REQUESTS; n++) {
		if (!r[n].used || !r[n].started || !r[n].protects)
			continue;
		if (last && (r[n].deadline < last->deadline ||
			     (r[n].deadline == last->deadline &&
			      r[n].seq <= last->seq)))
			continue;
		if (best < 0 || r[n].deadline < r[best].deadline ||
		    (r[n].deadline == r[best].deadline &&
		     r[n].seq < r[best].seq))
			best = n;
	}
	return best;
}

/* Admit in order. True when the search is over, with @act set or nothing. */
static bool admit(struct model *m, struct m_request *r, struct m_act *act)
{
	u32 i;

	for (i = 0; i < r->nr && !r->full; i++) {
		u64 held = held_bytes(m, r);
		struct m_block *b;
		int n = r->block[i];

		if (r->item[i] != M_WAIT || m->b[n].state == M_DEAD)
			continue;
		b = &m->b[n];
		if (held && held + b->len > r->window) {
			r->full = true;
			return false;
		}
		if (b->state == M_SSD && !b->reading) {
			if (!budget(m, b->len) || !can_take(m, b->len, 1))
				return true;
			r->item[i] = M_HOLD;
			take(m, n, 1);
			*act = read_start(m, n, false);
			return true;
		}
		r->item[i] = M_HOLD;
		settle(m, n);
	}
	return false;
}

static struct m_act next_hinted(struct model *m)
{
	struct m_act act = nothing;
	int rn = -1;

	while ((rn = next_request(m, rn)) >= 0)
		if (admit(m, &m->r[rn], &act))
			break;
	return act;
}

static void give_up(struct model *m, u32 unplaced)
{
	while (unplaced--) {
		int n = extreme(m, M_CDIRTY, false);

		m->st.write_errors++;
		die(m, n, true);
	}
}

static struct m_act next_write(struct model *m, bool idle, u32 unplaced)
{
	int n = extreme(m, M_CDIRTY, false);
	bool urgent;

	if (dirty_bytes(m) > m->cfg.dirty_high_bytes)
		m->flushing = true;
	else if (dirty_bytes(m) <= m->cfg.dirty_low_bytes)
		m->flushing = false;
	urgent = m->flushing || (n >= 0 && m->b[n].gen < m->sync_gen);
	if (n < 0 || !(idle || urgent) ||
	    in_flight(m, false) >= m->cfg.writes_max)
		return nothing;
	give_up(m, unplaced);
	n = extreme(m, M_CDIRTY, false);
	if (n < 0)
		return nothing;
	m->b[n].writing = true;
	touch(m, n);
	return (struct m_act){ HYMC_ACT_WRITE, n };
}

static struct m_act next_lru(struct model *m, u32 unplaced)
{
	bool turn = m->write_turn;
	struct m_act act;

	m->write_turn = !turn;
	act = turn ? next_write(m, true, unplaced) : next_demand(m);
	if (act.kind != HYMC_ACT_NONE)
		return act;
	return turn ? next_demand(m) : next_write(m, true, unplaced);
}

struct m_act model_next(struct model *m, u32 unplaced)
{
	struct m_act act;

	if (lru(m))
		return next_lru(m, unplaced);
	if (extreme(m, M_CQUEUED, false) >= 0)
		act = next_demand(m);
	else
		act = next_hinted(m);
	if (act.kind != HYMC_ACT_NONE)
		return act;
	return next_write(m, !in_flight(m, true), unplaced);
}

static void count_io(struct model *m, const struct m_block *b, int err)
{
	u64 bytes = hymc_record_bytes(b->len, m->cfg.frame_bytes);

	if (b->reading) {
		m->st.ssd_read_ios++;
		m->st.ssd_read_bytes += !err || err == -EBADMSG ? bytes : 0;
		m->st.verify_errors += err == -EBADMSG;
		m->st.read_errors += err && err != -EBADMSG;
	} else {
		m->st.ssd_write_ios++;
		m->st.ssd_write_bytes += err ? 0 : bytes;
		m->st.write_errors += !!err;
	}
}

void model_read_done(struct model *m, int n, int err, u64 now)
{
	struct m_block *b = &m->b[n];

	count_io(m, b, err);
	b->reading = false;
	if (b->state == M_DEAD) {
		settle(m, n);
	} else if (err) {
		die(m, n, true);
	} else {
		b->state = M_CLEAN;
		b->ready = now;
		if (b->prefetched && !named(m, n, M_WAIT) &&
		    !named(m, n, M_HOLD))
			b->fresh = true;
		settle(m, n);
		wake(m, n);
	}
}

static bool anybody_hints(const struct model *m)
{
	return next_request(m, -1) >= 0;
}

void model_write_done(struct model *m, int n, int err)
{
	struct m_block *b = &m->b[n];
	int parent = b->parent;

	count_io(m, b, err);
	b->writing = false;
	if (b->state == M_DEAD) {
		settle(m, n);
	} else if (err) {
		die(m, n, true);
	} else {
		b->state = M_CLEAN;
		if (anybody_hints(m))
			b->fresh = true;
		settle(m, n);
		if (parent >= 0 && m->b[parent].state == M_DEAD) {
			b->parent = -1;
			settle(m, parent);
		}
	}
}

int model_woken(struct model *m)
{
	int n, best = -1;

	for (n = 0; n < M_BLOCKS; n++)
		if (m->b[n].state != M_FREE && m->b[n].woken &&
		    (best < 0 || m->b[n].woken < m->b[best].woken))
			best = n;
	if (best >= 0)
		m->b[best].woken = 0;
	return best;
}

u64 model_written_gen(const struct model *m)
{
	u64 gen = m->gen;
	u32 n;

	for (n = 0; n < M_BLOCKS; n++)
		if ((m->b[n].state == M_DIRTY || m->b[n].writing) &&
		    m->b[n].gen < gen)
			gen = m->b[n].gen;
	return gen;
}

void model_gauges(struct model *m)
{
	struct hymc_stats *st = &m->st;
	u32 n;

	st->blocks = 0;
	st->block_bytes = 0;
	for (n = 0; n < M_BLOCKS; n++) {
		st->blocks += visible(&m->b[n]);
		st->block_bytes += visible(&m->b[n]) ? m->b[n].len : 0;
	}
	st->frames_total = m->cfg.frames;
	st->frames_free = free_frames(m);
	st->frames_reading = class_frames(m, M_READING);
	st->frames_wanted = class_frames(m, M_WANTED) + class_frames(m, M_HELD);
	st->frames_pinned = class_frames(m, M_PINNED);
	st->frames_cold = class_frames(m, M_COLD) + class_frames(m, M_FRESH) +
			  class_frames(m, M_CONSUMED);
	st->frames_dirty = class_frames(m, M_CDIRTY) +
			   class_frames(m, M_WRITING);
	st->frames_filling = class_frames(m, M_CFILLING);
	st->dirty_bytes = dirty_bytes(m);
	st->reads_inflight = in_flight(m, true);
	st->writes_inflight = in_flight(m, false);
}

u64 model_leased(const struct model *m)
{
	u64 nr = 0;
	u32 n;

	for (n = 0; n < M_BLOCKS; n++)
		nr += m->b[n].leases && m->b[n].state != M_DEAD;
	return nr;
}

/* A lease names block @n once more or once less. */
void model_lease(struct model *m, int n, int by)
{
	m->b[n].leases += by;
	settle(m, n);
}

u32 model_used(const struct model *m)
{
	u32 n, nr = 0;

	for (n = 0; n < M_BLOCKS; n++)
		nr += m->b[n].state != M_FREE;
	return nr;
}
