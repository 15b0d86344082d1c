/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the firmware's tables that a restart needs, as Linux shows them in /sys below `root`. */
#ifndef CLI_RESTART_ACPI_H
#define CLI_RESTART_ACPI_H

#include <stdint.h>

/* Stores the addresses of the I/O APICs. Returns their number, at most `max`. */
unsigned int acpi_io_apics(const char *root, uint32_t *address, unsigned int max);
/* Returns the address of the HPET's registers, or 0 without an HPET below 4 GiB. */
uint32_t acpi_hpet(const char *root);
/*
 * Returns the address of the root table from EFI. 0: EFI does not report it, and Linux finds it
 * itself.
 */
uint64_t acpi_root(const char *root);

#endif
