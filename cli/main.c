// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <limpet/call.h>
#include <limpet/device.h>

#include <cli/common/command.h>
#include <cli/common/near.h>
#include <cli/common/report.h>
#include <cli/common/system.h>

#ifndef LIMPET_VERSION
#define LIMPET_VERSION "0"
#endif

static const struct command *const commands[] = {
	&doctor_command,       &attach_command, &run_command,	&ps_command,	 &stat_command,
	&log_command,	       &crash_command,	&debug_command, &check_command,	 &report_command,
	&wcet_command,	       &top_command,	&trace_command, &hist_command,	 &exporter_command,
	&guest_command,	       &tun_command,	&proxy_command, &bridge_command, &stop_command,
	&reload_linux_command, &detach_command, &new_command,	&build_command,	 &try_command,
	&rtlinux_command,      &update_command,
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int command_refuse(const char *name)
{
	const char *const options[] = { "--help", "--version", "--system" };
	const char *const kind = *name == '-' ? "option" : "command";
	struct near near = { .word = name };

	for (size_t i = 0; *name == '-' && i < sizeof(options) / sizeof(*options); i++)
		near_try(&near, options[i]);
	for (size_t i = 0; *name != '-' && i < COMMANDS; i++)
		near_try(&near, commands[i]->name);
	if (near.found)
		return report_usage(NULL, "There is no %s '%s'. Did you mean '%s'?", kind, name,
				    near.found);
	return report_usage(NULL, "There is no %s '%s'.", kind, name);
}

static int help(void)
{
	printf("limpet: a real-time component system that attaches to a running Linux\n\n"
	       "usage: limpet [--system NAME] COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n  --system NAME  selects the system by name or number, if several run;\n"
	       "                 default: LIMPET_SYSTEM of the environment, or else the only one\n");
	printf("\n`limpet COMMAND --help` and the manual page limpet-COMMAND(1) describe each command.\n"
	       "Exit codes: 0 done, 1 refused or failed, 2 wrong usage.\n");
	return COMMAND_OK;
}

static int version(void)
{
	printf("limpet %s (device %d, kernel calls %d, image %d)\n", LIMPET_VERSION,
	       LIMPET_DEVICE_VERSION, LIMPET_ABI_VERSION, LIMPET_IMAGE_VERSION);
	return COMMAND_OK;
}

/* Each command prints its own help, because that of `guest` has its sub-commands. */
static int help_about(int argc, char **argv)
{
	const struct command *command = argc > 2 ? command_find(argv[2]) : NULL;
	char *words[] = { argc > 2 ? argv[2] : NULL, "--help", NULL };

	if (argc > 2 && !command)
		return command_refuse(argv[2]);
	return command ? command->run(command, 2, words) : help();
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc > 1 && !strcmp(argv[1], "--system")) {
		if (argc < 3)
			return report_usage(NULL, "--system: A name or number is missing.");
		system_choose(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc < 2)
		return report_usage(NULL, "A command is missing.");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help_about(argc, argv);
	if (!strcmp(argv[1], "--version"))
		return version();
	command = command_find(argv[1]);
	if (!command)
		return command_refuse(argv[1]);
	report_begin(command->name);
	return command->run(command, argc - 1, argv + 1);
}
