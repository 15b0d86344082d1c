// SPDX-License-Identifier: GPL-2.0
/*
 * A host process whose host thread ends in one of the ways that leave the device open:
 *
 *   leave IMAGE thread      the host thread exits, its process continues
 *   leave IMAGE exec        the process execs, with the descriptor inherited
 *   leave IMAGE exec-self   the host thread itself execs in the same way
 *   leave IMAGE exec-shared the same without the descriptor, which another process holds and then closes
 *   leave IMAGE closed      the host thread closes the descriptor and continues, then another process closes its own
 *   leave IMAGE killed      the process is killed, another one holds the descriptor
 *
 * The system must end by itself, with the reason LIMPET_END_HOST. STOP must return. The remaining state must be freed
 * when the last descriptor is closed. After exec-shared and closed the host thread still lives then.
 */
#include "../../lib/test_host.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

static const char *way;
static pid_t group; /* the host process's group */
static int device, kept[2];

static bool is_shared(void)
{
	return !strcmp(way, "exec-shared") || !strcmp(way, "closed");
}

/* Kills the remaining processes, because they would keep the caller's pipe open. */
static void clean_up(void)
{
	kill(-group, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void become_another(void)
{
	char *const arguments[] = { "sleep", "100", NULL };

	execv("/bin/sleep", arguments);
	_exit(127);
}

static void in_host_thread(int signal)
{
	(void)signal;
	if (!strcmp(way, "exec-self") || !strcmp(way, "exec-shared"))
		become_another();
	if (strcmp(way, "closed"))
		syscall(SYS_exit, 0);
	close(device);
	close(kept[1]);
	for (;;)
		pause();
}

/* Makes a process that closes the descriptor shortly after this one has. */
static void share(void)
{
	char byte;

	if (pipe2(kept, O_CLOEXEC))
		die("pipe");
	if (fork())
		return;
	close(kept[1]);
	(void)!read(kept[0], &byte, 1);
	pause_us(100000);
	_exit(0);
}

/* Runs the host process, which reports through the pipe that its system runs. */
static void host_live(const char *image, int started)
{
	struct test_host host = {
		.fd = open(LIMPET_DEVICE, O_RDWR | (is_shared() ? O_CLOEXEC : 0)),
		.priority = 50,
	};
	struct sigaction action = { .sa_handler = in_host_thread };

	device = host.fd;
	sigaction(SIGUSR1, &action, NULL);
	test_load(host.fd, image, 1, 60);
	if (!strcmp(way, "killed") && !fork()) {
		pause();
		_exit(0);
	}
	if (is_shared())
		share();
	test_start(&host);
	if (!test_runs(host.fd, 0, 10, 10))
		die("nothing runs");
	write(started, "+", 1);
	if (!strcmp(way, "exec"))
		become_another();
	if (!strcmp(way, "killed"))
		kill(getpid(), SIGKILL);
	syscall(SYS_tgkill, getpid(), host.tid, SIGUSR1);
	for (;;)
		pause();
}

static void await_end(int fd)
{
	double end = seconds() + 20;
	struct limpet_ioc_info info;

	do {
		info = device_info(fd);
		if (info.end_reason)
			break;
		pause_us(1000);
	} while (seconds() < end);
	if (info.end_reason != LIMPET_END_HOST)
		die("state %u, end reason %u: the exit was not noticed", info.state,
		    info.end_reason);
}

static void wake(int signal)
{
	(void)signal;
}

static void stop(int fd)
{
	struct sigaction action = { .sa_handler = wake };

	sigaction(SIGALRM, &action, NULL);
	alarm(20);
	if (ioctl(fd, LIMPET_IOC_STOP) && errno != ENODEV)
		die("LIMPET_IOC_STOP: %s", errno == EINTR ? "it does not return" : strerror(errno));
	alarm(0);
}

int main(int argc, char **argv)
{
	int fd = device_open();
	int started[2];
	char byte;

	way = argc > 2 ? argv[2] : "thread";
	if (pipe2(started, O_CLOEXEC))
		die("pipe");
	group = fork();
	if (!group) {
		setpgid(0, 0);
		host_live(argv[1], started[1]);
	}
	setpgid(group, group);
	atexit(clean_up);
	close(started[1]);
	if (read(started[0], &byte, 1) != 1)
		die("the host process did not start");
	if (!is_shared()) {
		await_end(fd);
		stop(fd);
		clean_up();
	}
	if (!device_empty_within(fd, 20))
		die("the system is still there");
	return 0;
}
