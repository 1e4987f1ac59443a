// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the module
 *
 * Registers what pools need (device numbers, class, netlink family) in order and
 * takes it back in reverse. Pools hold a module reference, so exit finds none.
 */
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/module.h>

#include "compat.h"
#include "pool.h"

/* First of HYMC_POOLS_MAX device numbers. */
dev_t hymc_devt;

/* The group that may use pools is given to the node by udev. */
static char *hymc_devnode(hymc_devnode_dev *dev, umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return NULL;
}

struct class hymc_class = {
	.name = "hymc",
	.devnode = hymc_devnode,
};

static int __init hymc_init(void)
{
	int err;

	err = alloc_chrdev_region(&hymc_devt, 0, HYMC_POOLS_MAX, "hymc");
	if (err)
		return err;
	err = class_register(&hymc_class);
	if (err)
		goto err_chrdev;
	err = hymc_netlink_init();
	if (err)
		goto err_class;
	return 0;

err_class:
	class_unregister(&hymc_class);
err_chrdev:
	unregister_chrdev_region(hymc_devt, HYMC_POOLS_MAX);
	return err;
}

static void __exit hymc_exit(void)
{
	hymc_netlink_exit();
	class_unregister(&hymc_class);
	unregister_chrdev_region(hymc_devt, HYMC_POOLS_MAX);
}

module_init(hymc_init);
module_exit(hymc_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The HyMCache developers");
MODULE_DESCRIPTION("KV-cache tier on CXL hybrid memory: staging by knowledge");
