// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: the calls of a request's life
 *
 * Each function is one ioctl: it fills the structure and hands the counts back.
 * Nothing is checked here that the kernel checks, and nothing is kept.
 *
 * A signal does not disturb calls that do not wait. Those that wait (acquire,
 * reserve, put, get, sync) report it, for a caller that wants to be
 * interruptible has no other way; what they did until then is in the answers.
 */
#include <string.h>

#include "private.h"

/**
 * ptr() - an address as the ABI carries it
 * @p: the address
 *
 * Return: the integer.
 */
static uint64_t ptr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/**
 * hymc_lookup() - how many leading keys are present
 * @dev: the device
 * @ns: namespace handle
 * @keys: keys, in chain order
 * @nr: number of keys
 * @lease_ms: keep the leading hits on the SSD so long, or 0
 * @found: @nr answers, or NULL
 *
 * Return: the number of leading hits, or a negative errno.
 */
HYMC_EXPORT int hymc_lookup(struct hymc_dev *dev, uint32_t ns,
			    const struct hymc_key *keys, uint32_t nr,
			    uint32_t lease_ms, struct hymc_found *found)
{
	struct hymc_lookup arg = {
		.size = sizeof(arg),
		.ns = ns,
		.nr = nr,
		.keys = ptr(keys),
		.found = ptr(found),
		.lease_ms = lease_ms,
	};
	int err = hymc_dev_call(dev, HYMC_IOC_LOOKUP, &arg, "lookup", true);

	return err ? err : (int)arg.nr_hit;
}

/**
 * hymc_prefetch() - say what a request will read, in order
 * @dev: the device
 * @ns: namespace handle
 * @keys: keys, in the order of use
 * @nr: number of keys
 * @window: most bytes staged and not yet released, or HYMC_WINDOW_DEFAULT
 * @deadline_ms: when the first block is needed, from now
 * @ttl_ms: forget the request after this time; 0 = 60 s
 * @request: out, handle
 *
 * Return: 0 or a negative errno.
 */
HYMC_EXPORT int hymc_prefetch(struct hymc_dev *dev, uint32_t ns,
			      const struct hymc_key *keys, uint32_t nr,
			      uint64_t window, uint32_t deadline_ms,
			      uint32_t ttl_ms, uint64_t *request)
{
	struct hymc_prefetch arg = {
		.size = sizeof(arg),
		.ns = ns,
		.nr = nr,
		.keys = ptr(keys),
		.window_bytes = window,
		.deadline_ms = deadline_ms,
		.ttl_ms = ttl_ms,
	};
	int err = hymc_dev_call(dev, HYMC_IOC_PREFETCH, &arg, "prefetch", true);

	if (err)
		return err;
	*request = arg.request;
	return 0;
}

/**
 * hymc_cancel() - a request will not be used
 * @dev: the device
 * @request: its handle
 *
 * Return: 0, -ENOENT (it has ended already), or another negative errno.
 */
HYMC_EXPORT int hymc_cancel(struct hymc_dev *dev, uint64_t request)
{
	struct hymc_cancel arg = { .size = sizeof(arg), .request = request };

	return hymc_dev_call(dev, HYMC_IOC_CANCEL, &arg, "cancel", true);
}

/**
 * acquire() - the common part of both forms
 * @dev: the device
 * @arg: what differs, filled; the rest zero
 * @views: answers
 * @runs: pieces
 * @runs_max: room in @runs
 *
 * Return: the number of leading blocks acquired, or a negative errno.
 */
static int acquire(struct hymc_dev *dev, struct hymc_acquire *arg,
		   struct hymc_view *views, struct hymc_run *runs,
		   uint32_t runs_max)
{
	int err;

	arg->size = sizeof(*arg);
	arg->views = ptr(views);
	arg->runs = ptr(runs);
	arg->runs_max = runs_max;
	err = hymc_dev_call(dev, HYMC_IOC_ACQUIRE, arg, "acquire", false);
	return err ? err : (int)arg->nr_ok;
}

/**
 * hymc_acquire() - pin blocks in DRAM, by key
 * @dev: the device
 * @ns: namespace handle
 * @keys: keys
 * @nr: number of keys
 * @timeout_ms: longest wait for all of them; 0 = do not wait
 * @views: out, @nr answers
 * @runs: out, where their bytes lie in the mapping
 * @runs_max: room in @runs
 *
 * Return: the number of leading blocks acquired, or a negative errno of the
 * call.
 */
