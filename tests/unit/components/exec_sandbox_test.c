// SPDX-License-Identifier: BSD-2-Clause
/*
 * exec.sandbox: policies that are right and wrong, paths, addresses and ranges, and guests that try to get around them.
 * What Linux would read is read from the page that the executive supplies at the address in the guest's register.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "guest_fake.h"
#include "sandbox.h"

#define ID 5
#define AT 0x5000ul
#define AT2 0x6000ul
#define HERE ((word)GUEST_AT_FDCWD)

static const char policy_text[] = "# a comment\n"
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

static uint8_t heap[36 << 10] __attribute__((aligned(64)));
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

static bool start(const char *text)
{
	size_t at;

	fake_reset();
	memset(archive, 0, sizeof(archive));
	at = entry_add(0, "sandbox.policy", "", "000041ed");
	at = entry_add(at, "other", "allow", "000081a4");
	at = entry_add(at, "sandbox.policy", text, "000081a4");
	at = entry_add(at, "TRAILER!!!", "", "00000000");
	fake_info.ramdisk = (uint64_t)archive;
	fake_info.ramdisk_size = at;
	fake_info.heap = (uint64_t)heap;
	fake_info.heap_size = sizeof(heap);
	return fake_main();
}

static int setup(void **state)
{
	(void)state;
	assert_true(start(policy_text));
	assert_string_equal(fake_text(), "serves guests with 4 threads\n");
	assert_answer(fake_event(LIMPET_GUEST_BEGIN, ID, 100, 90, 0, LIMPET_GUEST_BY_ENTER), PASS);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < LIMPET_GUESTS_MAX; id++) {
		fake_event(LIMPET_GUEST_BEGIN, id, 1, 1, 0, LIMPET_GUEST_BY_THREAD);
		fake_event(LIMPET_GUEST_END, id, 1, 1, 0, 0);
	}
	return 0;
}

/* What Linux reads at an address of guest ID. */
static const void *linux_reads(word address)
{
	struct executive_answer a = fake_event(LIMPET_GUEST_FAULT, ID, address & ~4095ul, 0, 0, 0);

	assert_answer(a, SERVE);
	assert_int_equal(a.value % LIMPET_PAGE, 0);
	return (const char *)a.value + address % LIMPET_PAGE;
}

static struct executive_answer path_call(word number, const char *path, word w2, word w3)
{
	fake_put_text(AT, path);
	return fake_call(ID, number, AT, w2, w3, 0, 0, 0);
}

static void assert_path(const char *path, word flags, const char *expected)
{
	struct executive_answer a = path_call(GUEST_CALL_open, path, flags, 0);

	if (!expected) {
		assert_served(a, REFUSED);
		return;
	}
	assert_answer(a, PASS);
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RDI]), expected);
}

/* --- the policy */

static void test_policy_errors(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
		const char *why;
	} wrong[] = {
		{ "permit read\n", 1, "is not a rule" },
		{ "default\n", 1, "needs allow, deny or kill" },
		{ "\n\ndefault allow deny\n", 3, "has more than one word" },
		{ "allow read\nallow reed\n", 2, "names a call" },
		{ "deny aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  1, "names a call" },
		{ "read usr\n", 1, "needs absolute paths" },
		{ "read /usr/../etc\n", 1, "has a path with" },
		{ "write /usr//lib", 1, "has a path with" },
		{ "relative see\n", 1, "needs read, write or execute" },
		{ "refusal allow\n", 1, "needs deny or kill" },
		{ "connect\n", 1, "needs unix" },
		{ "connect 256\n", 1, "needs unix" },
		{ "connect unix 1.2.3.4\n", 1, "can only have an address" },
		{ "connect inet 1.2.3\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4.5\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.256\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4/33\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4/8\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4/\n", 1, "can only have an address" },
		{ "bind inet 1.2.3.4 65536\n", 1, "has a port" },
		{ "bind inet 1.2.3.4 99999999999999999999999\n", 1, "has a port" },
		{ "bind inet 1.2.3.4 80 81\n", 1, "has words behind" },
	};
	const char *why = NULL;

	(void)state;
	for (unsigned int i = 0; i < array_size(wrong); i++) {
		char *exact = malloc(strlen(wrong[i].text));

		memcpy(exact, wrong[i].text, strlen(wrong[i].text));
		assert_int_equal(policy_read(exact, strlen(wrong[i].text), &why), wrong[i].line);
		assert_non_null(strstr(why, wrong[i].why));
		free(exact);
	}
	assert_int_equal(policy_read("", 0, &why), 0);
	assert_int_equal(policy.action[GUEST_CALL_read], ACTION_DENY);
}

