// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the device's counters against the replay's own
 *
 * The two are counted independently, so a disagreement is a bug in one of them.
 * Owns the list of what must agree.
 */
#include <inttypes.h>
#include <stdio.h>

#include "audit.h"
#include "delta.h"

static void expect(struct hr_audit *a, const char *what, uint64_t ours,
		   uint64_t device)
{
	if (ours == device || a->nr == HR_AUDIT_MAX)
		return;
	snprintf(a->text[a->nr++], sizeof(a->text[0]),
		 "%s: the replay counted %" PRIu64 ", the device %" PRIu64,
		 what, ours, device);
}

static void expect_at_least(struct hr_audit *a, const char *what,
			    uint64_t least, uint64_t device)
{
	if (device >= least || a->nr == HR_AUDIT_MAX)
		return;
	snprintf(a->text[a->nr++], sizeof(a->text[0]),
		 "%s: at least %" PRIu64 " expected, the device counted %" PRIu64,
		 what, least, device);
}

static void audit_reads(struct hr_audit *a, const struct hr_tally *t,
			const struct hymc_stats *d)
{
	expect(a, "keys looked up", t->lookup_keys, d->lookup_keys);
	expect_at_least(a, "keys found", t->lookup_hits,
			d->lookup_hits);
	expect(a, "hints", t->hint_requests, d->hint_requests);
	expect(a, "hinted blocks", t->hint_blocks, d->hint_blocks);
	expect(a, "blocks acquired", t->loaded_blocks,
	       d->acquire_staged + d->acquire_late +
	       d->acquire_demand);
	expect(a, "bytes acquired", t->loaded_bytes, d->acquire_bytes);
	expect(a, "acquires of missing blocks", t->load_missing,
	       d->acquire_miss);
	expect(a, "acquires that timed out", t->load_timeout,
	       d->acquire_timeout);
}

static void audit_writes(struct hr_audit *a, const struct hr_tally *t,
			 const struct hymc_stats *d)
{
	expect(a, "blocks stored", t->put_stored, d->put_blocks);
	expect(a, "bytes stored", t->put_stored_bytes, d->put_bytes);
	expect(a, "blocks offered that were present", t->put_present,
	       d->put_present);
	expect(a, "inserts skipped in DRAM", t->put_skipped,
	       d->skip_buffer + d->skip_frames);
	expect(a, "inserts skipped on the SSD", t->put_skipped_ssd,
	       d->skip_ssd);
}

/* The payload that went over the drive's wire must have been counted there. */
static void audit_ssd(struct hr_audit *a, const struct hymc_stats *d)
{
	expect_at_least(a, "bytes read from the SSD",
			d->prefetch_bytes + d->demand_bytes,
			d->ssd_read_bytes);
	expect_at_least(a, "bytes written to the SSD", d->put_bytes,
			d->ssd_write_bytes);
}

/* What is in the pool now and was not before is what was stored, or lost. */
static void audit_blocks(struct hr_audit *a, const struct hr_tally *t,
			 const struct hymc_stats *before,
			 const struct hymc_stats *d)
{
	uint64_t lost = d->read_errors + d->write_errors + d->verify_errors;

	expect(a, "blocks in the pool", t->put_stored - lost,
	       d->blocks - before->blocks);
	if (!lost)
		expect(a, "bytes in the pool", t->put_stored_bytes,
		       d->block_bytes - before->block_bytes);
}

/* Nothing may be left over from a run that has ended. */
static void audit_idle(struct hr_audit *a, const struct hymc_stats *d)
{
	expect(a, "requests outstanding", 0, d->requests);
	expect(a, "views outstanding", 0, d->views);
	expect(a, "reservations outstanding", 0, d->reservations);
	expect(a, "threads waiting", 0, d->waiters);
	expect(a, "dirty bytes after sync", 0, d->dirty_bytes);
	expect(a, "frames pinned", 0, d->frames_pinned);
	expect(a, "frames in all states", d->frames_total,
	       d->frames_free + d->frames_reading + d->frames_wanted +
	       d->frames_pinned + d->frames_cold + d->frames_dirty +
	       d->frames_filling);
}

unsigned int hr_audit_run(const struct hr_tally *t,
			  const struct hymc_stats *before,
			  const struct hymc_stats *after,
			  struct hr_audit *audit)
{
	struct hymc_stats moved;

	audit->nr = 0;
	hr_delta(before, after, &moved);
	audit_reads(audit, t, &moved);
	audit_writes(audit, t, &moved);
	audit_blocks(audit, t, before, &moved);
	audit_ssd(audit, &moved);
	audit_idle(audit, &moved);
	return audit->nr;
}
