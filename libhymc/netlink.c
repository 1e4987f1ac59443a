// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: one call to the kernel's control family
 *
 * One socket per call: control is rare, and this needs no lock. The kernel acts
 * while the request is being sent, so an answer is there at once; a receive
 * timeout bounds the wait all the same.
 *
 * Refusals carry a sentence of the kernel (extended acknowledgment), which is
 * passed on as it is.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "netlink.h"

/* Longest wait for an answer, in seconds. */
#define ANSWER_SECONDS		60

static const struct nla_policy policy[HYMC_A_POOL_MAX + 1] = {
	[HYMC_A_POOL_ID] = { .type = NLA_U32 },
	[HYMC_A_POOL_DRAM] = { .type = NLA_STRING },
	[HYMC_A_POOL_DRAM_START] = { .type = NLA_U64 },
	[HYMC_A_POOL_DRAM_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_SSD] = { .type = NLA_STRING },
	[HYMC_A_POOL_SSD_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_FRAME_BYTES] = { .type = NLA_U32 },
	[HYMC_A_POOL_SEGMENT_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_WINDOW_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_BLOCKS_MAX] = { .type = NLA_U64 },
	[HYMC_A_POOL_POLICY] = { .type = NLA_U32 },
	[HYMC_A_POOL_DIRTY_MAX_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_FORCE] = { .type = NLA_FLAG },
	[HYMC_A_POOL_UUID] = { .minlen = 16, .maxlen = 16 },
	[HYMC_A_POOL_STATE] = { .type = NLA_U32 },
};

/**
 * nl_errno() - a negative errno for an error of libnl
 * @nle: negative NLE_*
 *
 * Return: the errno nearest to it.
 */
static int nl_errno(int nle)
{
	switch (-nle) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_INTR:
		return -EINTR;
	case NLE_AGAIN:
		return -ETIMEDOUT;
	case NLE_DUMP_INTR:
		return -EAGAIN;
	case NLE_AF_NOSUPPORT:
	case NLE_PROTO_MISMATCH:
		return -EPROTONOSUPPORT;
	case NLE_MSGSIZE:
		return -EMSGSIZE;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	default:
		return -EPROTO;
	}
}

/**
 * attr_at() - which attribute starts at an offset of the request?
 * @request: the request
 * @offset: from its header, in bytes
 *
 * Return: HYMC_A_POOL_*, 0 when there is none.
 */
static int attr_at(struct nl_msg *request, uint32_t offset)
{
	struct nlmsghdr *nlh = nlmsg_hdr(request);

	if (offset < NLMSG_HDRLEN + GENL_HDRLEN ||
	    offset + NLA_HDRLEN > nlh->nlmsg_len)
		return 0;
	return nla_type((struct nlattr *)((char *)nlh + offset));
}

/**
 * take_sentence() - find the kernel's sentence in an acknowledgment
 * @call: the call
 * @nlh: the acknowledgment
 * @len: bytes of its payload before the attributes
 */
static void take_sentence(struct hymc_call *call, struct nlmsghdr *nlh,
			  size_t len)
{
	struct nlattr *msg, *offset;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	offset = nlmsg_find_attr(nlh, (int)len, NLMSGERR_ATTR_OFFS);
	if (offset)
		call->attr = attr_at(call->request, nla_get_u32(offset));
	msg = nlmsg_find_attr(nlh, (int)len, NLMSGERR_ATTR_MSG);
	if (msg && nla_len(msg) > 0)
		hymc_text_add(&call->why, "%.*s", nla_len(msg),
			      (const char *)nla_data(msg));
}

/**
 * on_error() - the kernel refused
 * @addr: sender
 * @e: the acknowledgment
 * @arg: the call
 *
 * Return: NL_STOP.
 */
