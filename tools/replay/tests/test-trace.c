// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: traces are read as a whole or refused with the line and the reason
 */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../../../libhymc/tests/core/tap.h"
#include "../trace.h"

#define A "{\"timestamp\": 0, \"input_length\": 1300, \"output_length\": 5, " \
	  "\"hash_ids\": [10, 11, 12]}"
#define B "{\"timestamp\": 7, \"input_length\": 1024, \"output_length\": 0, " \
	  "\"hash_ids\": [10, 20], \"session_id\": 3, \"extra\": [1]}"

static char path[32] = "/tmp/hymc-test-trace-XXXXXX";
static struct hr_trace trace;
static struct hr_err err;

static void put_file(const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	EXPECT(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	close(fd);
}

static int read_bytes(const void *data, size_t len)
{
	put_file(data, len);
	err.text[0] = '\0';
	return hr_trace_read(path, &trace, &err);
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

/* The two requests A and B, whatever they were wrapped in. */
static void expect_a_and_b(int ret)
{
	if (!EXPECT(ret == 0)) {
		fprintf(stderr, "# %s\n", err.text);
		return;
	}
	EXPECT_EQ(trace.request_nr, 2);
	EXPECT_EQ(trace.block_nr, 4);
	EXPECT_EQ(trace.requests[0].input_tokens, 1300);
	EXPECT_EQ(trace.requests[0].block_nr, 3);
	EXPECT_EQ(trace.requests[1].time_ms, 7);
	EXPECT_EQ(trace.requests[1].line, 2);
	EXPECT_EQ(trace.requests[1].blocks[0], trace.requests[0].blocks[0]);
	EXPECT_EQ(trace.blocks[2].tokens, 1300 - 1024);
	EXPECT_EQ(trace.blocks[2].parent, 1);
	EXPECT_EQ(trace.blocks[0].parent, HR_NIL);
	EXPECT_EQ(trace.blocks[3].id, 20);
	EXPECT_EQ(trace.blocks[3].depth, 1);
	hr_trace_free(&trace);
}

static void plain(void)
{
	expect_a_and_b(read_text(A "\n" B "\n"));
}

static void no_last_newline(void)
{
	expect_a_and_b(read_text(A "\n" B));
}

static void crlf(void)
{
	expect_a_and_b(read_text(A "\r\n" B "\r\n"));
}

static void full_blocks_only(void)
{
	EXPECT_EQ(read_text("{\"timestamp\":0,\"input_length\":1300,"
			    "\"output_length\":5,\"hash_ids\":[1,2]}"), 0);
	EXPECT_EQ(trace.blocks[1].tokens, 512);
	hr_trace_free(&trace);
	EXPECT_EQ(read_text("{\"timestamp\":0,\"input_length\":300,"
			    "\"output_length\":5,\"hash_ids\":[]}"), 0);
	EXPECT_EQ(trace.block_nr, 0);
	hr_trace_free(&trace);
}

static size_t gzip(const char *text, uint8_t *out, size_t room)
{
	z_stream z = { 0 };

	deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
		     Z_DEFAULT_STRATEGY);
	z.next_in = (uint8_t *)text;
	z.avail_in = strlen(text);
	z.next_out = out;
	z.avail_out = room;
	EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static size_t xz(const char *text, uint8_t *out, size_t room)
{
	size_t len = 0;

	EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL,
					  (const uint8_t *)text, strlen(text),
					  out, &len, room), LZMA_OK);
	return len;
}

static uint8_t packed[8192];

/* Recognised by content: the name says nothing. */
static void compressed(void)
{
	size_t n = gzip(A "\n" B "\n", packed, sizeof(packed));

	expect_a_and_b(read_bytes(packed, n));
	n = xz(A "\n" B "\n", packed, sizeof(packed));
	expect_a_and_b(read_bytes(packed, n));
}

/* As "cat a.gz b.gz" makes them. */
static void concatenated(void)
{
	size_t n = gzip(A "\n", packed, sizeof(packed));

	n += gzip(B "\n", packed + n, sizeof(packed) - n);
	expect_a_and_b(read_bytes(packed, n));
	n = xz(A "\n", packed, sizeof(packed));
	n += xz(B "\n", packed + n, sizeof(packed) - n);
	expect_a_and_b(read_bytes(packed, n));
}

/* Refused, with exactly this behind "FILE". */
static void expect_refused(int ret, int want, const char *where,
			   const char *what)
{
	EXPECT_EQ(ret, want);
	EXPECT_EQ(trace.request_nr, 0);
	EXPECT(!trace.requests && !trace.blocks);
	if (!EXPECT(!strncmp(err.text, path, strlen(path)) &&
		    !strncmp(err.text + strlen(path), where, strlen(where)) &&
		    strstr(err.text, what)))
		fprintf(stderr, "# want '%s' and '%s', got: %s\n", where, what,
			err.text);
}

