// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/near.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/text.h>

#define OPTIONS_MAX 16 /* a command with more options aborts in its first run */
#define HELP 'h'
#define FIRST 256 /* getopt_long() returns FIRST + n for the long form of option n */

int command_help(const struct command *command)
{
	printf("limpet %s: %s\n\nusage: limpet %s %s\n%s", command->name, command->summary,
	       command->name, command->arguments, command->help);
	return COMMAND_OK;
}

/* The option lists in the format of getopt_long(). */
struct getopt_lists {
	struct option names[OPTIONS_MAX + 2];
	char letters[3 + 2 * OPTIONS_MAX + 1];
};

/*
 * A plus sign makes getopt_long() stop at the first argument. Otherwise it also finds options after
 * arguments.
 */
static void lists_fill(struct getopt_lists *lists, const struct command_option *options,
		       bool program)
{
	char *letter = stpcpy(lists->letters, program ? "+:h" : ":h");
	int count = 0;

	for (; options[count].name && count < OPTIONS_MAX; count++) {
		const struct command_option *option = &options[count];

		lists->names[count] =
			(struct option){ option->name,
					 option->flag ? no_argument : required_argument, NULL,
					 FIRST + count };
		if (option->letter)
			*letter++ = option->letter;
		if (option->letter && !option->flag)
			*letter++ = ':';
	}
	if (options[count].name)
		abort();
	*letter = 0;
	lists->names[count] = (struct option){ "help", no_argument, NULL, HELP };
	lists->names[count + 1] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct command_option *option_of(const struct command_option *options, int found)
{
	if (found >= FIRST)
		return &options[found - FIRST];
	while (options->letter != found)
		options++;
	return options;
}

bool option_value_take(const struct command_option *option, const char *value)
{
	if (option->text)
		*option->text = value;
	else if (option->number)
		return text_number(value, option->low, option->high, option->number);
	else
		return option->take(option->to, value);
	return true;
}

/* Names the option in the form that was given, which is the short one if `found` is its letter. */
static int value_refuse(const struct command *command, const struct command_option *option,
			int found, const char *value)
{
	const char *valid = option->valid ? option->valid : "";
	const char letter[] = { (char)found, 0 };
	const char *dashes = found < FIRST ? "-" : "--";
	const char *name = found < FIRST ? letter : option->name;

	if (option->number)
		return report_usage(command, "%s%s %s: must be %ld to %ld%s", dashes, name, value,
				    option->low, option->high, valid);
	return report_usage(command, "%s%s %s: must be %s", dashes, name, value, valid);
}

/* getopt_long() leaves the option in optopt if it exists but has no value. */
static int option_refuse(const struct command *command, const struct command_option *options,
			 const char *word)
{
	struct near near = { .word = word + 2 };

	if (strncmp(word, "--", 2))
		return report_usage(command, "There is no option '%s'.", word);
	if (optopt)
		return report_usage(command, "'%s': The option takes no value.", word);
	for (; options->name; options++)
		near_try(&near, options->name);
	if (near.found)
		return report_usage(command, "There is no option '%s'. Did you mean '--%s'?", word,
				    near.found);
	return report_usage(command, "There is no option '%s'.", word);
}

/* Applies one option. Returns false if the command must return `*code`. */
static bool found_take(const struct command *command, const struct command_option *options,
		       int found, const char *word, int *code)
{
	const struct command_option *option;

	if (found == HELP) {
		*code = command_help(command);
	} else if (found == ':') {
		*code = report_usage(command, "Option '%s' needs a value.", word);
	} else if (found == '?') {
		*code = option_refuse(command, options, word);
	} else {
		option = option_of(options, found);
		if (option->flag)
			*option->flag = true;
		if (option->flag || option_value_take(option, optarg))
			return true;
		*code = value_refuse(command, option, found, optarg);
	}
	return false;
}

static bool arguments_count(const struct command *command, int argc, char **argv,
			    struct command_arguments arguments, int *code)
{
	if (argc - optind < arguments.low)
		*code = report_usage(command, "%s is missing.", arguments.what);
	else if (argc - optind > arguments.high)
		*code = report_usage(command, "'%s' is one argument too many.",
				     argv[optind + arguments.high]);
	else
		return true;
	return false;
}

bool options_take(const struct command *command, int argc, char **argv,
		  const struct command_option *options, struct command_arguments arguments,
		  int *code)
{
	struct getopt_lists lists;
	int found;

	lists_fill(&lists, options, arguments.high == ARGUMENTS_PROGRAM);
	opterr = 0;
	while ((found = getopt_long(argc, argv, lists.letters, lists.names, NULL)) >= 0)
		/* optind is past the end if the last argument is a short option without its value. */
		if (!found_take(command, options, found,
				argv[optind > argc ? argc - 1 : optind - 1], code))
			return false;
	return arguments_count(command, argc, argv, arguments, code);
}