static int on_error(struct sockaddr_nl *addr, struct nlmsgerr *e, void *arg)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)((char *)e - NLMSG_HDRLEN);
	struct hymc_call *call = arg;
	size_t len = sizeof(*e);

	(void)addr;
	call->err = e->error;
	call->ended = true;
	/* The request is echoed in full unless the header says otherwise. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		len += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	take_sentence(call, nlh, len);
	return NL_STOP;
}

/**
 * on_done() - the end of a listing, which may carry an error
 * @msg: the message
 * @arg: the call
 *
 * Return: NL_STOP.
 */
static int on_done(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct hymc_call *call = arg;
	int err;

	call->ended = true;
	if (nlmsg_datalen(nlh) >= (int)sizeof(err)) {
		memcpy(&err, nlmsg_data(nlh), sizeof(err));
		if (err < 0 && !call->err)
			call->err = err;
		take_sentence(call, nlh, sizeof(err));
	}
	return NL_STOP;
}

/**
 * on_ack() - the kernel did what was asked
 * @msg: the message
 * @arg: the call
 *
 * Return: NL_STOP.
 */
static int on_ack(struct nl_msg *msg, void *arg)
{
	struct hymc_call *call = arg;

	(void)msg;
	call->ended = true;
	return NL_STOP;
}

/**
 * on_valid() - an answer
 * @msg: the message
 * @arg: the call
 *
 * Return: NL_OK, or NL_STOP after an error.
 */
static int on_valid(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[HYMC_A_POOL_MAX + 1];
	struct hymc_call *call = arg;
	int err;

	err = genlmsg_parse(nlmsg_hdr(msg), 0, attrs, HYMC_A_POOL_MAX, policy);
	if (err)
		call->err = -EPROTO;
	else if (call->on_msg)
		call->err = call->on_msg(call, attrs);
	return call->err ? NL_STOP : NL_OK;
}

/**
 * err_family() - explain why the control family is not to be found
 * @ctx: context
 * @err: negative errno
 *
 * Return: -ENOPKG when it does not exist, else @err.
 */
static int err_family(struct hymc_ctx *ctx, int err)
{
	if (err != -ENOENT)
		return hymc_err(ctx, err,
				"cannot ask the kernel for the hymc control family: %s",
				strerror(-err));
	if (hymc_module_loaded(ctx))
		return hymc_err(ctx, -ENOPKG,
				"the hymc module is loaded, but not within reach: it is "
				"controlled from the initial network namespace only");
	return hymc_err(ctx, -ENOPKG,
			"the hymc module is not loaded; run `hymcctl load`");
}

/**
 * sock_setup() - options of a fresh socket
 * @sk: the socket, connected
 *
 * Return: 0 or a negative errno.
 */
static int sock_setup(struct nl_sock *sk)
{
	struct timeval wait = { .tv_sec = ANSWER_SECONDS };
	int fd = nl_socket_get_fd(sk), on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return -errno;
	if (setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)))
		return -errno;
	/* Refusals need not echo the request. */
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

/**
 * hymc_call_open() - open a socket and find the family
 * @call: out
 * @ctx: context
 *
 * Return: 0 or a negative errno; on success hymc_call_close() is due.
 */
int hymc_call_open(struct hymc_call *call, struct hymc_ctx *ctx)
{
	int err;

	memset(call, 0, sizeof(*call));
	call->ctx = ctx;
	call->sk = nl_socket_alloc();
	if (!call->sk)
		return hymc_err(ctx, -ENOMEM, "out of memory");
	err = genl_connect(call->sk);
	if (err)
		err = nl_errno(err);
	else
		err = sock_setup(call->sk);
	if (err) {
		hymc_err(ctx, err, "cannot open a netlink socket: %s",
			 strerror(-err));
		goto err_free;
	}
	call->family = genl_ctrl_resolve(call->sk, HYMC_GENL_NAME);
	if (call->family < 0) {
		err = err_family(ctx, nl_errno(call->family));
		goto err_free;
	}
	return 0;

err_free:
	nl_socket_free(call->sk);
	return err;
}