static void test_policy_full(void **state)
{
	char text[8000] = "";
	const char *why;

	(void)state;
	for (unsigned int i = 0; i < PATH_RULES; i++)
		strcat(text, "read /a\n");
	assert_int_equal(policy_read(text, strlen(text), &why), 0);
	strcat(text, "read /b\n");
	assert_int_equal(policy_read(text, strlen(text), &why), PATH_RULES + 1);
	text[0] = 0;
	for (unsigned int i = 0; i <= ADDRESS_RULES; i++)
		strcat(text, "bind unix\n");
	assert_int_equal(policy_read(text, strlen(text), &why), ADDRESS_RULES + 1);
}

/* Without a valid policy no guest is served. */
static void test_load(void **state)
{
	(void)state;
	assert_false(start("allow read\nnonsense\n"));
	assert_string_equal(fake_text(),
			    "sandbox.policy:2: the line is not a rule: no guest is served\n");
	assert_int_equal(fake_kinds, 0);
	start(policy_text);
	fake_reset();
	fake_info.heap = (uint64_t)heap;
	fake_info.heap_size = sizeof(heap);
	assert_false(fake_main());
	assert_string_equal(fake_text(),
			    "the ramdisk has no file sandbox.policy: no guest is served\n");
}

static bool in_filter(word number)
{
	return fake_filter[number / 64] >> number % 64 & 1;
}

static void test_filter(void **state)
{
	(void)state;
	assert_false(in_filter(GUEST_CALL_read));
	assert_false(in_filter(GUEST_CALL_getpid));
	assert_true(in_filter(GUEST_CALL_getppid));
	assert_true(in_filter(GUEST_CALL_sync));
	assert_true(in_filter(GUEST_CALL_openat));
	assert_true(in_filter(GUEST_CALL_munmap));
	assert_true(in_filter(GUEST_CALL_connect));
	assert_true(in_filter(GUEST_CALL_io_uring_setup));
	assert_true(in_filter(NUMBERS - 2)); /* a call that is not known */
	assert_true(in_filter(LIMPET_GUEST_FILTER_REST));
}

static void test_actions(void **state)
{
	struct executive_answer a;

	(void)state;
	assert_answer(fake_call(ID, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	a = fake_call(ID, GUEST_CALL_getppid, 0, 0, 0, 0, 0, 0);
	assert_answer(a, KILL);
	assert_int_equal(a.value, LINUX_SIGSYS);
	assert_served(fake_call(ID, GUEST_CALL_sync, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_io_uring_setup, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_ptrace, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, 500, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, ~0ul, 0, 0, 0, 0, 0, 0), REFUSED);
	/* open of the x32 ABI, and open with bits that Linux ignores */
	assert_served(fake_call(ID, 0x40000000 | GUEST_CALL_open, AT, 0, 0, 0, 0, 0), REFUSED);
	fake_put_text(AT, "/etc/shadow");
	assert_served(fake_call(ID, 1ul << 32 | GUEST_CALL_open, AT, 0, 0, 0, 0, 0), REFUSED);
	assert_answer(fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, 0, 0, 0, 0), KILL);
}

static void test_default_deny(void **state)
{
	struct executive_answer a;

	(void)state;
	start("default kill\nallow read\nallow ptrace\nrefusal kill\nallow open\n");
	fake_event(LIMPET_GUEST_BEGIN, ID, 100, 90, 0, LIMPET_GUEST_BY_ENTER);
	assert_answer(fake_call(ID, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_ptrace, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_write, 0, 0, 0, 0, 0, 0), KILL);
	a = path_call(GUEST_CALL_open, "/x", 0, 0);
	assert_answer(a, KILL);
	assert_true(in_filter(GUEST_CALL_write));
}

/* --- paths */

static void test_normalise(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "/", "/" },
		{ "//", "/" },
		{ "/.", "/" },
		{ "/..", "/" },
		{ "/../..", "/" },
		{ "/a", "/a" },
		{ "/a/", "/a/" },
		{ "/a/.", "/a/" },
		{ "/a/..", "/" },
		{ "/a/../", "/" },
		{ "/a/b/../c", "/a/c" },
		{ "//a///b//", "/a/b/" },
		{ "/a/./b", "/a/b" },
		{ "/a/../../b", "/b" },
		{ ".", "." },
		{ "./", "./" },
		{ "./a", "a" },
		{ "..", ".." },
		{ "../", "../" },
		{ "../..", "../.." },
		{ "a/..", "." },
		{ "a/../..", ".." },
		{ "a/../../b", "../b" },
		{ "a//b", "a/b" },
		{ "...", "..." },
		{ "/..a/.b", "/..a/.b" },
		{ "a/../", "./" },
	};

	(void)state;
	for (unsigned int i = 0; i < array_size(cases); i++) {
		char *text = strdup(cases[i][0]);

		assert_int_equal(path_normalise(text), strlen(cases[i][1]));
		assert_string_equal(text, cases[i][1]);
		free(text);
	}
}

