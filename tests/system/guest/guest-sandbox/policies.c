// SPDX-License-Identifier: GPL-2.0
/* Checks the policies ports.toml and deadly.toml, of which the first argument names one. Another word checks nothing. */
#include "tests/system/lib/guest.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

static int error_of(long result)
{
	return result < 0 ? errno : 0;
}

static int opens(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd >= 0)
		close(fd);
	return fd;
}

static int inet_call(int (*call)(int, const struct sockaddr *, socklen_t), const char *address,
		     int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), error;

	inet_pton(AF_INET, address, &at.sin_addr);
	error = error_of(call(fd, (void *)&at, sizeof(at)));
	close(fd);
	return error;
}

static int unix_call(int (*call)(int, const struct sockaddr *, socklen_t), const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), error;

	strcpy(at.sun_path, path);
	error = error_of(call(fd, (void *)&at, sizeof(at)));
	close(fd);
	return error;
}

/* Returns the wait(2) status of a child that runs `act`. */
static int child_status(void (*act)(void))
{
	pid_t child = fork();

	if (!child) {
		act();
		_exit(CHILD_GOOD);
	}
	return child_wait(child, 20);
}

#define DIES(act)                                                                                  \
	do {                                                                                       \
		int status_ = child_status(act);                                                   \
                                                                                                   \
		if (status_ < 0 || !WIFSIGNALED(status_) || WTERMSIG(status_) != SIGSYS)           \
			failed("line %d: status 0x%x", __LINE__, status_);                         \
	} while (0)

static void do_nothing(void)
{
}

static void do_sync(void)
{
	sync();
}

static void do_open(void)
{
	opens("/tmp/race/hide", O_RDONLY);
}

static void do_dots(void)
{
	opens("/tmp/race/none/../hide", O_RDONLY);
}

static void do_connect(void)
{
	inet_call(connect, "127.0.0.1", 7002);
}

static void do_unknown(void)
{
	getpriority(PRIO_PROCESS, 0);
}

static void *thread_run(void *unused)
{
	do_open();
	return unused;
}

/* The call of one thread ends the whole process. */
static void do_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, thread_run, NULL))
		pthread_join(thread, NULL);
}

static void ports_check(void)
{
	section("a call that the policy denies");
	EQUAL(raw_getppid(), -EPERM);
	section("a call that the policy kills");
	DIES(do_sync);
	section("files that may only be read");
	EQUAL(error_of(opens("/tmp/race/open", O_RDONLY)), 0);
	EQUAL(error_of(opens("/tmp/race/open", O_RDWR)), EPERM);
	EQUAL(error_of(opens("/tmp/race/open", O_RDONLY | O_TRUNC)), EPERM);
	EQUAL(error_of(opens("/tmp/race/hide", O_RDONLY)), EPERM);
	EQUAL(error_of(opens("/tmp/race/open2", O_RDONLY)), EPERM);
	EQUAL(error_of(opens("open", O_RDWR)), EPERM);
	section("single ports");
	EQUAL(inet_call(connect, "127.0.0.1", 7001), 0);
	EQUAL(inet_call(bind, "127.0.0.1", 7001), 0);
	EQUAL(inet_call(connect, "127.0.0.1", 7002), EPERM);
	EQUAL(inet_call(connect, "127.0.0.2", 7001), EPERM);
	EQUAL(inet_call(bind, "127.0.0.1", 7002), EPERM);
	EQUAL(inet_call(bind, "0.0.0.0", 7001), EPERM);
	section("unix sockets without a rule");
	EQUAL(unix_call(connect, "/tmp/race/mine"), EPERM);
	EQUAL(unix_call(bind, "/tmp/race/mine/socket"), EPERM);
}

static void deadly_check(void)
{
	section("permitted calls");
	EXPECT(raw_getppid() >= 0);
	EQUAL(error_of(opens("/tmp/race/open", O_RDONLY)), 0);
	EQUAL(inet_call(connect, "127.0.0.1", 7001), 0);
	EQUAL(WEXITSTATUS(child_status(do_nothing)), CHILD_GOOD);
	section("a refused path ends the process");
	DIES(do_open);
	DIES(do_dots);
	section("a refused address ends the process");
	DIES(do_connect);
	section("a call without a rule ends the process");
	DIES(do_unknown);
	section("the call of a thread ends the whole process");
	DIES(do_thread);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "ports"))
		ports_check();
	else if (!strcmp(argv[1], "deadly"))
		deadly_check();
	return sections_finish();
}
