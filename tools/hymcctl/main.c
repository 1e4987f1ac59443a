// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: hymcctl, the control tool of HyMCache
 *
 * The command table, and finding the command among the words. Commands are in
 * cmd_*.c, one file per group.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "hymcctl.h"

/* Longest name of a command. */
#define NAME_BYTES	128

static int cmd_help(struct ctl *ctl, int argc, char **argv);
static int cmd_version(struct ctl *ctl, int argc, char **argv);

static const struct ctl_cmd commands[] = {
	{ "load", "Module", "[FILE]",
	  "Load the kernel module", NULL, cmd_load },
	{ "unload", "Module", "",
	  "Unload the kernel module", NULL, cmd_unload },
	{ "pool create", "Pools", "",
	  "Make a pool of device DRAM and an SSD", pool_create_opts,
	  cmd_pool_create },
	{ "pool destroy", "Pools", "POOL",
	  "End a pool", pool_destroy_opts, cmd_pool_destroy },
	{ "pool list", "Pools", "",
	  "List the pools", NULL, cmd_pool_list },
	{ "pool show", "Pools", "[POOL]",
	  "Show a pool: configuration, state, occupancy", NULL, cmd_pool_show },
	{ "stats", "Counters", "[POOL]",
	  "Show the counters of a pool, or of all", stats_opts, cmd_stats },
	{ "help", "Help", "[COMMAND]",
	  "Show the commands, or one of them", NULL, cmd_help },
	{ "version", "Help", "",
	  "Show the version", NULL, cmd_version },
};

/**
 * ctl_commands() - the command table
 * @nr: out, number of commands
 *
 * Return: the table.
 */
const struct ctl_cmd *ctl_commands(size_t *nr)
{
	*nr = CTL_ARRAY_SIZE(commands);
	return commands;
}

/**
 * by_name() - a command by its full name
 * @name: the name
 *
 * Return: the command, or NULL.
 */
