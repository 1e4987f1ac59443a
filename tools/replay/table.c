// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the table at the end of a replay
 *
 * Owns the wording for people. A row is made once for all modes, so that they
 * cannot show different things.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "compare.h"
#include "table.h"

#define CELL_BYTES	32

/* What a row shows: a number of struct hr_result, or what a function says. */
enum cell { CELL_COUNT, CELL_MIB, CELL_SHARE, CELL_MS, CELL_FN };

/**
 * struct row - one line of the table
 * @label: what it shows
 * @cell: of which kind
 * @offset: of the number (CELL_MS: of the samples) in struct hr_result
 * @q: percentile, for CELL_MS
 * @fn: for CELL_FN
 */
struct row {
	const char *label;
	enum cell cell;
	size_t offset;
	double q;
	void (*fn)(const struct hr_result *r, char *text);
};

static void print(char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void print(char *text, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, CELL_BYTES, fmt, ap);
	va_end(ap);
}

static void print_ms(char *text, double v)
{
	print(text, v < 10 ? "%.2f ms" : v < 1000 ? "%.1f ms" : "%.0f ms", v);
}

static void print_share(char *text, uint64_t part, uint64_t whole)
{
	if (whole)
		print(text, "%.2f %%", 100.0 * part / whole);
	else
		print(text, "-");
}

/* Acquires of a run, whatever came of them. */
static uint64_t acquires(const struct hr_result *r)
{
	const struct hymc_stats *d = &r->moved;

	return d->acquire_staged + d->acquire_late + d->acquire_demand +
	       d->acquire_miss + d->acquire_timeout;
}

static void fn_rate(const struct hr_result *r, char *text)
{
	print(text, "%.2f", r->tally.requests / r->seconds);
}

static void fn_load_rate(const struct hr_result *r, char *text)
{
	print(text, "%.1f MB/s", hr_result_load_rate(r) / 1e6);
}

static void fn_lead(const struct hr_result *r, char *text)
{
	uint64_t nr = r->moved.lead_count;

	if (nr)
		print_ms(text, r->moved.lead_ns_sum / 1e6 / nr);
	else
		print(text, "-");
}

static void fn_audit(const struct hr_result *r, char *text)
{
	print(text, "%u", r->audit.nr);
}

#define ROW(label, cell, field) \
	{ label, cell, offsetof(struct hr_result, field), 0, NULL }
#define ROW_MS(label, field, q) \
	{ label, CELL_MS, offsetof(struct hr_result, field), q, NULL }
#define ROW_FN(label, fn) \
	{ label, CELL_FN, 0, 0, fn }

static const struct row rows[] = {
	ROW("requests", CELL_COUNT, tally.requests),
	ROW_FN("requests/s", fn_rate),
	ROW("requests that load a prefix", CELL_COUNT, tally.requests_loading),
	ROW("blocks they load", CELL_COUNT, tally.loaded_blocks),
	ROW_MS("time to load a prefix, p50", load_ms, 0.50),
	ROW_MS("                       p90", load_ms, 0.90),
	ROW_MS("                       p99", load_ms, 0.99),
	ROW_FN("bytes per second of loading", fn_load_rate),
	ROW_MS("time to first token, p50", first_token_ms, 0.50),
	ROW_MS("                     p99", first_token_ms, 0.99),
	ROW_MS("time in the queue, p50", wait_ms, 0.50),
	ROW_MS("time to store new blocks, p50", store_ms, 0.50),
	ROW("staged when acquired", CELL_SHARE, moved.acquire_staged),
	ROW("late (still being read)", CELL_SHARE, moved.acquire_late),
	ROW("read on demand", CELL_SHARE, moved.acquire_demand),
	ROW("missing", CELL_SHARE, moved.acquire_miss),
	ROW_FN("lead time, mean", fn_lead),
	ROW("SSD read", CELL_MIB, moved.ssd_read_bytes),
	ROW("SSD written", CELL_MIB, moved.ssd_write_bytes),
	ROW("blocks stored", CELL_COUNT, tally.put_stored),
	ROW("inserts skipped: write buffer", CELL_COUNT, moved.skip_buffer),
	ROW("                 no frame", CELL_COUNT, moved.skip_frames),
	ROW("                 SSD full", CELL_COUNT, moved.skip_ssd),
	ROW("blocks not offered after that", CELL_COUNT, tally.put_withheld),
	ROW("bytes checked", CELL_MIB, tally.checked_bytes),
	ROW("bytes wrong", CELL_COUNT, tally.wrong_bytes),
	ROW_FN("counters that disagree", fn_audit),
};

