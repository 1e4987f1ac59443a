/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: a good call of every ioctl
 *
 * ioctl_abi.c and ioctl_ptr.c bend these calls; they own no knowledge of the
 * single ioctls. Each call carries CALLS_NR elements, more than the module can
 * handle in one go, so that a fault in a late element finds early ones done.
 */
#ifndef IOCTL_CALLS_H
#define IOCTL_CALLS_H

#include "hymc_test.h"

/* Elements of a batched call, and payload bytes of each block. */
#define CALLS_NR	150U
#define CALLS_LEN	1000U
/* Room for a structure that pretends to be large. */
#define CALLS_ARG_BYTES	(4 * 4096U)
/* Room for the largest array, and the hole behind it. */
#define CALLS_AREA_BYTES	(64 * 4096U)

enum call_id {
	CALL_info,
	CALL_stats,
	CALL_ns_attach,
	CALL_lookup,
	CALL_prefetch,
	CALL_cancel,
	CALL_acquire,
	CALL_release,
	CALL_reserve,
	CALL_commit,
	CALL_abort,
	CALL_put,
	CALL_get,
	CALL_delete,
	CALL_sync,
	CALLS,
};

/**
 * struct calls_arrays - what the pointers of the calls point to
 * @keys: keys of the blocks
 * @found: answers of lookup
 * @views: answers of acquire and reserve
 * @runs: the same
 * @descs: blocks of reserve, put and get
 * @done: answers of put and get
 * @status: answers of release, commit, abort and delete
 * @handles: views to end
 * @data: payloads
 */
struct calls_arrays {
	struct ht_key keys[CALLS_NR];
	struct hymc_found found[CALLS_NR];
	struct hymc_view views[CALLS_NR];
	struct hymc_run runs[CALLS_NR];
	struct hymc_desc descs[CALLS_NR];
	struct hymc_done done[CALLS_NR];
	__s32 status[CALLS_NR];
	__u64 handles[CALLS_NR];
	unsigned char data[CALLS_NR][CALLS_LEN];
};

/**
 * struct calls - state of one test
 * @h: the pool; calls go to its file
 * @watch: another open file, to look at the counters with
 * @arg: the structure of the call, CALLS_ARG_BYTES of room
 * @area: CALLS_AREA_BYTES of memory, followed by a hole
 * @a: the arrays
 * @before: counters before a call
 * @made: number of the first of CALLS_NR blocks made by the call
 */
struct calls {
	struct ht h;
	int watch;
	unsigned char *arg;
	unsigned char *area;
	struct calls_arrays *a;
	struct hymc_stats before;
	__u64 made;
};

/**
 * struct call - one ioctl
 * @cmd: its number
 * @bytes: size of its structure
 * @first_bytes: size of its structure as first published
 * @ns: offset of the namespace handle, 0 when there is none
 * @flags_known: flag bits that mean something
 * @reserved: offset of bytes that must be zero in the good call
 * @reserved_bytes: their number
 * @answers: the kernel writes to the structure
 * @prepare: make a good call in @arg; 0 or -errno
 * @verify: did the good call do what it says? 0 or -errno
 */
struct call {
	unsigned long cmd;
	__u32 bytes;
	__u32 first_bytes;
	__u32 ns;
	__u32 flags_known;
	__u32 reserved;
	__u32 reserved_bytes;
	bool answers;
	int (*prepare)(struct calls *c, void *arg);
	int (*verify)(struct calls *c, const void *arg);
};

extern const struct call calls[CALLS];

/* Get ready: arrays, CALLS_NR blocks that are present. @c->h is open. */
int calls_begin(struct calls *c);
/* Close, and check that nothing is left outstanding. */
int calls_end(struct calls *c);

int call_prepare(struct calls *c, enum call_id id);
int call_do(struct calls *c, enum call_id id);
/* The same with the structure at @arg. */
int call_at(struct calls *c, enum call_id id, void *arg);
int call_verify(struct calls *c, enum call_id id);
void call_set_size(struct calls *c, __u32 size);
void call_set_flags(struct calls *c, __u32 flags);
/* The __u32 or __u64 at @off of the structure. */
void call_set_u32(struct calls *c, size_t off, __u32 value);
void call_set_u64(struct calls *c, size_t off, __u64 value);
__u64 call_get_u64(const struct calls *c, size_t off);

/* First byte of memory that is not there; bytes below it are. */
unsigned char *calls_hole(struct calls *c);
/* A page of its own. */
unsigned char *calls_page(struct calls *c);

/* Note the counters; then: nothing changed; or nothing more is outstanding. */
int calls_snapshot(struct calls *c);
int calls_unchanged(struct calls *c);
int calls_not_more(struct calls *c);

#endif /* IOCTL_CALLS_H */
