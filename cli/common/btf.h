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
	const struct btf_type **types; /* by number; 0 is void */
	uint32_t count;
};

/*
 * Indexes the types of a whole BTF file. `bytes` must stay until btf_close(). Returns false if the bytes are not BTF, or
 * have kinds of types that this program does not know.
 */
bool btf_open(struct btf *btf, const void *bytes, size_t size);
void btf_close(struct btf *btf);
/*
 * Finds a field by its name, "structure.member" or "structure.member.member". Members of unnamed structures and unions
 * count as members of what contains them. Returns false if it does not exist, or is a bit field. `offset` and `size` are
 * in bytes.
 */
bool btf_field(const struct btf *btf, const char *name, uint32_t *offset, uint32_t *size);

#endif
