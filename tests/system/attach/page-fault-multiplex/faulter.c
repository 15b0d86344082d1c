// SPDX-License-Identifier: GPL-2.0
/*
 * A host process whose host thread gets signals repeatedly, mostly while components run in its place. The handler
 * causes page faults of all kinds.
 *
 *   faulter IMAGE SIGNALS SECONDS      ends after this number of signals, or time and a hundredth of the signals
 *
 * Prints the number of signals, page faults and repaired segmentation faults. Components must continue, and none of
 * these faults may be mistaken for theirs.
 */
#include "../../lib/test_host.h"

#include <client/device.h>

#include <sys/resource.h>

#define PAGE 4096ul
#define PAGES 8ul
#define SIZE (PAGES * PAGE)
#define COMPONENT 0x1040000000ul /* text of the first component that the composer places */
#define COMPONENT_STEP 0x40000000ul
#define INTERVAL_NS 700000 /* from the end of one handler to the next signal */

static volatile unsigned long signals, faults, repairs, wrong;
static unsigned long wanted;
static timer_t timer;

static void touch(volatile unsigned char *at)
{
	for (unsigned long i = 0; i < SIZE; i += PAGE) {
		wrong += at[i] != 0; /* must not contain data of a component or a process */
		at[i] = (unsigned char)(i / PAGE + 1);
	}
	for (unsigned long i = 0; i < SIZE; i += PAGE)
		wrong += at[i] != i / PAGE + 1;
}

static void *map(unsigned long address, int rights)
{
	void *at = mmap((void *)address, SIZE, rights,
			MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	if (at == MAP_FAILED)
		die("mmap at %lx: %s", address, strerror(errno));
	return at;
}

/* Linux reports the fault with SIGSEGV, and the thread's handler repairs it. */
static void in_repair(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if (mprotect((void *)((uintptr_t)info->si_addr & ~(PAGE - 1)), PAGE,
		     PROT_READ | PROT_WRITE))
		_exit(3);
	repairs++;
}

static void fault_once(unsigned long n)
{
	unsigned long address = COMPONENT + n / 4 % 5 * COMPONENT_STEP;
	unsigned char *at = map(n & 1 ? address : 0, n & 2 ? PROT_NONE : PROT_READ | PROT_WRITE);

	touch(at);
	madvise(at, SIZE, MADV_DONTNEED);
	touch(at);
	munmap(at, SIZE);
}

static void interval_begin(void)
{
	struct itimerspec spec = { .it_value = { 0, INTERVAL_NS } };

	timer_settime(timer, 0, &spec, NULL);
}

static void in_host_thread(int signal)
{
	struct rusage before, after;
	int error = errno;

	(void)signal;
	getrusage(RUSAGE_THREAD, &before);
	fault_once(signals);
	getrusage(RUSAGE_THREAD, &after);
	faults += (unsigned long)(after.ru_minflt - before.ru_minflt);
	signals++;
	interval_begin();
	errno = error;
}

static void interval_start(pid_t thread)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };

	event._sigev_un._tid = thread;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		die("timer: %s", strerror(errno));
	interval_begin();
}

static void handlers_set(void)
{
	struct sigaction usr1 = { .sa_handler = in_host_thread };
	struct sigaction segv = { .sa_sigaction = in_repair, .sa_flags = SA_SIGINFO };
	sigset_t set;

	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGSEGV, &segv, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void check_components(int fd)
{
	struct limpet_stat stat;
	int error = limpet_stat(fd, &stat);

	if (error)
		die("LIMPET_IOC_STAT: %s", strerror(-error));
	if (stat.cpu[0].faults)
		die("%llu faults were taken for components'",
		    (unsigned long long)stat.cpu[0].faults);
	for (unsigned int i = 0; i < stat.components; i++)
		if (stat.component[i].faults)
			die("a fault was taken for component %u's", stat.component[i].index);
	limpet_stat_free(&stat);
}

int main(int argc, char **argv)
{
	struct test_host host = { .fd = device_open(), .priority = 50 };
	double end;

	if (argc != 4)
		die("usage");
	wanted = strtoul(argv[2], NULL, 0);
	end = seconds() + atof(argv[3]);
	handlers_set();
	test_load(host.fd, argv[1], 1, 300);
	test_start(&host);
	interval_start(host.tid);
	/* On PREEMPT_RT a Linux thread delivers the signals, and runs in Linux's share. */
	while (signals < wanted && (seconds() < end || signals < wanted / 100)) {
		if (host.left)
			die("the host thread left: %ld", host.left - 1);
		if (!test_runs(host.fd, 0, 5, 10))
			die("components do not go on after %lu signals", signals);
		check_components(host.fd);
	}
	if (wrong)
		die("%lu bytes were not as the handler left them", wrong);
	if (faults < signals * PAGES)
		die("%lu faults in %lu signals: Linux did not give the pages", faults, signals);
	if (!repairs)
		die("no segmentation fault came");
	printf("%lu signals, %lu faults, %lu repairs\n", signals, faults, repairs);
	fflush(stdout);
	if (ioctl(host.fd, LIMPET_IOC_STOP) && errno != EINTR)
		die("LIMPET_IOC_STOP: %s", strerror(errno));
	return 0;
}
