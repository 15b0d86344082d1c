// SPDX-License-Identifier: BSD-2-Clause
/* Tests calls with paths in exec.sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "sandbox_guest.h"

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
	assert_served(two_call(GUEST_CALL_link), REFUSED); /* the new link would be writable */
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

/* --- names of rules */

/* Starts the component with another policy, and its guest. */
static void policy_use(const char *text)
{
	assert_true(sandbox_start(text));
	assert_answer(fake_event(LIMPET_GUEST_BEGIN, ID, 100, 90, 0, LIMPET_GUEST_BY_ENTER), PASS);
}

/*
 * A rule for a path allows to change what is there, but not to remove the name or to put another file there. Another
 * rule that allows to write to the folder allows that, too.
 */
static void test_names_of_rules(void **state)
{
	static const word removers[] = { GUEST_CALL_unlink, GUEST_CALL_rmdir };
	static const char *const own[] = { "/dev/null", "/tmp", "/tmp/", "/tmp/x/..",
					   "/dev/./tty/" };

	(void)state;
	policy_use("default allow\nwrite /tmp /dev/null /dev/tty /srv /srv/a\nrelative write\n");
	for (unsigned int i = 0; i < array_size(own); i++) {
		for (unsigned int j = 0; j < array_size(removers); j++)
			assert_served(path_call(removers[j], own[i], 0, 0), REFUSED);
		two_paths("sda", own[i]);
		assert_served(two_call(GUEST_CALL_symlink), REFUSED);
		two_paths("/tmp/l", own[i]);
		assert_served(two_call(GUEST_CALL_link), REFUSED);
		assert_served(two_call(GUEST_CALL_rename), REFUSED);
		assert_served(fake_call(ID, GUEST_CALL_renameat2, HERE, AT, HERE, AT2, 0, 0),
			      REFUSED);
		two_paths(own[i], "/tmp/l");
		assert_served(two_call(GUEST_CALL_rename), REFUSED);
		assert_answer(path_call(GUEST_CALL_open, own[i], O_RDWR | O_CREAT, 0), PASS);
		assert_answer(path_call(GUEST_CALL_mkdir, own[i], 0, 0), PASS);
		assert_answer(path_call(GUEST_CALL_chmod, own[i], 0, 0), PASS);
	}
	for (unsigned int j = 0; j < array_size(removers); j++) {
		assert_answer(path_call(removers[j], "/srv/a", 0, 0), PASS);
		assert_answer(path_call(removers[j], "/tmp/x/", 0, 0), PASS);
		assert_answer(path_call(removers[j], "x", 0, 0), PASS);
	}
	two_paths("b", "/srv/a");
	assert_answer(two_call(GUEST_CALL_symlink), PASS);
	two_paths("x", "y");
	assert_answer(two_call(GUEST_CALL_rename), PASS);
	policy_use("default allow\nwrite /\n");
	assert_answer(path_call(GUEST_CALL_unlink, "/a", 0, 0), PASS);
}

/* A device node would be another name for the device. */
static void test_device_nodes(void **state)
{
	static const word others[] = { 0, 0100600, 010600, 0140600 };
	static const word devices[] = { 020600, 060600, 060600 | 1ul << 16 };

	(void)state;
	for (unsigned int i = 0; i < array_size(others); i++) {
		assert_answer(path_call(GUEST_CALL_mknod, "/tmp/x", others[i], 0x800), PASS);
		fake_put_text(AT, "/tmp/x");
		assert_answer(fake_call(ID, GUEST_CALL_mknodat, HERE, AT, others[i], 0x800, 0, 0),
			      PASS);
	}
	for (unsigned int i = 0; i < array_size(devices); i++) {
		assert_served(path_call(GUEST_CALL_mknod, "/tmp/x", devices[i], 0x800), REFUSED);
		fake_put_text(AT, "/tmp/x");
		assert_served(fake_call(ID, GUEST_CALL_mknodat, HERE, AT, devices[i], 0x800, 0, 0),
			      REFUSED);
	}
}

/* --- relative paths */

#define FOLDER 5 /* a descriptor */

/* Makes a call with a descriptor or HERE, a path and two words. */
static struct executive_answer at_call(word number, word folder, const char *path, word w2, word w3)
{
	fake_put_text(AT, path);
	return fake_call(ID, number, folder, AT, w2, w3, 0, 0);
}

