/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a kernel module's file: its sections, and the names of the functions and variables that the module needs. */
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

/* Returns the command that decompresses a file to its standard output, or NULL if the file is not compressed. */
const char *file_decompressor(const char *path);
/*
 * Reads a whole file into memory. Decompresses a file that DKMS has compressed. Returns NULL if the file cannot be
 * read. The caller frees the bytes.
 */
char *file_read(const char *path, size_t *size);
/* Reads a module. Returns false if it cannot be read or is not a module for x86-64. */
bool module_file_open(struct module_file *file, const char *path);
void module_file_close(struct module_file *file);
/* Returns a section's bytes, or NULL if it does not exist, or is not aligned to `alignment` bytes in the file. */
const void *module_file_section(const struct module_file *file, const char *name, size_t alignment,
				size_t *size);
/* Returns the name of symbol `index`, "" if the module itself defines it, or NULL after the last symbol. */
const char *module_file_needs(const struct module_file *file, size_t index);

#endif