/* A normalised path has no component that changes when it is normalised again, and is never longer. */
static void test_normalise_random(void **state)
{
	(void)state;
	srandom(1);
	for (unsigned int i = 0; i < 200000; i++) {
		size_t length = (size_t)random() % 12;
		char *text = malloc(length + 1), once[16];

		for (size_t j = 0; j < length; j++)
			text[j] = "/./.ab"[random() % 6];
		text[length] = 0;
		assert_true(path_normalise(text) <= length);
		strcpy(once, text);
		path_normalise(text);
		assert_string_equal(text, once);
		assert_null(strstr(text, "//"));
		assert_true(text[0] != '/' || !strstr(text, "/../"));
		free(text);
	}
}

static void test_paths(void **state)
{
	(void)state;
	assert_path("/usr", 0, "/usr");
	assert_path("/usr/lib/x", 0, "/usr/lib/x");
	assert_path("/usr//lib/../x/", 0, "/usr/x/");
	assert_path("/usrx", 0, NULL);
	assert_path("/us", 0, NULL);
	assert_path("/", 0, NULL);
	assert_path("/usr/../etc/shadow", 0, NULL);
	assert_path("/etc/passwd", 0, "/etc/passwd");
	assert_path("/etc/passwd/", 0, "/etc/passwd/");
	assert_path("/etc/passwd2", 0, NULL);
	assert_path("/tmp/../etc/passwd", 0, "/etc/passwd");
	assert_path("x/y", 0, "x/y");
	assert_path("x/../../y", 0, NULL);
	assert_path("..", 0, NULL);
	assert_path(".", 0, ".");
	assert_path("..x", 0, "..x");
	assert_path("", 0, "");
	assert_path("/proc/self/maps", 0, "/proc/self/maps");
	assert_path("/proc/self/root/etc/shadow", 0, NULL);
	assert_path("/proc/1/task/1/cwd", 0, NULL);
	assert_path("/proc/rooty", 0, "/proc/rooty");
}

#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_TRUNC 01000
#define O_PATH 010000000

static void test_open_flags(void **state)
{
	static const word writing[] = { O_WRONLY, O_RDWR, 3, O_CREAT, O_TRUNC, 020200000 };

	(void)state;
	for (unsigned int i = 0; i < array_size(writing); i++) {
		assert_path("/usr/x", writing[i], NULL);
		assert_path("/tmp/x", writing[i], "/tmp/x");
		assert_path("x", writing[i], NULL);
		assert_path("", writing[i], NULL);
		fake_put_text(AT, "/usr/x");
		assert_served(fake_call(ID, GUEST_CALL_openat, HERE, AT, writing[i], 0, 0, 0),
			      REFUSED);
	}
	assert_path("/usr/x", O_PATH, "/usr/x");
	assert_path("/usr/x", 02000000, "/usr/x");
	assert_answer(fake_call(ID, GUEST_CALL_openat, HERE, AT, 0, 0, 0, 0), PASS);
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RSI]), "/usr/x");
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], HERE);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 0);
}

static void test_openat2(void **state)
{
	word how[16] = { 0 };

	(void)state;
	fake_put_text(AT, "/usr/x");
	fake_put(AT2, how, sizeof(how));
	assert_answer(fake_call(ID, GUEST_CALL_openat2, HERE, AT, AT2, 24, 0, 0), PASS);
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RSI]), "/usr/x");
	assert_memory_equal(linux_reads(fake_register[LIMPET_GUEST_RDX]), how, 24);
	how[0] = O_RDWR;
	fake_put(AT2, how, sizeof(how));
	assert_served(fake_call(ID, GUEST_CALL_openat2, HERE, AT, AT2, 24, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_openat2, HERE, AT, AT2, 23, 0, 0), -LINUX_EINVAL);
	assert_served(fake_call(ID, GUEST_CALL_openat2, HERE, AT, AT2, 72, 0, 0), -LINUX_E2BIG);
	assert_served(fake_call(ID, GUEST_CALL_openat2, HERE, AT, 0, 24, 0, 0), -LINUX_EFAULT);
	assert_served(fake_call(ID, GUEST_CALL_openat2, HERE, AT, AT2, ~0ul, 0, 0), -LINUX_E2BIG);
}

