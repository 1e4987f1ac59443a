/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * HyMCache user API: the character device /dev/hymc<N> of a pool.
 *
 * Rules that hold for every ioctl here:
 *
 * - The argument is a pointer to the ioctl's structure. Its first field, @size,
 *   is the size the caller was compiled with. A larger structure, up to a page, is
 *   accepted as long as the bytes the kernel does not know are zero (else -E2BIG);
 *   one smaller than the first published layout is refused with -EINVAL.
 * - Reserved fields must be zero and unknown flag bits must be clear (-EINVAL).
 *   Fields marked "out" are ignored on entry.
 * - User pointers are carried in __aligned_u64, so that 32- and 64-bit callers
 *   share one layout.
 * - Batched calls take @nr elements. They stop at nothing: each element has its
 *   own status (0 or a negative errno), and @nr_ok (or @nr_hit) says how many
 *   *leading* elements succeeded. The ioctl itself fails only when the call as a
 *   whole makes no sense (bad structure, bad array pointer, dead device); a call
 *   that failed has handed out nothing.
 * - Everything a call hands out (requests, views, reservations, leases) belongs
 *   to the open file that made the call and ends with its last close at the
 *   latest.
 * - Calls that change blocks (reserve, commit, abort, put, delete) need a file
 *   that is open for writing (-EACCES).
 * - A device that is gone answers -ENODEV.
 *
 * mmap of the node shows the device DRAM: offset and length are in bytes of it,
 * and must lie inside (-EINVAL). Only MAP_SHARED (-EINVAL), never PROT_EXEC
 * (-EACCES). Without PROT_WRITE the mapping is read-only for good: mprotect cannot
 * upgrade it. With it (the file must be open for reading and writing), a store is
 * allowed where the same open file has a reservation and gives SIGBUS anywhere else,
 * also after commit or abort of that reservation. What lies outside of one's own
 * views and reservations has no defined content. Children do not inherit mappings,
 * and mappings cannot grow. When the pool is destroyed or its memory goes away, any
 * access gives SIGBUS.
 */
#ifndef _UAPI_LINUX_HYMC_H
#define _UAPI_LINUX_HYMC_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define HYMC_IOC_TYPE		'H'

/* Bytes of a block key. Opaque to the kernel, always compared in full. */
#define HYMC_KEY_BYTES		32
/* Bytes of a namespace name, terminating NUL included. */
#define HYMC_NS_NAME_BYTES	64
/* Bytes of a namespace fingerprint (a digest of model, layout, dtype...). */
#define HYMC_FP_BYTES		32
/* Most elements one call may carry; more gives -E2BIG. */
#define HYMC_BATCH_MAX		(1U << 20)
/* Longest block of the format, in bytes; a pool may allow less (see info). */
#define HYMC_BLOCK_BYTES_MAX	(1ULL << 30)

/* ioctl numbers. The size is in the structure, hence _IO(). */
#define HYMC_IOC_INFO		_IO(HYMC_IOC_TYPE, 0x00)
#define HYMC_IOC_STATS		_IO(HYMC_IOC_TYPE, 0x01)
#define HYMC_IOC_NS_ATTACH	_IO(HYMC_IOC_TYPE, 0x02)
#define HYMC_IOC_LOOKUP		_IO(HYMC_IOC_TYPE, 0x03)
#define HYMC_IOC_PREFETCH	_IO(HYMC_IOC_TYPE, 0x04)
#define HYMC_IOC_CANCEL		_IO(HYMC_IOC_TYPE, 0x05)
#define HYMC_IOC_ACQUIRE	_IO(HYMC_IOC_TYPE, 0x06)
#define HYMC_IOC_RELEASE	_IO(HYMC_IOC_TYPE, 0x07)
#define HYMC_IOC_RESERVE	_IO(HYMC_IOC_TYPE, 0x08)
#define HYMC_IOC_COMMIT		_IO(HYMC_IOC_TYPE, 0x09)
#define HYMC_IOC_ABORT		_IO(HYMC_IOC_TYPE, 0x0a)
#define HYMC_IOC_PUT		_IO(HYMC_IOC_TYPE, 0x0b)
#define HYMC_IOC_GET		_IO(HYMC_IOC_TYPE, 0x0c)
#define HYMC_IOC_DELETE		_IO(HYMC_IOC_TYPE, 0x0d)
#define HYMC_IOC_SYNC		_IO(HYMC_IOC_TYPE, 0x0e)

