// SPDX-License-Identifier: GPL-2.0
/*
 * A user without rights may run guests, but gets no rights by it: set-user-ID programs run as the user, and requests for
 * other processes are refused. Started as root; /dev/limpet/guest is open to all, and /tmp/privilege is this program with
 * set-user-ID root.
 */
#include "tests/system/lib/guest.h"

#include <grp.h>
#include <sys/prctl.h>

#define USER 1000

static int device;

static void become_user(void)
{
	EXPECT(!setgroups(0, NULL) && !setresgid(USER, USER, USER) && !setresuid(USER, USER, USER));
}

static long request(unsigned long command, const void *argument)
{
	return ioctl(device, command, argument) < 0 ? -errno : 0;
}

/* Executed by a guest, or by a user. The status says who it is. */
static int who(const char *word)
{
	const bool guest = raw_getppid() == PROBE_VALUE, root = !geteuid();

	(void)word;
	return CHILD_GOOD + (guest ? 1 : 0) + (root ? 2 : 0);
}

static int run(bool enter, bool no_new_first)
{
	pid_t pid = fork();

	if (!pid) {
		struct limpet_guest_enter how = { .component = LIMPET_GUEST_ANY };

		memset(how.filter, 0xff, sizeof(how.filter));
		become_user();
		device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
		if (no_new_first)
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (enter && request(LIMPET_GUEST_IOC_ENTER, &how))
			_exit(1);
		if (enter && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
			_exit(2);
		execl("/tmp/privilege", "privilege", "who", NULL);
		_exit(3);
	}
	const int status = child_wait(pid, 10);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

static void check_others(void)
{
	struct limpet_guest_enter enter = { .component = LIMPET_GUEST_ANY };
	struct limpet_guest_filter filter = { 0 };
	pid_t other, pid;

	section("requests for other processes are refused, even for those of the same user");
	other = fork();
	if (!other) {
		become_user();
		for (;;)
			pause();
	}
	pause_us(20000);
	pid = fork();
	if (!pid) {
		become_user();
		device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
		for (int i = 0; i < 3; i++) {
			const pid_t to = i == 0 ? 1 : i == 1 ? other : getpid();

			enter.pid = filter.pid = (uint32_t)to;
			EQUAL(request(LIMPET_GUEST_IOC_ATTACH, &enter), -EPERM);
			EQUAL(request(LIMPET_GUEST_IOC_FILTER, &filter), -EPERM);
			EQUAL(ioctl(device, LIMPET_GUEST_IOC_RELEASE, to) < 0 ? -errno : 0, -EPERM);
		}
		child_exit();
	}
	GOOD(pid);
	kill(other, SIGKILL);
	KILLED(other, SIGKILL);
}

/* A guest cannot release itself, or change its filter. */
static void check_self(void)
{
	pid_t pid;

	section("a guest cannot release itself or change its filter");
	pid = fork();
	if (!pid) {
		struct limpet_guest_enter how = { .component = LIMPET_GUEST_ANY };
		struct limpet_guest_filter filter = { .pid = (uint32_t)getpid() };

		memset(how.filter, 0xff, sizeof(how.filter));
		become_user();
		device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
		EQUAL(request(LIMPET_GUEST_IOC_ENTER, &how), 0);
		EQUAL(request(LIMPET_GUEST_IOC_FILTER, &filter), -EPERM);
		EQUAL(ioctl(device, LIMPET_GUEST_IOC_RELEASE, getpid()) < 0 ? -errno : 0, -EPERM);
		EQUAL(raw_getppid(), PROBE_VALUE);
		child_exit();
	}
	GOOD(pid);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return who(argv[1]);
	section("without a guest, the program gets root's rights");
	EQUAL(run(false, false), CHILD_GOOD + 2);
	section("as a guest it does not");
	EQUAL(run(true, false), CHILD_GOOD + 1);
	EQUAL(run(true, true), CHILD_GOOD + 1);
	check_others();
	check_self();
	return sections_finish();
}