static void test_accesses(void **state)
{
	static const word writers[] = { GUEST_CALL_truncate, GUEST_CALL_mkdir,	GUEST_CALL_rmdir,
					GUEST_CALL_creat,    GUEST_CALL_unlink, GUEST_CALL_chmod,
					GUEST_CALL_chown,    GUEST_CALL_mknod,	GUEST_CALL_utime,
					GUEST_CALL_setxattr };
	static const word readers[] = { GUEST_CALL_stat,  GUEST_CALL_lstat,    GUEST_CALL_access,
					GUEST_CALL_chdir, GUEST_CALL_readlink, GUEST_CALL_statfs };

	(void)state;
	for (unsigned int i = 0; i < array_size(writers); i++) {
		assert_served(path_call(writers[i], "/usr/x", 0, 0), REFUSED);
		assert_answer(path_call(writers[i], "/tmp/x", 0, 0), PASS);
	}
	for (unsigned int i = 0; i < array_size(readers); i++) {
		assert_served(path_call(readers[i], "/etc/shadow", 0, 0), REFUSED);
		assert_answer(path_call(readers[i], "/usr/x", 0, 0), PASS);
	}
	assert_served(path_call(GUEST_CALL_execve, "/usr/x", 0, 0), REFUSED);
	assert_served(path_call(GUEST_CALL_execve, "/tmp/x", 0, 0), REFUSED);
	assert_answer(path_call(GUEST_CALL_execve, "/bin/sh", 0, 0), PASS);
	fake_put_text(AT, "");
	assert_served(fake_call(ID, GUEST_CALL_execveat, 3, AT, 0, 0, 0x1000, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_newfstatat, 3, AT, AT2, 0x1000, 0, 0), PASS);
}

static void two_paths(const char *first, const char *second)
{
	fake_put_text(AT, first);
	fake_put_text(AT2, second);
}

static struct executive_answer two_call(word number)
{
	return fake_call(ID, number, AT, AT2, 0, 0, 0, 0);
}

static void test_two_paths(void **state)
{
	(void)state;
	two_paths("/tmp/a", "/tmp/b/../c");
	assert_answer(two_call(GUEST_CALL_rename), PASS);
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RDI]), "/tmp/a");
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RSI]), "/tmp/c");
	two_paths("/usr/a", "/tmp/b");
	assert_served(two_call(GUEST_CALL_rename), REFUSED);
	assert_served(two_call(GUEST_CALL_link), REFUSED); /* the link could be written */
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], AT);
	two_paths("/tmp/a", "/usr/b");
	assert_served(two_call(GUEST_CALL_rename), REFUSED);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], AT);
	fake_call(ID, GUEST_CALL_renameat2, HERE, AT, HERE, AT2, 0, 0);
	assert_int_equal(fake_register[LIMPET_GUEST_R10], AT2);
}

static void test_symlink(void **state)
{
	(void)state;
	two_paths("/etc/shadow", "/tmp/l");
	assert_served(two_call(GUEST_CALL_symlink), REFUSED);
	two_paths("/usr/x", "/tmp/l");
	assert_served(two_call(GUEST_CALL_symlink), REFUSED);
	two_paths("/tmp/../etc/shadow", "/tmp/l");
	assert_served(two_call(GUEST_CALL_symlink), REFUSED);
	two_paths("../etc/shadow", "/tmp/l");
	assert_served(two_call(GUEST_CALL_symlink), REFUSED);
	two_paths("a/../../etc", "/tmp/l");
	assert_served(two_call(GUEST_CALL_symlink), REFUSED);
	two_paths("a//..b", "/tmp/l");
	assert_answer(two_call(GUEST_CALL_symlink), PASS);
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RDI]), "a//..b");
	two_paths("/tmp/x", "/tmp/l");
	assert_answer(two_call(GUEST_CALL_symlink), PASS);
	two_paths("/tmp/x", "/usr/l");
	assert_served(two_call(GUEST_CALL_symlink), REFUSED);
	two_paths("../x", "/tmp/l");
	assert_served(fake_call(ID, GUEST_CALL_symlinkat, AT, HERE, AT2, 0, 0, 0), REFUSED);
}

