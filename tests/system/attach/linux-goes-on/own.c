// SPDX-License-Identifier: GPL-2.0
/*
 * A host process that uses Linux like a host thread, while its components run continuously:
 *
 *   own IMAGE remap ROUNDS   its memory is remapped while the host thread reads it
 *   own IMAGE timer MS       real-time and CPU-time timers send signals to the host thread
 *   own IMAGE account MS [CPU]
 *                            CPU time is counted as that of the host thread, and as guest time of its process and CPU
 *
 * Its components are right unless the console prints "wrong".
 */
#include "../../lib/test_host.h"

#define PAGE 4096

static volatile char *shared; /* one page, which changes */
static volatile int seen = -1;
static volatile unsigned long rings;
static volatile unsigned long cpu_rings;

static void on_look(int signal)
{
	(void)signal;
	seen = *shared;
}

static void on_ring(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	rings += 1 + (unsigned long)info->si_overrun;
}

static void on_cpu_ring(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	cpu_rings += 1 + (unsigned long)info->si_overrun;
}

static void handle(int number, void (*one)(int), void (*three)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_handler = one };

	if (three) {
		action.sa_sigaction = three;
		action.sa_flags = SA_SIGINFO;
	}
	sigaction(number, &action, NULL);
}

/* Maps a new page at the same address many times. A stale translation would show the previous page. */
static void remap(struct test_host *host, unsigned long rounds)
{
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGUSR1, on_look, NULL);
	for (unsigned long i = 0; i < rounds; i++) {
		int value = (int)(i % 127);
		double end = seconds() + 20;

		mmap((void *)shared, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		*shared = (char)value;
		mprotect((void *)shared, PAGE, PROT_READ);
		seen = -1;
		syscall(SYS_tgkill, getpid(), host->tid, SIGUSR1);
		while (seen < 0)
			if (seconds() > end)
				die("round %lu: the host thread got no signal", i);
		if (seen != value)
			die("round %lu: the host thread saw %d, not %d", i, seen, value);
	}
}

static timer_t timer_for(struct test_host *host, clockid_t clock, int signal, long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal };
	struct itimerspec time = { { 0, ns }, { 0, ns } };
	timer_t timer;

	event._sigev_un._tid = host->tid;
	if (timer_create(clock, &event, &timer) || timer_settime(timer, 0, &time, NULL))
		die("timer_create: %s", strerror(errno));
	return timer;
}

