// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that a guest is killed when its executive has crashed twice in the same event. Argument: open. After a crash
 * the guest can then continue without the executive, so the executive can get the event only once.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>
#include <sys/time.h>

#include "frail.h"

#define RANGE ((volatile long *)0x200000000000)

static bool open_guests;

static void handle(int signal)
{
	(void)signal;
	raw(FRAIL_SERVED, 0, 0, 0);
}

static void victim_call(void)
{
	const long result = raw(FRAIL_CALL, 0, 0, 0);

	if (result != -ENOSYS)
		failed("the call returns %ld", result);
}

/* Signals are handled between the two crashes, and their handlers make calls that are served. */
static void victim_signals(void)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };

	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = handle, .sa_flags = SA_RESTART },
		  NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	victim_call();
}

static void victim_result(void)
{
	const long group = raw(SYS_getpgid, 0, 0, 0);

	EQUAL(group, getpgrp());
}

static void victim_signal(void)
{
	sigaction(FRAIL_SIGNAL, &(struct sigaction){ .sa_handler = handle }, NULL);
	raise(FRAIL_SIGNAL);
}

static void victim_exception(void)
{
	raw(FRAIL_FAULTS, -1, 0, 0);
	__asm__ volatile("ud2");
}

static void victim_fault(void)
{
	EQUAL(raw(FRAIL_MAP, (long)RANGE, 4096, 1), 0);
	*RANGE = 1;
}

static void victim_break(void)
{
	raw(FRAIL_BREAK, 0, 0, 0);
	for (int i = 0; i < 10; i++)
		pause_us(1000);
}

static void *thread_main(void *unused)
{
	return unused;
}

static void victim_begin(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, thread_main, NULL))
		pthread_join(thread, NULL);
}

static void victim_exec(void)
{
	execl("/bin/true", "true", NULL);
}

static const struct {
	const char *name;
	void (*victim)(void);
	int open_end; /* another valid status of an open guest */
} cases[] = {
	{ "CALL", victim_call, CHILD_GOOD << 8 },
	{ "CALL, with signals", victim_signals, CHILD_GOOD << 8 },
	{ "RESULT", victim_result, CHILD_GOOD << 8 },
	{ "SIGNAL", victim_signal, CHILD_GOOD << 8 },
	{ "EXCEPTION", victim_exception, SIGILL },
	{ "FAULT", victim_fault, SIGBUS },
	{ "BREAK", victim_break, CHILD_GOOD << 8 },
	{ "BEGIN", victim_begin, CHILD_GOOD << 8 },
	{ "EXEC", victim_exec, 0 },
};

static void serving(void)
{
	for (int i = 0; i < 2000 && raw(FRAIL_SERVED, 0, 0, 0) != FRAIL_VALUE; i++)
		pause_us(10000);
	EQUAL(raw(FRAIL_SERVED, 0, 0, 0), FRAIL_VALUE);
}

int main(int argc, char **argv)
{
	open_guests = argc > 1 && !strcmp(argv[1], "open");
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		pid_t pid;
		int status;

		section(cases[i].name);
		serving();
		pid = fork();
		if (!pid) {
			cases[i].victim();
			child_exit();
		}
		status = child_wait(pid, 60);
		if (!(status >= 0 && (status & 0x7f) == SIGKILL) &&
		    !(open_guests && status >= 0 && (status & 0xff7f) == cases[i].open_end))
			failed("it ends with status 0x%x", status);
		serving();
	}
	return sections_finish();
}