static void print_cell(const struct row *row, struct hr_result *r, char *text)
{
	void *at = (char *)r + row->offset;
	uint64_t v = 0;

	if (row->cell != CELL_MS && row->cell != CELL_FN)
		v = *(uint64_t *)at;
	switch (row->cell) {
	case CELL_COUNT:
		print(text, "%" PRIu64, v);
		break;
	case CELL_MIB:
		print(text, "%.1f MiB", v / 1048576.0);
		break;
	case CELL_SHARE:
		print_share(text, v, acquires(r));
		break;
	case CELL_MS:
		print_ms(text, hr_samples_percentile(at, row->q));
		break;
	case CELL_FN:
		row->fn(r, text);
		break;
	}
}

static void print_row(FILE *out, const struct row *row,
		      struct hr_result *results, unsigned int nr)
{
	char text[CELL_BYTES];
	unsigned int m;

	fprintf(out, "%-30s", row->label);
	for (m = 0; m < nr; m++) {
		print_cell(row, &results[m], text);
		fprintf(out, " %14s", text);
	}
	fputc('\n', out);
}

static void print_ratio(FILE *out, const char *slow, const char *fast,
			struct hr_samples *a, struct hr_samples *b)
{
	fprintf(out, "  %s / %s: p50 %.1fx, p90 %.1fx, p99 %.1fx\n", slow,
		fast, hr_compare_ratio(a, b, 0.50),
		hr_compare_ratio(a, b, 0.90), hr_compare_ratio(a, b, 0.99));
}

/* Ratios of the load times of all modes to the last one. */
static void print_ratios(FILE *out, struct hr_result *results,
			 unsigned int nr, uint32_t request_nr)
{
	struct hr_samples common[HR_MODES_MAX] = { 0 };
	const char *last = results[nr - 1].mode->name;
	long n = hr_compare_common(results, nr, request_nr, common);
	unsigned int m;

	fputs("\ntime to load a prefix, all requests that load one:\n", out);
	for (m = 0; m + 1 < nr; m++)
		print_ratio(out, results[m].mode->name, last,
			    &results[m].load_ms, &results[nr - 1].load_ms);
	if (n > 0)
		fprintf(out, "the %ld requests that load the same in every mode:\n",
			n);
	for (m = 0; n > 0 && m + 1 < nr; m++)
		print_ratio(out, results[m].mode->name, last, &common[m],
			    &common[nr - 1]);
	for (m = 0; m < nr; m++)
		hr_samples_free(&common[m]);
}

static void print_hex(FILE *out, const char *what, const uint8_t *b,
		      uint32_t n)
{
	uint32_t i;

	fprintf(out, " %s", what);
	for (i = 0; i < n; i++)
		fprintf(out, " %02x", b[i]);
}

static void print_wrong(FILE *out, const struct hr_result *r)
{
	const struct hr_wrong *w = r->wrong;
	uint32_t i;

	for (i = 0; i < r->wrong_nr; i++, w++) {
		fprintf(out, "WRONG BYTES (%s): line %lu, block %u with hash id %" PRIu64 ": ",
			r->mode->name, w->line, w->depth, w->id);
		if (w->len != w->expected_len) {
			fprintf(out, "%" PRIu64 " bytes long instead of %" PRIu64 "\n",
				w->len, w->expected_len);
			continue;
		}
		fprintf(out, "%" PRIu64 " of %" PRIu64 " bytes, from offset %" PRIu64 " on:",
			w->mismatch.wrong_bytes, w->len, w->mismatch.offset);
		print_hex(out, "expected", w->mismatch.expected,
			  w->mismatch.shown);
		print_hex(out, "got", w->mismatch.got, w->mismatch.shown);
		fputc('\n', out);
	}
}

static void print_audit(FILE *out, const struct hr_result *r)
{
	unsigned int i;

	for (i = 0; i < r->audit.nr; i++)
		fprintf(out, "DISAGREEMENT (%s): %s\n", r->mode->name,
			r->audit.text[i]);
}

void hr_table_print(FILE *out, struct hr_result *results, unsigned int nr,
		    uint32_t request_nr)
{
	unsigned int m;
	size_t i;

	fprintf(out, "%-30s", "");
	for (m = 0; m < nr; m++)
		fprintf(out, " %14s", results[m].mode->name);
	fputc('\n', out);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		print_row(out, &rows[i], results, nr);
	if (nr > 1)
		print_ratios(out, results, nr, request_nr);
	for (m = 0; m < nr; m++) {
		print_wrong(out, &results[m]);
		print_audit(out, &results[m]);
	}
}