static double cpu_seconds(struct test_host *host)
{
	struct timespec time;
	clockid_t clock;

	if (pthread_getcpuclockid(host->thread, &clock) || clock_gettime(clock, &time))
		die("no CPU clock of the host thread");
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int too_few(double wall, double cpu)
{
	return (double)rings < wall * 0.8 - 5 || (double)cpu_rings < cpu * 0.5 - 5;
}

static void timers(struct test_host *host, long ms)
{
	clockid_t clock;
	double begin = seconds(), cpu_begin = cpu_seconds(host), wall, cpu;
	timer_t one, two;

	handle(SIGUSR1, NULL, on_ring);
	handle(SIGUSR2, NULL, on_cpu_ring);
	pthread_getcpuclockid(host->thread, &clock);
	one = timer_for(host, CLOCK_MONOTONIC, SIGUSR1, 2000000);
	two = timer_for(host, clock, SIGUSR2, 10000000);
	/*
	 * Overruns count late rings, and CPU timers are checked in each tick. Many of the last rings may still be late.
	 */
	do {
		pause_us(10000);
		wall = (seconds() - begin) * 500;
		cpu = (cpu_seconds(host) - cpu_begin) * 100;
	} while (wall < (double)ms / 2 || (too_few(wall, cpu) && wall < (double)ms / 2 + 20 * 500));
	if (too_few(wall, cpu))
		die("the timers rang %lu and %lu times, not %.0f and %.0f", rings, cpu_rings, wall,
		    cpu);
	timer_delete(one);
	timer_delete(two);
	wall = (seconds() - begin) * 500;
	cpu = (cpu_seconds(host) - cpu_begin) * 100;
	if ((double)rings > wall * 1.2 + 5)
		die("the timer rang %lu times, not %.0f", rings, wall);
	if ((double)cpu_rings > cpu * 1.2 + 5)
		die("the CPU time's timer rang %lu times, not %.0f", cpu_rings, cpu);
}

#define TICKS_OF 4 /* kinds of ticks */
enum { USER, SYSTEM, GUEST, CPU_GUEST };

/* Reads number `index` after `after` in the first line of a file that has it. */
static unsigned long number_of(const char *path, const char *after, unsigned int index)
{
	char text[1024], *at = NULL, *save;
	FILE *file = fopen(path, "r");

	while (file && !at && fgets(text, sizeof(text), file))
		at = strstr(text, after);
	at = at ? strtok_r(at + strlen(after), " \n", &save) : NULL;
	while (at && --index)
		at = strtok_r(NULL, " \n", &save);
	if (!at)
		die("%s cannot be read", path);
	fclose(file);
	return strtoul(at, NULL, 10);
}

/* Reads utime and stime of the host thread, and the guest time of its process and of its CPU. */
static void ticks_of(struct test_host *host, unsigned long ticks[TICKS_OF])
{
	char path[64], cpu[16];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", host->tid);
	snprintf(cpu, sizeof(cpu), "cpu%u ", host->linux_cpu);
	ticks[USER] = number_of(path, ")", 12);
	ticks[SYSTEM] = number_of(path, ")", 13);
	ticks[GUEST] = number_of("/proc/self/stat", ")", 41);
	ticks[CPU_GUEST] = number_of("/proc/stat", cpu, 9);
}

/* Returns whether one number of ticks is at most a tenth and 3 more than the other. */
static int is_up_to(unsigned long one, unsigned long other)
{
	return one <= other + other / 10 + 3;
}

/*
 * Returns whether the CPU time is right. Otherwise writes the reason to `why`. Linux scales a thread's ticks to its CPU
 * time, but not its guest time, which lacks the ticks that a slow machine has lost.
 */
static int account_once(struct test_host *host, long ms, char why[200])
{
	double wall = seconds(), cpu = cpu_seconds(host);
	unsigned long before[TICKS_OF], t[TICKS_OF];

	ticks_of(host, before);
	pause_us(ms * 1000);
	ticks_of(host, t);
	cpu = cpu_seconds(host) - cpu;
	wall = seconds() - wall;
	for (int i = 0; i < TICKS_OF; i++)
		t[i] -= before[i];
	snprintf(
		why, 200,
		"%.3f s of CPU time in %.3f s, %lu ticks at user level, %lu in the kernel, %lu and %lu of guests",
		cpu, wall, t[USER], t[SYSTEM], t[GUEST], t[CPU_GUEST]);
	return cpu >= wall * 0.5 && cpu <= wall * 1.05 &&
	       (double)(t[USER] + t[SYSTEM]) >= cpu * 50 && t[USER] >= t[SYSTEM] * 4 &&
	       (double)t[GUEST] >= cpu * 40 && is_up_to(t[GUEST], t[CPU_GUEST]) &&
	       is_up_to(t[CPU_GUEST], t[GUEST]);
}

/* Repeats the measurement, because a pause of the machine distorts it. */
static void account(struct test_host *host, long ms)
{
	char why[200];

	for (int tries = 0; !account_once(host, ms, why); tries++)
		if (tries == 7)
			die("%s", why);
}

int main(int argc, char **argv)
{
	struct test_host host = { .fd = device_open(), .priority = 50 };
	long amount = strtol(argc > 3 ? argv[3] : "0", NULL, 0);
	sigset_t all, none;

	/* Only the host thread gets signals. */
	sigfillset(&all);
	sigemptyset(&none);
	handle(SIGUSR1, on_look, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	host.linux_cpu = (unsigned int)strtoul(argc > 4 ? argv[4] : "0", NULL, 0);
	test_load_from(host.fd, argv[1], host.linux_cpu, 1, 350);
	test_start(&host);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	if (!strcmp(argv[2], "remap"))
		remap(&host, (unsigned long)amount);
	else if (!strcmp(argv[2], "timer"))
		timers(&host, amount);
	else
		account(&host, amount);
	if (!test_runs(host.fd, 0, 1000, 10))
		die("components do not run any more");
	test_console_check(0, "right: ", "wrong");
	if (ioctl(host.fd, LIMPET_IOC_STOP))
		die("LIMPET_IOC_STOP: %s", strerror(errno));
	pthread_join(host.thread, NULL);
	if (host.left != 2)
		die("the host thread left with %ld", host.left - 1);
	return 0;
}