/* The working folder must be one in which the guest may do what `relative` allows. */
static void test_working_folder(void **state)
{
	(void)state;
	policy_use("default allow\nread /etc /usr\nwrite /tmp\nexecute /bin\nrelative write\n");
	assert_answer(path_call(GUEST_CALL_chdir, "/tmp", 0, 0), PASS);
	assert_answer(path_call(GUEST_CALL_chdir, "/etc/../tmp/x", 0, 0), PASS);
	assert_answer(path_call(GUEST_CALL_chdir, "x/y", 0, 0), PASS);
	assert_served(path_call(GUEST_CALL_chdir, "/etc", 0, 0), REFUSED);
	assert_served(path_call(GUEST_CALL_chdir, "/bin", 0, 0), REFUSED);
	assert_served(path_call(GUEST_CALL_chdir, "/tmp/../etc", 0, 0), REFUSED);
	assert_served(path_call(GUEST_CALL_chdir, "/", 0, 0), REFUSED);
	assert_served(path_call(GUEST_CALL_chdir, "..", 0, 0), REFUSED);
	assert_served(path_call(GUEST_CALL_chdir, "x/../..", 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_fchdir, FOLDER, 0, 0, 0, 0, 0), REFUSED);
	policy_use("default allow\nread /etc\nwrite /tmp\nexecute /bin\nrelative execute\n");
	assert_served(path_call(GUEST_CALL_chdir, "/tmp", 0, 0), REFUSED);
	assert_answer(path_call(GUEST_CALL_chdir, "/bin", 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_fchdir, FOLDER, 0, 0, 0, 0, 0), REFUSED);
	policy_use("default allow\nread /etc\nrelative read\n");
	assert_answer(path_call(GUEST_CALL_chdir, "/etc", 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_fchdir, FOLDER, 0, 0, 0, 0, 0), PASS);
	policy_use("default allow\nread /etc\n");
	assert_answer(path_call(GUEST_CALL_chdir, "/etc", 0, 0), PASS);
	assert_served(path_call(GUEST_CALL_chdir, "x", 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_fchdir, FOLDER, 0, 0, 0, 0, 0), PASS);
}

/* A guest can open each folder that it may read, so a path below a descriptor is one to read only. */
static void test_below_descriptor(void **state)
{
	static const word writers[] = { GUEST_CALL_mkdirat,  GUEST_CALL_unlinkat,
					GUEST_CALL_mknodat,  GUEST_CALL_fchmodat,
					GUEST_CALL_fchownat, GUEST_CALL_utimensat,
					GUEST_CALL_execveat };

	(void)state;
	policy_use("default allow\nread /etc\nwrite /\nexecute /\nrelative write execute\n");
	for (unsigned int i = 0; i < array_size(writers); i++) {
		assert_served(at_call(writers[i], FOLDER, "x", 0, 0), REFUSED);
		assert_answer(at_call(writers[i], FOLDER, "/x", 0, 0), PASS);
		assert_answer(at_call(writers[i], HERE, "x", 0, 0), PASS);
	}
	assert_served(at_call(GUEST_CALL_openat, FOLDER, "x", O_WRONLY, 0), REFUSED);
	assert_served(at_call(GUEST_CALL_openat, FOLDER, "x", O_CREAT, 0), REFUSED);
	assert_answer(at_call(GUEST_CALL_openat, FOLDER, "x", 0, 0), PASS);
	assert_answer(at_call(GUEST_CALL_openat, FOLDER, "/x", O_WRONLY, 0), PASS);
	assert_answer(at_call(GUEST_CALL_openat, HERE, "x", O_WRONLY, 0), PASS);
	assert_answer(at_call(GUEST_CALL_openat, (uint32_t)HERE, "x", O_WRONLY, 0), PASS);
	assert_answer(at_call(GUEST_CALL_newfstatat, FOLDER, "x", AT2, 0), PASS);
	two_paths("x", "y");
	assert_served(fake_call(ID, GUEST_CALL_linkat, FOLDER, AT, HERE, AT2, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_linkat, HERE, AT, FOLDER, AT2, 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_linkat, HERE, AT, HERE, AT2, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_renameat, FOLDER, AT, HERE, AT2, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_renameat2, HERE, AT, FOLDER, AT2, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_symlinkat, AT, FOLDER, AT2, 0, 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_symlinkat, AT, HERE, AT2, 0, 0, 0), PASS);
	fake_put_text(AT, "x");
	assert_served(fake_call(ID, GUEST_CALL_fanotify_mark, 3, 1, 2, FOLDER, AT, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_inotify_add_watch, 3, AT, 2, 0, 0, 0), PASS);
}

/* The folder of a relative path can be one of /proc, whose links root and cwd lead out of it. */
static void test_relative_links_of_proc(void **state)
{
	static const char *const paths[] = { "root",	"cwd",	     "root/etc",
					     "1/cwd/x", "a/../root", "task/1/root/" };

	(void)state;
	policy_use("default allow\nread /proc/self\nrelative read\n");
	for (unsigned int i = 0; i < array_size(paths); i++) {
		assert_path(paths[i], 0, NULL);
		assert_served(at_call(GUEST_CALL_openat, FOLDER, paths[i], 0, 0), REFUSED);
	}
	assert_path("rooty", 0, "rooty");
	assert_path("a/cwdx", 0, "a/cwdx");
	policy_use("default allow\nread /\nrelative read\n");
	assert_path("root", 0, NULL);
	policy_use("default allow\nread /pro /processes /tmp\nrelative read\n");
	assert_path("root/x", 0, "root/x");
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

/* Another thread of the guest changes the path at each kernel call. Linux reads the checked path. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		SANDBOX_TEST(test_normalise),
		SANDBOX_TEST(test_normalise_random),
		SANDBOX_TEST(test_paths),
		SANDBOX_TEST(test_open_flags),
		SANDBOX_TEST(test_openat2),
		SANDBOX_TEST(test_accesses),
		SANDBOX_TEST(test_two_paths),
		SANDBOX_TEST(test_symlink),
		SANDBOX_TEST(test_names_of_rules),
		SANDBOX_TEST(test_device_nodes),
		SANDBOX_TEST(test_working_folder),
		SANDBOX_TEST(test_below_descriptor),
		SANDBOX_TEST(test_relative_links_of_proc),
		SANDBOX_TEST(test_bad_pointers),
		SANDBOX_TEST(test_changing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
