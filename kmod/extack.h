/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: sentences for the user
 *
 * Errors of control calls travel with a sentence that names the thing it is
 * about. The kernel's own NL_SET_ERR_MSG_FMT() cuts at 79 characters, which a
 * path alone can fill, and is missing in old kernels.
 */
#ifndef HYMC_EXTACK_H
#define HYMC_EXTACK_H

#include <linux/compiler.h>

struct netlink_ext_ack;

__printf(2, 3)
void hymc_extack(struct netlink_ext_ack *extack, const char *fmt, ...);

#endif /* HYMC_EXTACK_H */