static void test_bad_pointers(void **state)
{
	static char path[5000];

	(void)state;
	assert_served(fake_call(ID, GUEST_CALL_open, 0x9000, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_served(fake_call(ID, GUEST_CALL_open, 0, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_served(fake_call(ID, GUEST_CALL_open, ~0ul, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_answer(fake_call(ID, GUEST_CALL_utimensat, 3, 0, 0, 0, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_utimensat, HERE, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_served(fake_call(ID, GUEST_CALL_newfstatat, 3, 0, AT, 0x1000, 0, 0), -LINUX_EFAULT);
	memset(path, 'x', 4095);
	assert_path(path, 0, path);
	path[4095] = 'x';
	assert_served(path_call(GUEST_CALL_open, path, 0, 0), -LINUX_ENAMETOOLONG);
	path[3000] = 0;
	memcpy(path, "/tmp/", 5);
	two_paths(path, path);
	assert_served(fake_call(ID, GUEST_CALL_rename, AT, AT + 1, 0, 0, 0, 0), REFUSED);
	assert_served(two_call(GUEST_CALL_rename), -LINUX_ENAMETOOLONG);
}

static void path_change(void)
{
	fake_put_text(AT, "/etc/shadow");
}

/* Another thread of the guest changes the path at each call of the kernel: Linux reads what was checked. */
static void test_changing(void **state)
{
	struct executive_answer a;

	(void)state;
	fake_put_text(AT, "/usr/x");
	a = fake_call(ID, GUEST_CALL_open, AT, 0, 0, 0, 0, 0);
	assert_answer(a, PASS);
	path_change();
	assert_string_equal(linux_reads(fake_register[LIMPET_GUEST_RDI]), "/usr/x");
	fake_between = path_change;
	assert_served(fake_call(ID, GUEST_CALL_open, AT, 0, 0, 0, 0, 0), REFUSED);
}

/* --- addresses */

static size_t address_put(word family, const void *bytes, size_t size)
{
	uint16_t number = (uint16_t)family;

	fake_put(AT, &number, 2);
	fake_put(AT + 2, bytes, size);
	return size + 2;
}

static struct executive_answer inet_call(word number, const char *port, const char *address)
{
	uint8_t bytes[14] = { 0 };

	memcpy(bytes, port, 2);
	memcpy(bytes + 2, address, 4);
	address_put(GUEST_AF_INET, bytes, sizeof(bytes));
	return fake_call(ID, number, 3, AT, 16, 0, 0, 0);
}

static void test_inet(void **state)
{
	(void)state;
	assert_answer(inet_call(GUEST_CALL_connect, "\0\120", "\12\1\2\3"), PASS);
	assert_memory_equal(linux_reads(fake_register[LIMPET_GUEST_RSI]), "\2\0\0\120\12\1\2\3", 8);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 16);
	assert_served(inet_call(GUEST_CALL_connect, "\0\121", "\12\1\2\3"), REFUSED);
	assert_served(inet_call(GUEST_CALL_connect, "\0\120", "\12\2\2\3"), REFUSED);
	assert_answer(inet_call(GUEST_CALL_connect, "\1\1", "\177\0\0\2"), PASS);
	assert_served(inet_call(GUEST_CALL_bind, "\1\1", "\177\0\0\2"), REFUSED);
	assert_answer(inet_call(GUEST_CALL_bind, "\1\1", "\177\0\0\1"), PASS);
	fake_main();
	assert_non_null(strstr(fake_text(), "100: refused connect 10.1.2.3 port 81\n"));
}

static void test_inet6(void **state)
{
	uint8_t bytes[26] = { 0, 80 };

	(void)state;
	address_put(GUEST_AF_INET6, bytes, sizeof(bytes));
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 28, 0, 0, 0), REFUSED);
	memcpy(bytes + 6 + 10, "\377\377\12\1\2\3", 6); /* ::ffff:10.1.2.3 */
	address_put(GUEST_AF_INET6, bytes, sizeof(bytes));
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 28, 0, 0, 0), PASS);
	bytes[6 + 13]++;
	address_put(GUEST_AF_INET6, bytes, sizeof(bytes));
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 28, 0, 0, 0), REFUSED);
}

static void test_unix(void **state)
{
	(void)state;
	address_put(GUEST_AF_UNIX, "/tmp/x/../s\0\0\0\0", 15);
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 17, 0, 0, 0), PASS);
	assert_memory_equal(linux_reads(fake_register[LIMPET_GUEST_RSI]),
			    "\1\0/tmp/s\0\0\0\0\0\0\0\0\0", 17);
	assert_answer(fake_call(ID, GUEST_CALL_bind, 3, AT, 10, 0, 0, 0), PASS);
	address_put(GUEST_AF_UNIX, "/usr/s", 6);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 8, 0, 0, 0), REFUSED);
	address_put(GUEST_AF_UNIX, "\0abstract", 9);
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 11, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_bind, 3, AT, 2, 0, 0, 0), PASS);
}