HYMC_EXPORT int hymc_acquire(struct hymc_dev *dev, uint32_t ns,
			     const struct hymc_key *keys, uint32_t nr,
			     uint32_t timeout_ms, struct hymc_view *views,
			     struct hymc_run *runs, uint32_t runs_max)
{
	struct hymc_acquire arg = {
		.ns = ns,
		.nr = nr,
		.keys = ptr(keys),
		.timeout_ms = timeout_ms,
	};

	return acquire(dev, &arg, views, runs, runs_max);
}

/**
 * hymc_acquire_request() - pin blocks in DRAM, by place in a request
 * @dev: the device
 * @ns: namespace handle
 * @request: handle of the request
 * @first: index of the first block in the request's key list
 * @nr: number of blocks
 * @timeout_ms: longest wait for all of them; 0 = do not wait
 * @views: out, @nr answers
 * @runs: out, where their bytes lie in the mapping
 * @runs_max: room in @runs
 *
 * Return: the number of leading blocks acquired, or a negative errno of the
 * call.
 */
HYMC_EXPORT int hymc_acquire_request(struct hymc_dev *dev, uint32_t ns,
				     uint64_t request, uint32_t first,
				     uint32_t nr, uint32_t timeout_ms,
				     struct hymc_view *views,
				     struct hymc_run *runs, uint32_t runs_max)
{
	struct hymc_acquire arg = {
		.ns = ns,
		.nr = nr,
		.request = request,
		.first = first,
		.timeout_ms = timeout_ms,
	};

	return acquire(dev, &arg, views, runs, runs_max);
}

/**
 * end_views() - release, commit or abort
 * @dev: the device
 * @cmd: which
 * @what: its name
 * @views: handles
 * @nr: number of handles
 * @status: @nr answers, or NULL
 *
 * Return: the number of leading valid handles, or a negative errno.
 */
static int end_views(struct hymc_dev *dev, unsigned long cmd, const char *what,
		     const uint64_t *views, uint32_t nr, int32_t *status)
{
	struct hymc_views arg = {
		.size = sizeof(arg),
		.nr = nr,
		.views = ptr(views),
		.status = ptr(status),
	};
	int err = hymc_dev_call(dev, cmd, &arg, what, true);

	return err ? err : (int)arg.nr_ok;
}

/**
 * hymc_release() - give acquired blocks back
 * @dev: the device
 * @views: handles of hymc_acquire()
 * @nr: number of handles
 * @status: @nr answers, or NULL
 *
 * Return: the number of leading valid handles, or a negative errno.
 */
HYMC_EXPORT int hymc_release(struct hymc_dev *dev, const uint64_t *views,
			     uint32_t nr, int32_t *status)
{
	return end_views(dev, HYMC_IOC_RELEASE, "release", views, nr, status);
}

/**
 * hymc_reserve() - get DRAM for new blocks
 * @dev: the device
 * @ns: namespace handle
 * @descs: key and length of each block; addr 0
 * @nr: number of blocks
 * @flags: HYMC_PUT_*
 * @parent: parent of the first block with HYMC_PUT_PARENT, else NULL
 * @timeout_ms: longest wait in a pool whose policy waits
 * @views: out, @nr answers
 * @runs: out, where to write in the writable mapping
 * @runs_max: room in @runs
 *
 * Return: the number of leading blocks reserved, or a negative errno of the
 * call.
 */
HYMC_EXPORT int hymc_reserve(struct hymc_dev *dev, uint32_t ns,
			     const struct hymc_desc *descs, uint32_t nr,
			     uint32_t flags, const struct hymc_key *parent,
			     uint32_t timeout_ms, struct hymc_view *views,
			     struct hymc_run *runs, uint32_t runs_max)
{
	struct hymc_reserve arg = {
		.size = sizeof(arg),
		.flags = flags,
		.ns = ns,
		.nr = nr,
		.descs = ptr(descs),
		.views = ptr(views),
		.runs = ptr(runs),
		.runs_max = runs_max,
		.timeout_ms = timeout_ms,
	};
	int err;

	if (parent)
		memcpy(arg.parent, parent->b, sizeof(arg.parent));
	err = hymc_dev_call(dev, HYMC_IOC_RESERVE, &arg, "reserve", false);
	return err ? err : (int)arg.nr_ok;
}

/**
 * hymc_commit() - make reserved blocks visible
 * @dev: the device
 * @views: handles of hymc_reserve()
 * @nr: number of handles
 * @status: @nr answers, or NULL
 *
 * Return: the number of leading valid handles, or a negative errno.
 */
