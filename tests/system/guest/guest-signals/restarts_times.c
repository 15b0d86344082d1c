// SPDX-License-Identifier: GPL-2.0
/*
 * Tests interrupted calls that wait for a word of memory, for signals or for a time. signal(7) names FUTEX_WAIT as
 * restarted, but Linux returns EINTR to a FUTEX_WAIT with a time limit after any handler, because it repeats this
 * call by restart_syscall(2) only after stops. Argument: the probe's mode, or `plain` for a process that is not a
 * guest.
 */
#include "interrupted.h"

#include <linux/futex.h>

/* --- a word of memory */

static volatile int *futex_word;

static void futex_make(void)
{
	if (!futex_word)
		futex_word =
			mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static long futex_wait(const struct timespec *limit)
{
	child_ready();
	return raw6(SYS_futex, (long)futex_word, FUTEX_WAIT, 0, (long)limit, 0, 0);
}

static long call_futex(void)
{
	return futex_wait(NULL);
}

static long call_futex_limit(void)
{
	return futex_wait(&long_time);
}

static long call_futex_short(void)
{
	return futex_wait(&short_time);
}

static long call_futex_until(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += LONG_S;
	child_ready();
	return raw6(SYS_futex, (long)futex_word, FUTEX_WAIT_BITSET, 0, (long)&time, 0,
		    FUTEX_BITSET_MATCH_ANY);
}

static void futex_wake(void)
{
	raw6(SYS_futex, (long)futex_word, FUTEX_WAKE, 1, 0, 0, 0);
}

/* --- signals */

static long sigtimedwait_until(const struct timespec *limit)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	signal_block(SIGUSR2);
	child_ready();
	return raw6(SYS_rt_sigtimedwait, (long)&set, (long)&info, (long)limit, MASK_BYTES, 0, 0);
}

static long call_sigtimedwait(void)
{
	return sigtimedwait_until(&long_time);
}

static long call_sigwaitinfo(void)
{
	return sigtimedwait_until(NULL);
}

static long call_pause(void)
{
	child_ready();
	return raw(SYS_pause, 0, 0, 0);
}

static long call_sigsuspend(void)
{
	signal_block(SIGUSR1);
	child_ready();
	return raw(SYS_rt_sigsuspend, (long)&no_signals, MASK_BYTES, 0);
}

static void other_signal(void)
{
	kill(child_pid, SIGUSR2);
}

static void handled_signal(void)
{
	kill(child_pid, SIGUSR1);
}

/* --- time */

static long call_nanosleep(void)
{
	child_ready();
	return raw(SYS_nanosleep, (long)&short_time, 0, 0);
}

static long call_clock_nanosleep(void)
{
	child_ready();
	return raw6(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&short_time, 0, 0, 0);
}

static long sleep_until(clockid_t clock)
{
	struct timespec time;

	child_ready();
	clock_gettime(clock, &time);
	time.tv_nsec += short_time.tv_nsec;
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return raw6(SYS_clock_nanosleep, clock, TIMER_ABSTIME, (long)&time, 0, 0, 0);
}

static long call_sleep_until(void)
{
	return sleep_until(CLOCK_MONOTONIC);
}

static long call_sleep_until_real(void)
{
	return sleep_until(CLOCK_REALTIME);
}

static const struct interrupted tests[] = {
	{ "futex", futex_make, call_futex, futex_wake, 0, true, false, NULL },
	{ "futex with a limit", futex_make, call_futex_limit, futex_wake, 0, false, false, NULL },
	{ "futex to its limit", futex_make, call_futex_short, NULL, -ETIMEDOUT, false, false,
	  NULL },
	{ "futex until a time", futex_make, call_futex_until, futex_wake, 0, false, false, NULL },
	{ "sigtimedwait", NULL, call_sigtimedwait, other_signal, SIGUSR2, false, true, NULL },
	{ "sigwaitinfo", NULL, call_sigwaitinfo, other_signal, SIGUSR2, false, true, NULL },
	{ "pause", NULL, call_pause, handled_signal, -EINTR, false, false, NULL },
	{ "sigsuspend", NULL, call_sigsuspend, handled_signal, -EINTR, false, false, NULL },
	{ "nanosleep", NULL, call_nanosleep, NULL, 0, false, false, NULL },
	{ "clock_nanosleep", NULL, call_clock_nanosleep, NULL, 0, false, false, NULL },
	{ "clock_nanosleep until a time", NULL, call_sleep_until, NULL, 0, false, false, NULL },
	{ "clock_nanosleep of CLOCK_REALTIME", NULL, call_sleep_until_real, NULL, 0, false, false,
	  NULL },
};

int main(int argc, char **argv)
{
	interrupted_init(argc, argv);
	interrupted_all(tests, sizeof(tests) / sizeof(*tests));
	return interrupted_finish();
}