static void test_families(void **state)
{
	uint8_t bytes[126] = { 0 };

	(void)state;
	address_put(GUEST_AF_NETLINK, bytes, sizeof(bytes));
	assert_answer(fake_call(ID, GUEST_CALL_bind, 3, AT, 12, 0, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 12, 0, 0, 0), REFUSED);
	address_put(0, bytes, sizeof(bytes)); /* no family: inet, but for connect() */
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 16, 0, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_bind, 3, AT, 16, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_sendto, 3, 0, 0, 0, AT, 16), REFUSED);
	address_put(40, bytes, sizeof(bytes));
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 16, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 129, 0, 0, 0), -LINUX_EINVAL);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, (word)-1, 0, 0, 0), -LINUX_EINVAL);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, 0x9000, 16, 0, 0, 0), -LINUX_EFAULT);
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, 0x9000, 0, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_sendto, 3, 0, 0, 0, 0, 16), PASS);
}

static void test_message(void **state)
{
	word message[7] = { AT, 16, 1, 2, 3, 4, 5 };
	const word *seen;

	(void)state;
	inet_call(GUEST_CALL_connect, "\0\120", "\12\1\2\3");
	fake_put(AT2, message, sizeof(message));
	assert_answer(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), PASS);
	seen = linux_reads(fake_register[LIMPET_GUEST_RSI]);
	assert_memory_equal(linux_reads(seen[0]), "\2\0\0\120\12\1\2\3", 8);
	assert_memory_equal(seen + 1, message + 1, sizeof(message) - sizeof(word));
	inet_call(GUEST_CALL_connect, "\0\121", "\12\1\2\3");
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), REFUSED);
	message[1] = (uint32_t)-1;
	fake_put(AT2, message, sizeof(message));
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), -LINUX_EINVAL);
	message[1] = 1000; /* Linux reads 128 bytes */
	fake_put(AT2, message, sizeof(message));
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), REFUSED);
	message[0] = 0;
	fake_put(AT2, message, sizeof(message));
	assert_answer(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_served(fake_call(ID, GUEST_CALL_sendmmsg, 3, AT2, 1, 0, 0, 0), REFUSED);
}

/* --- the range of the page */

static void test_ranges(void **state)
{
	static const word calls[] = { GUEST_CALL_munmap,	GUEST_CALL_mprotect,
				      GUEST_CALL_madvise,	GUEST_CALL_mremap,
				      GUEST_CALL_pkey_mprotect, GUEST_CALL_remap_file_pages };

	(void)state;
	for (unsigned int i = 0; i < array_size(calls); i++) {
		const struct {
			word address, bytes;
			bool refused;
		} cases[] = {
			{ RANGE, 4096, true },
			{ RANGE, 0, true },
			{ RANGE + 5, 1, true },
			{ RANGE - 4096, 4096, false },
			{ RANGE - 4096, 4097, true },
			{ RANGE + RANGE_BYTES - 1, 1, true },
			{ RANGE + RANGE_BYTES, 4096, false },
			{ 0, ~0ul, true },
			{ 4096, RANGE, true },
			{ RANGE + RANGE_BYTES, ~0ul, true },
			{ 0x1000, 4096, false },
		};

		for (unsigned int j = 0; j < array_size(cases); j++) {
			struct executive_answer a = fake_call(ID, calls[i], cases[j].address,
							      cases[j].bytes, 0, 0, 0, 0);

			assert_int_equal(a.operation == LIMPET_GUEST_SERVE, cases[j].refused);
		}
	}
}

#define FIXED 0x10

static void test_mmap(void **state)
{
	(void)state;
	assert_answer(fake_call(ID, GUEST_CALL_mmap, RANGE, 4096, 3, 0x22, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_mmap, RANGE, 4096, 3, 0x22 | FIXED, 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_mmap, 0x10000, 4096, 3, 0x22 | FIXED, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, 4096, 3, RANGE, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, 4096, 1, RANGE, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_shmat, 1, RANGE, 040000, 0, 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_shmat, 1, 0, 0, 0, 0, 0), PASS);
}

