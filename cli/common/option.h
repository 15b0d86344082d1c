/* SPDX-License-Identifier: GPL-2.0 */
/* The options and arguments of a command. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <getopt.h>
#include <stdbool.h>

#include <cli/common/command.h>

/* Every command's list ends with these. */
#define OPTION_HELP { "help", no_argument, NULL, 'h' }
#define OPTION_END { NULL, 0, NULL, 0 }

/*
 * The next option's letter. -1: no more. 0: the command is to return `*code` now, because help was
 * asked for or the option is wrong; that has been printed. The value is in optarg.
 */
int option_next(const struct command *command, int argc, char **argv, const struct option *options,
		int *code);
/*
 * After the options: true when from `low` to `high` arguments, called `what`, are left, from
 * argv[optind]; else prints, sets `*code`.
 */
bool option_arguments(const struct command *command, int argc, char **argv, int low, int high,
		      const char *what, int *code);

#endif
