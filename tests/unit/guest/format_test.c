// SPDX-License-Identifier: GPL-2.0
/* Tests texts of calls that test_strace.py cannot make: interrupted, unfinished, of threads, with invalid lists. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/format.h>

#include "memory.h"

static int setup(void **state)
{
	(void)state;
	traced_clear();
	return 0;
}

static word put_text(word offset, const char *text)
{
	return traced_put(offset, text, strlen(text) + 1);
}

static void test_phases(void **state)
{
	const word open[GUEST_ARGUMENTS] = { (word)GUEST_AT_FDCWD, put_text(100, "/etc/passwd"),
					     02000000 };
	const word read[GUEST_ARGUMENTS] = {
		3, traced_put(0, "root:x:0:0:root:/root:/bin/bash\n...", 36), 4096
	};
	struct guest_line line;
	char buffer[200];

	(void)state;
	guest_line_begin(&line, buffer, sizeof(buffer), &traced_guest, GUEST_CALL_openat, open);
	assert_string_equal(buffer, "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC");
	guest_line_end(&line, 3);
	assert_string_equal(buffer, "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = 3");
	guest_line_begin(&line, buffer, sizeof(buffer), &traced_guest, GUEST_CALL_read, read);
	assert_string_equal(buffer, "read(3");
	guest_line_end(&line, 1743);
	assert_string_equal(buffer,
			    "read(3, \"root:x:0:0:root:/root:/bin/bash\\n\"..., 4096) = 1743");
	assert_false(line.text.cut);
}

static void test_without_result(void **state)
{
	const word arguments[GUEST_ARGUMENTS] = { 3, MEMORY_BASE, 10 };
	struct guest_line line;
	char buffer[200];

	(void)state;
	guest_line_begin(&line, buffer, sizeof(buffer), &traced_guest, GUEST_CALL_exit_group,
			 arguments);
	guest_line_lost(&line);
	assert_string_equal(buffer, "exit_group(3) = ?");
	guest_line_begin(&line, buffer, sizeof(buffer), &traced_guest, GUEST_CALL_read, arguments);
	guest_line_lost(&line);
	assert_string_equal(buffer, "read(3, 0x700000000000, 10) = ?");
	guest_line_begin(&line, buffer, sizeof(buffer), &traced_guest, GUEST_CALL_read, arguments);
	guest_line_unfinished(&line);
	assert_string_equal(buffer, "read(3 <unfinished ...>");
}

static void test_errors(void **state)
{
	(void)state;
	assert_string_equal(TEXT(-2, close, 3), "close(3) = -1 ENOENT (No such file or directory)");
	assert_string_equal(TEXT(-11, close, 3),
			    "close(3) = -1 EAGAIN (Resource temporarily unavailable)");
	assert_string_equal(TEXT(-4000, close, 3), "close(3) = -1 (errno 4000)");
	assert_string_equal(TEXT(-4095, close, 3), "close(3) = -1 (errno 4095)");
	assert_string_equal(TEXT(-4096, lseek, 3, 0, 0), "lseek(3, 0, SEEK_SET) = -4096");
	assert_string_equal(TEXT(-512, pause),
			    "pause() = ? ERESTARTSYS (To be restarted if SA_RESTART is set)");
	assert_string_equal(TEXT(-513, pause), "pause() = ? ERESTARTNOINTR (To be restarted)");
	assert_string_equal(TEXT(-514, pause),
			    "pause() = ? ERESTARTNOHAND (To be restarted if no handler)");
	assert_string_equal(TEXT(-516, pause),
			    "pause() = ? ERESTART_RESTARTBLOCK (Interrupted by signal)");
	assert_string_equal(TEXT(0x7000, brk, 0), "brk(NULL) = 0x7000");
}

static void test_interrupted(void **state)
{
	const long time[] = { 1, 500 };
	word at = traced_put(0, time, sizeof(time));

	(void)state;
	assert_non_null(strstr(TEXT(-516, nanosleep, at, at),
			       "}, {tv_sec=1, tv_nsec=500}) = ? ERESTART_RESTARTBLOCK"));
	assert_string_equal(TEXT(0, nanosleep, at, at),
			    "nanosleep({tv_sec=1, tv_nsec=500}, 0x700000000000) = 0");
	assert_string_equal(
		TEXT(-4, nanosleep, at, at),
		"nanosleep({tv_sec=1, tv_nsec=500}, {tv_sec=1, tv_nsec=500}) = -1 EINTR "
		"(Interrupted system call)");
}

static void test_status(void **state)
{
	static const struct {
		unsigned int status;
		const char *text;
	} cases[] = {
		{ 0x0300, "WIFEXITED(s) && WEXITSTATUS(s) == 3" },
		{ 0x0009, "WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL" },
		{ 0x008b, "WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV && WCOREDUMP(s)" },
		{ 0x137f, "WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP" },
		{ 0xffff, "WIFCONTINUED(s)" },
	};
	char wanted[200];

	(void)state;
	for (unsigned int i = 0; i < array_size(cases); i++) {
		word at = traced_put(0, &cases[i].status, sizeof(cases[i].status));

		limpet_format(wanted, sizeof(wanted), "wait4(-1, [{%s}], 0, NULL) = 9",
			      cases[i].text);
		assert_string_equal(TEXT(9, wait4, (word)-1, at), wanted);
	}
}

static void test_clone(void **state)
{
	word thread = 0x3d0f00, id = traced_put(0, &(int){ 77 }, 4);
	const word arguments[] = { 0x3d0f00, 0, 0, 0, 0, 0x1000, 0x8000, 0x5000 };

	(void)state;
	assert_string_equal(
		TEXT(77, clone, thread, 0x5000, id, 0x6000, 0x7000),
		"clone(child_stack=0x5000, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|"
		"CLONE_SETTLS|CLONE_PARENT_SETTID|CLONE_CHILD_CLEARTID, parent_tid=[77], tls=0x7000, child_tidptr=0x6000) "
		"= 77");
	assert_string_equal(TEXT(5, clone, 0), "clone(child_stack=NULL, flags=0) = 5");
	id = traced_put(0, arguments, sizeof(arguments));
	assert_string_equal(
		TEXT(77, clone3, id, 88),
		"clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|CLONE_SETTLS|"
		"CLONE_PARENT_SETTID|CLONE_CHILD_CLEARTID, child_tid=NULL, parent_tid=NULL, exit_signal=0, stack=0x1000, "
		"stack_size=0x8000, tls=0x5000}, 88) = 77");
}

static void test_lists(void **state)
{
	const unsigned short entries[] = { [8] = 24, [20] = 40, [40] = 0 };
	const word pointers[] = { MEMORY_BASE + 100, MEMORY_BASE + 100, 0 };
	word at = traced_put(0, entries, sizeof(entries)), end = MEMORY_BASE + MEMORY_SIZE - 16;

	(void)state;
	assert_string_equal(TEXT(64, getdents64, 3, at, 100),
			    "getdents64(3, 0x700000000000 /* 2 entries */, 100) = 64");
	assert_string_equal(TEXT(24, getdents, 3, at, 100),
			    "getdents(3, 0x700000000000 /* 1 entry */, 100) = 24");
	assert_string_equal(TEXT(65, getdents64, 3, at, 100),
			    "getdents64(3, 0x700000000000, 100) = 65");
	put_text(100, "x");
	traced_put(MEMORY_SIZE - 16, pointers, 16);
	assert_string_equal(
		TEXT(-2, execve, MEMORY_BASE + 100, end, end),
		"execve(\"x\", [\"x\", \"x\", ... /* 0x700000004000 */], 0x700000003ff0 /* 2 vars, unterminated */) = -1 ENOENT "
		"(No such file or directory)");
	assert_string_equal(
		TEXT(-2, execve, 0, end + 16, 0),
		"execve(NULL, 0x700000004000, NULL) = -1 ENOENT (No such file or directory)");
}