static struct executive_answer begin(unsigned int id, word process, word origin)
{
	return fake_event(LIMPET_GUEST_BEGIN, id, process, process, 0, origin);
}

static void test_begin(void **state)
{
	(void)state;
	assert_int_equal(fake_maps, 1);
	assert_int_equal(fake_map_range[0], RANGE);
	assert_int_equal(fake_map_range[1], RANGE_BYTES);
	assert_int_equal(fake_map_range[2], 0);
	begin(6, 91, LIMPET_GUEST_BY_THREAD);
	begin(7, 92, LIMPET_GUEST_BY_FORK);
	assert_int_equal(fake_maps, 1);
	assert_answer(begin(8, 93, LIMPET_GUEST_BY_ATTACH), RELEASE);
	fake_main();
	assert_string_equal(fake_text(),
			    "process 93 is not confined, because it was attached while it ran\n");
	assert_int_equal(fake_maps, 1);
	fake_map_status = LIMPET_EFULL; /* the guest has memory of its own there */
	assert_answer(begin(8, 93, LIMPET_GUEST_BY_ENTER), KILL);
	assert_answer(fake_event(LIMPET_GUEST_EXEC, ID, 100, 90, 0, 0), KILL);
	fake_map_status = LIMPET_OK;
	assert_answer(fake_event(LIMPET_GUEST_EXEC, ID, 100, 90, 0, 0), PASS);
	fake_filter_status = LIMPET_ESTATE;
	assert_answer(begin(8, 93, LIMPET_GUEST_BY_ENTER), KILL);
}

/* Each guest has a page that others do not see, until there are none left. */
static void test_pages(void **state)
{
	(void)state;
	assert_answer(fake_event(LIMPET_GUEST_FAULT, ID, RANGE + RANGE_BYTES, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_FAULT, ID, 0, 0, 0, 0), PASS);
	for (unsigned int i = 0; i < PAGES; i++)
		if (i != ID)
			begin(i, 1000 + i, LIMPET_GUEST_BY_FORK);
	begin(PAGES, 3000, LIMPET_GUEST_BY_FORK);
	fake_put_text(AT, "/usr/x");
	assert_served(fake_call(PAGES, GUEST_CALL_open, AT, 0, 0, 0, 0, 0), -LINUX_ENOMEM);
	assert_answer(fake_call(6, GUEST_CALL_open, AT, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_FAULT, ID, fake_register[LIMPET_GUEST_RDI] & ~4095ul,
				 0, 0, 0),
		      PASS);
	fake_event(LIMPET_GUEST_END, 6, 1006, 1006, 0, 0);
	begin(PAGES, 3000, LIMPET_GUEST_BY_FORK);
	assert_answer(fake_call(PAGES, GUEST_CALL_open, AT, 0, 0, 0, 0, 0), PASS);
}

/* A page that other guests have seen is taken from them: that of a new guest, and that of a parent from its children. */
static void test_hidden(void **state)
{
	word page;

	(void)state;
	assert_int_equal(fake_revokes, 1);
	path_call(GUEST_CALL_open, "/usr/x", 0, 0);
	page = fake_register[LIMPET_GUEST_RDI] & ~4095ul;
	fake_event(LIMPET_GUEST_BEGIN, 6, 91, 91, 1 + ID, LIMPET_GUEST_BY_FORK);
	assert_int_equal(fake_revokes, 3);
	assert_int_equal(fake_range[0], page);
	assert_int_equal(fake_range[1], 4096);
	fake_event(LIMPET_GUEST_BEGIN, 7, 91, 91, 1 + ID, LIMPET_GUEST_BY_THREAD);
	assert_int_equal(fake_revokes, 4);
	assert_int_not_equal(fake_range[0], page);
	fake_event(LIMPET_GUEST_BEGIN, 8, 91, 91, 0, LIMPET_GUEST_BY_FORK);
	fake_event(LIMPET_GUEST_BEGIN, 8, 91, 91, ~0ul, LIMPET_GUEST_BY_FORK);
}

