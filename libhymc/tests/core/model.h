/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a naive model of the core
 *
 * The same rules, written from their description with nothing but arrays and full
 * scans: no lists, no heap, no hash, no cached counts. What is "first" is found by
 * looking at everything and comparing stamps. It predicts every answer, every
 * counter and every action of the core but two things, which the driver tells it:
 * whether the log had space (the log has a random test of its own), and which
 * completions failed.
 */
#ifndef HYMC_TEST_MODEL_H
#define HYMC_TEST_MODEL_H

#include "core.h"

#define M_BLOCKS	128
#define M_REQUESTS	12
#define M_ITEMS		24

/**
 * enum m_state - life of a block
 */
enum m_state { M_FREE, M_FILLING, M_DIRTY, M_CLEAN, M_SSD, M_QUEUED, M_DEAD };

/**
 * enum m_class - what its frames count as; the last five in order of eviction
 */
enum m_class {
	M_NONE, M_CQUEUED, M_READING, M_CFILLING, M_CDIRTY, M_WRITING, M_PINNED,
	M_CONSUMED, M_FRESH, M_COLD, M_WANTED, M_HELD,
};

/**
 * struct m_block - a block that was reserved once
 */
struct m_block {
	enum m_state state;
	enum m_class cls;
	s64 stamp;
	u64 ns;
	u64 id;
	u64 version;
	u64 len;
	u64 gen;
	u64 ready;
	u32 leases;
	u32 idx;
	int parent;
	u64 parent_id;
	bool frames;
	bool reading;
	bool writing;
	bool filling;
	bool lost;
	bool prefetched;
	bool demand;
	bool consumed;
	bool fresh;
	u32 pins;
	u32 waiters;
	s64 woken;
};

/**
 * enum m_item - state of an item
 */
enum m_item { M_UNKNOWN, M_WAIT, M_HOLD, M_DONE };

/**
 * struct m_request - a request
 *
 * @full: its window had no room for the next block. Until it consumes something
 * it is not looked at again, even if that block dies meanwhile.
 */
struct m_request {
	bool used;
	bool started;
	bool protects;
	bool full;
	u64 window;
	u64 deadline;
	u64 seq;
	u32 nr;
	int block[M_ITEMS];
	enum m_item item[M_ITEMS];
};

/**
 * struct model - everything
 */
struct model {
	struct hymc_core_cfg cfg;
	struct m_block b[M_BLOCKS];
	struct m_request r[M_REQUESTS];
	struct hymc_stats st;
	s64 clock;
	u64 seq;
	u64 gen;
	u64 sync_gen;
	bool flushing;
	bool write_turn;
};

void model_init(struct model *m, const struct hymc_core_cfg *cfg);
/* A block by key, visible or filling; -1. */
int model_find(const struct model *m, u64 ns, u64 id);
int model_visible(const struct model *m, u64 ns, u64 id);
u32 model_tier(const struct model *m, int n);

/* What reserve must return, but for space; 0 also when space decides. */
int model_reserve_check(struct model *m, u64 ns, u64 id, u64 len);
/* It returned 0. The new block. */
int model_reserve(struct model *m, u64 ns, u64 id, u64 len, u64 parent,
		  u32 idx);
void model_commit(struct model *m, int n);
void model_abort(struct model *m, int n);
void model_delete(struct model *m, int n);
u64 model_drop_ns(struct model *m, u64 ns);

void model_request_add(struct model *m, int rn, u64 ns, u64 id);
u32 model_request_start(struct model *m, int rn);
/* Items not released; those whose block died may count until somebody looks. */
u32 model_request_left(const struct model *m, int rn, bool dead_too);
/* @cancelled: the core says that something was left. */
void model_request_end(struct model *m, int rn, bool cancelled);

int model_acquire(struct model *m, int n, u64 now);
int model_acquire_item(struct model *m, int rn, u32 i, u64 now, int *n);
int model_retry(struct model *m, int n);
void model_abandon(struct model *m, int n, bool timed_out);
void model_release(struct model *m, int n, int rn, u32 i);

/**
 * struct m_act - predicted action
 */
struct m_act {
	enum hymc_act_kind kind;
	int n;
};

/* @unplaced: dirty blocks that the core gave up for lack of space meanwhile. */
struct m_act model_next(struct model *m, u32 unplaced);
void model_read_done(struct model *m, int n, int err, u64 now);
void model_write_done(struct model *m, int n, int err);
/* Block whose waiters are woken next; -1. */
int model_woken(struct model *m);
u64 model_written_gen(const struct model *m);
/* Fill the gauges of @m->st. */
void model_gauges(struct model *m);
/* Blocks that something still needs. */
u32 model_used(const struct model *m);
u64 model_leased(const struct model *m);
void model_lease(struct model *m, int n, int by);

#endif /* HYMC_TEST_MODEL_H */
