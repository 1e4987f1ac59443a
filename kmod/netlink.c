// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the control plane
 *
 * Generic netlink family "hymc", as specified in uapi/hymc.yaml: makes, destroys and
 * shows pools. Owns the table of pools; hymc_pools_lock serialises every change of
 * it and is outermost.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "compat.h"
#include "extack.h"
#include "pool.h"

#define HYMC_FRAME_BYTES_MIN	SZ_64K
#define HYMC_FRAME_BYTES_MAX	SZ_64M
#define HYMC_FRAME_BYTES_DFLT	SZ_1M
#define HYMC_PIDS_MAX		64U

/* Serialises create, destroy and dumps. Outermost; held over I/O of those. */
static DEFINE_MUTEX(hymc_pools_lock);
/* struct hymc_pool by number (hymc_pools_lock). */
static DEFINE_XARRAY_ALLOC(hymc_pools);

static struct genl_family hymc_family;

static const struct nla_policy hymc_policy[HYMC_A_POOL_MAX + 1] = {
	[HYMC_A_POOL_ID] = NLA_POLICY_MAX(NLA_U32, HYMC_POOLS_MAX - 1),
	[HYMC_A_POOL_DRAM] = { .type = NLA_NUL_STRING, .len = 63 },
	[HYMC_A_POOL_DRAM_START] = { .type = NLA_U64 },
	[HYMC_A_POOL_DRAM_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_SSD] = { .type = NLA_NUL_STRING, .len = 255 },
	[HYMC_A_POOL_SSD_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_FRAME_BYTES] = { .type = NLA_U32 },
	[HYMC_A_POOL_SEGMENT_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_WINDOW_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_BLOCKS_MAX] = { .type = NLA_U64 },
	[HYMC_A_POOL_POLICY] = NLA_POLICY_MAX(NLA_U32, HYMC_POLICY_LRU),
	[HYMC_A_POOL_DIRTY_MAX_BYTES] = { .type = NLA_U64 },
	[HYMC_A_POOL_FORCE] = { .type = NLA_FLAG },
};

static int require_admin(struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack, "pools are made and destroyed by CAP_SYS_ADMIN only");
	return -EPERM;
}

/* ------------------------------------------------------------- create --- */

static u64 attr_u64(struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_get_u64(info->attrs[attr]) : 0;
}

static u32 attr_u32(struct genl_info *info, int attr, u32 dflt)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : dflt;
}

static int check_frame(u32 frame_bytes, struct genl_info *info)
{
	if (is_power_of_2(frame_bytes) && frame_bytes >= HYMC_FRAME_BYTES_MIN &&
	    frame_bytes <= HYMC_FRAME_BYTES_MAX)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYMC_A_POOL_FRAME_BYTES],
			    "the frame size must be a power of two from 64 KiB to 64 MiB");
	return -EINVAL;
}

static int require_attr(struct genl_info *info, int attr, const char *what)
{
	if (info->attrs[attr])
		return 0;
	hymc_extack(info->extack, "%s is missing", what);
	return -EINVAL;
}

/* Read the request into @cfg. 0, or -EINVAL with a sentence. */
static int parse_cfg(struct genl_info *info, struct hymc_pool_cfg *cfg)
{
	int err;

	err = require_attr(info, HYMC_A_POOL_DRAM, "the name of the dax device");
	if (!err)
		err = require_attr(info, HYMC_A_POOL_DRAM_START,
				   "the start of the dax device's range");
	if (!err)
		err = require_attr(info, HYMC_A_POOL_DRAM_BYTES,
				   "the size of the dax device's range");
	if (!err)
		err = require_attr(info, HYMC_A_POOL_SSD,
				   "the path of the block device");
	if (err)
		return err;
	*cfg = (struct hymc_pool_cfg) {
		.id = attr_u32(info, HYMC_A_POOL_ID, HYMC_NIL),
		.policy = attr_u32(info, HYMC_A_POOL_POLICY, HYMC_POLICY_STAGE),
		.frame_bytes = attr_u32(info, HYMC_A_POOL_FRAME_BYTES,
					HYMC_FRAME_BYTES_DFLT),
		.force = nla_get_flag(info->attrs[HYMC_A_POOL_FORCE]),
		.dram_start = attr_u64(info, HYMC_A_POOL_DRAM_START),
		.dram_bytes = attr_u64(info, HYMC_A_POOL_DRAM_BYTES),
		.ssd_bytes = attr_u64(info, HYMC_A_POOL_SSD_BYTES),
		.segment_bytes = attr_u64(info, HYMC_A_POOL_SEGMENT_BYTES),
		.window_bytes = attr_u64(info, HYMC_A_POOL_WINDOW_BYTES),
		.blocks_max = attr_u64(info, HYMC_A_POOL_BLOCKS_MAX),
		.dirty_max_bytes = attr_u64(info, HYMC_A_POOL_DIRTY_MAX_BYTES),
	};
	nla_strscpy(cfg->dram, info->attrs[HYMC_A_POOL_DRAM], sizeof(cfg->dram));
	nla_strscpy(cfg->ssd, info->attrs[HYMC_A_POOL_SSD], sizeof(cfg->ssd));
	return check_frame(cfg->frame_bytes, info);
}

