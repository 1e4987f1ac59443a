/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the lines of a file that may be compressed
 */
#ifndef HR_LINES_H
#define HR_LINES_H

#include <stddef.h>

#include "err.h"

struct hr_lines;

/**
 * hr_lines_open() - open a file of lines
 * @path: its path, which must outlive @lines
 * @lines: out
 * @err: where the sentence goes
 *
 * gzip and xz are recognised by content, whatever the name.
 *
 * Return: 0, -EPROTONOSUPPORT for zstd, -ENOMEM, or why it cannot be opened or
 * read.
 */
int hr_lines_open(const char *path, struct hr_lines **lines,
		  struct hr_err *err);

/**
 * hr_lines_next() - read the next line
 * @lines: the file
 * @text: out: the line without LF or CR LF, NUL-terminated, until the next
 *	call
 * @len: out: its length
 * @err: where the sentence goes
 *
 * Return: 1; 0 at the end; -EIO; -EBADMSG when compressed data is damaged or
 * cut off; -EMSGSIZE for a line beyond any reason; -ENOMEM.
 */
int hr_lines_next(struct hr_lines *lines, char **text, size_t *len,
		  struct hr_err *err);

/**
 * hr_lines_number() - where we are
 * @lines: the file
 *
 * Return: Number of the line that hr_lines_next() returned or failed at, from
 * 1.
 */
unsigned long hr_lines_number(const struct hr_lines *lines);

/**
 * hr_lines_close() - close a file of lines
 * @lines: the file, or NULL
 */
void hr_lines_close(struct hr_lines *lines);

#endif
