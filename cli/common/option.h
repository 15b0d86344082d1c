/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the options and arguments of a command. A command lists its options, each with a pointer to the variable for
 * its value. options_take() is the only loop that reads them.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <cli/common/command.h>

/* One option of at most 16. Exactly one of flag, text, number and take is set. */
struct command_option {
	const char *name; /* name without the dashes; NULL ends the list */
	char letter;	  /* the short form, or 0 */
	bool *flag;	  /* set to true; the option has no value */
	const char **text;
	long *number; /* a whole number from low to high */
	long low, high;
	/* Uses the value and returns whether it is valid. Called once for each time the option is given. */
	bool (*take)(void *to, const char *value);
	void *to;
	/* For the message about an invalid value. With number: the unit, after a space. With take: the valid values. */
	const char *valid;
};

#define OPTION_FLAG(word, place) { .name = (word), .flag = (place) }
#define OPTION_TEXT(word, place) { .name = (word), .text = (place) }
#define OPTION_NUMBER(word, place, from, up_to, unit)                                              \
	{ .name = (word), .number = (place), .low = (from), .high = (up_to), .valid = (unit) }
#define OPTION_TAKE(word, function, place, values)                                                 \
	{ .name = (word), .take = (function), .to = (place), .valid = (values) }
#define OPTION_END { .name = NULL }

/*
 * This value of `high` means that the first argument is a program. Options end there, because the remaining words
 * belong to the program.
 */
#define ARGUMENTS_PROGRAM INT_MAX

/* The arguments of a command that are not options. */
struct command_arguments {
	int low, high;
	const char *what; /* name of the missing argument if there are fewer than `low` */
};

/*
 * Reads all options, then counts the arguments. Returns true if the command can continue. Its arguments are
 * argv[optind] and those after it. Returns false after it has printed the requested help or an error. The command must
 * then return `*code`.
 */
bool options_take(const struct command *command, int argc, char **argv,
		  const struct command_option *options, struct command_arguments arguments,
		  int *code);

/* Sets an option that is not a flag from its value. Returns whether the value is valid. */
bool option_value_take(const struct command_option *option, const char *value);

#endif
