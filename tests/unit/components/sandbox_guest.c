// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "sandbox_guest.h"

const char sandbox_policy[] = "# a comment\n"
			      "default allow\n"
			      "\n"
			      "kill  getppid   # another one\n"
			      "deny\tsync getuid\n"
			      "read /usr /etc/passwd /proc\n"
			      "write /tmp/\n"
			      "execute /bin\n"
			      "relative read\n"
			      "connect inet 10.1.0.0/16 80\n"
			      "connect inet 127.0.0.0/8\n"
			      "connect unix\n"
			      "bind inet 127.0.0.1\n"
			      "bind unix\n"
			      "bind 16\n";

uint8_t sandbox_heap[36 << 10] __attribute__((aligned(64)));
static char archive[16384];

/* Adds a file to the ramdisk: cpio of format newc. */
static size_t entry_add(size_t at, const char *name, const char *text, const char *mode)
{
	size_t names = strlen(name) + 1, size = strlen(text);

	at += (size_t)sprintf(archive + at,
			      "070701%08x%s%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", 1, mode,
			      0, 0, 1, 0, size, 0, 0, 0, 0, names, 0);
	memcpy(archive + at, name, names);
	at = (at + names + 3) & ~3ul;
	memcpy(archive + at, text, size);
	return (at + size + 3) & ~3ul;
}

bool sandbox_start(const char *text)
{
	size_t at;

	fake_reset();
	memset(archive, 0, sizeof(archive));
	at = entry_add(0, "sandbox.toml", "", "000041ed");
	at = entry_add(at, "other", "allow", "000081a4");
	at = entry_add(at, "sandbox.toml", text, "000081a4");
	at = entry_add(at, "TRAILER!!!", "", "00000000");
	fake_info.ramdisk = (uint64_t)archive;
	fake_info.ramdisk_size = at;
	fake_info.heap = (uint64_t)sandbox_heap;
	fake_info.heap_size = sizeof(sandbox_heap);
	return fake_main();
}

int sandbox_setup(void **state)
{
	(void)state;
	assert_true(sandbox_start(sandbox_policy));
	assert_string_equal(fake_text(), "serves guests with 4 threads\n");
	assert_answer(fake_event(LIMPET_GUEST_BEGIN, ID, 100, 90, 0, LIMPET_GUEST_BY_ENTER), PASS);
	return 0;
}

int sandbox_teardown(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < LIMPET_GUESTS_MAX; id++) {
		fake_event(LIMPET_GUEST_BEGIN, id, 1, 1, 0, LIMPET_GUEST_BY_THREAD);
		fake_event(LIMPET_GUEST_END, id, 1, 1, 0, 0);
	}
	return 0;
}

const void *linux_reads(word address)
{
	struct executive_answer a = fake_event(LIMPET_GUEST_FAULT, ID, address & ~4095ul, 0, 0, 0);

	assert_answer(a, SERVE);
	assert_int_equal(a.value % LIMPET_PAGE, 0);
	return (const char *)a.value + address % LIMPET_PAGE;
}

struct executive_answer path_call(word number, const char *path, word w2, word w3)
{
	fake_put_text(AT, path);
	return fake_call(ID, number, AT, w2, w3, 0, 0, 0);
}

void assert_path(const char *path, word flags, const char *expected)
{
	struct executive_answer a = path_call(GUEST_CALL_open, path, flags, 0);

	if (!expected) {
		assert_served(a, REFUSED);
		return;
	}
	assert_answer(a, PASS);
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RDI]), expected);
}