/**
 * hymc_call_close() - close the socket
 * @call: the call
 */
void hymc_call_close(struct hymc_call *call)
{
	nl_socket_free(call->sk);
}

/**
 * hymc_call_msg() - start a request
 * @call: the call
 * @cmd: HYMC_CMD_*
 * @flags: NLM_F_* besides NLM_F_REQUEST
 *
 * Return: the message, or NULL without memory.
 */
struct nl_msg *hymc_call_msg(struct hymc_call *call, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, call->family, 0,
			       flags, cmd, HYMC_GENL_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

/**
 * call_receive() - take answers up to the acknowledgment or the listing's end
 * @call: the call, its request sent
 *
 * Return: 0 or a negative errno.
 */
static int call_receive(struct hymc_call *call)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err = 0;

	if (!cb)
		return -ENOMEM;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, call);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, call);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_done, call);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, call);
	while (!call->ended && !call->err && err >= 0)
		err = nl_recvmsgs(call->sk, cb);
	nl_cb_put(cb);
	if (call->err)
		return call->err;
	return err < 0 ? nl_errno(err) : 0;
}

/**
 * hymc_call_run() - send a request and take its answers
 * @call: the call
 * @msg: the request, freed here; NULL gives -ENOMEM
 *
 * Return: 0 or a negative errno, with the kernel's sentence in @call if it gave
 * one.
 */
int hymc_call_run(struct hymc_call *call, struct nl_msg *msg)
{
	int n;

	if (!msg)
		return -ENOMEM;
	do {
		n = nl_send_auto(call->sk, msg);
	} while (n == -NLE_INTR);
	call->request = msg;
	n = n < 0 ? nl_errno(n) : call_receive(call);
	call->request = NULL;
	nlmsg_free(msg);
	return n;
}

/**
 * attr_name() - what an attribute is called
 * @attr: HYMC_A_POOL_*
 *
 * Return: its name in the specification, or NULL.
 */
static const char *attr_name(int attr)
{
	static const char * const names[] = {
		[HYMC_A_POOL_ID] = "id",
		[HYMC_A_POOL_DRAM] = "dram",
		[HYMC_A_POOL_DRAM_START] = "dram-start",
		[HYMC_A_POOL_DRAM_BYTES] = "dram-bytes",
		[HYMC_A_POOL_SSD] = "ssd",
		[HYMC_A_POOL_SSD_BYTES] = "ssd-bytes",
		[HYMC_A_POOL_FRAME_BYTES] = "frame-bytes",
		[HYMC_A_POOL_SEGMENT_BYTES] = "segment-bytes",
		[HYMC_A_POOL_WINDOW_BYTES] = "window-bytes",
		[HYMC_A_POOL_BLOCKS_MAX] = "blocks-max",
		[HYMC_A_POOL_POLICY] = "policy",
		[HYMC_A_POOL_DIRTY_MAX_BYTES] = "dirty-max-bytes",
	};

	if (attr < 0 || attr >= (int)HYMC_ARRAY_SIZE(names))
		return NULL;
	return names[attr];
}

/**
 * hymc_call_err() - leave the sentence of a failed call
 * @call: the call
 * @err: negative errno
 * @what: what was tried, for when the kernel gave no sentence
 *
 * Return: @err.
 */
int hymc_call_err(struct hymc_call *call, int err, const char *what)
{
	if (call->why.len && attr_name(call->attr))
		return hymc_err(call->ctx, err, "%s: %s", attr_name(call->attr),
				call->why.s);
	if (call->why.len)
		return hymc_err(call->ctx, err, "%s", call->why.s);
	if (err == -ETIMEDOUT)
		return hymc_err(call->ctx, err,
				"%s: no answer from the kernel for %d seconds",
				what, ANSWER_SECONDS);
	return hymc_err(call->ctx, err, "%s: %s", what, strerror(-err));
}
