/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What another Linux is started from when this one has died, beneath: made here of a kernel's file, an
 * initramfs and what this Linux was told at boot, and kept by the layer (<host/restart/restart.h>).
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

/* MiB that the module has to reserve for it; 0: a file cannot be read, or is no kernel; reported. */
unsigned long plan_room(const struct plan_source *source);
/* Hands it to the layer, which then has it whole. Returns enum command_exit; a failure was reported. */
int plan_keep(int fd, const struct limpet_ioc_info *info, const struct plan_source *source);

#endif