static void test_structs_end(void **state)
{
	const struct {
		int fd;
		short events, revents;
	} list[] = { { 1, 1, 1 }, { 2, 4, 0 } };
	word end = traced_put(MEMORY_SIZE - 16, list, 16);

	(void)state;
	assert_string_equal(
		TEXT(1, poll, end, 2, (word)-1),
		"poll([{fd=1, events=POLLIN}, {fd=2, events=POLLOUT}], 2, -1) = 1 ([{fd=1, revents=POLLIN}])");
	assert_string_equal(
		TEXT(2, poll, end, 3, 5),
		"poll([{fd=1, events=POLLIN}, {fd=2, events=POLLOUT}, ... /* 0x700000004000 */], "
		"3, 5) = 2 ([{fd=1, revents=POLLIN}, ...])");
	assert_string_equal(TEXT(1, poll, end + 16, 3, 5),
			    "poll(0x700000004000, 3, 5) = 1 ([...])");
}

static void test_message(void **state)
{
	const word message[] = { 0, 0, 0, 0, 0x5000, 24, 0x20 };
	word at = traced_put(0, message, sizeof(message));

	(void)state;
	assert_string_equal(TEXT(0, sendmsg, 3, at, 0),
			    "sendmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=NULL, msg_iovlen=0, "
			    "msg_control=0x5000, msg_controllen=24, msg_flags=MSG_TRUNC}, 0) = 0");
}

