/* SPDX-License-Identifier: GPL-2.0 */
/* What a restart needs of the firmware's tables, as Linux shows them in /sys below `root`. */
#ifndef CLI_RESTART_ACPI_H
#define CLI_RESTART_ACPI_H

#include <stdint.h>

/* Addresses of the I/O APICs; returns how many there are, at most `most`. */
unsigned int acpi_io_apics(const char *root, uint32_t *address, unsigned int most);
/* Address of the HPET's registers; 0: there is none below 4 GiB. */
uint32_t acpi_hpet(const char *root);
/* Where EFI says that the tables' root is; 0: it does not, and Linux finds it by itself. */
uint64_t acpi_root(const char *root);

#endif