/* Feature bits reported by HYMC_IOC_INFO. A bit, once given, keeps its sense. */
#define HYMC_FEAT_MMAP		(1ULL << 0)	/* zero-copy mapping of the DRAM */
#define HYMC_FEAT_VERIFY	(1ULL << 1)	/* staged bytes are checksummed */

/**
 * enum hymc_policy - how a pool manages its DRAM
 * @HYMC_POLICY_STAGE: staging by hints, release-first reuse, opportunistic
 *	write-back (what HyMCache is for)
 * @HYMC_POLICY_LRU: a transparent LRU write-back cache: hints are ignored, all
 *	traffic shares one LRU list, write-back is interleaved with reads and an
 *	insert that finds only dirty frames waits. The control arm of experiments.
 */
enum hymc_policy {
	HYMC_POLICY_STAGE	= 0,
	HYMC_POLICY_LRU		= 1,
};

/**
 * enum hymc_tier - where a block was when it was asked for
 * @HYMC_TIER_NONE: not in the pool
 * @HYMC_TIER_SSD: on the SSD only
 * @HYMC_TIER_DRAM: in device DRAM, and on the SSD too
 * @HYMC_TIER_BUFFER: in device DRAM only, not yet written to the SSD
 * @HYMC_TIER_INFLIGHT: on its way from the SSD to device DRAM
 */
enum hymc_tier {
	HYMC_TIER_NONE		= 0,
	HYMC_TIER_SSD		= 1,
	HYMC_TIER_DRAM		= 2,
	HYMC_TIER_BUFFER	= 3,
	HYMC_TIER_INFLIGHT	= 4,
};

/**
 * struct hymc_info - HYMC_IOC_INFO: what this pool is
 * @size: sizeof(struct hymc_info); on return the bytes the kernel filled
 * @flags: must be 0
 * @pool: out, number N of /dev/hymc<N>
 * @policy: out, enum hymc_policy
 * @features: out, HYMC_FEAT_* bits
 * @dram_bytes: out, size of the mappable device DRAM, in bytes
 * @ssd_bytes: out, bytes of the SSD that the pool owns, superblocks included
 * @frame_bytes: out, unit of device DRAM allocation, in bytes (power of two)
 * @block_bytes_max: out, longest block this pool takes, in bytes
 * @window_bytes: out, default byte window of a prefetch request
 * @uuid: out, identity of the pool as written on the SSD
 *
 * Never sleeps on I/O. Errors: -EINVAL, -E2BIG, -EFAULT, -ENODEV.
 */
struct hymc_info {
	__u32 size;
	__u32 flags;
	__u32 pool;
	__u32 policy;
	__aligned_u64 features;
	__aligned_u64 dram_bytes;
	__aligned_u64 ssd_bytes;
	__aligned_u64 frame_bytes;
	__aligned_u64 block_bytes_max;
	__aligned_u64 window_bytes;
	__u8 uuid[16];
};

/* Buckets of hymc_stats.lead_hist: bucket i counts leads < 2^i microseconds. */
#define HYMC_LEAD_BUCKETS	32

/*
 * HYMC_STATS_U64(X): every counter of a pool, once. X(name, kind, unit, help).
 * kind: C a counter that only grows since the pool was created, G a gauge.
 * The structure below, the netlink attribute, hymcctl's table and its JSON are
 * made from this list, so they cannot disagree. Append only.
 */
