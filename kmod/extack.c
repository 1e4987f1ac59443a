// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: sentences for the user
 *
 * Owns the memory of formatted extended-ack messages. netlink copies a message
 * when it builds the ack, soon after the operation has returned, and offers no
 * moment to free it; so messages live in a few static slots that are used in
 * turn. No lock: should more operations fail at the same time than there are
 * slots, then a wrong sentence is told, never a broken one, because the last
 * byte of a slot is always zero.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/netlink.h>

#include "extack.h"

#define EXTACK_SLOTS	16U
#define EXTACK_BYTES	256U

static char extack_text[EXTACK_SLOTS][EXTACK_BYTES];
static atomic_t extack_next = ATOMIC_INIT(0);

/**
 * hymc_extack - set the message of an extended ack
 * @extack: where to put it; nothing is done when NULL
 * @fmt: format of a sentence without newline; cut at 255 bytes
 *
 * The message need not outlive the caller's data. A later message replaces an
 * earlier one. Any context.
 */
void hymc_extack(struct netlink_ext_ack *extack, const char *fmt, ...)
{
	char *text;
	va_list args;

	if (!extack)
		return;
	text = extack_text[(unsigned int)atomic_inc_return(&extack_next) %
			   EXTACK_SLOTS];
	va_start(args, fmt);
	vsnprintf(text, EXTACK_BYTES, fmt, args);
	va_end(args);
	extack->_msg = text;
}
