/* SPDX-License-Identifier: GPL-2.0 */
/* How to attach: the options of `limpet attach`, which can be in a configuration file, too. */
#ifndef ATTACH_OPTIONS_H
#define ATTACH_OPTIONS_H

#include <stdbool.h>

#include <cli/command/doctor/doctor.h>
#include <cli/common/command.h>
#include <cli/restart/plan.h>

struct attach {
	const char *config; /* path of the file with the other options, or NULL */
	const char *module; /* path, or NULL */
	bool beneath;
	bool trust;		  /* components count as parts of the kernel */
	long memory;		  /* MiB, 0: the module's default */
	long heartbeat;		  /* s, 0: none */
	struct plan_source again; /* another Linux; kernel NULL: none */
	const char *force[DOCTOR_CHECKS_MAX];
	unsigned int forced;
};

/* Reads the command's options. Returns false if the command must return `*code`, after a report. */
bool attach_options_take(struct attach *attach, const struct command *command, int argc,
			 char **argv, int *code);
/*
 * Reads a configuration file. Checks each setting by itself and with the others, that the files exist below `root`
 * ("" for the real one), and that `doctor` has the checks that force-check names. Reports each mistake with file and
 * line. Returns whether there is none. `settings` becomes the number of settings.
 */
bool attach_config_read(struct attach *attach, const char *path, const char *root,
			const struct doctor *doctor, unsigned int *settings);

#endif
