/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of `limpet guest`: its sub-commands, their requests and their output. */
#ifndef CLI_GUEST_H
#define CLI_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cli/common/command.h>
#include <cli/common/image.h>
#include <cli/common/option.h>
#include <client/guest.h>

#define GUEST_PREFIX "guest " /* the name of each sub-command begins with it */
#define GUEST_CALLS (LIMPET_GUEST_CALL_WORDS * 64)

extern const struct command guest_attach_command;
extern const struct command guest_filter_command;
extern const struct command guest_kill_command;
extern const struct command guest_ps_command;
extern const struct command guest_release_command;
extern const struct command guest_run_command;

/* --- plan.c: the options of `run` and `attach` */

struct guest_plan {
	const char *executive; /* name of the component, or NULL for the only executive */
	uint32_t system;       /* id of its system, from guest_find(), or LIMPET_SYSTEM_ANY */
	uint32_t component;    /* index of the executive, from guest_find() */
	uint32_t flags;
	long slice;   /* µs; 0: unchanged */
	bool decided; /* --open or --closed was given; otherwise guest_find() completes the flags */
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS];
};

/*
 * Reads the options and counts the arguments, as options_take() does. Returns false after it has printed the requested
 * help or an error. The command must then return `*code`.
 */
bool guest_plan_take(struct guest_plan *plan, const struct command *command, int argc, char **argv,
		     struct command_arguments arguments, int *code);
/*
 * Finds the system that was chosen, and the executive by its name in it. Sets LIMPET_GUEST_OPEN as the system file says,
 * unless an option decides. Names and the system file's value need the control device. Returns false after it has
 * printed an error.
 */
bool guest_find(struct guest_plan *plan);
/*
 * Returns whether guests of this executive, or of the only one that is not behind another one if `component` is
 * LIMPET_GUEST_ANY, continue without it by default. All executives of its chain must say so in the system file.
 */
bool guest_image_open(const struct image *image, uint32_t component);
/* Reads the id of a process. Returns false after it has printed an error, and sets `*code`. */
bool guest_pid_take(const struct command *command, const char *text, pid_t *pid, int *code);

/* --- slice.c */

/*
 * Sets the time slice of the calling thread to `us` microseconds (100 to 100000). Its children and programs inherit it.
 * Returns false after it has printed an error: another scheduling policy, or a Linux before 6.12.
 */
bool guest_slice_set(long us);

/* --- calls.c: filters */

/*
 * Makes the filter of a list of system calls, the value of the option --calls. Returns false after it has printed an
 * error.
 */
bool guest_calls_take(const struct command *command, const char *list,
		      uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);
/* Makes the executive get all exceptions, or no exceptions. */
void guest_faults_take(bool faults, uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);
/* Returns the number of set bits among the GUEST_CALLS bits of a filter. */
unsigned int guest_calls_count(const uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);

/* --- signal.c */

/*
 * Sets the int `to` to the signal with this number or name, with or without SIG. Returns false if the signal does not
 * exist.
 */
bool guest_signal_take(void *to, const char *text);

/* --- list.c */

struct guest_list {
	struct limpet_guest_info *guest; /* guests in the order of their ids */
	size_t count;
};

/* Reads all guests, piece by piece. Returns 0 or a negative errno. The caller frees the list. */
int guest_list_read(int fd, struct guest_list *list);
/* The same, also opens the device. Returns COMMAND_OK, or prints why not and returns another code. */
int guest_list_get(struct guest_list *list);
void guest_list_free(struct guest_list *list);
/* Returns true if a thread of the process is a guest. */
bool guest_list_has(const struct guest_list *list, pid_t pid);
/* Returns a word for enum limpet_guest_state, "?" for an unknown one. */
const char *guest_state_word(uint32_t state);
/*
 * Returns the executive that gets the calls that executive `component` passes. Returns 0 if Linux gets them, or if the
 * image is unknown.
 */
uint32_t guest_next(const struct image *image, uint32_t component);
/*
 * Returns the only executive that is not behind another one. Returns LIMPET_GUEST_ANY if there is not exactly one.
 */
uint32_t guest_first(const struct image *image);
/* Reads the name of a thread's program, which can contain any bytes. Returns false if it is unknown. */
bool guest_program_read(const char *root, uint32_t tid, char *program, size_t size);

/*
 * --- print.c, json.c: guests as a table and as JSON. Programs are those of /proc below `root`, "" for the real one.
 * `images` has an image for each id of a system.
 */

void guest_print(FILE *out, const struct guest_list *list, const struct image *images,
		 const char *root);
void guest_print_json(FILE *out, const struct guest_list *list, const struct image *images,
		      const char *root);

/* --- error.c: errors of /dev/limpet/guest. `error` is a negative errno. All return COMMAND_REFUSED. */

/* Opens the device. Returns a negative number after it has printed an error. */
int guest_open(void);
int guest_report_open(int error);
int guest_report_enter(const struct guest_plan *plan, int error);
int guest_report_attach(const struct guest_plan *plan, pid_t pid, int error);
/* Reports a failure of RELEASE or FILTER. `what` is the refused action, such as "be released". */
int guest_report_process(const char *what, pid_t pid, int error);
int guest_report_list(int error);

#endif
