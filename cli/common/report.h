/* SPDX-License-Identifier: GPL-2.0 */
/* Errors for the user. Each is one line: what failed, where, why, what to do. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <cli/common/command.h>

#define REPORT_LINE 1024

/* Sets the command whose name starts all later lines. */
void report_begin(const char *command);
/* Prints one line to stderr. Returns COMMAND_REFUSED. */
int report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports wrong usage of a command, or of `limpet` itself for NULL. Returns COMMAND_USAGE. */
int report_usage(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns whether a negative errno from opening the device means that Limpet is not attached. */
bool report_is_detached(int error);
/* Reports that the device cannot be opened. `error` is a negative errno. Returns COMMAND_REFUSED. */
int report_no_device(int error);

/*
 * Writes a line into a buffer, for a process that cannot print itself. Control characters and
 * line breaks become spaces.
 */
void report_line(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
