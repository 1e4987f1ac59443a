// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the layout of the ABI, as published
 *
 * Nothing here runs: it is compiled, for 64-bit and for 32-bit callers, and does
 * not compile when a structure, offset or number is not what it was. Append when
 * the ABI grows; never change a line.
 */
#include <stddef.h>

#include <linux/hymc.h>

#define SIZE(type, bytes) \
	_Static_assert(sizeof(struct type) == (bytes), "size of " #type)
#define AT(type, field, off) \
	_Static_assert(offsetof(struct type, field) == (off), \
		       #type "." #field " moved")
#define NUMBER(name, value) \
	_Static_assert(HYMC_IOC_##name == (0x4800 | (value)), #name)

NUMBER(INFO, 0x00);
NUMBER(STATS, 0x01);
NUMBER(NS_ATTACH, 0x02);
NUMBER(LOOKUP, 0x03);
NUMBER(PREFETCH, 0x04);
NUMBER(CANCEL, 0x05);
NUMBER(ACQUIRE, 0x06);
NUMBER(RELEASE, 0x07);
NUMBER(RESERVE, 0x08);
NUMBER(COMMIT, 0x09);
NUMBER(ABORT, 0x0a);
NUMBER(PUT, 0x0b);
NUMBER(GET, 0x0c);
NUMBER(DELETE, 0x0d);
NUMBER(SYNC, 0x0e);

SIZE(hymc_info, 80);
AT(hymc_info, size, 0);
AT(hymc_info, flags, 4);
AT(hymc_info, pool, 8);
AT(hymc_info, policy, 12);
AT(hymc_info, features, 16);
AT(hymc_info, dram_bytes, 24);
AT(hymc_info, ssd_bytes, 32);
AT(hymc_info, frame_bytes, 40);
AT(hymc_info, block_bytes_max, 48);
AT(hymc_info, window_bytes, 56);
AT(hymc_info, uuid, 64);

SIZE(hymc_stats, 744);
AT(hymc_stats, size, 0);
AT(hymc_stats, flags, 4);
AT(hymc_stats, blocks, 8);
AT(hymc_stats, waiters, 72);
AT(hymc_stats, frames_total, 80);
AT(hymc_stats, lookup_keys, 184);
AT(hymc_stats, lead_count, 480);
AT(hymc_stats, lead_hist, 488);

SIZE(hymc_ns_attach, 112);
AT(hymc_ns_attach, flags, 4);
AT(hymc_ns_attach, name, 8);
AT(hymc_ns_attach, fingerprint, 72);
AT(hymc_ns_attach, ns, 104);

SIZE(hymc_found, 16);
AT(hymc_found, status, 0);
AT(hymc_found, tier, 4);
AT(hymc_found, len, 8);

SIZE(hymc_lookup, 40);
AT(hymc_lookup, ns, 8);
AT(hymc_lookup, nr, 12);
AT(hymc_lookup, keys, 16);
AT(hymc_lookup, found, 24);
AT(hymc_lookup, lease_ms, 32);
AT(hymc_lookup, nr_hit, 36);

SIZE(hymc_prefetch, 56);
AT(hymc_prefetch, ns, 8);
AT(hymc_prefetch, nr, 12);
AT(hymc_prefetch, keys, 16);
AT(hymc_prefetch, window_bytes, 24);
AT(hymc_prefetch, deadline_ms, 32);
AT(hymc_prefetch, ttl_ms, 36);
AT(hymc_prefetch, request, 40);
AT(hymc_prefetch, nr_known, 48);

SIZE(hymc_cancel, 16);
AT(hymc_cancel, request, 8);

SIZE(hymc_run, 16);
AT(hymc_run, offset, 0);
AT(hymc_run, len, 8);

SIZE(hymc_view, 32);
AT(hymc_view, view, 0);
AT(hymc_view, len, 8);
AT(hymc_view, status, 16);
AT(hymc_view, tier, 20);
AT(hymc_view, run_first, 24);
AT(hymc_view, run_nr, 28);

SIZE(hymc_acquire, 72);
AT(hymc_acquire, ns, 8);
AT(hymc_acquire, nr, 12);
AT(hymc_acquire, keys, 16);
AT(hymc_acquire, request, 24);
AT(hymc_acquire, first, 32);
AT(hymc_acquire, timeout_ms, 36);
AT(hymc_acquire, views, 40);
AT(hymc_acquire, runs, 48);
AT(hymc_acquire, runs_max, 56);
AT(hymc_acquire, nr_ok, 60);
AT(hymc_acquire, nr_runs, 64);

SIZE(hymc_views, 32);
AT(hymc_views, nr, 8);
AT(hymc_views, nr_ok, 12);
AT(hymc_views, views, 16);
AT(hymc_views, status, 24);

SIZE(hymc_desc, 48);
AT(hymc_desc, key, 0);
AT(hymc_desc, len, 32);
AT(hymc_desc, addr, 40);

SIZE(hymc_reserve, 88);
AT(hymc_reserve, ns, 8);
AT(hymc_reserve, nr, 12);
AT(hymc_reserve, descs, 16);
AT(hymc_reserve, views, 24);
AT(hymc_reserve, runs, 32);
AT(hymc_reserve, parent, 40);
AT(hymc_reserve, runs_max, 72);
AT(hymc_reserve, timeout_ms, 76);
AT(hymc_reserve, nr_ok, 80);
AT(hymc_reserve, nr_runs, 84);

SIZE(hymc_done, 16);
AT(hymc_done, status, 0);
AT(hymc_done, tier, 4);
AT(hymc_done, len, 8);

SIZE(hymc_copy, 72);
AT(hymc_copy, ns, 8);
AT(hymc_copy, nr, 12);
AT(hymc_copy, descs, 16);
AT(hymc_copy, done, 24);
AT(hymc_copy, parent, 32);
AT(hymc_copy, timeout_ms, 64);
AT(hymc_copy, nr_ok, 68);

SIZE(hymc_delete, 40);
AT(hymc_delete, ns, 8);
AT(hymc_delete, nr, 12);
AT(hymc_delete, keys, 16);
AT(hymc_delete, status, 24);
AT(hymc_delete, nr_ok, 32);

SIZE(hymc_sync, 16);
AT(hymc_sync, timeout_ms, 8);
