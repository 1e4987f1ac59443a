/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: what the files of hymcctl share
 *
 * A command is a row of the table in main.c and a function in the file of its
 * group. It parses its own options into a structure of its own, asks libhymc,
 * makes one json_object and hands it to ctl_result(), which prints it as JSON
 * or lets the command print it for people: both show the same object.
 */
#ifndef HYMCCTL_H
#define HYMCCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include <hymc/libhymc.h>

#define CTL_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * enum ctl_exit - exit codes, documented in hymcctl(8)
 * @CTL_OK: done
 * @CTL_FAILED: failed in a way that has no code of its own
 * @CTL_USAGE: the command line makes no sense; nothing was tried
 * @CTL_PERM: not allowed
 * @CTL_NO_MODULE: the module is not loaded
 * @CTL_ABSENT: no such pool, device or module
 * @CTL_BUSY: something is in use
 * @CTL_EXISTS: refused to overwrite what lies on a device
 */
enum ctl_exit {
	CTL_OK		= 0,
	CTL_FAILED	= 1,
	CTL_USAGE	= 2,
	CTL_PERM	= 3,
	CTL_NO_MODULE	= 4,
	CTL_ABSENT	= 5,
	CTL_BUSY	= 6,
	CTL_EXISTS	= 7,
};

/**
 * enum ctl_type - what an option's value is
 * @CTL_FLAG: none; sets a bool
 * @CTL_STRING: text, const char *
 * @CTL_SIZE: bytes, uint64_t; "512M"
 * @CTL_SIZE32: bytes, uint32_t
 * @CTL_NUMBER: number below 2^32 - 1, uint32_t
 * @CTL_COUNT: number above 0, uint64_t
 * @CTL_POLICY: name of a policy, uint32_t
 * @CTL_SECONDS: time, double; "1", "0.5"
 */
enum ctl_type {
	CTL_FLAG,
	CTL_STRING,
	CTL_SIZE,
	CTL_SIZE32,
	CTL_NUMBER,
	CTL_COUNT,
	CTL_POLICY,
	CTL_SECONDS,
};

/**
 * struct ctl_opt - an option of a command
 * @name: without the dashes
 * @arg: name of its value in the help, NULL for a flag
 * @type: what its value is
 * @offset: where it goes in the command's options structure
 * @help: one line
 */
struct ctl_opt {
	const char *name;
	const char *arg;
	enum ctl_type type;
	size_t offset;
	const char *help;
};

struct ctl;

/**
 * struct ctl_cmd - a command
 * @name: "load", "pool create"
 * @group: heading of the help it stands under
 * @operands: operands, for the help; "" when it takes none
 * @help: one line
 * @opts: options, ended by one without a name; NULL when it has none
 * @fn: does it; @argv[1..] are the words behind the name. Returns enum ctl_exit
 */
struct ctl_cmd {
	const char *name;
	const char *group;
	const char *operands;
	const char *help;
	const struct ctl_opt *opts;
	int (*fn)(struct ctl *ctl, int argc, char **argv);
};

/**
 * struct ctl - one run of hymcctl
 * @hymc: library context
 * @cmd: the command that runs, NULL before it is known
 * @json: print JSON
 * @verbose: print the library's log lines of any priority
 */
struct ctl {
	struct hymc_ctx *hymc;
	const struct ctl_cmd *cmd;
	bool json;
	bool verbose;
};

/* main.c */
const struct ctl_cmd *ctl_commands(size_t *nr);

/* help.c */
void help_all(void);
void help_command(const struct ctl_cmd *cmd);
int err_unknown_command(struct ctl *ctl, const char *word);
int err_unknown_option(struct ctl *ctl, const char *word);

/* opts.c */
int opts_parse(struct ctl *ctl, int *argc, char ***argv, void *out);
int opts_pool(struct ctl *ctl, int argc, char **argv, uint32_t *id);
int opts_one_pool(struct ctl *ctl, int argc, char **argv, uint32_t *id);
int opts_no_operands(struct ctl *ctl, int argc, char **argv);

/* size.c */
int size_parse(const char *text, uint64_t *bytes, const char **why);

/* out.c */

/**
 * enum out_form - how a value is shown to people
 * @OUT_TEXT: as it is
 * @OUT_BYTES: as a size
 * @OUT_HEX: hexadecimal
 * @OUT_PROCS: list of processes
 */
enum out_form {
	OUT_TEXT,
	OUT_BYTES,
	OUT_HEX,
	OUT_PROCS,
};

/**
 * struct out_col - a column of a table, or a line of a list of facts
 * @title: its heading
 * @key: where the value lies in the object: "dram.bytes"; NULL for a line that
 *	is a heading
 * @form: how it is shown
 */
struct out_col {
	const char *title;
	const char *key;
	enum out_form form;
};

int ctl_result(struct ctl *ctl, struct json_object *obj,
	       void (*show)(struct json_object *obj));
int out_finish(int ret);
int ctl_usage(struct ctl *ctl, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int ctl_absent(struct ctl *ctl, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int ctl_fail(struct ctl *ctl, int err);
void out_bytes(char *buf, size_t size, uint64_t bytes);
void out_table(struct json_object *rows, const struct out_col *cols, size_t nr);
void out_facts(struct json_object *obj, const struct out_col *facts, size_t nr);
struct json_object *out_get(struct json_object *obj, const char *key);
void out_add(struct json_object *obj, const char *key,
	     struct json_object *value);
void out_add_u64(struct json_object *obj, const char *key, uint64_t value);
void out_add_text(struct json_object *obj, const char *key, const char *text);

/* pool_json.c */
struct json_object *pool_to_json(const struct hymc_pool *pool);
struct json_object *stats_to_json(const struct hymc_stats *stats,
				  const struct hymc_stats *before);
struct json_object *hist_to_json(const struct hymc_stats *stats,
				 const struct hymc_stats *before);
int pool_pick(struct ctl *ctl, const struct hymc_pool_list *list, uint32_t id,
	      const struct hymc_pool **pool);

/* cmd_module.c */
int cmd_load(struct ctl *ctl, int argc, char **argv);
int cmd_unload(struct ctl *ctl, int argc, char **argv);

/* cmd_pool.c */
int cmd_pool_create(struct ctl *ctl, int argc, char **argv);
int cmd_pool_destroy(struct ctl *ctl, int argc, char **argv);
int cmd_pool_list(struct ctl *ctl, int argc, char **argv);
int cmd_pool_show(struct ctl *ctl, int argc, char **argv);
extern const struct ctl_opt pool_create_opts[];
extern const struct ctl_opt pool_destroy_opts[];

/* cmd_stats.c */
int cmd_stats(struct ctl *ctl, int argc, char **argv);
extern const struct ctl_opt stats_opts[];

#endif /* HYMCCTL_H */