#define HYMC_STATS_U64(X)						       \
	X(blocks, G, "blocks", "blocks that a lookup can hit")		       \
	X(block_bytes, G, "bytes", "payload bytes of those blocks")	       \
	X(namespaces, G, "namespaces", "namespaces known")		       \
	X(files, G, "files", "open files of /dev/hymcN")		       \
	X(requests, G, "requests", "prefetch requests outstanding")	       \
	X(views, G, "views", "acquired views outstanding")		       \
	X(reservations, G, "reservations", "reservations outstanding")	       \
	X(leases, G, "blocks", "blocks under an unexpired lease")	       \
	X(waiters, G, "threads", "acquires waiting for a block")	       \
	X(frames_total, G, "frames", "device DRAM frames")		       \
	X(frames_free, G, "frames", "frames that hold nothing")		       \
	X(frames_reading, G, "frames", "frames being filled from the SSD")     \
	X(frames_wanted, G, "frames", "staged frames a request still wants")   \
	X(frames_pinned, G, "frames", "clean frames pinned by views")	       \
	X(frames_cold, G, "frames", "clean frames that nobody wants")	       \
	X(frames_dirty, G, "frames", "committed frames not yet on the SSD")    \
	X(frames_filling, G, "frames", "frames reserved by writers")	       \
	X(dirty_bytes, G, "bytes", "payload bytes not yet on the SSD")	       \
	X(ssd_bytes, G, "bytes", "bytes of the SSD log: whole segments")       \
	X(ssd_used_bytes, G, "bytes", "bytes of the log used, overhead incl.") \
	X(reads_inflight, G, "I/Os", "block reads in flight")		       \
	X(writes_inflight, G, "I/Os", "block writes in flight")		       \
	X(lookup_keys, C, "keys", "keys looked up")			       \
	X(lookup_hits, C, "keys", "keys found by lookups")		       \
	X(hint_requests, C, "requests", "prefetch requests accepted")	       \
	X(hint_blocks, C, "blocks", "blocks named by those requests")	       \
	X(hint_unknown, C, "blocks", "hinted keys that were not in the pool")  \
	X(hint_cancelled, C, "requests", "requests ended before consumed")     \
	X(prefetch_blocks, C, "blocks", "blocks read because of a hint")       \
	X(prefetch_bytes, C, "bytes", "payload bytes of those")		       \
	X(demand_blocks, C, "blocks", "blocks read because of an acquire")     \
	X(demand_bytes, C, "bytes", "payload bytes of those")		       \
	X(wasted_blocks, C, "blocks", "prefetched, evicted before any use")    \
	X(acquire_staged, C, "blocks", "acquired without waiting")	       \
	X(acquire_late, C, "blocks", "acquired while a prefetch was reading")  \
	X(acquire_demand, C, "blocks", "acquired after a read on demand")      \
	X(acquire_miss, C, "blocks", "acquires of blocks not in the pool")     \
	X(acquire_timeout, C, "blocks", "acquires that gave up waiting")       \
	X(acquire_bytes, C, "bytes", "payload bytes acquired")		       \
	X(put_blocks, C, "blocks", "blocks committed")			       \
	X(put_bytes, C, "bytes", "payload bytes committed")		       \
	X(put_present, C, "blocks", "puts of a block already present")	       \
	X(put_conflict, C, "blocks", "puts refused: present, other length")    \
	X(put_aborted, C, "blocks", "reservations ended without commit")       \
	X(skip_buffer, C, "blocks", "inserts skipped: write buffer full")      \
	X(skip_frames, C, "blocks", "inserts skipped: no frame to spare")      \
	X(skip_ssd, C, "blocks", "inserts skipped: SSD full")		       \
	X(delete_blocks, C, "blocks", "blocks deleted by callers")	       \
	X(evict_cold, C, "blocks", "DRAM copies dropped: nobody wanted them")  \
	X(evict_consumed, C, "blocks", "DRAM copies dropped after release")    \
	X(evict_wanted, C, "blocks", "DRAM copies dropped though wanted")      \
	X(ssd_read_bytes, C, "bytes", "bytes read from the SSD")	       \
	X(ssd_write_bytes, C, "bytes", "bytes written to the SSD")	       \
	X(ssd_read_ios, C, "I/Os", "block reads completed")		       \
	X(ssd_write_ios, C, "I/Os", "block writes completed")		       \
	X(read_errors, C, "blocks", "blocks lost: the SSD failed the read")    \
	X(write_errors, C, "blocks", "blocks lost: the SSD failed the write")  \
	X(verify_errors, C, "blocks", "blocks lost: header or checksum wrong") \
	X(lead_ns_sum, C, "ns", "sum of lead times of staged acquires")	       \
	X(lead_count, C, "blocks", "staged acquires with a lead time")

