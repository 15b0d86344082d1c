// SPDX-License-Identifier: GPL-2.0
/*
 * Runs guests that fork, execute programs, exit, kill, trace, stop and continue each other, and create threads and
 * namespaces, at random and at the same time. Checks only that they can be ended. Arguments: seconds, and a seed. Without
 * a seed each run has another one. The name of the first verdict has it, so that a run can be repeated with the same
 * choices. The order in which Linux runs the workers is still another one.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>
#include <sys/ptrace.h>

#define WORKERS 6

static const char *self;
static volatile pid_t *workers;
static uint64_t second;

static void *thread_main(void *unused)
{
	for (int i = 0; i < 30; i++)
		raw_getppid();
	return unused;
}

static int clone_main(void *unused)
{
	(void)unused;
	raw_getppid();
	return 0;
}

/* Forks a worker, and records an error. Signals must not make fork() fail. */
static pid_t fork_noted(void)
{
	const pid_t pid = fork();

	if (pid < 0)
		workers[WORKERS] = errno;
	return pid;
}

static pid_t someone(uint64_t *seed)
{
	return workers[random_next(seed) % WORKERS];
}

/* Executes this program as a worker that continues with the random numbers. */
static void worker_execute(uint64_t seed)
{
	char number[24];

	snprintf(number, sizeof(number), "%#lx", seed);
	execl(self, self, "worker", number, NULL);
}

static void act(uint64_t *seed)
{
	static uint8_t stack[32768] __attribute__((aligned(16)));
	pthread_t thread;
	pid_t pid, other;

	switch (random_next(seed) % 16) {
	case 0:
		if (!fork_noted())
			_exit(0);
		break;
	case 1:
		pid = fork_noted();
		if (!pid)
			execl(self, self, "executed", NULL);
		if (pid > 0 && random_next(seed) & 1)
			kill(pid, SIGKILL);
		break;
	case 2:
		if (!pthread_create(&thread, NULL, thread_main, NULL))
			pthread_detach(thread);
		break;
	case 3:
		other = someone(seed);
		if (other > 0 && other != getpid() && !(random_next(seed) % 8))
			kill(other, SIGKILL);
		break;
	case 4:
		other = someone(seed);
		if (other > 0 && other != getpid()) {
			kill(other, SIGSTOP);
			sched_yield();
			kill(other, SIGCONT);
		}
		break;
	case 5:
		other = someone(seed);
		if (other > 0 && other != getpid() && !ptrace(PTRACE_SEIZE, other, 0, 0)) {
			ptrace(PTRACE_INTERRUPT, other, 0, 0);
			pause_us(500);
			waitpid(other, NULL, WNOHANG | __WALL);
			ptrace(PTRACE_DETACH, other, 0, 0);
		}
		break;
	case 6:
		pid = fork_noted();
		if (!pid) {
			unshare(CLONE_NEWPID);
			if (!fork())
				_exit(raw_getppid() < 0);
			_exit(0);
		}
		break;
	case 7: {
		char path[40];
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", someone(seed),
			 random_next(seed) & 1 ? "uts" : "ipc");
		fd = open(path, O_RDONLY | O_CLOEXEC);
		pid = fork_noted();
		if (!pid) {
			setns(fd, 0);
			_exit(0);
		}
		close(fd);
		break;
	}
	case 8:
		pid = clone(clone_main, stack + sizeof(stack), SIGCHLD | CLONE_VM, NULL);
		waitpid(pid, NULL, 0);
		break;
	case 9:
		probe_run(second / 5000);
		break;
	case 10:
		probe_wait(second / 2000, 0);
		break;
	case 11:
		raw(508, 0, 0, 0);
		break;
	case 12:
		probe_mode((long)(random_next(seed) % 5)); /* serve to replace */
		raw_getppid();
		break;
	case 13:
		if (!(random_next(seed) % 4))
			worker_execute(*seed);
		break;
	case 14: {
		uint8_t *at = (uint8_t *)0x300000000000;

		probe_map(at, 16 * 4096, 1);
		if (raw(499, 0, 0, 0) >= 0) {
			raw(SYS_getrandom, (long)at, 65536, 0);
			probe_revoke(at, 16 * 4096);
		}
		munmap(at, 16 * 4096);
		break;
	}
	default:
		if (!(random_next(seed) % 6))
			_exit(0);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void __attribute__((noreturn)) worker(uint64_t seed)
{
	for (;;)
		act(&seed);
}

/*
 * Two workers that stop or trace each other stop running, and finally all of them would. Therefore
 * one is killed every 100 ms, and all are continued.
 */
static void stir(uint64_t *seed)
{
	const pid_t pid = someone(seed);

	for (int i = 0; i < WORKERS; i++)
		if (workers[i] > 0)
			kill(workers[i], SIGCONT);
	if (pid > 0)
		kill(pid, SIGKILL);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : ticks_now();
	uint64_t seeds = ~seed; /* of the workers, so that their numbers do not depend on stir() */
	double end, min, next = 0;
	char name[80];
	int died = 0;
	pid_t pid;

	self = argv[0];
	second = 2000000000;
	workers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc > 1 && !strcmp(argv[1], "executed"))
		return 0;
	if (argc > 1 && !strcmp(argv[1], "worker"))
		worker(seed);
	min = seconds() + atof(argv[1]);
	end = min + 60;
	snprintf(name, sizeof(name), "all kinds of operations at the same time, seed %#lx", seed);
	section(name);
	while (seconds() < min || (died <= 10 && seconds() < end)) {
		for (int i = 0; i < WORKERS; i++) {
			if (workers[i] > 0 && !waitpid(workers[i], NULL, WNOHANG))
				continue;
			died += workers[i] > 0;
			random_next(&seeds);
			/* Parent and child share `workers`, so the result is checked before it is stored there. */
			pid = fork();
			if (!pid) {
				setpgid(0, 0);
				worker(seeds);
			}
			workers[i] = pid;
			if (pid > 0)
				setpgid(pid, pid);
			else
				failed("fork: %s", strerror(errno));
		}
		if (seconds() > next) {
			stir(&seed);
			next = seconds() + 0.1;
		}
		pause_us(3000);
	}
	EXPECT(died > 10);
	EQUAL(workers[WORKERS], 0);
	section("all can be ended");
	for (int i = 0; i < WORKERS; i++) {
		if (workers[i] <= 0)
			continue;
		kill(-workers[i], SIGKILL);
		EXPECT(child_wait(workers[i], 10) >= 0);
	}
	pause_us(100000);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return sections_finish();
}
