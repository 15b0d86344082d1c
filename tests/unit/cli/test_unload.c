// SPDX-License-Identifier: GPL-2.0
/*
 * Tests how the module is unloaded while processes have its nodes open. The test takes the place of delete_module(),
 * which refuses as long as one of its children is alive.
 */
#include "holders.h"
#include "said.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include <cli/common/command.h>
#include <cli/common/module.h>
#include <cli/common/rings.h>

#define MANY 600

static pid_t children[MANY];
static unsigned int alive;
static bool immortal; /* signals have no effect, and time passes only in pauses */
static double faked;  /* seconds */

/* Linux keeps the module while one of the children is alive. */
static long module_delete(void)
{
	while (alive && !immortal && waitpid(children[alive - 1], NULL, WNOHANG) > 0)
		alive--;
	errno = EAGAIN;
	return alive ? -1 : 0;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long argument[5];
	va_list values;

	if (number == SYS_delete_module)
		return module_delete();
	if (number == SYS_pidfd_send_signal && immortal)
		return 0;
	va_start(values, number);
	for (int i = 0; i < 5; i++)
		argument[i] = va_arg(values, long);
	va_end(values);
	return __real_syscall(number, argument[0], argument[1], argument[2], argument[3],
			      argument[4]);
}

double __real_seconds_now(void);
double __wrap_seconds_now(void);
double __wrap_seconds_now(void)
{
	return immortal ? faked : __real_seconds_now();
}

int __real_nanosleep(const struct timespec *time, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	if (!immortal)
		return __real_nanosleep(time, rest);
	faked += (double)time->tv_sec + (double)time->tv_nsec / 1e9;
	return 0;
}

static void holder_start(void)
{
	children[alive] = child_start(hold_open, "/dev/limpet/echo");
	alive++;
}

static void holders_stop(void)
{
	immortal = false;
	while (alive)
		child_end(children[--alive]);
}

/* Unloads with force. Returns the exit code, and how many lines it printed to stdout. */
static int unload_force(unsigned int *lines)
{
	FILE *kept = stdout;
	char *text = NULL;
	size_t size;
	int code;

	stdout = open_memstream(&text, &size);
	assert_non_null(stdout);
	code = module_unload(root, true);
	fclose(stdout);
	stdout = kept;
	*lines = 0;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		++*lines;
	free(text);
	return code;
}

/* Unloads, and returns the message. `said` keeps the text. */
static const char *refusal(struct said *said, bool force)
{
	unsigned int lines;
	int code;

	said_begin(said);
	code = force ? unload_force(&lines) : module_unload(root, false);
	said_end(said);
	assert_int_equal(code, COMMAND_REFUSED);
	return said->text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in: %s", part, text);
}

static void a_holder_is_named(void **state)
{
	char wanted[256];
	struct said said;

	(void)state;
	holder_start();
	immortal = true;
	snprintf(wanted, sizeof(wanted),
		 "%d (echo) has %s/dev/limpet/echo open. End that process first", children[0],
		 root);
	assert_has(refusal(&said, false), wanted);
	holders_stop();
}

static void all_holders_are_killed(void **state)
{
	unsigned int lines;

	(void)state;
	while (alive < MANY)
		holder_start();
	assert_int_equal(unload_force(&lines), COMMAND_OK);
	assert_int_equal(alive, 0);
	assert_int_equal(lines, MANY);
}

static void killing_ends_in_time(void **state)
{
	struct said said;

	(void)state;
	holder_start();
	immortal = true;
	faked = 0;
	assert_has(refusal(&said, true), "Killing that process has not helped within 10 s.");
	assert_true(faked >= 10 && faked < 12);
	holders_stop();
}

/* Passes a node to itself through a socket, and closes it. */
static void hold_in_flight(const char *name, int ready)
{
	char space[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = space,
				  .msg_controllen = sizeof(space) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int ends[2], fd = file_open(name);

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	assert_int_equal(sendmsg(ends[0], &message, 0), 1);
	close(fd);
	ready_say(ready);
}

static void what_proc_does_not_show_is_said(void **state)
{
	struct said said;

	(void)state;
	children[alive] = child_start(hold_in_flight, "/dev/limpet/sent");
	alive++;
	immortal = true;
	for (int force = 0; force < 2; force++)
		assert_has(refusal(&said, force),
			   "A file of Limpet is open, but /proc shows no process that has it.");
	holders_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_holder_is_named),
		cmocka_unit_test(all_holders_are_killed),
		cmocka_unit_test(killing_ends_in_time),
		cmocka_unit_test(what_proc_does_not_show_is_said),
	};

	if (root_make())
		return 1;
	nodes_make();
	return cmocka_run_group_tests(tests, NULL, root_remove);
}
