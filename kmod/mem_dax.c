// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the dax device that a range belongs to
 *
 * Finds the dax device by name, checks that the claimed range is its own, and
 * notices when it is about to go. Never binds or unbinds a driver, never looks
 * into the private structures of the dax and CXL cores.
 *
 * The dax bus is not exported, so the device is found as a child of a device on
 * the buses that its parents can be on. Its own bus follows from it.
 *
 * Nothing asks a dax device's user before its memory is unplugged: a region that
 * is torn down first unbinds its driver, then its dax devices are deleted, then
 * the decoders are reset. The first of these events, for the dax device or any of
 * its ancestors, is the moment to leave, synchronously, in the notifier.
 *
 * No lock of its own. The notifier chains' semaphores order callbacks against
 * unregistering; everything that a callback reads is constant by then.
 */
#include <linux/device.h>
#include <linux/dax.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "extack.h"
#include "mem_internal.h"

#if IS_ENABLED(CONFIG_CXL_BUS)
/* Exported; declared in a header that is private to the CXL core. */
extern typeof(platform_bus_type) cxl_bus_type;
HYMC_IMPORT_NS(CXL);
#endif

#if IS_MODULE(CONFIG_DAX)
/*
 * The dax core must not be unloaded while we are registered on its bus: a
 * reference to a symbol of it is what keeps it.
 */
static void (*const dax_core_pin)(struct dax_device *) __used = put_dax;
#endif

/**
 * struct dax_search - looking for a dax device
 * @name: of the dax device
 * @found: the device; a reference
 */
struct dax_search {
	const char *name;
	struct device *found;
};

static int dax_search_children(struct device *parent, void *data)
{
	struct dax_search *search = data;
	struct device *dev;

	dev = device_find_child_by_name(parent, search->name);
	if (!dev)
		return 0;
	if (dev->bus && !strcmp(dev->bus->name, "dax")) {
		search->found = dev;
		return 1;
	}
	put_device(dev);
	return 0;
}

/* The dax device, with a reference, or NULL. */
static struct device *dax_find(const char *name)
{
	struct dax_search search = { .name = name };

#if IS_ENABLED(CONFIG_CXL_BUS)
	bus_for_each_dev(&cxl_bus_type, NULL, &search, dax_search_children);
#endif
	if (!search.found)
		bus_for_each_dev(&platform_bus_type, NULL, &search,
				 dax_search_children);
	return search.found;
}

/*
 * Does @action on link @i mean that the memory goes? A driver that lets go of the
 * dax device itself does not: probing fails and unbinds as long as we hold the
 * range.
 */
static bool dax_means_end(const struct hymc_dax *dax, unsigned int i,
			  unsigned long action)
{
	return action == BUS_NOTIFY_DEL_DEVICE ||
	       (action == BUS_NOTIFY_UNBIND_DRIVER && i > 0);
}

static int dax_notify(struct notifier_block *nb, unsigned long action,
		      void *data)
{
	struct hymc_dax *dax = container_of(nb, struct hymc_dax_link, nb)->watch;
	unsigned int i;

	for (i = 0; i < dax->nr; i++)
		if (dax->links[i].dev == data && dax_means_end(dax, i, action))
			hymc_mem_leave(dax->mem);
	return NOTIFY_DONE;
}

static bool dax_bus_is_watched(const struct hymc_dax *dax, const void *bus)
{
	unsigned int i;

	for (i = 0; i < dax->nr; i++)
		if (dax->links[i].registered && dax->links[i].dev->bus == bus)
			return true;
	return false;
}

/* Fill the chain from @dev (whose reference is taken over) up to the root. */
static void dax_fill_links(struct hymc_dax *dax, struct device *dev)
{
	while (dev && dax->nr < HYMC_DAX_DEPTH) {
		struct hymc_dax_link *link = &dax->links[dax->nr++];

		link->dev = dev;
		link->watch = dax;
		link->nb.notifier_call = dax_notify;
		dev = get_device(dev->parent);
	}
	put_device(dev);
}

static int dax_register(struct hymc_dax *dax)
{
	unsigned int i;
	int err;

	for (i = 0; i < dax->nr; i++) {
		struct hymc_dax_link *link = &dax->links[i];

		if (!link->dev->bus ||
		    dax_bus_is_watched(dax, link->dev->bus))
			continue;
		err = bus_register_notifier(link->dev->bus, &link->nb);
		if (err)
			return err;
		link->registered = true;
	}
	return 0;
}

/**
 * hymc_dax_watch - find a memory's dax device and watch for its removal
 * @mem: the memory; its name is set
 * @extack: takes a sentence when the call fails
 *
 * From here on hymc_mem_leave() may be called. Process context, sleeps.
 *
 * Return: 0, -ENODEV (there is no such dax device) or -ENOMEM.
 */