/* Prints only the bytes of the buffers that were read. */
static void test_vector(void **state)
{
	const word vector[] = { MEMORY_BASE + 100, 2, MEMORY_BASE + 100, 5, MEMORY_BASE + 100, 5 };
	word at = traced_put(0, vector, sizeof(vector));

	(void)state;
	traced_put(100, "abcdef", 6);
	assert_string_equal(TEXT(4, readv, 3, at, 3),
			    "readv(3, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"ab\", iov_len=5}, "
			    "{iov_base=\"\", iov_len=5}], 3) = 4");
	assert_string_equal(TEXT(-4, readv, 3, at, 3),
			    "readv(3, 0x700000000000, 3) = -1 EINTR (Interrupted system call)");
}

/* Text that ends where memory ends is printed as its address, without the part that was read. */
static void test_text_end(void **state)
{
	(void)state;
	memset(traced.bytes + MEMORY_SIZE - 100, 'x', 100);
	assert_string_equal(TEXT(-14, chdir, MEMORY_BASE + MEMORY_SIZE - 100),
			    "chdir(0x700000003f9c) = -1 EFAULT (Bad address)");
}

static void test_length(void **state)
{
	word at = traced_put(0, &(int){ -5 }, 4);

	(void)state;
	assert_string_equal(TEXT(4, accept, 3, MEMORY_BASE + 100, at),
			    "accept(3, 0x700000000064, [-5]) = 4");
	assert_string_equal(TEXT(4, accept, 3, MEMORY_BASE + 100, 5),
			    "accept(3, 0x700000000064, 0x5) = 4");
}

static void test_select(void **state)
{
	word set = traced_put(0, &(word){ 5 }, 8), empty = MEMORY_BASE + 64;

	(void)state;
	assert_string_equal(TEXT(2, select, 3, empty, 0, set, 0),
			    "select(3, [], NULL, [0 2], NULL) = 2 (except [0 2])");
	assert_string_equal(TEXT(2, select, 2000, 5, 0, empty, 0),
			    "select(2000, 0x5, NULL, [], NULL) = 2 ()");
}

static void test_odd(void **state)
{
	(void)state;
	assert_string_equal(
		traced_text(200, 5000, (const word[6]){ 1, 0, ~0ul }, -ESRCH),
		"syscall_0x1388(0x1, 0, 0xffffffffffffffff, 0, 0, 0) = -1 ESRCH (No such process)");
	assert_string_equal(TEXT(-ESRCH, vserver, 7),
			    "vserver(0x7, 0, 0, 0, 0, 0) = -1 ESRCH (No such process)");
	assert_string_equal(TEXT(0, sched_getaffinity, 0, 8, MEMORY_BASE),
			    "sched_getaffinity(0, 8, []) = 0");
	assert_string_equal(TEXT(2, fcntl, 3, 1),
			    "fcntl(3, F_GETFD) = 0x2 (flags 0x2 /* FD_??? */)");
	assert_string_equal(TEXT(0, fcntl, 3, 3), "fcntl(3, F_GETFL) = 0 (flags O_RDONLY)");
	assert_string_equal(TEXT(0, mknod, 0, 0644, 5), "mknod(NULL, 0644) = 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_phases, setup),
		cmocka_unit_test_setup(test_without_result, setup),
		cmocka_unit_test_setup(test_errors, setup),
		cmocka_unit_test_setup(test_interrupted, setup),
		cmocka_unit_test_setup(test_status, setup),
		cmocka_unit_test_setup(test_clone, setup),
		cmocka_unit_test_setup(test_lists, setup),
		cmocka_unit_test_setup(test_structs_end, setup),
		cmocka_unit_test_setup(test_message, setup),
		cmocka_unit_test_setup(test_vector, setup),
		cmocka_unit_test_setup(test_text_end, setup),
		cmocka_unit_test_setup(test_length, setup),
		cmocka_unit_test_setup(test_select, setup),
		cmocka_unit_test_setup(test_odd, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
