/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system that a command concerns. In beside mode several systems can run. `limpet --system NAME`, or LIMPET_SYSTEM
 * in the environment, chooses one by its name or its id. Without a choice the command concerns the only system that
 * runs.
 */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include <cli/common/command.h>

#define LOG_FOLDER "/run/limpet"
#define LOG_NAME LOG_FOLDER "/log"
#define LOG_NAME_SIZE 48

/* Paths of the log of a system, and of the part before it. */
struct log_names {
	char now[LOG_NAME_SIZE], old[LOG_NAME_SIZE];
};

/* Sets the choice. NULL removes it. The text must stay valid. */
void system_choose(const char *word);
/* Returns the choice, or NULL. */
const char *system_choice(void);
/* Passes the choice on to a program that this process executes. */
void system_choice_export(void);
/*
 * Opens the device, and selects the chosen system. Returns a descriptor, or a negative errno.
 * Errors are those of limpet_open(). -ENODEV: no such system runs. -ENOTUNIQ: several systems have
 * that name, or several run without a choice.
 */
int system_open(void);
/* Prints the line for an error of system_open(), or for -ENOTUNIQ of another call. Returns COMMAND_REFUSED. */
int system_report(int error);
/*
 * Sets *id to the id of the chosen system, or to LIMPET_SYSTEM_ANY without a choice. A choice that is a number is not
 * looked up, so it needs no privilege. Returns 0 or a negative errno, as system_open().
 */
int system_id(uint32_t *id);
/* Returns the paths of the log of the system with an id. */
struct log_names log_names_of(uint32_t id);
/*
 * Sets *names to the paths of the log of the chosen system. If it was chosen by number, it need not run any more.
 * Without a choice, uses the only system that runs, or id 0 if no system runs. Returns 0, or a negative errno for
 * system_report().
 */
int system_log_names(struct log_names *names);
/*
 * Returns whether `limpet reload-linux` has requested the restart of Linux that is in progress. Systems continue beneath
 * that restart. Returns false if the device cannot be read.
 */
bool linux_is_reloaded(int fd);
/* Writes the name of the selected system, at most LIMPET_NAME_MAX bytes; "?" if unknown. */
void system_name(int fd, char *name);
/*
 * Calls `each` for each system that runs, in the order of ids, with a descriptor for which it is selected. Stops at the
 * first result that is not 0, and returns it. Returns 0 also if no system runs. Returns a negative errno of
 * limpet_open() on failure.
 */
int systems_each(int (*each)(int fd, void *to), void *to);

/*
 * Writes the name of a channel that each CPU of a system has, "console" or "crash", as the module forms it. `name` has
 * LIMPET_NAME_MAX bytes.
 */
void system_channel_name(char *name, const char *what, uint32_t id, unsigned int cpu);

#endif