int hymc_dax_watch(struct hymc_mem *mem, struct netlink_ext_ack *extack)
{
	struct hymc_dax *dax = &mem->dax;
	struct device *dev;
	int err;

	dev = dax_find(mem->name);
	if (!dev) {
		hymc_extack(extack, "there is no dax device %s", mem->name);
		return -ENODEV;
	}
	dax->mem = mem;
	dax_fill_links(dax, dev);
	err = dax_register(dax);
	/* It may have gone before we listened. */
	if (!err && !device_is_registered(dev)) {
		hymc_extack(extack, "%s is being removed", mem->name);
		err = -ENODEV;
	}
	if (err)
		hymc_dax_unwatch(mem);
	return err;
}

/**
 * hymc_dax_unwatch - stop watching
 * @mem: the memory
 *
 * Waits for a hymc_mem_leave() that a notifier runs; none comes after return.
 * Process context, sleeps.
 */
void hymc_dax_unwatch(struct hymc_mem *mem)
{
	struct hymc_dax *dax = &mem->dax;
	unsigned int i;

	for (i = 0; i < dax->nr; i++)
		if (dax->links[i].registered)
			bus_unregister_notifier(dax->links[i].dev->bus,
						&dax->links[i].nb);
	for (i = 0; i < dax->nr; i++)
		put_device(dax->links[i].dev);
	memset(dax, 0, sizeof(*dax));
}

static struct device_attribute *dax_find_attr(const struct device *dev,
					      const char *name)
{
	const struct attribute_group *const *group;
	struct attribute **attr;

	if (!dev->type || !dev->type->groups)
		return NULL;
	for (group = dev->type->groups; *group; group++)
		for (attr = (*group)->attrs; attr && *attr; attr++)
			if (!strcmp((*attr)->name, name))
				return container_of(*attr,
						    struct device_attribute,
						    attr);
	return NULL;
}

/*
 * What a number in the device's sysfs directory would read as. The range of a dax
 * device is told there and nowhere else outside of the dax core.
 */
static int dax_read_attr(struct device *dev, const char *name, u64 *value)
{
	struct device_attribute *attr = dax_find_attr(dev, name);
	char *buf;
	int err;

	if (!attr || !attr->show)
		return -EOPNOTSUPP;
	buf = (char *)get_zeroed_page(GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	err = attr->show(dev, attr, buf);
	if (err > 0)
		err = kstrtoull(strim(buf), 0, value);
	else if (!err)
		err = -EIO;
	free_page((unsigned long)buf);
	return err;
}

static int dax_check_unbound(struct device *dev, struct netlink_ext_ack *extack)
{
	int err = 0;

	device_lock(dev);
	if (dev->driver) {
		hymc_extack(extack, "%s is bound to the driver %s: unbind it first",
			    dev_name(dev), dev->driver->name);
		err = -EBUSY;
	}
	device_unlock(dev);
	return err;
}

/* A device made of several pieces has more mappings than mapping0. */
static int dax_check_one_piece(struct device *dev,
			       struct netlink_ext_ack *extack)
{
	struct device *second = device_find_child_by_name(dev, "mapping1");

	if (!second)
		return 0;
	put_device(second);
	hymc_extack(extack, "%s consists of several pieces of memory: only one is possible",
		    dev_name(dev));
	return -EINVAL;
}

static int dax_check_range(struct device *dev, const struct hymc_mem *mem,
			   struct netlink_ext_ack *extack)
{
	u64 start, bytes;
	int err;

	err = dax_read_attr(dev, "resource", &start);
	if (!err)
		err = dax_read_attr(dev, "size", &bytes);
	if (err) {
		hymc_extack(extack, "%s does not tell its range: error %d",
			    dev_name(dev), -err);
		return err;
	}
	if (mem->start >= start && mem->start - start <= bytes &&
	    mem->bytes <= bytes - (mem->start - start))
		return 0;
	hymc_extack(extack, "%#llx-%#llx is not within %s, which has %#llx-%#llx",
		    mem->start, mem->start + mem->bytes - 1, dev_name(dev),
		    start, start + bytes - 1);
	return -EINVAL;
}

/**
 * hymc_dax_check - may the range be taken from the dax device?
 * @mem: the memory; watched
 * @extack: takes a sentence when the answer is no
 *
 * Process context, sleeps.
 *
 * Return: 0, -EBUSY (bound to a driver), -EINVAL (not the device's range, or the
 * device is not contiguous), or the error of reading the range.
 */
int hymc_dax_check(struct hymc_mem *mem, struct netlink_ext_ack *extack)
{
	struct device *dev = mem->dax.links[0].dev;
	int err;

	err = dax_check_unbound(dev, extack);
	if (!err)
		err = dax_check_one_piece(dev, extack);
	if (!err)
		err = dax_check_range(dev, mem, extack);
	return err;
}
