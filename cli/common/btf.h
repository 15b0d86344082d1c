/* SPDX-License-Identifier: GPL-2.0 */
/* Layouts of the kernel's structures, from the type information (BTF) that Linux offers in /sys/kernel/btf/vmlinux. */
#ifndef CLI_BTF_H
#define CLI_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_type;

struct btf {
	const char *strings;
	size_t strings_size;
	const struct btf_type **types; /* index: number of the type; 0 is void */
	uint32_t count;
};

/*
 * Indexes the types of a whole BTF file. `bytes` must be valid and aligned to 4 bytes until btf_close(). Returns false
 * if the bytes are not BTF, or contain an unknown kind of type.
 */
bool btf_open(struct btf *btf, const void *bytes, size_t size);
void btf_close(struct btf *btf);
/*
 * Finds a field by its name, "structure.member" or "structure.member.member". Members of an unnamed structure or union
 * count as members of the structure around it. Returns false if the field does not exist, or is a bit field. `offset`
 * and `size` are in bytes.
 */
bool btf_field(const struct btf *btf, const char *name, uint32_t *offset, uint32_t *size);

#endif
