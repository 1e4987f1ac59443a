// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: what is asked of the kernel's control family: make, end and list pools
 *
 * Builds requests from parameters and snapshots from answers. Nothing is
 * trusted to be in an answer but what is checked.
 */
#include <stdlib.h>
#include <string.h>

#include "netlink.h"

/* A listing that changes while it is read is read again so often. */
#define LIST_ATTEMPTS		8

/**
 * put_u64() - add an attribute unless it is 0, which means "default"
 * @msg: the request
 * @attr: HYMC_A_POOL_*
 * @value: its value
 *
 * Return: 0 or a negative NLE_*.
 */
static int put_u64(struct nl_msg *msg, int attr, uint64_t value)
{
	return value ? nla_put_u64(msg, attr, value) : 0;
}

/**
 * put_dram() - add the attributes of the DRAM
 * @msg: the request
 * @p: parameters
 * @dax: the dax device
 *
 * Return: 0 or a negative NLE_*.
 */
static int put_dram(struct nl_msg *msg, const struct hymc_pool_params *p,
		    const struct hymc_dax *dax)
{
	uint64_t bytes = p->dram_bytes ? p->dram_bytes : dax->bytes;

	if (nla_put_string(msg, HYMC_A_POOL_DRAM, dax->name) ||
	    nla_put_u64(msg, HYMC_A_POOL_DRAM_START, dax->start))
		return -NLE_NOMEM;
	return nla_put_u64(msg, HYMC_A_POOL_DRAM_BYTES, bytes);
}

/**
 * put_limits() - add the attributes that have defaults
 * @msg: the request
 * @p: parameters
 *
 * Return: 0 or a negative NLE_*.
 */
static int put_limits(struct nl_msg *msg, const struct hymc_pool_params *p)
{
	if (put_u64(msg, HYMC_A_POOL_SSD_BYTES, p->ssd_bytes) ||
	    put_u64(msg, HYMC_A_POOL_SEGMENT_BYTES, p->segment_bytes) ||
	    put_u64(msg, HYMC_A_POOL_WINDOW_BYTES, p->window_bytes) ||
	    put_u64(msg, HYMC_A_POOL_BLOCKS_MAX, p->blocks_max) ||
	    put_u64(msg, HYMC_A_POOL_DIRTY_MAX_BYTES, p->dirty_max_bytes))
		return -NLE_NOMEM;
	if (p->frame_bytes &&
	    nla_put_u32(msg, HYMC_A_POOL_FRAME_BYTES, p->frame_bytes))
		return -NLE_NOMEM;
	if (p->id != HYMC_POOL_ANY && nla_put_u32(msg, HYMC_A_POOL_ID, p->id))
		return -NLE_NOMEM;
	return 0;
}

/**
 * create_msg() - the request that makes a pool
 * @call: the call
 * @p: parameters
 * @dax: the dax device
 *
 * Return: the message, or NULL without memory.
 */
