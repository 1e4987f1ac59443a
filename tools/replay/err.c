// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: sentences about failures
 *
 * Owns nothing. Never prints: whoever ends the program does that.
 */
#include <stdarg.h>
#include <stdio.h>

#include "err.h"

int hr_err_set(struct hr_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err->text[0])
		return code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}
