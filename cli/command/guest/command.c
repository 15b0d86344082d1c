// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <cli/command/guest/guest.h>
#include <cli/common/near.h>
#include <cli/common/report.h>

static const struct command *const commands[] = {
	&guest_run_command,    &guest_ps_command,   &guest_attach_command,
	&guest_filter_command, &guest_kill_command, &guest_release_command,
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

/* Returns the word after `limpet guest`. */
static const char *command_word(const struct command *command)
{
	return command->name + strlen(GUEST_PREFIX);
}

static const struct command *command_find(const char *word)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(command_word(commands[i]), word))
			return commands[i];
	return NULL;
}

static int commands_list(const struct command *guest)
{
	command_help(guest);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-12s %s\n", command_word(commands[i]), commands[i]->summary);
	printf("\n`limpet guest COMMAND --help` and the manual page limpet-guest(1) describe each command.\n");
	return COMMAND_OK;
}

static int command_refuse(const struct command *guest, const char *word)
{
	struct near near = { .word = word };

	for (size_t i = 0; i < COMMANDS; i++)
		near_try(&near, command_word(commands[i]));
	if (near.found)
		return report_usage(guest, "There is no command '%s'. Did you mean '%s'?", word,
				    near.found);
	return report_usage(guest, "There is no command '%s'.", word);
}

static int guest_main(const struct command *guest, int argc, char **argv)
{
	const struct command *command;

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return commands_list(guest);
	command = command_find(argv[1]);
	if (!command)
		return command_refuse(guest, argv[1]);
	report_begin(command->name);
	return command->run(command, argc - 1, argv + 1);
}

const struct command guest_command = {
	.name = "guest",
	.summary = "runs Linux programs as guests of an executive",
	.arguments = "COMMAND [OPTION...]",
	.help = "\n"
		"A guest is a Linux program whose system calls go to an executive first. An\n"
		"executive is a component of the running system. Guests exist in beside mode only.\n\n",
	.run = guest_main,
};