/* Every way to cut a compressed file short. */
static void cut_off(void)
{
	size_t n = gzip(A "\n" B "\n", packed, sizeof(packed)), i;

	for (i = 12; i < n; i++)
		expect_refused(read_bytes(packed, i), -EBADMSG, ":",
			       "is cut off");
	n = xz(A "\n" B "\n", packed, sizeof(packed));
	for (i = 12; i < n; i++)
		expect_refused(read_bytes(packed, i), -EBADMSG, ":",
			       "is cut off");
}

static void damaged(void)
{
	size_t n = gzip(A "\n" B "\n", packed, sizeof(packed));

	packed[n - 6] ^= 1;
	expect_refused(read_bytes(packed, n), -EBADMSG, ":", "is damaged");
	n = xz(A "\n" B "\n", packed, sizeof(packed));
	packed[n / 2] ^= 0x40;
	expect_refused(read_bytes(packed, n), -EBADMSG, ":", "is damaged");
	/* Something that is neither behind the end of the data. */
	n = gzip(A "\n" B "\n", packed, sizeof(packed));
	memset(packed + n, 'x', 30);
	expect_refused(read_bytes(packed, n + 30), -EBADMSG, ":",
		       "is damaged");
}

static void unsupported(void)
{
	expect_refused(read_bytes("\x28\xb5\x2f\xfd____", 8),
		       -EPROTONOSUPPORT, ":", "zstd");
}

static void empty(void)
{
	expect_refused(read_text(""), -EINVAL, ":", "no requests");
	expect_refused(read_bytes(packed, gzip("", packed, sizeof(packed))),
		       -EINVAL, ":", "no requests");
}

static void no_file(void)
{
	err.text[0] = '\0';
	EXPECT_EQ(hr_trace_read("/nonexistent/trace", &trace, &err), -ENOENT);
	EXPECT(strstr(err.text, "/nonexistent/trace: cannot open"));
	err.text[0] = '\0';
	EXPECT_EQ(hr_trace_read("/tmp", &trace, &err), -EIO);
	EXPECT(strstr(err.text, "directory"));
}

/* A good line first, then a broken one, then a good one. */
static void refuse_line(const char *line, const char *what)
{
	char text[4096];

	snprintf(text, sizeof(text), A "\n%s\n" B "\n", line);
	expect_refused(read_text(text), -EINVAL, ":2: ", what);
}

static void not_json(void)
{
	refuse_line("", "empty");
	refuse_line("hello", "not JSON");
	refuse_line("{\"timestamp\": 0,}", "not JSON");
	refuse_line("{\"timestamp\": 0", "not JSON: unexpected end");
	refuse_line("{\"timestamp", "not JSON: unexpected end");
	refuse_line("[1,", "not JSON: unexpected end");
	refuse_line("nul", "not JSON");
	refuse_line(A " " A, "not JSON: unexpected character at column 86");
	refuse_line(A "]", "not JSON");
	refuse_line("\xef\xbb\xbf" A, "not JSON");
	refuse_line("[[[[[[[[[[[[1]]]]]]]]]]]]", "not JSON");
}

static void not_an_object(void)
{
	refuse_line("[]", "not a JSON object");
	refuse_line("null", "not a JSON object");
	refuse_line("3", "not a JSON object");
	refuse_line("\"x\"", "not a JSON object");
}

static void nul_byte(void)
{
	static const char text[] = A "\n" A "\0\n" B "\n";

	expect_refused(read_bytes(text, sizeof(text) - 1), -EINVAL, ":2: ",
		       "NUL");
}

#define LINE(t, in, out, ids)						\
	"{\"timestamp\":" t ",\"input_length\":" in			\
	",\"output_length\":" out ",\"hash_ids\":" ids "}"

static void missing_fields(void)
{
	refuse_line("{}", "\"timestamp\" is missing");
	refuse_line("{\"timestamp\":1}", "\"input_length\" is missing");
	refuse_line("{\"timestamp\":1,\"input_length\":1}",
		    "\"output_length\" is missing");
	refuse_line("{\"timestamp\":1,\"input_length\":1,\"output_length\":1}",
		    "\"hash_ids\" is missing");
}