/* The guest is killed while its handler thread works: its page does not go to the next guest before it has ended. */
static void test_abandoned(void **state)
{
	struct copy old, new;

	(void)state;
	assert_true(copy_begin(&old, ID));
	fake_event(LIMPET_GUEST_END, ID, 100, 90, 0, 0);
	fake_orphan = true;
	assert_false(copy_begin(&new, ID));
	fake_orphan = false;
	begin(ID, 94, LIMPET_GUEST_BY_FORK);
	assert_true(copy_begin(&new, ID));
	assert_int_not_equal(old.page, new.page);
	copy_end(&new);
	copy_end(&old);
	fake_orphan = true; /* its copies fail, so it writes nothing */
	assert_served(path_call(GUEST_CALL_open, "/usr/x", 0, 0), -LINUX_EFAULT);
}

/* The kernel has abandoned a handler thread, and the guest lives on: it gets another page, and later keeps that. */
static void test_asked_again(void **state)
{
	struct copy old, new, third;

	(void)state;
	assert_true(copy_begin(&old, ID));
	assert_true(copy_begin(&new, ID));
	assert_int_not_equal(old.page, new.page);
	fake_orphan = true;
	assert_false(copy_begin(&third, ID)); /* abandoned before it began */
	fake_orphan = false;
	copy_end(&new);
	assert_true(copy_begin(&third, ID));
	assert_int_equal(third.page, new.page);
	copy_end(&third);
	copy_end(&old);
	for (unsigned int i = 0; i < 3 * PAGES; i++) { /* no reference is lost */
		assert_true(copy_begin(&old, ID));
		assert_true(copy_begin(&new, ID));
		copy_end(&old);
		copy_end(&new);
	}
	fake_event(LIMPET_GUEST_END, ID, 100, 90, 0, 0);
	for (unsigned int i = 0; i < PAGES; i++) {
		begin(i, 1000 + i, LIMPET_GUEST_BY_FORK);
		assert_true(copy_begin(&new, i));
		copy_end(&new);
	}
}

static void test_report(void **state)
{
	(void)state;
	path_call(GUEST_CALL_open, "/etc/\n\033[1mx", 0, 0);
	fake_call(ID, 500, 0, 0, 0, 0, 0, 0);
	fake_call(ID, GUEST_CALL_getppid, 0, 0, 0, 0, 0, 0);
	fake_main();
	assert_string_equal(fake_text(), "100: refused open /etc/??[1mx\n"
					 "100: refused an unknown call \n"
					 "100: killed for getppid \n");
}

/* Arguments at random: no call passes with a path of the guest's own memory. */
static void test_random(void **state)
{
	static const word interesting[] = { 0,	  1,	AT, AT2, AT + 4095, AT2 + 4000, RANGE,
					    ~0ul, HERE, 16, 24,	 128,	    O_CREAT,	3 };
	static const char *const paths[] = { "/usr/x", "/tmp/y", "/etc/shadow", "../x", "", "a" };
	word w[6];

	(void)state;
	srandom(7);
	for (unsigned int i = 0; i < 200000; i++) {
		word number = (word)random() % 470;
		struct executive_answer a;

		fake_put_text(AT, paths[random() % 6]);
		fake_put_text(AT2, paths[random() % 6]);
		for (unsigned int j = 0; j < 6; j++)
			w[j] = random() % 4 ? interesting[random() % 14] : (word)random();
		a = fake_call(ID, number, w[0], w[1], w[2], w[3], w[4], w[5]);
		if (a.operation == LIMPET_GUEST_PASS && check_of(number) == CHECK_PATHS)
			assert_true(number == GUEST_CALL_utimensat ||
				    number == GUEST_CALL_futimesat ||
				    number == GUEST_CALL_fanotify_mark ||
				    fake_register[LIMPET_GUEST_RDI] - RANGE < RANGE_BYTES ||
				    fake_register[LIMPET_GUEST_RSI] - RANGE < RANGE_BYTES);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_policy_errors), TEST(test_policy_full),
		TEST(test_load),	  TEST(test_filter),
		TEST(test_actions),	  TEST(test_default_deny),
		TEST(test_normalise),	  TEST(test_normalise_random),
		TEST(test_paths),	  TEST(test_open_flags),
		TEST(test_openat2),	  TEST(test_accesses),
		TEST(test_two_paths),	  TEST(test_symlink),
		TEST(test_bad_pointers),  TEST(test_changing),
		TEST(test_inet),	  TEST(test_inet6),
		TEST(test_unix),	  TEST(test_families),
		TEST(test_message),	  TEST(test_ranges),
		TEST(test_mmap),	  TEST(test_begin),
		TEST(test_pages),	  TEST(test_abandoned),
		TEST(test_asked_again),	  TEST(test_report),
		TEST(test_hidden),	  TEST(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
