/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prepares the start of another Linux for when this one has died, in beneath mode: from a kernel's
 * file, an initramfs and this Linux's boot parameters. The layer keeps the result
 * (<host/restart/restart.h>).
 */
#ifndef CLI_RESTART_PLAN_H
#define CLI_RESTART_PLAN_H

#include <limpet/device.h>

#include <cli/common/command.h>

struct plan_source {
	const char *kernel; /* a bzImage */
	const char *initrd;
	const char *append; /* to this Linux's command line; NULL: nothing */
};

/*
 * Returns the MiB that the module must reserve. 0: a file cannot be read, or is not a kernel; this
 * was reported.
 */
unsigned long plan_room(const struct plan_source *source);
/* Hands it to the layer, which then has it whole. Returns enum command_exit; a failure was reported. */
int plan_keep(int fd, const struct limpet_ioc_info *info, const struct plan_source *source);

#endif
