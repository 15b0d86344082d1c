/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel module as a file and as a thing that Linux has loaded. */
#ifndef CLI_MODULE_H
#define CLI_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_NAME "limpet"

/* True when Linux has it loaded. */
bool module_is_loaded(void);
/* Path of limpet.ko for the running kernel, or of `given`. False: there is none; reported. */
bool module_find(const char *given, char *path, size_t size);
/*
 * Loads it, with parameters as insmod takes them. Returns enum command_exit; a failure was reported, with
 * the module's own reason.
 */
int module_load(const char *path, const char *parameters);
/*
 * Unloads it. Returns enum command_exit; a failure was reported. With `force` processes that have a file of Limpet open
 * are killed, and each is named on stdout; else the failure names them.
 */
int module_unload(bool force);
/* Waits for the device, makes its node if nobody else does. False: reported. */
bool module_wait_device(void);

#endif
