/* SPDX-License-Identifier: GPL-2.0 */
/* Source lines of code addresses in components, from the ELF files that limpet-compose --debug writes. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_LINE 512

/* Sets the folder with the file NAME.elf of each component. Returns false after it has reported an error. */
bool source_begin(const char *folder);
/*
 * Writes "FILE:LINE" for an address in a component, or "" if it is unknown or no folder is set. The name is that of a
 * crash record, which is not trusted. A return address belongs to the line of the call before it.
 */
void source_find(const char *component, uint64_t address, bool returns, char line[SOURCE_LINE]);

#endif
