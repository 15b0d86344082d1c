// SPDX-License-Identifier: GPL-2.0
/* The release of a module is read from small files in /tmp. */
#include <elf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/module.h>

#include "test.h"

/* Writes a file with these bytes, and calls module_release() on it. */
static bool release_of(const char *bytes, size_t size, char *release)
{
	char path[] = "/tmp/limpet-module-XXXXXX";
	int fd = mkstemp(path);
	bool found;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	found = module_release(path, release, 32);
	unlink(path);
	return found;
}

#define RELEASE_OF(text, release) release_of(text, sizeof(text) - 1, release)

static void test_module_has_release(void **state)
{
	char release[32];

	(void)state;
	assert_true(RELEASE_OF("\177ELF..vermagic=6.1.0-47-amd64 SMP\0x=1", release));
	assert_string_equal(release, "6.1.0-47-amd64");
	assert_true(RELEASE_OF("\177ELFvermagic=6.12", release));
	assert_string_equal(release, "6.12");
	assert_true(
		RELEASE_OF("\177ELFvermagic=0123456789012345678901234567890123456789", release));
	assert_int_equal(strlen(release), 31);
}

static void test_other_files_have_none(void **state)
{
	char release[32];

	(void)state;
	assert_false(RELEASE_OF("", release));
	assert_false(RELEASE_OF("\177", release));
	assert_false(RELEASE_OF("\177ELF and nothing else", release));
	assert_false(RELEASE_OF("\177ELFvermagic=", release));
	assert_false(RELEASE_OF("garbage, vermagic=6.1.0", release));
	assert_false(module_release("/nonexistent", release, sizeof(release)));
}

/* A module's file as module_find() reads it: the section of strings, and a section whose name the test sets. */
struct elf {
	Elf64_Ehdr head;
	Elf64_Shdr section[3];
	char strings[32];
};

static const struct elf module = {
	.head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		  .e_type = ET_REL,
		  .e_machine = EM_X86_64,
		  .e_shoff = offsetof(struct elf, section),
		  .e_shnum = 3,
		  .e_shstrndx = 1 },
	.section = { [1] = { .sh_type = SHT_STRTAB,
			     .sh_offset = offsetof(struct elf, strings),
			     .sh_size = sizeof(module.strings) },
		     [2] = { .sh_name = 1,
			     .sh_type = SHT_PROGBITS,
			     .sh_offset = offsetof(struct elf, strings) + 1, /* not aligned */
			     .sh_size = 8 } },
	.strings = "\0.modinfo",
};

/* Writes a file, and calls module_find() on it. */
static bool module_found(const struct elf *elf, size_t size, const char *suffix)
{
	char path[64] = "/tmp/limpet-module-XXXXXX", to[64];
	int fd = mkstemp(path);
	bool found;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, elf, size), size);
	close(fd);
	snprintf(to, sizeof(to), "%.40s%s", path, suffix);
	assert_int_equal(rename(path, to), 0);
	found = module_find(to, path, sizeof(path));
	unlink(to);
	return found;
}

static void test_given_file_is_a_module(void **state)
{
	struct elf elf = module;

	(void)state;
	assert_true(module_found(&elf, sizeof(elf), ""));
	assert_false(module_found(&elf, sizeof(elf.head), "")); /* truncated */
	assert_false(module_found(&elf, 0, ""));
	assert_true(module_found(&elf, 0, ".xz")); /* the kernel decompresses and checks it */
	elf.strings[2] = 'n';
	assert_false(module_found(&elf, sizeof(elf), ""));
	elf = module;
	elf.head.e_type = ET_EXEC;
	assert_false(module_found(&elf, sizeof(elf), ""));
	elf = module;
	elf.head.e_machine = EM_AARCH64;
	assert_false(module_found(&elf, sizeof(elf), ""));
	elf = module;
	elf.head.e_ident[0] = 'G';
	assert_false(module_found(&elf, sizeof(elf), ""));
}

/* Another user can write the current folder, such as /tmp. */
static void test_current_folder_is_not_searched(void **state)
{
	char folder[] = "/tmp/limpet-module-XXXXXX", path[256];
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	file = fopen("limpet.ko", "w");
	assert_non_null(file);
	fclose(file);
	assert_false(module_search(path, sizeof(path)) && *path != '/');
	unlink("limpet.ko");
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_module_has_release),
		cmocka_unit_test(test_other_files_have_none),
		cmocka_unit_test(test_given_file_is_a_module),
		cmocka_unit_test(test_current_folder_is_not_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
