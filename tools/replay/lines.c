// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the lines of a file that may be compressed
 *
 * Owns the open file, the decompressor's state and one growing line buffer. A
 * compressed file that ends early is an error, never a shorter file. One
 * reader, no lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lines.h"

#define IN_BYTES	(64U << 10)
#define OUT_BYTES	(256U << 10)
#define LINE_BYTES_MAX	(64U << 20)
#define XZ_MEMORY_MAX	(256ULL << 20)

enum codec { CODEC_PLAIN, CODEC_GZIP, CODEC_XZ };

/**
 * struct hr_lines - an open file of lines
 * @path: as given, for messages
 * @fd: the file
 * @codec: how it is compressed
 * @gz: state of CODEC_GZIP
 * @xz: state of CODEC_XZ
 * @gz_open: @gz must be ended
 * @in_member: CODEC_GZIP: inside a member, the file must not end here
 * @in_eof: nothing more to read from @fd
 * @out_eof: nothing more to decompress
 * @in: compressed bytes
 * @in_at: first byte of @in not yet used
 * @in_end: end of the bytes in @in
 * @out: decompressed bytes
 * @out_at: first byte of @out not yet handed out
 * @out_end: end of the bytes in @out
 * @line: the current line
 * @line_len: its bytes
 * @line_max: room in @line
 * @number: number of the current line, from 1
 */
struct hr_lines {
	const char *path;
	int fd;
	enum codec codec;
	z_stream gz;
	lzma_stream xz;
	bool gz_open;
	bool in_member;
	bool in_eof;
	bool out_eof;
	uint8_t in[IN_BYTES];
	size_t in_at;
	size_t in_end;
	uint8_t out[OUT_BYTES];
	size_t out_at;
	size_t out_end;
	char *line;
	size_t line_len;
	size_t line_max;
	unsigned long number;
};

static int broken(struct hr_lines *l, struct hr_err *err, const char *what)
{
	return hr_err_set(err, -EBADMSG, "%s:%lu: the compressed data %s here",
			  l->path, l->number, what);
}