/* Keep a number for the pool to be made. */
static int take_id(struct hymc_pool_cfg *cfg, struct netlink_ext_ack *extack)
{
	int err;

	lockdep_assert_held(&hymc_pools_lock);
	if (cfg->id == HYMC_NIL) {
		err = xa_alloc(&hymc_pools, &cfg->id, NULL,
			       XA_LIMIT(0, HYMC_POOLS_MAX - 1), GFP_KERNEL);
		if (err == -EBUSY)
			NL_SET_ERR_MSG(extack, "there are too many pools");
		return err == -EBUSY ? -ENOSPC : err;
	}
	err = xa_insert(&hymc_pools, cfg->id, NULL, GFP_KERNEL);
	if (err == -EBUSY) {
		hymc_extack(extack, "pool %u exists", cfg->id);
		return -EEXIST;
	}
	return err;
}

static struct sk_buff *reply_new(struct genl_info *info, u8 cmd, void **hdr)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	if (!msg)
		return NULL;
	*hdr = genlmsg_put_reply(msg, info, &hymc_family, 0, cmd);
	if (*hdr)
		return msg;
	nlmsg_free(msg);
	return NULL;
}

static int reply_id(struct genl_info *info, u32 id)
{
	void *hdr;
	struct sk_buff *msg = reply_new(info, HYMC_CMD_POOL_CREATE, &hdr);

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, HYMC_A_POOL_ID, id)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

static int hymc_nl_create(struct sk_buff *skb, struct genl_info *info)
{
	struct hymc_pool_cfg *cfg __free(kfree) = kzalloc(sizeof(*cfg), GFP_KERNEL);
	struct hymc_pool *pool;
	int err = require_admin(skb, info->extack);

	if (!cfg)
		return -ENOMEM;
	if (!err)
		err = parse_cfg(info, cfg);
	if (err)
		return err;
	guard(mutex)(&hymc_pools_lock);
	err = take_id(cfg, info->extack);
	if (err)
		return err;
	pool = hymc_pool_create(cfg, info->extack);
	if (IS_ERR(pool)) {
		xa_erase(&hymc_pools, cfg->id);
		return PTR_ERR(pool);
	}
	/* The number is reserved, so this allocates nothing. */
	xa_store(&hymc_pools, cfg->id, pool, GFP_KERNEL);
	return reply_id(info, cfg->id);
}

/* ------------------------------------------------------------ destroy --- */

/* The pool a message names. Needs hymc_pools_lock. */
static struct hymc_pool *pool_named(struct genl_info *info)
{
	struct hymc_pool *pool;
	u32 id;

	lockdep_assert_held(&hymc_pools_lock);
	if (require_attr(info, HYMC_A_POOL_ID, "the number of the pool"))
		return ERR_PTR(-EINVAL);
	id = nla_get_u32(info->attrs[HYMC_A_POOL_ID]);
	pool = xa_load(&hymc_pools, id);
	if (pool)
		return pool;
	hymc_extack(info->extack, "there is no pool %u", id);
	return ERR_PTR(-ENOENT);
}

static int hymc_nl_destroy(struct sk_buff *skb, struct genl_info *info)
{
	struct hymc_pool *pool;
	int err = require_admin(skb, info->extack);
	u32 id;

	if (err)
		return err;
	guard(mutex)(&hymc_pools_lock);
	pool = pool_named(info);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	id = pool->cfg.id;
	err = hymc_pool_destroy(pool, nla_get_flag(info->attrs[HYMC_A_POOL_FORCE]),
				info->extack);
	if (!err)
		xa_erase(&hymc_pools, id);
	return err;
}

/* ---------------------------------------------------------------- get --- */

static int put_u64(struct sk_buff *msg, int attr, u64 v)
{
	return nla_put_u64_64bit(msg, attr, v, HYMC_A_POOL_PAD);
}

static int put_cfg(struct sk_buff *msg, struct hymc_pool *pool)
{
	const struct hymc_pool_cfg *cfg = &pool->cfg;

	return nla_put_u32(msg, HYMC_A_POOL_ID, cfg->id) ||
	       nla_put_string(msg, HYMC_A_POOL_DRAM, cfg->dram) ||
	       put_u64(msg, HYMC_A_POOL_DRAM_START, cfg->dram_start) ||
	       put_u64(msg, HYMC_A_POOL_DRAM_BYTES, cfg->dram_bytes) ||
	       nla_put_string(msg, HYMC_A_POOL_SSD, cfg->ssd) ||
	       put_u64(msg, HYMC_A_POOL_SSD_BYTES, cfg->ssd_bytes) ||
	       nla_put_u32(msg, HYMC_A_POOL_FRAME_BYTES, cfg->frame_bytes) ||
	       put_u64(msg, HYMC_A_POOL_SEGMENT_BYTES, cfg->segment_bytes) ||
	       put_u64(msg, HYMC_A_POOL_WINDOW_BYTES, cfg->window_bytes) ||
	       put_u64(msg, HYMC_A_POOL_BLOCKS_MAX, cfg->blocks_max) ||
	       nla_put_u32(msg, HYMC_A_POOL_POLICY, cfg->policy) ||
	       put_u64(msg, HYMC_A_POOL_DIRTY_MAX_BYTES, cfg->dirty_max_bytes) ||
	       nla_put(msg, HYMC_A_POOL_UUID, sizeof(pool->uuid), &pool->uuid);
}

