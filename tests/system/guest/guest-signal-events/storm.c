// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that numbered signals under load arrive once and in order. Sends many signals to programs
 * that make all kinds of calls in their handlers, and die meanwhile. Arguments: the numbers of
 * numbered signals and of storms, and a seed. Without a seed each run has another one. The name of a verdict has it, so
 * that a run can be repeated with the same choices. With one argument, a seed: a victim that has executed itself.
 */
#include "tests/system/lib/guest_notes.h"

#include <setjmp.h>
#include <sys/time.h>

static volatile int next, disorder;
static volatile int *seen; /* notes of signals that were read; shared with the sender */

#define AHEAD                                                                                      \
	300 /* signals of the sender: the probe keeps 2,048 notes, and each signal makes two */

static void handle_numbered(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	disorder |= info->si_value.sival_int != next;
	next = info->si_value.sival_int + 1;
}

static void __attribute__((noreturn)) sender(pid_t to, int count)
{
	probe_noting(0);
	probe_mode(PASS);
	for (int i = 0; i < count; i++)
		while (i - *seen > AHEAD ||
		       sigqueue(to, SIGRTMIN, (union sigval){ .sival_int = i }))
			sched_yield();
	_exit(CHILD_GOOD);
}

/* Reads further notes. The signals among them carry on the sequence from `*seen` on. */
static void notes_follow(long id)
{
	note_count = probe_notes(notes_from, note, NOTES_MAX);
	notes_from += note_count > 0 ? note_count : 0;
	notes_clean(id);
	for (long i = 0; i < note_count; i++) {
		if (KIND(i) != LIMPET_GUEST_SIGNAL ||
		    LIMPET_GUEST_SIGNAL_NUMBER(note[i].word[0]) != (unsigned int)SIGRTMIN)
			continue;
		EQUAL((int)note[i].word[3], *seen);
		EQUAL(LIMPET_GUEST_SIGNAL_MISSED(note[i].word[0]), 0);
		++*seen;
	}
}

static void check_numbered(int count)
{
	struct sigaction action = { .sa_sigaction = handle_numbered,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval every = { { 0, 3000 }, { 0, 3000 } }, none = { { 0, 0 }, { 0, 0 } };
	const long id = probe_id();
	const double end = seconds() + 100;
	pid_t pid, load[2];

	section("numbered signals under load");
	seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	probe_mode(PASS);
	sigaction(SIGRTMIN, &action, NULL);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	for (int i = 0; i < 2; i++) {
		load[i] = fork();
		while (!load[i])
			raw_getppid();
	}
	notes_start();
	pid = fork();
	if (!pid)
		sender(getppid(), count);
	setitimer(ITIMER_REAL, &every, NULL);
	while ((next < count || *seen < count) && seconds() < end) {
		for (int i = 0; i < 20; i++)
			raw_getppid();
		notes_follow(id);
	}
	setitimer(ITIMER_REAL, &none, NULL);
	GOOD(pid);
	probe_noting(0);
	EQUAL(next, count);
	EQUAL(disorder, 0);
	EQUAL(*seen, count);
	for (int i = 0; i < 2; i++) {
		kill(load[i], SIGKILL);
		KILLED(load[i], SIGKILL);
	}
}

/* --- victims */

static sigjmp_buf back;
static volatile int depth;
static uint64_t seed;

static void handle_wildly(int signal)
{
	static char program[] = "./storm", argument[24];

	switch (random_next(&seed) % 16) {
	case 0:
		siglongjmp(back, 1);
	case 1:
		if (depth < 5) {
			depth++;
			raise(signal);
			depth--;
		}
		break;
	case 2:
		__asm__ volatile("ud2"); /* served */
		break;
	case 3:
		if (random_next(&seed) % 8 == 0) {
			snprintf(argument, sizeof(argument), "%#lx", seed);
			execv(program, (char *[]){ program, argument, NULL });
		}
		break;
	case 4:
		raw(SYS_rt_sigreturn, 0, 0,
		    0); /* the stack has no frame, so this often ends the process */
		break;
	case 5:
		if (random_next(&seed) % 4 == 0 && !fork())
			_exit(0);
		break;
	default:
		raw_getppid();
	}
}

static void __attribute__((noreturn)) victim(uint64_t its_seed)
{
	sigset_t none;

	seed = its_seed;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int signal = 1; signal <= 64; signal++) {
		const int flags = (random_next(&seed) & 1 ? SA_NODEFER : 0) |
				  (random_next(&seed) & 1 ? SA_RESTART : 0);

		if (signal != SIGCHLD && signal != SIGILL)
			sigaction(signal,
				  &(struct sigaction){ .sa_handler = handle_wildly,
						       .sa_flags = flags },
				  NULL);
	}
	probe_faults(-1);
	probe_treat(TREAT_SERVE, 2, random_next(&seed) % 2 ? TREAT_PASS : TREAT_WAIT);
	probe_mode((long)(random_next(&seed) % 3));
	sigsetjmp(back, 1);
	for (;;) {
		raw_getppid();
		if (random_next(&seed) % 50 == 0)
			usleep(300);
	}
}

static void check_storm(uint64_t *random)
{
	pid_t pid[3];

	for (int i = 0; i < 3; i++) {
		const uint64_t its_seed = random_next(random);

		pid[i] = fork();
		if (!pid[i])
			victim(its_seed);
	}
	for (int n = 0; n < 300; n++) {
		const int signal = (int)(random_next(random) % 64) + 1;

		if (signal != SIGKILL && signal != SIGSTOP && signal != SIGTSTP &&
		    signal != SIGTTIN && signal != SIGTTOU)
			kill(pid[random_next(random) % 3], signal);
		if (n % 40 == 0)
			kill(pid[n / 40 % 3], n % 80 ? SIGSTOP : SIGCONT);
		if (random_next(random) % 8 == 0)
			pause_us((long)(random_next(random) % 500));
	}
	for (int i = 0; i < 3; i++)
		kill(pid[i], SIGKILL);
	for (int i = 0; i < 3; i++)
		EXPECT(child_wait(pid[i], 20) >= 0);
}

int main(int argc, char **argv)
{
	uint64_t random = argc > 3 ? strtoull(argv[3], NULL, 0) : ticks_now();
	char name[60];

	if (argc < 3)
		victim(strtoull(argv[1], NULL, 0));
	check_numbered(atoi(argv[1]));
	snprintf(name, sizeof(name), "storms of signals, seed %#lx", random);
	section(name);
	probe_mode(PASS);
	for (int i = 0; i < atoi(argv[2]); i++)
		check_storm(&random);
	probe_mode(SERVE);
	probe_check();
	return sections_finish();
}