/* Read from the file when @in is used up. */
static int fill_in(struct hr_lines *l, struct hr_err *err)
{
	ssize_t n;

	if (l->in_at < l->in_end || l->in_eof)
		return 0;
	do {
		n = read(l->fd, l->in, IN_BYTES);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return hr_err_set(err, -EIO, "%s: cannot read: %s", l->path,
				  strerror(errno));
	l->in_at = 0;
	l->in_end = n;
	l->in_eof = !n;
	return 0;
}

static void fill_plain(struct hr_lines *l)
{
	size_t n = l->in_end - l->in_at;

	memcpy(l->out, l->in + l->in_at, n);
	l->in_at = l->in_end;
	l->out_end = n;
	l->out_eof = l->in_eof;
}

/* A gzip file is a sequence of members; after each the next may begin. */
static int fill_gzip(struct hr_lines *l, struct hr_err *err)
{
	size_t room = OUT_BYTES;
	int ret;

	if (l->in_eof) {
		l->out_eof = true;
		return l->in_member ? broken(l, err, "is cut off") : 0;
	}
	l->in_member = true;
	l->gz.next_in = l->in + l->in_at;
	l->gz.avail_in = l->in_end - l->in_at;
	l->gz.next_out = l->out;
	l->gz.avail_out = room;
	ret = inflate(&l->gz, Z_NO_FLUSH);
	l->in_at = l->in_end - l->gz.avail_in;
	l->out_end = room - l->gz.avail_out;
	if (ret == Z_STREAM_END) {
		l->in_member = false;
		ret = inflateReset(&l->gz);
	}
	return ret == Z_OK || ret == Z_BUF_ERROR ? 0 :
						   broken(l, err, "is damaged");
}

static int fill_xz(struct hr_lines *l, struct hr_err *err)
{
	lzma_ret ret;

	l->xz.next_in = l->in + l->in_at;
	l->xz.avail_in = l->in_end - l->in_at;
	l->xz.next_out = l->out;
	l->xz.avail_out = OUT_BYTES;
	ret = lzma_code(&l->xz, l->in_eof ? LZMA_FINISH : LZMA_RUN);
	l->in_at = l->in_end - l->xz.avail_in;
	l->out_end = OUT_BYTES - l->xz.avail_out;
	if (ret == LZMA_STREAM_END)
		l->out_eof = true;
	else if (ret == LZMA_BUF_ERROR && l->in_eof)
		return broken(l, err, "is cut off");
	else if (ret != LZMA_OK && ret != LZMA_BUF_ERROR)
		return broken(l, err, "is damaged");
	return 0;
}

/* Make some decompressed bytes available, or reach the end. */
static int fill_out(struct hr_lines *l, struct hr_err *err)
{
	int ret;

	l->out_at = 0;
	l->out_end = 0;
	while (!l->out_end && !l->out_eof) {
		ret = fill_in(l, err);
		if (ret)
			return ret;
		if (l->codec == CODEC_GZIP)
			ret = fill_gzip(l, err);
		else if (l->codec == CODEC_XZ)
			ret = fill_xz(l, err);
		else
			fill_plain(l);
		if (ret)
			return ret;
	}
	return 0;
}

/* Append to the current line, keeping room for a NUL. */
static int append(struct hr_lines *l, const uint8_t *from, size_t n,
		  struct hr_err *err)
{
	size_t want = l->line_len + n + 1;

	if (want > LINE_BYTES_MAX)
		return hr_err_set(err, -EMSGSIZE,
				  "%s:%lu: the line is longer than %u MiB",
				  l->path, l->number, LINE_BYTES_MAX >> 20);
	if (want > l->line_max) {
		size_t max = want < 4096 ? 4096 : 2 * want;
		char *line = realloc(l->line, max);

		if (!line)
			return hr_err_set(err, -ENOMEM, "out of memory");
		l->line = line;
		l->line_max = max;
	}
	memcpy(l->line + l->line_len, from, n);
	l->line_len += n;
	return 0;
}

/* Collect up to and without the next LF. 1 = line complete, 0 = end of file. */
static int collect(struct hr_lines *l, struct hr_err *err)
{
	uint8_t *from, *lf;
	size_t n;
	int ret;

	for (;;) {
		if (l->out_at == l->out_end) {
			ret = fill_out(l, err);
			if (ret)
				return ret;
		}
		from = l->out + l->out_at;
		n = l->out_end - l->out_at;
		if (!n)
			return 0;
		lf = memchr(from, '\n', n);
		if (lf)
			n = lf - from;
		ret = append(l, from, n, err);
		if (ret)
			return ret;
		l->out_at += n + !!lf;
		if (lf)
			return 1;
	}
}

int hr_lines_next(struct hr_lines *l, char **text, size_t *len,
		  struct hr_err *err)
{
	int ret;

	l->line_len = 0;
	l->number++;
	ret = collect(l, err);
	if (ret < 0)
		return ret;
	/* The last line may lack its LF, but nothing at all is no line. */
	if (!ret && !l->line_len)
		return 0;
	ret = append(l, l->out, 0, err);
	if (ret)
		return ret;
	if (l->line_len && l->line[l->line_len - 1] == '\r')
		l->line_len--;
	l->line[l->line_len] = '\0';
	*text = l->line;
	*len = l->line_len;
	return 1;
}

unsigned long hr_lines_number(const struct hr_lines *l)
{
	return l->number;
}

static bool starts_with(const struct hr_lines *l, const void *magic, size_t n)
{
	return l->in_end >= n && !memcmp(l->in, magic, n);
}

/* Recognise the compression by the first bytes and set its decoder up. */
static int open_codec(struct hr_lines *l, struct hr_err *err)
{
	int ret;

	if (starts_with(l, "\x28\xb5\x2f\xfd", 4))
		return hr_err_set(err, -EPROTONOSUPPORT,
				  "%s: compressed with zstd; repack it with xz or gzip",
				  l->path);
	if (starts_with(l, "\x1f\x8b", 2)) {
		ret = inflateInit2(&l->gz, 16 + MAX_WBITS);
		l->codec = CODEC_GZIP;
		l->gz_open = ret == Z_OK;
		return ret == Z_OK ? 0 : hr_err_set(err, -ENOMEM,
						    "out of memory");
	}
	if (starts_with(l, "\xfd\x37zXZ", 6)) {
		ret = lzma_stream_decoder(&l->xz, XZ_MEMORY_MAX,
					  LZMA_CONCATENATED);
		l->codec = CODEC_XZ;
		return ret == LZMA_OK ? 0 : hr_err_set(err, -ENOMEM,
						       "out of memory");
	}
	return 0;
}

int hr_lines_open(const char *path, struct hr_lines **lines,
		  struct hr_err *err)
{
	struct hr_lines *l;
	int ret;

	l = calloc(1, sizeof(*l));
	if (!l)
		return hr_err_set(err, -ENOMEM, "out of memory");
	l->path = path;
	l->xz = (lzma_stream)LZMA_STREAM_INIT;
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (l->fd < 0) {
		ret = hr_err_set(err, -errno, "%s: cannot open: %s", path,
				 strerror(errno));
		goto err_close;
	}
	ret = fill_in(l, err);
	if (!ret)
		ret = open_codec(l, err);
	if (ret)
		goto err_close;
	*lines = l;
	return 0;

err_close:
	hr_lines_close(l);
	return ret;
}

void hr_lines_close(struct hr_lines *l)
{
	if (!l)
		return;
	if (l->gz_open)
		inflateEnd(&l->gz);
	lzma_end(&l->xz);
	if (l->fd >= 0)
		close(l->fd);
	free(l->line);
	free(l);
}
