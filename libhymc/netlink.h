/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: one call to the kernel's control family
 *
 * What netlink.c offers to control.c: a request and its answers. The only
 * header that knows libnl.
 */
#ifndef HYMC_NETLINK_H
#define HYMC_NETLINK_H

#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "private.h"

/**
 * struct hymc_call - one request and its answer
 * @ctx: context
 * @sk: socket
 * @family: number of the control family
 * @request: the request while its answers are taken
 * @err: 0, or the kernel's negative errno
 * @ended: the acknowledgment or the end of the listing was seen
 * @attr: the attribute that the kernel did not like, 0 when it named none
 * @why: the kernel's sentence, or empty
 * @on_msg: called for each answer with @data; 0 or a negative errno that ends
 *	it
 * @data: argument of @on_msg
 */
struct hymc_call {
	struct hymc_ctx *ctx;
	struct nl_sock *sk;
	int family;
	struct nl_msg *request;
	int err;
	bool ended;
	int attr;
	struct hymc_text why;
	int (*on_msg)(struct hymc_call *call, struct nlattr **attrs);
	void *data;
};

int hymc_call_open(struct hymc_call *call, struct hymc_ctx *ctx);
void hymc_call_close(struct hymc_call *call);
struct nl_msg *hymc_call_msg(struct hymc_call *call, uint8_t cmd, int flags);
int hymc_call_run(struct hymc_call *call, struct nl_msg *msg);
int hymc_call_err(struct hymc_call *call, int err, const char *what);

#endif /* HYMC_NETLINK_H */
