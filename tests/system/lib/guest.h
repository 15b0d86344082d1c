/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions for guests of the executive exec.probe, which check the results of their system calls. The output is a line
 * for each section: "pass NAME" or "fail NAME: WHY", then "end COUNT". guest.sh makes verdicts of these lines.
 */
#ifndef TEST_GUEST_H
#define TEST_GUEST_H

#include "device.h"

#include <signal.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <limpet/error.h>
#include <limpet/guest.h>

#define PROBE_VALUE 5000000

enum { SERVE, PASS, RESULT, CHANGE, REPLACE, WAIT, MOVE, RELEASE, KILL, SPIN };
enum {
	CALLS,
	RESULTS,
	BEGINS,
	EXECS,
	ENDS,
	FAULTS,
	SIGNALS,
	EXCEPTIONS,
	BAD,
	CALL_TIME,
	RESULT_TIME,
	NUMBER,
	LAST,
	BAD_LINE
};

/* --- system calls without a C library, which return the kernel's result */

static inline long raw6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline long raw(long number, long a, long b, long c)
{
	return raw6(number, a, b, c, 0, 0, 0);
}

static inline long raw_getppid(void)
{
	return raw(SYS_getppid, 0, 0, 0);
}

/* The probe's own calls, as in components/executive/exec.probe/probe.h. */
static inline long probe_id(void)
{
	return raw(499, 0, 0, 0);
}
static inline long probe_chain(long count, long number, long argument)
{
	return raw(494, count, number, argument);
}
static inline long probe_committed(uint64_t ticks)
{
	return raw(493, (long)ticks, 0, 0);
}
static inline long probe_mode(long mode)
{
	return raw(500, mode, 0, 0);
}
static inline long probe_mode_all(long mode)
{
	return raw(500, mode, 1, 0);
}
static inline long probe_counter(long counter)
{
	return raw(501, counter, 0, 0);
}
static inline long probe_counter_clear(long counter)
{
	return raw(501, counter, 1, 0);
}
static inline long probe_run(uint64_t ticks)
{
	return raw(502, (long)ticks, 0, 0);
}
static inline long probe_sum(const volatile void *address)
{
	return raw(503, (long)address, 0, 0);
}
static inline long probe_write(volatile void *address, long value)
{
	return raw(504, (long)address, value, 0);
}
static inline long probe_wait(uint64_t ticks, uint64_t early)
{
	return raw(505, (long)ticks, (long)early, 0);
}
static inline long probe_wake(long guest)
{
	return raw(506, guest, 0, 0);
}
static inline long probe_fault(void)
{
	return raw(507, 0, 0, 0);
}
static inline long probe_map(const void *address, long bytes, long writable)
{
	return raw(509, (long)address, bytes, writable);
}
static inline long probe_revoke(const void *address, long bytes)
{
	return raw(510, (long)address, bytes, 0);
}

static inline uint64_t ticks_now(void)
{
	return __builtin_ia32_rdtsc();
}

/* Returns the ticks of a second, measured over 50 ms. */
static inline uint64_t ticks_second(void)
{
	double begin = seconds();
	uint64_t ticks = ticks_now();

	while (seconds() < begin + 0.05)
		;
	return (uint64_t)((double)(ticks_now() - ticks) / (seconds() - begin));
}

/* --- sections and checks. The thread that started a section ends it, and any thread can fail it */

static const char *section_name;
static volatile int section_failures, sections;
static char section_why[400];

static inline void section_end(void)
{
	char line[600];

	if (!section_name)
		return;
	if (section_failures)
		snprintf(line, sizeof(line), "fail %s: %s (%d failures)\n", section_name,
			 section_why, section_failures);
	else
		snprintf(line, sizeof(line), "pass %s\n", section_name);
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		_exit(99);
	section_name = NULL;
	sections++;
}

static inline void section(const char *name)
{
	section_end();
	section_name = name;
	section_failures = 0;
}

static inline void __attribute__((format(printf, 1, 2))) failed(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	if (!__atomic_fetch_add(&section_failures, 1, __ATOMIC_RELAXED))
		vsnprintf(section_why, sizeof(section_why), format, values);
	va_end(values);
}

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition))                                                                  \
			failed("line %d: %s", __LINE__, #condition);                               \
	} while (0)

/* Checks that two values are equal. Evaluates each of them once. */
#define EQUAL(got, wanted)                                                                         \
	do {                                                                                       \
		long got_ = (long)(got), wanted_ = (long)(wanted);                                 \
                                                                                                   \
		if (got_ != wanted_)                                                               \
			failed("line %d: %s is %ld, not %ld", __LINE__, #got, got_, wanted_);      \
	} while (0)

static inline int sections_finish(void)
{
	char line[30];

	section_end();
	snprintf(line, sizeof(line), "end %d\n", sections);
	return write(STDOUT_FILENO, line, strlen(line)) < 0;
}

/*
 * The probe counts violations of <limpet/guest.h>. If a signal is pending, an answer that takes more than 100 ms is
 * dropped. Then a result is missing and its handler thread is late, which counts as two violations. `stalls` is the
 * number of times that the machine stood still for so long.
 */
static inline void probe_check_stalled(int stalls)
{
	long count = probe_counter_clear(BAD);

	section("violations that the probe saw");
	if (count > 2 * stalls)
		failed("%ld, the last in line %ld of a file of exec.probe", count,
		       probe_counter(BAD_LINE));
}

static inline void probe_check(void)
{
	probe_check_stalled(0);
}

/* --- children */

/* Returns the exit status of a child of fork(): whether all checks since the fork succeeded. */
#define CHILD_GOOD 42

static inline void __attribute__((noreturn)) child_exit(void)
{
	if (section_failures && write(STDERR_FILENO, section_why, strlen(section_why)) >= 0 &&
	    write(STDERR_FILENO, "\n", 1) >= 0)
		_exit(1);
	_exit(section_failures ? 1 : CHILD_GOOD);
}

/* Waits for a child. Returns its wait(2) status, or -1 if it does not end within `limit` seconds. */
static inline int child_wait(pid_t pid, double limit)
{
	double end = seconds() + limit;
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG | __WALL)) || (got < 0 && errno == EINTR)) {
		if (seconds() > end)
			return -1;
		pause_us(500);
	}
	return got == pid ? status : -1;
}

static inline void child_good(pid_t pid, int line)
{
	int status = child_wait(pid, 20);

	if (status < 0) {
		failed("line %d: child %d does not end", line, pid);
		kill(pid, SIGKILL);
		child_wait(pid, 5);
	} else if (!WIFEXITED(status) || WEXITSTATUS(status) != CHILD_GOOD) {
		failed("line %d: status 0x%x of a child", line, status);
	}
}
#define GOOD(pid) child_good(pid, __LINE__)

static inline void child_killed(pid_t pid, int signal, int line)
{
	int status = child_wait(pid, 20);

	if (status < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != signal)
		failed("line %d: status 0x%x of a child, not signal %d", line, status, signal);
}
#define KILLED(pid, signal) child_killed(pid, signal, __LINE__)

#endif