/* State and counters, and for the admin who has the node open. */
static int put_state(struct sk_buff *msg, struct hymc_pool *pool, bool admin)
{
	struct hymc_stats *st __free(kfree) = kmalloc(sizeof(*st), GFP_KERNEL);
	u32 *pids __free(kfree) = kcalloc(HYMC_PIDS_MAX, sizeof(u32), GFP_KERNEL);
	u32 nr, state;

	if (!st || !pids)
		return -ENOMEM;
	state = READ_ONCE(pool->dead) ? HYMC_POOL_DEAD : HYMC_POOL_ONLINE;
	hymc_pool_fill_stats(pool, st);
	if (nla_put_u32(msg, HYMC_A_POOL_STATE, state) ||
	    nla_put(msg, HYMC_A_POOL_STATS, sizeof(*st), st))
		return -EMSGSIZE;
	if (!admin)
		return 0;
	nr = hymc_pool_pids(pool, pids, HYMC_PIDS_MAX);
	return nla_put(msg, HYMC_A_POOL_PIDS, nr * sizeof(*pids), pids);
}

static int put_pool(struct sk_buff *msg, struct hymc_pool *pool, bool admin)
{
	return put_cfg(msg, pool) ? -EMSGSIZE : put_state(msg, pool, admin);
}

static int hymc_nl_get(struct sk_buff *skb, struct genl_info *info)
{
	struct hymc_pool *pool;
	struct sk_buff *msg;
	void *hdr;
	int err;

	guard(mutex)(&hymc_pools_lock);
	pool = pool_named(info);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	msg = reply_new(info, HYMC_CMD_POOL_GET, &hdr);
	if (!msg)
		return -ENOMEM;
	err = put_pool(msg, pool, netlink_capable(skb, CAP_SYS_ADMIN));
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

/* One message of a dump; -EMSGSIZE when the buffer is full. */
static int dump_pool(struct sk_buff *skb, struct netlink_callback *cb,
		     struct hymc_pool *pool)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &hymc_family, NLM_F_MULTI,
				HYMC_CMD_POOL_GET);

	if (!hdr)
		return -EMSGSIZE;
	if (put_pool(skb, pool, netlink_capable(cb->skb, CAP_SYS_ADMIN))) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int hymc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long id = cb->args[0];
	struct hymc_pool *pool;

	guard(mutex)(&hymc_pools_lock);
	for (pool = xa_find(&hymc_pools, &id, ULONG_MAX, XA_PRESENT); pool;
	     pool = xa_find_after(&hymc_pools, &id, ULONG_MAX, XA_PRESENT)) {
		if (dump_pool(skb, cb, pool))
			break;
		cb->args[0] = id + 1;
	}
	return skb->len;
}

static const struct genl_small_ops hymc_ops[] = {
	{
		.cmd = HYMC_CMD_POOL_CREATE,
		.doit = hymc_nl_create,
	},
	{
		.cmd = HYMC_CMD_POOL_DESTROY,
		.doit = hymc_nl_destroy,
	},
	{
		.cmd = HYMC_CMD_POOL_GET,
		.doit = hymc_nl_get,
		.dumpit = hymc_nl_dump,
	},
};

static struct genl_family hymc_family __ro_after_init = {
	.name = HYMC_GENL_NAME,
	.version = HYMC_GENL_VERSION,
	.maxattr = HYMC_A_POOL_MAX,
	.policy = hymc_policy,
	.module = THIS_MODULE,
	.small_ops = hymc_ops,
	.n_small_ops = ARRAY_SIZE(hymc_ops),
	.resv_start_op = HYMC_CMD_MAX + 1,
	/* Creating a pool does I/O: do not stop every other family meanwhile. */
	.parallel_ops = true,
};

/**
 * hymc_netlink_init - register the family. Called once, at module load.
 *
 * Return: 0 or an errno.
 */
int hymc_netlink_init(void)
{
	return genl_register_family(&hymc_family);
}

/**
 * hymc_netlink_exit - unregister the family. No pool is left.
 */
void hymc_netlink_exit(void)
{
	genl_unregister_family(&hymc_family);
	xa_destroy(&hymc_pools);
}
