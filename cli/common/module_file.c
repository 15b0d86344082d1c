// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/module_file.h>

#define FILE_MAX (256ul << 20)

/* Reads a stream to its end. Returns NULL if memory runs out, or if the stream is longer than FILE_MAX. */
static char *stream_read(FILE *stream, size_t *size)
{
	size_t space = 1 << 20, length = 0;
	char *bytes = malloc(space), *more;

	while (bytes) {
		length += fread(bytes + length, 1, space - length, stream);
		if (length < space)
			break;
		space *= 2;
		more = space <= FILE_MAX ? realloc(bytes, space) : NULL;
		if (!more)
			free(bytes);
		bytes = more;
	}
	*size = length;
	return bytes;
}

const char *file_decompressor(const char *path)
{
	static const char *const programs[][2] = {
		{ ".xz", "xz -dc" },
		{ ".zst", "zstd -dcq" },
		{ ".gz", "gzip -dc" },
	};
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(suffix, programs[i][0]))
			return programs[i][1];
	return NULL;
}

char *file_read(const char *path, size_t *size)
{
	const char *program = file_decompressor(path);
	char command[1100], *bytes = NULL;
	FILE *stream;

	if (program && strchr(path, '\''))
		return NULL;
	snprintf(command, sizeof(command), "%s '%.1000s' 2>/dev/null", program ? program : "",
		 path);
	stream = program ? popen(command, "r") : fopen(path, "re");
	if (!stream)
		return NULL;
	bytes = stream_read(stream, size);
	if (program ? pclose(stream) : fclose(stream)) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static bool is_within(const struct module_file *file, uint64_t at, uint64_t size)
{
	return at <= file->size && size <= file->size - at;
}

bool module_file_open(struct module_file *file, const char *path)
{
	const Elf64_Ehdr *head;

	*file = (struct module_file){ 0 };
	file->bytes = file_read(path, &file->size);
	head = (const Elf64_Ehdr *)file->bytes;
	if (file->bytes && file->size >= sizeof(*head) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	    head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == EM_X86_64 &&
	    head->e_type == ET_REL && !(head->e_shoff % sizeof(uint64_t)) &&
	    is_within(file, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr)) &&
	    head->e_shstrndx < head->e_shnum) {
		file->sections = (const Elf64_Shdr *)(file->bytes + head->e_shoff);
		file->count = head->e_shnum;
		return true;
	}
	module_file_close(file);
	return false;
}

void module_file_close(struct module_file *file)
{
	free(file->bytes);
	file->bytes = NULL;
}

/* Returns a string of a string table, or "" if it is not within the file. */
static const char *string_of(const struct module_file *file, uint32_t table, uint32_t offset)
{
	const Elf64_Shdr *strings = table < file->count ? &file->sections[table] : NULL;

	if (!strings || !is_within(file, strings->sh_offset, strings->sh_size) ||
	    offset >= strings->sh_size || file->bytes[strings->sh_offset + strings->sh_size - 1])
		return "";
	return file->bytes + strings->sh_offset + offset;
}

/* Returns whether a section is aligned and within the file, so that its entries can be read. */
static bool is_readable(const struct module_file *file, const Elf64_Shdr *section, size_t alignment)
{
	return section->sh_type != SHT_NOBITS && !(section->sh_offset % alignment) &&
	       is_within(file, section->sh_offset, section->sh_size);
}

const void *module_file_section(const struct module_file *file, const char *name, size_t alignment,
				size_t *size)
{
	const uint32_t names = ((const Elf64_Ehdr *)file->bytes)->e_shstrndx;

	for (uint32_t i = 0; i < file->count; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (strcmp(string_of(file, names, section->sh_name), name) != 0 ||
		    !is_readable(file, section, alignment))
			continue;
		*size = section->sh_size;
		return file->bytes + section->sh_offset;
	}
	return NULL;
}

const char *module_file_needs(const struct module_file *file, size_t index)
{
	for (uint32_t i = 0; i < file->count; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		const Elf64_Sym *symbol;

		if (section->sh_type != SHT_SYMTAB ||
		    !is_readable(file, section, sizeof(uint64_t)) ||
		    index >= section->sh_size / sizeof(*symbol))
			continue;
		symbol = (const Elf64_Sym *)(file->bytes + section->sh_offset) + index;
		return symbol->st_shndx == SHN_UNDEF
			       ? string_of(file, section->sh_link, symbol->st_name)
			       : "";
	}
	return NULL;
}
