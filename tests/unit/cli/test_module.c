// SPDX-License-Identifier: GPL-2.0
/* The release of a module is read from small files in /tmp. */
#include <stdarg.h>
#include <stdio.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_module_has_release),
		cmocka_unit_test(test_other_files_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
