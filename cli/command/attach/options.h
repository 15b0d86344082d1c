/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `limpet attach`, on the command line or in a configuration file. */
#ifndef ATTACH_OPTIONS_H
#define ATTACH_OPTIONS_H

#include <stdbool.h>

#include <cli/common/command.h>
#include <cli/doctor/doctor.h>
#include <cli/restart/plan.h>

struct attach {
	const char *config; /* path of the file with the other options, or NULL */
	const char *module; /* path, or NULL */
	bool beneath;
	bool untried;	/* accept a kernel that is newer than any that Limpet was tried on */
	bool trust;	/* components count as parts of the kernel */
	long memory;	/* MiB, 0: the module's default */
	long heartbeat; /* s, 0: off */
	struct plan_source again; /* another Linux; unset if kernel is NULL */
	const char *force[DOCTOR_CHECKS_MAX];
	unsigned int forced;
};

/* Reads the command line. Returns false after a report; the command must then return `*code`. */
bool attach_options_take(struct attach *attach, const struct command *command, int argc,
			 char **argv, int *code);
/*
 * Reads a configuration file, and checks its settings by themselves and with each other. Files must exist below
 * `root`, which is "" for this machine. `doctor` must have the checks that force-check names. Reports each mistake with
 * its file and line. Returns the number of options that the file sets, or -1 after a report.
 */
int attach_config_read(struct attach *attach, const char *path, const char *root,
		       const struct doctor *doctor);

#endif