#define HYMC_STATS_FIELD(name, kind, unit, help)	__aligned_u64 name;

/**
 * struct hymc_stats - HYMC_IOC_STATS: counters of the pool
 * @size: sizeof(struct hymc_stats); on return the bytes the kernel filled
 * @flags: must be 0
 * @lead_hist: lead times; bucket i counts those below 2^i microseconds and not
 *	below 2^(i-1); the last bucket is open
 *
 * The other fields are those of HYMC_STATS_U64(), in that order; each has its
 * unit and meaning there. One consistent snapshot. Never sleeps on I/O.
 * Errors: -EINVAL, -E2BIG, -EFAULT, -ENODEV.
 */
struct hymc_stats {
	__u32 size;
	__u32 flags;
	HYMC_STATS_U64(HYMC_STATS_FIELD)
	__aligned_u64 lead_hist[HYMC_LEAD_BUCKETS];
};

/* hymc_ns_attach.flags: make the namespace when it does not exist. */
#define HYMC_NS_CREATE		(1U << 0)

/**
 * struct hymc_ns_attach - HYMC_IOC_NS_ATTACH: make a namespace usable here
 * @size: sizeof(struct hymc_ns_attach)
 * @flags: HYMC_NS_CREATE or 0
 * @name: NUL-terminated, 1..63 bytes, the rest zero
 * @fingerprint: digest of whatever makes blocks exchangeable (model, layout,
 *	dtype, shard...); must equal the one the namespace was created with
 * @ns: out, handle for the other calls of this open file
 * @__reserved: must be 0
 *
 * A namespace is bound to the uid that created it. Errors: -ENOENT (no such
 * namespace and no HYMC_NS_CREATE), -EACCES (another user's), -EUCLEAN (the
 * fingerprint differs), -ENOSPC (too many namespaces in the pool, or of this user),
 * -EINVAL, -E2BIG, -EFAULT, -ENOMEM, -ENODEV.
 */
struct hymc_ns_attach {
	__u32 size;
	__u32 flags;
	__u8 name[HYMC_NS_NAME_BYTES];
	__u8 fingerprint[HYMC_FP_BYTES];
	__u32 ns;
	__u32 __reserved;
};

/**
 * struct hymc_found - one element's answer of HYMC_IOC_LOOKUP
 * @status: 0 when present, -ENOENT when not
 * @tier: enum hymc_tier
 * @len: payload bytes of the block, 0 when absent
 */
struct hymc_found {
	__s32 status;
	__u32 tier;
	__aligned_u64 len;
};

/**
 * struct hymc_lookup - HYMC_IOC_LOOKUP: how much of a prefix is in the pool
 * @size: sizeof(struct hymc_lookup)
 * @flags: must be 0
 * @ns: namespace handle
 * @nr: number of keys, 1..HYMC_BATCH_MAX
 * @keys: pointer to @nr keys of HYMC_KEY_BYTES each, in chain order
 * @found: pointer to @nr struct hymc_found, or 0 when only @nr_hit matters
 * @lease_ms: keep the leading hits on the SSD for this many milliseconds (ten
 *	minutes at most), or 0
 * @nr_hit: out, leading keys that are present
 *
 * Errors: -EBADF (namespace not attached to this file), -ENOSPC (too many leases
 * on this file), -EINVAL, -E2BIG, -EFAULT, -ENOMEM, -ENODEV.
 */
struct hymc_lookup {
	__u32 size;
	__u32 flags;
	__u32 ns;
	__u32 nr;
	__aligned_u64 keys;
	__aligned_u64 found;
	__u32 lease_ms;
	__u32 nr_hit;
};

