/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system that a command concerns. Beside, several can run. `limpet --system NAME`, or LIMPET_SYSTEM in the
 * environment, chooses one by its name or its id. Without a choice it is the only one.
 */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <stdint.h>

#include <cli/common/command.h>

#define LOG_FOLDER "/run/limpet"
#define LOG_NAME LOG_FOLDER "/log"
#define LOG_NAME_SIZE 48

/* Paths of the log of a system, and of the part before it. */
struct log_names {
	char now[LOG_NAME_SIZE], old[LOG_NAME_SIZE];
};

/* Sets the chosen system, or none for NULL. The text must stay valid. */
void system_choose(const char *word);
/* Returns the choice, or NULL. */
const char *system_choice(void);
/* Passes the choice on to a program that this process executes. */
void system_choice_export(void);
/*
 * Opens the device, and selects the chosen system. Returns a descriptor, or a negative errno.
 * Errors are those of limpet_open(). -ENODEV: no such system runs. -ENOTUNIQ: several systems have
 * that name, or several run and none was chosen.
 */
int system_open(void);
/* Prints the line for an error of system_open(), or for -ENOTUNIQ of another call. Returns COMMAND_REFUSED. */
int system_report(int error);
/*
 * Sets *id to that of the system that was chosen, or to LIMPET_SYSTEM_ANY. A choice that is a number is not looked up, so
 * it needs no privilege. Returns 0 or a negative errno, as system_open().
 */
int system_id(uint32_t *id);
/* Returns the paths of the log of the system with an id. */
struct log_names log_names_of(uint32_t id);
/*
 * Sets *names to the paths of the log of the chosen system, which need not run any more if it was chosen by number; without
 * a choice of the only one that runs, or of id 0. Returns 0, or a negative errno for system_report().
 */
int system_log_names(struct log_names *names);
/* Writes the name of the selected system, at most LIMPET_NAME_MAX bytes; "?" if unknown. */
void system_name(int fd, char *name);
/*
 * Calls `each` for each system that runs, in the order of ids, with a descriptor for which it is selected. Ends with the
 * first result that is not 0, and returns that. Returns 0 also if no system runs, or a negative errno of limpet_open().
 */
int systems_each(int (*each)(int fd, void *to), void *to);

/*
 * Writes the name of a channel that each CPU of a system has, "console" or "crash", as the module forms it. `name` has
 * LIMPET_NAME_MAX bytes.
 */
void system_channel_name(char *name, const char *what, uint32_t id, unsigned int cpu);

#endif
