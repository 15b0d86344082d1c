/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prepares the start of another Linux after the death of this one, in beneath mode. Uses a kernel's file, an initramfs
 * and this Linux's boot parameters. The layer keeps the result (<host/restart/restart.h>).
 */
#ifndef CLI_RESTART_PLAN_H
#define CLI_RESTART_PLAN_H

#include <limpet/device.h>

#include <cli/common/command.h>

struct plan_source {
	const char *kernel; /* a bzImage */
	const char *initrd;
	const char *append; /* appended to this Linux's command line; NULL: nothing */
};

/*
 * Returns the MiB that the module must reserve. Returns 0 after it has reported that a file cannot be read or is not a
 * kernel, or that the files are too large.
 */
unsigned long plan_room(const struct plan_source *source);
/* Passes all parts to the layer. Returns enum command_exit after it has reported an error. */
int plan_keep(int fd, const struct limpet_ioc_info *info, const struct plan_source *source);

#endif