/* hymc_prefetch.window_bytes: use the pool's default window. */
#define HYMC_WINDOW_DEFAULT	(~0ULL)

/**
 * struct hymc_prefetch - HYMC_IOC_PREFETCH: what a request will read, in order
 * @size: sizeof(struct hymc_prefetch)
 * @flags: must be 0
 * @ns: namespace handle
 * @nr: number of keys, 1..HYMC_BATCH_MAX
 * @keys: pointer to @nr keys, in the order of use
 * @window_bytes: most bytes staged or in flight and not yet released; one larger
 *	block goes alone; 0 issues nothing; HYMC_WINDOW_DEFAULT
 * @deadline_ms: when the engine expects to use the first block, from now
 * @ttl_ms: forget the request after this many milliseconds; 0 = 60 s
 * @request: out, handle for acquire and cancel; 0 when none of the keys is in the
 *	pool, then there is no request
 * @nr_known: out, leading keys that are in the pool
 * @__reserved: must be 0
 *
 * Unknown keys are allowed and cost nothing. A request ends when all its known
 * blocks were released, at its TTL, by HYMC_IOC_CANCEL or with the file. Returns
 * at once; never waits for I/O. Errors: -EBADF, -EINVAL, -E2BIG, -EFAULT, -ENOMEM,
 * -ENOSPC (too many requests on this file), -ENODEV.
 */
struct hymc_prefetch {
	__u32 size;
	__u32 flags;
	__u32 ns;
	__u32 nr;
	__aligned_u64 keys;
	__aligned_u64 window_bytes;
	__u32 deadline_ms;
	__u32 ttl_ms;
	__aligned_u64 request;
	__u32 nr_known;
	__u32 __reserved;
};

/**
 * struct hymc_cancel - HYMC_IOC_CANCEL: a request will not be used
 * @size: sizeof(struct hymc_cancel)
 * @flags: must be 0
 * @request: handle from HYMC_IOC_PREFETCH
 *
 * Staged blocks that nobody else wants are given up at once. Views stay valid.
 * Never waits for I/O. Errors: -ENOENT, -EINVAL, -E2BIG, -EFAULT, -ENODEV.
 */
struct hymc_cancel {
	__u32 size;
	__u32 flags;
	__aligned_u64 request;
};

/**
 * struct hymc_run - adjacent bytes of the pool's mapping
 * @offset: offset in the mmap of the device node, in bytes
 * @len: bytes
 */
struct hymc_run {
	__aligned_u64 offset;
	__aligned_u64 len;
};

/**
 * struct hymc_view - one element's answer of HYMC_IOC_ACQUIRE and _RESERVE
 * @view: handle to release (or to commit or abort); 0 when @status is not 0
 * @len: payload bytes
 * @status: 0; -ENOENT (not in the pool), -ETIMEDOUT, -EIO (lost: the SSD failed
 *	or the bytes did not verify), -ENOBUFS (no room in @runs), -EINTR; for
 *	reserve also -EEXIST (present, other length), -EALREADY (present, same
 *	length: nothing to do), -EBUSY (another writer is filling it), -ENOMEM,
 *	-EAGAIN (skipped: no spare DRAM), -ENOSPC (skipped: SSD full), -EFBIG, -EINVAL
 *	(length 0, or desc.addr not 0)
 * @tier: enum hymc_tier at the moment of the call
 * @run_first: index of the first run in @runs
 * @run_nr: number of runs, in payload order
 */
struct hymc_view {
	__aligned_u64 view;
	__aligned_u64 len;
	__s32 status;
	__u32 tier;
	__u32 run_first;
	__u32 run_nr;
};

