// SPDX-License-Identifier: GPL-2.0
/*
 * Changes a module's file as if the module had been built for another kernel. The module's code does not change.
 *
 *   alter MODULE untried      makes all kernels count as newer than any that Limpet was tried on
 *   alter MODULE field NAME   moves a field by 8 bytes
 *   alter MODULE needs NAME   renames a function that the module needs: its first letter becomes X
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <shared/module/expects.h>

static char *bytes;
static size_t size;

static void die(const char *what)
{
	fprintf(stderr, "alter: %s\n", what);
	exit(1);
}

static void file_map(const char *path)
{
	const int fd = open(path, O_RDWR);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat))
		die(path);
	size = (size_t)stat.st_size;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		die("mmap");
}

static Elf64_Shdr *section_find(const char *name)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + head->e_shoff);
	const char *names = bytes + sections[head->e_shstrndx].sh_offset;

	for (int i = 0; i < head->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	die(name);
	return NULL;
}

static void field_move(const char *name)
{
	const Elf64_Shdr *section = section_find(EXPECTS_FIELDS);
	struct expects_field *fields = (struct expects_field *)(bytes + section->sh_offset);

	for (size_t i = 0; i < section->sh_size / sizeof(*fields); i++)
		if (!strcmp(fields[i].name, name)) {
			fields[i].offset += 8;
			return;
		}
	die(name);
}

static void need_rename(const char *name)
{
	const Elf64_Shdr *section = section_find(".strtab");
	char *strings = bytes + section->sh_offset;

	for (size_t i = 1; i < section->sh_size; i++)
		if (!strings[i - 1] && !strcmp(strings + i, name)) {
			strings[i] = 'X';
			return;
		}
	die(name);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: alter MODULE untried | field NAME | needs NAME");
	file_map(argv[1]);
	if (!strcmp(argv[2], "untried"))
		*(uint32_t *)(bytes + section_find(EXPECTS_UNTRIED)->sh_offset) = 0;
	else if (argc == 4 && !strcmp(argv[2], "field"))
		field_move(argv[3]);
	else if (argc == 4 && !strcmp(argv[2], "needs"))
		need_rename(argv[3]);
	else
		die("no such change");
	return munmap(bytes, size);
}
