/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A configuration file. It has the options of a command, one a line: `name = value`. An option without a value is `yes`
 * or `no`. Empty lines and lines that begin with # are ignored.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stdbool.h>

#include <cli/common/option.h>

#define CONFIG_OPTIONS 16 /* as many as a command has */
#define CONFIG_FILE "/etc/limpet/limpet.conf"

struct config {
	const char *path; /* for messages */
	const struct command_option *options;
	unsigned int line[CONFIG_OPTIONS]; /* the line of each option; 0: the file does not have it */
	unsigned int lines;
	unsigned int mistakes;
};

/*
 * Reads a file of at most 64 KiB, sets the options, and reports each mistake on a line of its own, with file and line.
 * `path` must stay valid. The values stay allocated until the process ends. Returns whether there was no mistake.
 */
bool config_read(struct config *config, const char *path, const struct command_option *options);
/* Reports a mistake at the line of an option, or of the file if the option is not in it. */
void config_mistake(struct config *config, const char *option, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
