/* SPDX-License-Identifier: GPL-2.0 */
/* One word of `limpet WORD`. Exit codes are an interface. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

enum command_exit {
	COMMAND_OK = 0,
	COMMAND_REFUSED = 1, /* refused or failed; a line on stderr gives the reason */
	COMMAND_USAGE = 2,
};

struct command {
	const char *name;
	const char *summary;   /* text in the list of commands */
	const char *arguments; /* text after `limpet NAME` */
	const char *help;      /* text of --help below the usage line */
	/* argv[0] is the command's name. Returns enum command_exit. */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command attach_command;
extern const struct command bridge_command;
extern const struct command build_command;
extern const struct command check_command;
extern const struct command crash_command;
extern const struct command debug_command;
extern const struct command detach_command;
extern const struct command doctor_command;
extern const struct command exporter_command;
extern const struct command guest_command;
extern const struct command hist_command;
extern const struct command log_command;
extern const struct command new_command;
extern const struct command proxy_command;
extern const struct command ps_command;
extern const struct command reload_linux_command;
extern const struct command report_command;
extern const struct command rtlinux_command;
extern const struct command run_command;
extern const struct command stat_command;
extern const struct command stop_command;
extern const struct command top_command;
extern const struct command trace_command;
extern const struct command try_command;
extern const struct command tun_command;
extern const struct command update_command;
extern const struct command wcet_command;

/* Prints usage and help to stdout. Returns COMMAND_OK. */
int command_help(const struct command *command);

#endif