static struct nl_msg *create_msg(struct hymc_call *call,
				 const struct hymc_pool_params *p,
				 const struct hymc_dax *dax)
{
	struct nl_msg *msg = hymc_call_msg(call, HYMC_CMD_POOL_CREATE, 0);

	if (!msg)
		return NULL;
	if (put_dram(msg, p, dax) || put_limits(msg, p) ||
	    nla_put_string(msg, HYMC_A_POOL_SSD, p->ssd) ||
	    nla_put_u32(msg, HYMC_A_POOL_POLICY, p->policy) ||
	    (p->force && nla_put_flag(msg, HYMC_A_POOL_FORCE))) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/**
 * on_created() - the answer to a create: the number
 * @call: the call; its data is where the number goes
 * @attrs: attributes
 *
 * Return: 0, or -EPROTO when there is none.
 */
static int on_created(struct hymc_call *call, struct nlattr **attrs)
{
	if (!attrs[HYMC_A_POOL_ID])
		return -EPROTO;
	*(uint32_t *)call->data = nla_get_u32(attrs[HYMC_A_POOL_ID]);
	return 0;
}

/**
 * hymc_control_create() - ask the kernel to make a pool
 * @ctx: context
 * @p: parameters
 * @dax: the dax device, without a driver
 * @id: out, number of the pool
 *
 * Return: 0 or a negative errno.
 */
int hymc_control_create(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
			const struct hymc_dax *dax, uint32_t *id)
{
	struct hymc_call call;
	int err = hymc_call_open(&call, ctx);

	if (err)
		return err;
	*id = HYMC_POOL_ANY;
	call.on_msg = on_created;
	call.data = id;
	err = hymc_call_run(&call, create_msg(&call, p, dax));
	if (!err && *id == HYMC_POOL_ANY)
		err = -EPROTO;
	if (err)
		hymc_call_err(&call, err, "cannot make a pool");
	hymc_call_close(&call);
	return err;
}

/**
 * destroy_msg() - the request that ends a pool
 * @call: the call
 * @id: the pool
 * @force: although it is open
 *
 * Return: the message, or NULL without memory.
 */
static struct nl_msg *destroy_msg(struct hymc_call *call, uint32_t id,
				  bool force)
{
	struct nl_msg *msg = hymc_call_msg(call, HYMC_CMD_POOL_DESTROY, 0);

	if (!msg)
		return NULL;
	if (nla_put_u32(msg, HYMC_A_POOL_ID, id) ||
	    (force && nla_put_flag(msg, HYMC_A_POOL_FORCE))) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/**
 * hymc_control_destroy() - ask the kernel to end a pool
 * @ctx: context
 * @id: the pool
 * @force: although it is open
 *
 * Return: 0 or a negative errno.
 */
int hymc_control_destroy(struct hymc_ctx *ctx, uint32_t id, bool force)
{
	struct hymc_text what = { 0 };
	struct hymc_call call;
	int err = hymc_call_open(&call, ctx);

	if (err)
		return err;
	hymc_text_add(&what, "cannot end pool %u", id);
	err = hymc_call_run(&call, destroy_msg(&call, id, force));
	/* A number beyond all that pools can have. */
	if (err == -ERANGE)
		err = hymc_err(ctx, -ENOENT, "there is no pool %u", id);
	else if (err)
		hymc_call_err(&call, err, what.s);
	hymc_call_close(&call);
	return err;
}

/**
 * get_u32() - an attribute's value
 * @attr: the attribute, or NULL
 *
 * Return: the value, 0 when it is absent.
 */
static uint32_t get_u32(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

/**
 * get_u64() - an attribute's value
 * @attr: the attribute, or NULL
 *
 * Return: the value, 0 when it is absent.
 */
static uint64_t get_u64(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

/**
 * get_string() - a copy of an attribute's text
 * @attr: the attribute, or NULL
 *
 * Return: the text, "" when it is absent; NULL without memory.
 */
static char *get_string(struct nlattr *attr)
{
	return attr ? nla_strdup(attr) : strdup("");
}

/**
 * get_pids() - take the process ids
 * @pool: where they go
 * @attr: the attribute, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
static int get_pids(struct hymc_pool *pool, struct nlattr *attr)
{
	size_t nr = attr ? (size_t)nla_len(attr) / sizeof(*pool->pids) : 0;

	if (!nr)
		return 0;
	pool->pids = malloc(nr * sizeof(*pool->pids));
	if (!pool->pids)
		return -ENOMEM;
	memcpy(pool->pids, nla_data(attr), nr * sizeof(*pool->pids));
	pool->pids_nr = nr;
	return 0;
}

/**
 * get_blobs() - take the attributes that are not numbers
 * @pool: where they go
 * @attrs: attributes
 *
 * Counters that a later kernel appends are left out; those that an earlier one
 * does not have are 0.
 *
 * Return: 0 or -ENOMEM.
 */
static int get_blobs(struct hymc_pool *pool, struct nlattr **attrs)
{
	if (attrs[HYMC_A_POOL_UUID])
		memcpy(pool->uuid, nla_data(attrs[HYMC_A_POOL_UUID]),
		       sizeof(pool->uuid));
	if (attrs[HYMC_A_POOL_STATS])
		nla_memcpy(&pool->stats, attrs[HYMC_A_POOL_STATS],
			   sizeof(pool->stats));
	pool->dram = get_string(attrs[HYMC_A_POOL_DRAM]);
	pool->ssd = get_string(attrs[HYMC_A_POOL_SSD]);
	if (!pool->dram || !pool->ssd)
		return -ENOMEM;
	return get_pids(pool, attrs[HYMC_A_POOL_PIDS]);
}

/**
 * get_numbers() - take the attributes that are numbers
 * @pool: where they go
 * @attrs: attributes
 */
static void get_numbers(struct hymc_pool *pool, struct nlattr **attrs)
{
	pool->id = get_u32(attrs[HYMC_A_POOL_ID]);
	pool->dram_start = get_u64(attrs[HYMC_A_POOL_DRAM_START]);
	pool->dram_bytes = get_u64(attrs[HYMC_A_POOL_DRAM_BYTES]);
	pool->ssd_bytes = get_u64(attrs[HYMC_A_POOL_SSD_BYTES]);
	pool->frame_bytes = get_u32(attrs[HYMC_A_POOL_FRAME_BYTES]);
	pool->segment_bytes = get_u64(attrs[HYMC_A_POOL_SEGMENT_BYTES]);
	pool->window_bytes = get_u64(attrs[HYMC_A_POOL_WINDOW_BYTES]);
	pool->blocks_max = get_u64(attrs[HYMC_A_POOL_BLOCKS_MAX]);
	pool->policy = get_u32(attrs[HYMC_A_POOL_POLICY]);
	pool->dirty_max_bytes = get_u64(attrs[HYMC_A_POOL_DIRTY_MAX_BYTES]);
	pool->state = get_u32(attrs[HYMC_A_POOL_STATE]);
}

/**
 * list_insert() - put a pool into its place in a list
 * @head: the list, ordered by number
 * @pool: the pool
 */
static void list_insert(struct hymc_pool **head, struct hymc_pool *pool)
{
	while (*head && (*head)->id < pool->id)
		head = &(*head)->next;
	pool->next = *head;
	*head = pool;
}

/**
 * on_pool() - one pool of a listing
 * @call: the call; its data is the head of the list
 * @attrs: attributes
 *
 * Return: 0, -EPROTO when it has no number, or -ENOMEM.
 */
static int on_pool(struct hymc_call *call, struct nlattr **attrs)
{
	struct hymc_pool *pool;
	int err;

	if (!attrs[HYMC_A_POOL_ID])
		return -EPROTO;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return -ENOMEM;
	get_numbers(pool, attrs);
	err = get_blobs(pool, attrs);
	if (err)
		hymc_pool_free(pool);
	else
		list_insert(call->data, pool);
	return err;
}

/**
 * list_drop() - free a list
 * @head: the list; NULL afterwards
 */
static void list_drop(struct hymc_pool **head)
{
	struct hymc_pool *pool;

	while (*head) {
		pool = *head;
		*head = pool->next;
		hymc_pool_free(pool);
	}
}

/**
 * list_once() - one listing
 * @ctx: context
 * @head: out
 *
 * Return: 0, -EAGAIN when pools came or went meanwhile, or another negative
 * errno; then the list is empty.
 */
static int list_once(struct hymc_ctx *ctx, struct hymc_pool **head)
{
	struct hymc_call call;
	int err = hymc_call_open(&call, ctx);

	if (err)
		return err;
	*head = NULL;
	call.on_msg = on_pool;
	call.data = head;
	err = hymc_call_run(&call, hymc_call_msg(&call, HYMC_CMD_POOL_GET,
						 NLM_F_DUMP));
	if (err) {
		list_drop(head);
		hymc_call_err(&call, err, "cannot list the pools");
	}
	hymc_call_close(&call);
	return err;
}

/**
 * hymc_control_list() - all pools, ordered by number
 * @ctx: context
 * @head: out
 *
 * Return: 0 or a negative errno; then the list is empty.
 */
int hymc_control_list(struct hymc_ctx *ctx, struct hymc_pool **head)
{
	int i, err = -EAGAIN;

	for (i = 0; i < LIST_ATTEMPTS && err == -EAGAIN; i++)
		err = list_once(ctx, head);
	return err;
}