static const struct ctl_cmd *by_name(const char *name)
{
	size_t i;

	for (i = 0; i < CTL_ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/**
 * is_family() - is a word the first of two-word commands?
 * @word: the word
 *
 * Return: true when it is, like "pool".
 */
static bool is_family(const char *word)
{
	size_t i, len = strlen(word);

	for (i = 0; i < CTL_ARRAY_SIZE(commands); i++)
		if (!strncmp(word, commands[i].name, len) &&
		    commands[i].name[len] == ' ')
			return true;
	return false;
}

/**
 * err_half() - only the first word of a two-word command was given
 * @ctl: the run
 * @word: the word
 *
 * Return: CTL_USAGE.
 */
static int err_half(struct ctl *ctl, const char *word)
{
	size_t i, len = strlen(word), n = 0;
	char list[NAME_BYTES] = "";

	for (i = 0; i < CTL_ARRAY_SIZE(commands) && n < sizeof(list); i++)
		if (!strncmp(word, commands[i].name, len))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
					      "%s%s", n ? ", " : "",
					      commands[i].name + len + 1);
	return ctl_usage(ctl, "%s needs a second word: %s", word, list);
}

/**
 * find_command() - the command that the first words name
 * @ctl: the run; its command is set
 * @argc: number of words, at least 1
 * @argv: the words
 * @used: out, how many of them are the name
 *
 * Return: 0 or CTL_USAGE.
 */
static int find_command(struct ctl *ctl, int argc, char **argv, int *used)
{
	char name[NAME_BYTES];

	*used = 1;
	snprintf(name, sizeof(name), "%s", argv[0]);
	if (is_family(name) && argc > 1 && argv[1][0] != '-') {
		*used = 2;
		snprintf(name, sizeof(name), "%s %s", argv[0], argv[1]);
	} else if (is_family(name)) {
		return err_half(ctl, name);
	}
	ctl->cmd = by_name(name);
	return ctl->cmd ? 0 : err_unknown_command(ctl, name);
}

/**
 * cmd_help() - show the commands, or one of them
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
static int cmd_help(struct ctl *ctl, int argc, char **argv)
{
	int used, ret = opts_parse(ctl, &argc, &argv, NULL);

	if (ret)
		return ret;
	if (!argc) {
		help_all();
		return CTL_OK;
	}
	ret = find_command(ctl, argc, argv, &used);
	if (!ret)
		help_command(ctl->cmd);
	return ret;
}

/**
 * show_version() - print the version for people
 * @obj: the result
 */
static void show_version(struct json_object *obj)
{
	printf("hymcctl %s\n",
	       json_object_get_string(out_get(obj, "version")));
}

/**
 * cmd_version() - show the version
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
static int cmd_version(struct ctl *ctl, int argc, char **argv)
{
	struct json_object *obj;
	int ret = opts_parse(ctl, &argc, &argv, NULL);

	if (!ret)
		ret = opts_no_operands(ctl, argc, argv);
	if (ret)
		return ret;
	obj = json_object_new_object();
	out_add_text(obj, "version", HYMC_VERSION);
	out_add(obj, "module_loaded",
		json_object_new_boolean(hymc_module_loaded(ctl->hymc)));
	return ctl_result(ctl, obj, show_version);
}

/**
 * log_line() - a line of the library
 * @priority: syslog priority
 * @line: the line
 * @data: the run
 */
static void log_line(int priority, const char *line, void *data)
{
	const struct ctl *ctl = data;

	if (priority <= LOG_NOTICE || ctl->verbose)
		fprintf(stderr, "hymcctl: %s\n", line);
}

/**
 * take_word() - is a word an option that every command takes?
 * @ctl: the run; the option is noted
 * @word: the word
 * @help: out, set when help is wanted
 *
 * Return: true when it is, and is not to be seen by the command.
 */
static bool take_word(struct ctl *ctl, const char *word, bool *help)
{
	if (!strcmp(word, "--json"))
		ctl->json = true;
	else if (!strcmp(word, "--verbose"))
		ctl->verbose = true;
	else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		*help = true;
	else
		return false;
	return true;
}

/**
 * take_common() - take out the options that every command takes
 * @ctl: the run
 * @argc: number of words
 * @argv: the words, program first; out: without those options
 * @help: out, set when help is wanted
 *
 * Words behind "--" are operands.
 *
 * Return: the number of words that are left.
 */
static int take_common(struct ctl *ctl, int argc, char **argv, bool *help)
{
	bool operands = false;
	int i, n = 1;

	for (i = 1; i < argc; i++) {
		operands |= !strcmp(argv[i], "--");
		if (operands || !take_word(ctl, argv[i], help))
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

/**
 * run() - find the command and run it
 * @ctl: the run
 * @argc: number of words, without the common options
 * @argv: the words, program first
 * @help: help is wanted
 *
 * Return: enum ctl_exit.
 */
static int run(struct ctl *ctl, int argc, char **argv, bool help)
{
	int used, ret;

	if (argc < 2 && !help)
		return ctl_usage(ctl, "no command was given; `hymcctl help` lists them");
	if (argc < 2) {
		help_all();
		return CTL_OK;
	}
	if (!strcmp(argv[1], "--version"))
		argv[1] = (char *)"version";
	if (argv[1][0] == '-')
		return ctl_usage(ctl, "%s: the command comes first, then its options",
				 argv[1]);
	ret = find_command(ctl, argc - 1, argv + 1, &used);
	if (ret)
		return ret;
	if (help) {
		help_command(ctl->cmd);
		return CTL_OK;
	}
	return ctl->cmd->fn(ctl, argc - used, argv + used);
}

/**
 * main() - run one command
 * @argc: number of words
 * @argv: the words
 *
 * Return: enum ctl_exit.
 */
int main(int argc, char **argv)
{
	struct ctl ctl = { 0 };
	bool help = false;
	int ret;

	if (hymc_ctx_new(&ctl.hymc)) {
		fprintf(stderr, "hymcctl: out of memory\n");
		return CTL_FAILED;
	}
	hymc_ctx_set_log(ctl.hymc, log_line, &ctl);
	argc = take_common(&ctl, argc, argv, &help);
	ret = out_finish(run(&ctl, argc, argv, help));
	hymc_ctx_unref(ctl.hymc);
	return ret;
}
