/* SPDX-License-Identifier: GPL-2.0 */
/* Finds, loads and unloads the kernel module. */
#ifndef CLI_MODULE_H
#define CLI_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_NAME "limpet"

/* Returns whether Linux has loaded the module. */
bool module_is_loaded(void);
/* Finds limpet.ko for the running kernel in the folders of modules. Returns false if it is not found. */
bool module_search(char *path, size_t size);
/*
 * Finds limpet.ko for the running kernel, or checks that `given` is a kernel module. Returns false after it has
 * reported that the file is missing or of another kind.
 */
bool module_find(const char *given, char *path, size_t size);
/*
 * Reads from an uncompressed module's file the release of the kernel that it was built for. Returns false if the file
 * is not a kernel module.
 */
bool module_release(const char *path, char *release, size_t size);
/*
 * Loads the module. The parameters have the form that insmod accepts. Returns enum command_exit after it has reported a
 * failure with the module's own reason.
 */
int module_load(const char *path, const char *parameters);
/*
 * Unloads the module. Returns enum command_exit after it has reported a failure. With `force` it kills the processes
 * that have a file of Limpet open, until none is left, and prints each on stdout. This takes at most about 10 s.
 * Otherwise the failure names these processes. `root` is "" unless in a test.
 */
int module_unload(const char *root, bool force);
/*
 * Waits for the device, and creates its node if no other process does. Returns false after it has reported an error.
 */
bool module_wait_device(void);

#endif
