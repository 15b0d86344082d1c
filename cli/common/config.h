/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A configuration file with the options of a command, one for each line: `name = value`. The value
 * of a flag is `yes` or `no`. Empty lines and lines that start with # are ignored.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stdbool.h>

#include <cli/common/option.h>

#define CONFIG_OPTIONS 16 /* maximum number of options of a command */
#define CONFIG_FILE "/etc/limpet/limpet.conf"

struct config {
	const char *path; /* path in messages */
	const struct command_option *options;
	unsigned int line[CONFIG_OPTIONS]; /* the first line of each option; 0: unset */
	unsigned int mistakes;
};

/*
 * Reads a file of at most 64 KiB, sets the options, and reports each mistake with file and line. `path` must stay
 * valid. The values stay allocated until the process ends. Returns whether the file has no mistake.
 */
bool config_read(struct config *config, const char *path, const struct command_option *options);
/* Reports a mistake with the line of an option, or without a line if the file does not set the option. */
void config_mistake(struct config *config, const char *option, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
