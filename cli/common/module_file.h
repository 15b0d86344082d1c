/* SPDX-License-Identifier: GPL-2.0 */
/* What is in the file of a kernel module: sections, and the names of the functions and variables that it needs. */
#ifndef CLI_MODULE_FILE_H
#define CLI_MODULE_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module_file {
	char *bytes;
	size_t size;
	const Elf64_Shdr *sections;
	uint32_t count;
};

/*
 * Reads a whole file into memory. A module that DKMS has compressed is decompressed by
 * xz, zstd or gzip. Returns NULL if the file cannot be read. The caller frees the bytes.
 */
char *file_read(const char *path, size_t *size);
/* Reads a module. Returns false if it cannot be read or is not a module of this processor. */
bool module_file_open(struct module_file *file, const char *path);
void module_file_close(struct module_file *file);
/* Returns a section's bytes, or NULL if it does not exist. */
const void *module_file_section(const struct module_file *file, const char *name, size_t *size);
/* Returns the name of symbol `index` if the module needs it from the kernel, "" if not, or NULL behind the last one. */
const char *module_file_needs(const struct module_file *file, size_t index);

#endif
