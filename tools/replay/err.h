/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: a sentence about what went wrong, beside the -errno
 */
#ifndef HR_ERR_H
#define HR_ERR_H

/**
 * struct hr_err - the sentence of the first failure
 * @text: one sentence without newline, "" as long as nothing failed
 */
struct hr_err {
	char text[1024];
};

/**
 * hr_err_set() - note what went wrong
 * @err: where the sentence goes
 * @code: negative errno
 * @fmt: the sentence, without newline
 *
 * A sentence that is there already stays: the first cause counts.
 *
 * Return: @code, so that a caller can write "return hr_err_set(...)".
 */
int hr_err_set(struct hr_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