HYMC_EXPORT int hymc_commit(struct hymc_dev *dev, const uint64_t *views,
			    uint32_t nr, int32_t *status)
{
	return end_views(dev, HYMC_IOC_COMMIT, "commit", views, nr, status);
}

/**
 * hymc_abort() - forget reserved blocks
 * @dev: the device
 * @views: handles of hymc_reserve()
 * @nr: number of handles
 * @status: @nr answers, or NULL
 *
 * Return: the number of leading valid handles, or a negative errno.
 */
HYMC_EXPORT int hymc_abort(struct hymc_dev *dev, const uint64_t *views,
			   uint32_t nr, int32_t *status)
{
	return end_views(dev, HYMC_IOC_ABORT, "abort", views, nr, status);
}

/**
 * hymc_put() - store blocks by copying
 * @dev: the device
 * @ns: namespace handle
 * @descs: key, length and buffer of each block
 * @nr: number of blocks
 * @flags: HYMC_PUT_*
 * @parent: parent of the first block with HYMC_PUT_PARENT, else NULL
 * @timeout_ms: longest wait for all of them
 * @done: out, @nr answers
 *
 * Return: the number of leading blocks stored or present already, or a negative
 * errno of the call.
 */
HYMC_EXPORT int hymc_put(struct hymc_dev *dev, uint32_t ns,
			 const struct hymc_desc *descs, uint32_t nr,
			 uint32_t flags, const struct hymc_key *parent,
			 uint32_t timeout_ms, struct hymc_done *done)
{
	struct hymc_copy arg = {
		.size = sizeof(arg),
		.flags = flags,
		.ns = ns,
		.nr = nr,
		.descs = ptr(descs),
		.done = ptr(done),
		.timeout_ms = timeout_ms,
	};
	int err;

	if (parent)
		memcpy(arg.parent, parent->b, sizeof(arg.parent));
	err = hymc_dev_call(dev, HYMC_IOC_PUT, &arg, "put", false);
	return err ? err : (int)arg.nr_ok;
}

/**
 * hymc_get() - fetch blocks by copying
 * @dev: the device
 * @ns: namespace handle
 * @descs: key, room and buffer of each block
 * @nr: number of blocks
 * @timeout_ms: longest wait for all of them
 * @done: out, @nr answers
 *
 * Return: the number of leading blocks copied, or a negative errno of the call.
 */
HYMC_EXPORT int hymc_get(struct hymc_dev *dev, uint32_t ns,
			 const struct hymc_desc *descs, uint32_t nr,
			 uint32_t timeout_ms, struct hymc_done *done)
{
	struct hymc_copy arg = {
		.size = sizeof(arg),
		.ns = ns,
		.nr = nr,
		.descs = ptr(descs),
		.done = ptr(done),
		.timeout_ms = timeout_ms,
	};
	int err = hymc_dev_call(dev, HYMC_IOC_GET, &arg, "get", false);

	return err ? err : (int)arg.nr_ok;
}

/**
 * hymc_delete() - forget blocks
 * @dev: the device
 * @ns: namespace handle
 * @keys: keys
 * @nr: number of keys
 * @status: @nr answers, or NULL
 *
 * Return: the number of leading keys deleted, or a negative errno.
 */
HYMC_EXPORT int hymc_delete(struct hymc_dev *dev, uint32_t ns,
			    const struct hymc_key *keys, uint32_t nr,
			    int32_t *status)
{
	struct hymc_delete arg = {
		.size = sizeof(arg),
		.ns = ns,
		.nr = nr,
		.keys = ptr(keys),
		.status = ptr(status),
	};
	int err = hymc_dev_call(dev, HYMC_IOC_DELETE, &arg, "delete", true);

	return err ? err : (int)arg.nr_ok;
}

/**
 * hymc_sync() - wait until what was committed before is on the SSD
 * @dev: the device
 * @timeout_ms: longest wait
 *
 * Return: 0, -ETIMEDOUT, -EINTR, -EIO (a block could not be written and is
 * lost), or another negative errno.
 */
HYMC_EXPORT int hymc_sync(struct hymc_dev *dev, uint32_t timeout_ms)
{
	struct hymc_sync arg = {
		.size = sizeof(arg),
		.timeout_ms = timeout_ms,
	};

	return hymc_dev_call(dev, HYMC_IOC_SYNC, &arg, "sync", false);
}
