// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include <cli/common/option.h>
#include <cli/common/report.h>

int command_help(const struct command *command)
{
	printf("limpet %s: %s\n\nusage: limpet %s %s\n%s", command->name, command->summary,
	       command->name, command->arguments, command->help);
	return COMMAND_OK;
}

int option_next(const struct command *command, int argc, char **argv, const struct option *options,
		int *code)
{
	int at = optind;
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, command->letters ? command->letters : ":h", options, NULL);
	if (option == 'h')
		*code = command_help(command);
	else if (option == ':')
		*code = report_usage(command, "option '%s' needs a value", argv[at]);
	else if (option == '?')
		*code = report_usage(command, "no option '%s', or not with that value", argv[at]);
	else
		return option;
	return 0;
}

bool option_arguments(const struct command *command, int argc, char **argv, int low, int high,
		      const char *what, int *code)
{
	if (argc - optind < low)
		*code = report_usage(command, "%s is missing", what);
	else if (argc - optind > high)
		*code = report_usage(command, "'%s' is one argument too many", argv[optind + high]);
	else
		return true;
	return false;
}