/**
 * struct hymc_acquire - HYMC_IOC_ACQUIRE: pin blocks in DRAM, staging if needed
 * @size: sizeof(struct hymc_acquire)
 * @flags: must be 0
 * @ns: namespace handle
 * @nr: number of blocks, 1..HYMC_BATCH_MAX
 * @keys: pointer to @nr keys; 0 when @request is given
 * @request: handle of a prefetch request: blocks @first..@first+@nr-1 of its key
 *	list are meant; 0 to acquire by key
 * @first: index in the request's key list; 0 without @request. An item means the
 *	block that was there at the time of the hint: one that was unknown then, or
 *	has gone since, is -ENOENT
 * @timeout_ms: longest wait for all of them together; 0 = do not wait
 * @views: pointer to @nr struct hymc_view
 * @runs: pointer to @runs_max struct hymc_run
 * @runs_max: room in @runs
 * @nr_ok: out, leading blocks acquired
 * @nr_runs: out, runs written
 * @__reserved: must be 0
 *
 * Blocks with status 0 stay where they are until released. A signal ends the
 * wait: what was acquired stays acquired, the rest reports -EINTR. May sleep up
 * to @timeout_ms. Errors: -EBADF, -ENOENT (no such request, or it has ended),
 * -EINVAL (also a range outside the request, or another namespace than the
 * request's), -E2BIG, -EFAULT, -ENOMEM, -ENODEV.
 */
struct hymc_acquire {
	__u32 size;
	__u32 flags;
	__u32 ns;
	__u32 nr;
	__aligned_u64 keys;
	__aligned_u64 request;
	__u32 first;
	__u32 timeout_ms;
	__aligned_u64 views;
	__aligned_u64 runs;
	__u32 runs_max;
	__u32 nr_ok;
	__u32 nr_runs;
	__u32 __reserved;
};

/**
 * struct hymc_views - HYMC_IOC_RELEASE, _COMMIT and _ABORT: end views
 * @size: sizeof(struct hymc_views)
 * @flags: must be 0
 * @nr: number of handles, 1..HYMC_BATCH_MAX
 * @nr_ok: out, leading handles that were valid
 * @views: pointer to @nr handles (__u64)
 * @status: pointer to @nr __s32, or 0: 0, -ENOENT (no such handle of this kind in
 *	this file), or for commit -EBUSY: a direct transfer into the reservation is
 *	still in flight, or its memory is pinned; the block is forgotten
 *
 * RELEASE takes handles of acquire: the frames are the first to be reused unless
 * another request wants them. COMMIT and ABORT take handles of reserve: commit
 * makes the block visible, immutable and no longer writable through the mapping;
 * abort forgets it. Errors: -EINVAL, -E2BIG, -EFAULT, -ENODEV.
 */
struct hymc_views {
	__u32 size;
	__u32 flags;
	__u32 nr;
	__u32 nr_ok;
	__aligned_u64 views;
	__aligned_u64 status;
};

/**
 * struct hymc_desc - one block of HYMC_IOC_RESERVE, _PUT and _GET
 * @key: the block's key
 * @len: payload bytes; for get the room at @addr
 * @addr: the caller's buffer; must be 0 for reserve
 */
struct hymc_desc {
	__u8 key[HYMC_KEY_BYTES];
	__aligned_u64 len;
	__aligned_u64 addr;
};

/* hymc_reserve.flags, hymc_put.flags: @parent names the first block's parent. */
#define HYMC_PUT_PARENT		(1U << 0)
/*
 * hymc_reserve.flags, hymc_put.flags: block i's parent is block i-1 of the same
 * call, so that eviction can drop leaves before parents.
 */
#define HYMC_PUT_CHAIN		(1U << 1)

/**
 * struct hymc_reserve - HYMC_IOC_RESERVE: DRAM for new blocks, to be filled
 * @size: sizeof(struct hymc_reserve)
 * @flags: HYMC_PUT_*
 * @ns: namespace handle
 * @nr: number of blocks, 1..HYMC_BATCH_MAX
 * @descs: pointer to @nr struct hymc_desc
 * @views: pointer to @nr struct hymc_view
 * @runs: pointer to @runs_max struct hymc_run
 * @parent: key of the first block's parent, zero without HYMC_PUT_PARENT
 * @runs_max: room in @runs
 * @timeout_ms: longest wait for frames in a pool whose policy waits; a staging
 *	pool never waits: it skips
 * @nr_ok: out, leading blocks reserved
 * @nr_runs: out, runs written
 *
 * The frames are zeroed, and writable through a PROT_WRITE mapping of this file
 * until commit or abort. Errors of the call: -EBADF, -EINVAL, -E2BIG, -EFAULT,
 * -ENOMEM, -ENODEV; per block see struct hymc_view.
 */
