// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: commands that load and unload the kernel module
 */
#include <stdio.h>

#include "hymcctl.h"

/**
 * show_module() - print the result for people
 * @obj: the result
 */
static void show_module(struct json_object *obj)
{
	bool loaded = json_object_get_boolean(out_get(obj, "loaded"));
	bool before = json_object_get_boolean(out_get(obj, "was_loaded"));

	printf("hymc is %s%s\n", loaded && before ? "already " : "",
	       loaded ? "loaded" : "unloaded");
}

/**
 * result() - print the state of the module
 * @ctl: the run
 * @loaded: it is loaded now
 * @before: it was loaded before
 *
 * Return: enum ctl_exit.
 */
static int result(struct ctl *ctl, bool loaded, bool before)
{
	struct json_object *obj = json_object_new_object();

	out_add_text(obj, "module", "hymc");
	out_add(obj, "loaded", json_object_new_boolean(loaded));
	out_add(obj, "was_loaded", json_object_new_boolean(before));
	return ctl_result(ctl, obj, show_module);
}

/**
 * cmd_load() - load the module: the installed one, or one from a file
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int cmd_load(struct ctl *ctl, int argc, char **argv)
{
	int err, ret = opts_parse(ctl, &argc, &argv, NULL);
	bool before;

	if (!ret && argc > 1)
		ret = ctl_usage(ctl, "load takes one file, not %d", argc);
	if (ret)
		return ret;
	before = hymc_module_loaded(ctl->hymc);
	if (argc)
		err = hymc_module_load_file(ctl->hymc, argv[0]);
	else
		err = hymc_module_load(ctl->hymc);
	return err ? ctl_fail(ctl, err) : result(ctl, true, before);
}

/**
 * cmd_unload() - unload the module
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int cmd_unload(struct ctl *ctl, int argc, char **argv)
{
	int err, ret = opts_parse(ctl, &argc, &argv, NULL);

	if (!ret)
		ret = opts_no_operands(ctl, argc, argv);
	if (ret)
		return ret;
	err = hymc_module_unload(ctl->hymc);
	return err ? ctl_fail(ctl, err) : result(ctl, false, true);
}
