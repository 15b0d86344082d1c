// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that a user without privileges can run guests, but gets no privileges by them. Set-user-ID programs run as the
 * user, and requests for other processes are refused. A user's guests do not use up those of other users. The program
 * starts as root. All users can open /dev/limpet/guest, and /tmp/privilege is this program with set-user-ID root.
 */
#include "tests/system/lib/guest.h"

#include <grp.h>
#include <pthread.h>
#include <sys/prctl.h>

#define USER 1000
#define OTHER_USER 1001

static int device;

static void become(uid_t user)
{
	EXPECT(!setgroups(0, NULL) && !setresgid(user, user, user) && !setresuid(user, user, user));
	device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
	EXPECT(device >= 0);
}

static long request(unsigned long command, const void *argument)
{
	return ioctl(device, command, argument) < 0 ? -errno : 0;
}

/* Executed by a guest or by a user. The status shows whether it is a guest, and whether it is root. */
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
		become(USER);
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
		become(USER);
		for (;;)
			pause();
	}
	pause_us(20000);
	pid = fork();
	if (!pid) {
		become(USER);
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

/* Tests that a guest cannot release itself or change its filter. */
static void check_self(void)
{
	pid_t pid;

	section("a guest cannot release itself or change its filter");
	pid = fork();
	if (!pid) {
		struct limpet_guest_enter how = { .component = LIMPET_GUEST_ANY };
		struct limpet_guest_filter filter = { .pid = (uint32_t)getpid() };

		memset(how.filter, 0xff, sizeof(how.filter));
		become(USER);
		EQUAL(request(LIMPET_GUEST_IOC_ENTER, &how), 0);
		EQUAL(request(LIMPET_GUEST_IOC_FILTER, &filter), -EPERM);
		EQUAL(ioctl(device, LIMPET_GUEST_IOC_RELEASE, getpid()) < 0 ? -errno : 0, -EPERM);
		EQUAL(raw_getppid(), PROBE_VALUE);
		child_exit();
	}
	GOOD(pid);
}

#define BEYOND 3 /* threads that cannot be guests */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static volatile int guests, others;

static void *thread_main(void *unused)
{
	__atomic_fetch_add(raw_getppid() == PROBE_VALUE ? &guests : &others, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return unused;
}

/*
 * Runs a process of the user with the maximum number of the user's guests. Writes a byte when it has them, and reads
 * one.
 */
static void __attribute__((noreturn)) crowd(int ready, int go)
{
	struct limpet_guest_enter how = { .component = LIMPET_GUEST_ANY,
					  .flags = LIMPET_GUEST_OPEN };
	static pthread_t thread[LIMPET_GUESTS_OF_USER + BEYOND - 1]; /* besides this one */
	const int count = (int)(sizeof(thread) / sizeof(*thread));
	const double end = seconds() + 60;
	pthread_attr_t small;
	char byte = 0;

	how.filter[SYS_getppid / 64] = 1ul << SYS_getppid % 64;
	become(USER);
	EQUAL(request(LIMPET_GUEST_IOC_ENTER, &how), 0);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_mutex_lock(&held);
	for (int i = 0; i < count; i++)
		EQUAL(pthread_create(&thread[i], &small, thread_main, NULL), 0);
	while (guests + others < count && seconds() < end)
		pause_us(1000);
	EQUAL(guests, LIMPET_GUESTS_OF_USER - 1);
	EQUAL(others, BEYOND);
	EQUAL(write(ready, &byte, 1), 1);
	EQUAL(read(go, &byte, 1), 1);
	pthread_mutex_unlock(&held);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	child_exit();
}

/* Returns 0, or the error with which a process of the user cannot become a guest. */
static int enter_error(uid_t user)
{
	pid_t pid = fork();

	if (!pid) {
		struct limpet_guest_enter how = { .component = LIMPET_GUEST_ANY };

		become(user);
		_exit((int)-request(LIMPET_GUEST_IOC_ENTER, &how));
	}
	const int status = child_wait(pid, 20);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

static void check_crowd(void)
{
	const double end = seconds() + 20;
	int ready[2], go[2];
	char byte = 0;
	pid_t pid;

	section("a user's guests are bounded, and other users have theirs");
	EXPECT(!pipe(ready) && !pipe(go));
	pid = fork();
	if (!pid) {
		close(ready[0]);
		crowd(ready[1], go[0]);
	}
	close(ready[1]);
	EQUAL(read(ready[0], &byte, 1), 1);
	EQUAL(enter_error(USER), EDQUOT);
	EQUAL(enter_error(OTHER_USER), 0);
	EQUAL(enter_error(0), 0);
	EQUAL(write(go[1], &byte, 1), 1);
	GOOD(pid);
	section("ended guests do not count");
	while (enter_error(USER) && seconds() < end)
		pause_us(10000);
	EQUAL(enter_error(USER), 0);
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
	check_crowd();
	return sections_finish();
}
