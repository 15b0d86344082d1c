// SPDX-License-Identifier: GPL-2.0
/*
 * Linux describes the format in Documentation/bpf/btf.rst. All offsets and sizes are checked against the file's size.
 */
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/btf.h>

#define DEPTH 32 /* maximum depth of nested types */

/* Returns the number of bytes after a type's header, or SIZE_MAX for an unknown kind. */
static size_t tail_size(const struct btf_type *type)
{
	const size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return count * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return count * 3 * sizeof(uint32_t);
	case BTF_KIND_FUNC_PROTO:
		return count * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return count * sizeof(struct btf_var_secinfo);
	default:
		return SIZE_MAX;
	}
}

/* Counts the types, and stores them if btf->types is set. Returns false if a type is truncated or unknown. */
static bool types_walk(struct btf *btf, const char *at, size_t size)
{
	const struct btf_type *type;
	size_t tail;

	for (btf->count = 1; size; btf->count++) {
		type = (const struct btf_type *)at;
		if (size < sizeof(*type))
			return false;
		tail = tail_size(type);
		if (tail > size - sizeof(*type))
			return false;
		if (btf->types)
			btf->types[btf->count] = type;
		at += sizeof(*type) + tail;
		size -= sizeof(*type) + tail;
	}
	return true;
}

bool btf_open(struct btf *btf, const void *bytes, size_t size)
{
	const struct btf_header *header = bytes;
	const char *types;
	size_t space;

	*btf = (struct btf){ 0 };
	if (size < sizeof(*header) || header->magic != BTF_MAGIC || header->hdr_len > size ||
	    header->hdr_len % sizeof(uint32_t))
		return false;
	space = size - header->hdr_len;
	if (header->type_off > space || header->type_len > space - header->type_off ||
	    header->type_off % sizeof(uint32_t) || header->str_off > space || !header->str_len ||
	    header->str_len > space - header->str_off)
		return false;
	types = (const char *)bytes + header->hdr_len + header->type_off;
	btf->strings = (const char *)bytes + header->hdr_len + header->str_off;
	btf->strings_size = header->str_len;
	if (btf->strings[btf->strings_size - 1] || !types_walk(btf, types, header->type_len))
		return false;
	btf->types = calloc(btf->count, sizeof(*btf->types));
	return btf->types && types_walk(btf, types, header->type_len);
}

void btf_close(struct btf *btf)
{
	free(btf->types);
	btf->types = NULL;
}

static const char *name_of(const struct btf *btf, uint32_t offset)
{
	return offset < btf->strings_size ? btf->strings + offset : "";
}

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

static const struct btf_type *type_of(const struct btf *btf, uint32_t number)
{
	return number && number < btf->count ? btf->types[number] : NULL;
}

/* Skips typedefs and qualifiers of a type. Returns NULL if the type is void or unknown. */
static const struct btf_type *type_strip(const struct btf *btf, uint32_t number)
{
	const struct btf_type *type = type_of(btf, number);

	for (int i = 0; i < DEPTH && type; i++) {
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			type = type_of(btf, type->type);
			break;
		default:
			return type;
		}
	}
	return NULL;
}

static uint32_t type_size(const struct btf *btf, uint32_t number)
{
	uint32_t count = 1;

	for (int i = 0; i < DEPTH; i++) {
		const struct btf_type *type = type_strip(btf, number);
		const struct btf_array *array = (const struct btf_array *)(type + 1);

		if (!type)
			return 0;
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_PTR:
			return count * (uint32_t)sizeof(uint64_t);
		case BTF_KIND_ARRAY:
			count *= array->nelems;
			number = array->type;
			break;
		default:
			return count * type->size;
		}
	}
	return 0;
}

static bool is_composite(const struct btf_type *type)
{
	return type && (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT ||
			BTF_INFO_KIND(type->info) == BTF_KIND_UNION);
}

static bool path_find(const struct btf *btf, const struct btf_type *type, const char *path,
		      int depth, uint32_t *offset, uint32_t *size);

/* Finds a path in one member, which has the path's first name or has no name. */
static bool member_find(const struct btf *btf, const struct btf_member *member, const char *path,
			int depth, uint32_t *offset, uint32_t *size)
{
	const char *name = name_of(btf, member->name_off);
	const size_t length = strcspn(path, ".");

	if (!*name)
		return path_find(btf, type_strip(btf, member->type), path, depth + 1, offset, size);
	if (!is_name(name, path, length))
		return false;
	if (path[length])
		return path_find(btf, type_strip(btf, member->type), path + length + 1, depth + 1,
				 offset, size);
	*size = type_size(btf, member->type);
	return true;
}

static bool path_find(const struct btf *btf, const struct btf_type *type, const char *path,
		      int depth, uint32_t *offset, uint32_t *size)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);

	if (!is_composite(type) || depth > DEPTH)
		return false;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const uint32_t bits = BTF_INFO_KFLAG(type->info)
					      ? BTF_MEMBER_BIT_OFFSET(members[i].offset)
					      : members[i].offset;

		if (!member_find(btf, &members[i], path, depth, offset, size))
			continue;
		*offset += bits / 8;
		return !(bits % 8) &&
		       !(BTF_INFO_KFLAG(type->info) && BTF_MEMBER_BITFIELD_SIZE(members[i].offset));
	}
	return false;
}

bool btf_field(const struct btf *btf, const char *name, uint32_t *offset, uint32_t *size)
{
	const size_t length = strcspn(name, ".");

	for (uint32_t i = 1; i < btf->count; i++) {
		*offset = 0;
		if (BTF_INFO_KIND(btf->types[i]->info) == BTF_KIND_STRUCT && name[length] &&
		    is_name(name_of(btf, btf->types[i]->name_off), name, length) &&
		    path_find(btf, btf->types[i], name + length + 1, 0, offset, size))
			return true;
	}
	return false;
}