struct hymc_reserve {
	__u32 size;
	__u32 flags;
	__u32 ns;
	__u32 nr;
	__aligned_u64 descs;
	__aligned_u64 views;
	__aligned_u64 runs;
	__u8 parent[HYMC_KEY_BYTES];
	__u32 runs_max;
	__u32 timeout_ms;
	__u32 nr_ok;
	__u32 nr_runs;
};

/**
 * struct hymc_done - one element's answer of HYMC_IOC_PUT and _GET
 * @status: 0 or a negative errno as in struct hymc_view; also -EFAULT (bad
 *	desc.addr); for get also -EMSGSIZE (the room is smaller than the block,
 *	whose length is in @len). A put of a block that is present with the same
 *	length is a success, 0
 * @tier: enum hymc_tier before the call; after a successful put, a value other
 *	than HYMC_TIER_NONE says that the block was present and nothing was stored
 * @len: payload bytes stored or copied
 */
struct hymc_done {
	__s32 status;
	__u32 tier;
	__aligned_u64 len;
};

/**
 * struct hymc_copy - HYMC_IOC_PUT and HYMC_IOC_GET: store or fetch by copying
 * @size: sizeof(struct hymc_copy)
 * @flags: put: HYMC_PUT_*; get: must be 0
 * @ns: namespace handle
 * @nr: number of blocks, 1..HYMC_BATCH_MAX
 * @descs: pointer to @nr struct hymc_desc
 * @done: pointer to @nr struct hymc_done
 * @parent: as in struct hymc_reserve; zero for get
 * @timeout_ms: longest wait for all of them together
 * @nr_ok: out, leading blocks stored (or present already), or copied
 *
 * Errors: -EBADF, -EINVAL, -E2BIG, -EFAULT (arrays), -ENOMEM, -ENODEV.
 */
struct hymc_copy {
	__u32 size;
	__u32 flags;
	__u32 ns;
	__u32 nr;
	__aligned_u64 descs;
	__aligned_u64 done;
	__u8 parent[HYMC_KEY_BYTES];
	__u32 timeout_ms;
	__u32 nr_ok;
};

/**
 * struct hymc_delete - HYMC_IOC_DELETE: forget blocks
 * @size: sizeof(struct hymc_delete)
 * @flags: must be 0
 * @ns: namespace handle
 * @nr: number of keys, 1..HYMC_BATCH_MAX
 * @keys: pointer to @nr keys
 * @status: pointer to @nr __s32, or 0: 0 or -ENOENT
 * @nr_ok: out, leading keys deleted
 * @__reserved: must be 0
 *
 * New lookups miss at once; views already handed out stay readable. Errors:
 * -EBADF, -EINVAL, -E2BIG, -EFAULT, -ENODEV.
 */
struct hymc_delete {
	__u32 size;
	__u32 flags;
	__u32 ns;
	__u32 nr;
	__aligned_u64 keys;
	__aligned_u64 status;
	__u32 nr_ok;
	__u32 __reserved;
};

/**
 * struct hymc_sync - HYMC_IOC_SYNC: write what was committed before to the SSD
 * @size: sizeof(struct hymc_sync)
 * @flags: must be 0
 * @timeout_ms: longest wait
 * @__reserved: must be 0
 *
 * Includes a cache flush of the SSD. May sleep up to @timeout_ms (and, once the
 * writes are done, for that flush). Errors: -ETIMEDOUT, -EINTR, -EIO (a block
 * could not be written and is lost, or the flush failed), -EINVAL, -E2BIG, -EFAULT,
 * -ENODEV. As with fsync, each open file hears once of losses since its last sync,
 * or since it was opened, whoever had put the block.
 */
struct hymc_sync {
	__u32 size;
	__u32 flags;
	__u32 timeout_ms;
	__u32 __reserved;
};

#endif /* _UAPI_LINUX_HYMC_H */