static void wrong_types(void)
{
	refuse_line(LINE("\"1\"", "512", "1", "[1]"), "\"timestamp\" is not");
	refuse_line(LINE("1.5", "512", "1", "[1]"), "\"timestamp\" is not");
	refuse_line(LINE("-1", "512", "1", "[1]"), "\"timestamp\" is not");
	refuse_line(LINE("1", "null", "1", "[1]"), "\"input_length\" is not");
	refuse_line(LINE("1", "-5", "1", "[1]"), "\"input_length\" is not");
	refuse_line(LINE("1", "512", "true", "[1]"),
		    "\"output_length\" is not");
	refuse_line(LINE("1", "99999999999", "1", "[1]"),
		    "\"input_length\" is not");
	refuse_line(LINE("1", "512", "1", "5"), "\"hash_ids\" is not an array");
	refuse_line(LINE("1", "512", "1", "[\"a\"]"), "\"hash_ids\"[0] is not");
	refuse_line(LINE("1", "1024", "1", "[1,-2]"), "\"hash_ids\"[1] is not");
	refuse_line(LINE("1", "1024", "1", "[1,2.0]"), "\"hash_ids\"[1] is not");
	refuse_line("{\"session_id\":\"x\",\"timestamp\":1,"
		    "\"input_length\":512,\"output_length\":1,"
		    "\"hash_ids\":[1]}", "\"session_id\" is not");
}

static void block_counts(void)
{
	refuse_line(LINE("1", "0", "1", "[]"), "\"input_length\" is 0");
	refuse_line(LINE("1", "512", "1", "[1,2]"), "2 hash_ids for 512");
	refuse_line(LINE("1", "1100", "1", "[1]"), "1 hash_ids for 1100");
	refuse_line(LINE("1", "1100", "1", "[1,2,3,4]"), "4 hash_ids");
}

static void order_of_time(void)
{
	expect_refused(read_text(A "\n" B "\n" A "\n"), -EINVAL, ":3: ",
		       "before that of the previous line");
}

/* An id is a hash over the whole prefix: one parent, one length. */
static void chains(void)
{
	refuse_line(LINE("1", "1024", "1", "[11,10]"), "another prefix");
	refuse_line(LINE("1", "1024", "1", "[10,12]"), "another prefix");
	refuse_line(LINE("1", "1024", "1", "[10,10]"), "another prefix");
	refuse_line(LINE("1", "1301", "1", "[10,11,12]"),
		    "277 tokens here and 276 before");
}

static void broken_in_xz(void)
{
	size_t n = xz(A "\n{}\n", packed, sizeof(packed));

	expect_refused(read_bytes(packed, n), -EINVAL, ":2: ", "missing");
}

static void cut(void)
{
	EXPECT_EQ(read_text(A "\n" B "\n"), 0);
	hr_trace_cut(&trace, 5);
	EXPECT_EQ(trace.request_nr, 2);
	hr_trace_cut(&trace, 1);
	EXPECT_EQ(trace.request_nr, 1);
	EXPECT_EQ(trace.block_nr, 3);
	hr_trace_free(&trace);
}

/* Ids that collide in the map's low bits, and lines longer than a buffer. */
static void many_blocks(void)
{
	size_t room = 4 << 20, n;
	char *text = malloc(room);
	unsigned int i, nr = 100000;

	n = snprintf(text, room, "{\"timestamp\":0,\"input_length\":%u,"
		     "\"output_length\":1,\"hash_ids\":[", nr * 512);
	for (i = 0; i < nr; i++)
		n += snprintf(text + n, room - n, "%s%llu", i ? "," : "",
			      (unsigned long long)i << 32);
	n += snprintf(text + n, room - n, "]}\n");
	if (EXPECT(read_bytes(text, n) == 0)) {
		EXPECT_EQ(trace.block_nr, nr);
		EXPECT_EQ(trace.blocks[nr - 1].parent, nr - 2);
		hr_trace_free(&trace);
	}
	free(text);
}

static const struct tap_test tests[] = {
	{ "a plain trace", plain },
	{ "a trace whose last line has no end", no_last_newline },
	{ "a trace with CR LF", crlf },
	{ "a trace that names full blocks only", full_blocks_only },
	{ "gzip and xz are recognised by content", compressed },
	{ "concatenated gzip and xz", concatenated },
	{ "long lines and many blocks", many_blocks },
	{ "the first requests of a trace", cut },
	{ "a compressed trace cut off anywhere is refused", cut_off },
	{ "a damaged compressed trace is refused", damaged },
	{ "an unsupported compression is named", unsupported },
	{ "an empty trace is refused", empty },
	{ "a file that is not there or not a file", no_file },
	{ "a line that is not JSON", not_json },
	{ "a line that is not an object", not_an_object },
	{ "a line with a NUL byte", nul_byte },
	{ "a line without a field", missing_fields },
	{ "a field of the wrong kind", wrong_types },
	{ "a number of blocks that does not fit the input", block_counts },
	{ "time that runs backwards", order_of_time },
	{ "ids that are not hashes of prefixes", chains },
	{ "a broken line in a compressed trace", broken_in_xz },
};

int main(void)
{
	int ret, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	ret = tap_run(tests, sizeof(tests) / sizeof(tests[0]));
	unlink(path);
	return ret;
}
