// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: help, and hints for words that are nearly right
 *
 * All texts come from the command table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hymcctl.h"

/* Longest word that a hint is looked for. */
#define WORD_MAX	64
/* A word is "nearly" another when no more letters than this are different. */
#define NEAR		3

/**
 * help_all() - the commands
 */
void help_all(void)
{
	const char *group = "";
	const struct ctl_cmd *cmds;
	size_t i, nr;

	printf("usage: hymcctl [--json] COMMAND [OPTION | OPERAND]...\n");
	cmds = ctl_commands(&nr);
	for (i = 0; i < nr; i++) {
		if (strcmp(group, cmds[i].group))
			printf("\n%s:\n", cmds[i].group);
		group = cmds[i].group;
		printf("  %-13s  %s\n", cmds[i].name, cmds[i].help);
	}
	printf("\nEvery command takes --json (machine-readable output), --verbose and --help.\n"
	       "Sizes are numbers with K, M, G, T or P: powers of 1024. See hymcctl(8).\n");
}

/**
 * help_command() - one command and its options
 * @cmd: the command
 */
void help_command(const struct ctl_cmd *cmd)
{
	const struct ctl_opt *opt = cmd->opts;
	char left[WORD_MAX];

	printf("usage: hymcctl %s%s%s%s\n\n%s.\n", cmd->name,
	       opt ? " [OPTION]..." : "", *cmd->operands ? " " : "",
	       cmd->operands, cmd->help);
	if (opt)
		printf("\n");
	for (; opt && opt->name; opt++) {
		snprintf(left, sizeof(left), "--%s%s%s", opt->name,
			 opt->arg ? " " : "", opt->arg ? opt->arg : "");
		printf("  %-23s  %s\n", left, opt->help);
	}
}

/**
 * min3() - the least of three numbers
 * @a: one
 * @b: another
 * @c: a third
 *
 * Return: the least.
 */
static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/**
 * distance() - how many letters differ between two words
 * @a: one, shorter than WORD_MAX
 * @b: the other, shorter than WORD_MAX
 *
 * Levenshtein's distance, by the row: row[j] is that of the first i letters of
 * @a to the first j of @b.
 *
 * Return: the number of letters to insert, remove or change.
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[WORD_MAX], diag, up;
	size_t i, j, len = strlen(b);

	for (j = 0; j <= len; j++)
		row[j] = (unsigned int)j;
	for (i = 0; a[i]; i++) {
		diag = row[0];
		row[0] = (unsigned int)i + 1;
		for (j = 0; j < len; j++) {
			up = row[j + 1];
			row[j + 1] = min3(up + 1, row[j] + 1,
					  diag + (a[i] != b[j]));
			diag = up;
		}
	}
	return row[len];
}

/**
 * nearer() - is a candidate the best hint until now?
 * @word: what was written
 * @name: the candidate
 * @best: least distance until now; updated
 *
 * Return: true when it is.
 */
static bool nearer(const char *word, const char *name, unsigned int *best)
{
	unsigned int d;

	if (strlen(word) >= WORD_MAX || strlen(name) >= WORD_MAX)
		return false;
	d = strncmp(word, name, strlen(word)) ? distance(word, name) : 1;
	if (d >= *best || d >= strlen(name))
		return false;
	*best = d;
	return true;
}

/**
 * err_unknown_command() - a word that is no command
 * @ctl: the run
 * @word: the word, or the two words of "pool frobnicate"
 *
 * Return: CTL_USAGE.
 */
int err_unknown_command(struct ctl *ctl, const char *word)
{
	unsigned int best = NEAR + 1;
	const struct ctl_cmd *cmds;
	const char *hint = NULL;
	size_t i, nr;

	cmds = ctl_commands(&nr);
	for (i = 0; i < nr; i++)
		if (nearer(word, cmds[i].name, &best))
			hint = cmds[i].name;
	if (hint)
		return ctl_usage(ctl, "there is no command \"%s\"; did you mean \"%s\"?",
				 word, hint);
	return ctl_usage(ctl, "there is no command \"%s\"; `hymcctl help` lists them",
			 word);
}

/**
 * err_unknown_option() - a word that is no option of the command
 * @ctl: the run
 * @word: the word, dashes included
 *
 * Return: CTL_USAGE.
 */
int err_unknown_option(struct ctl *ctl, const char *word)
{
	const struct ctl_opt *opt = ctl->cmd->opts;
	unsigned int best = NEAR + 1;
	const char *hint = NULL;
	char name[WORD_MAX];

	snprintf(name, sizeof(name), "%s", word + strspn(word, "-"));
	name[strcspn(name, "=")] = '\0';
	for (; opt && opt->name; opt++)
		if (nearer(name, opt->name, &best))
			hint = opt->name;
	if (hint)
		return ctl_usage(ctl, "%s has no option %s; did you mean --%s?",
				 ctl->cmd->name, word, hint);
	return ctl_usage(ctl, "%s has no option %s; `hymcctl help %s` lists them",
			 ctl->cmd->name, word, ctl->cmd->name);
}
