/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual clock for each guest. A guest without a parent among the guests starts with a new clock. Any other guest
 * continues with the clock of its parent. With argument `rate` the clocks run at that speed, and the times of sleeps
 * are measured by them. With `step-ns` a clock only advances when its guest reads it or sleeps. A sleep then takes no
 * time, and a program of one thread finds the same times in each run.
 *
 * The executive serves clock_gettime, gettimeofday, time, nanosleep and clock_nanosleep. The recommended filter has
 * these calls and rt_sigreturn. All clocks read the virtual time, except clock devices and, without `step-ns`, the
 * clocks of processor time.
 *
 * The vDSO is not a system call. It is hidden from each program that a guest executes, see vdso.c. A program that was
 * attached while it ran, and 32-bit code, still read the real time there. A program that uses the vsyscall page reads
 * the real time, too, because Linux executes these calls in a page fault, without a system call. Debian's kernels have
 * no such page, unless they are booted with vsyscall=xonly or vsyscall=emulate. Real time also remains in RDTSC, time
 * stamps of files, /proc, sysinfo, times, the processor times of getrusage and wait4, time limits of other calls (poll,
 * futex), timers and alarms, and clock_settime.
 *
 * A guest that sleeps occupies a handler thread. `threads` in the system file must be greater than the number of guests
 * that sleep at the same time. Calls of other guests wait when no handler thread is free.
 */
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include <executive/executive.h>

#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_BOOTTIME 7
#define CLOCK_REALTIME_ALARM 8
#define CLOCK_UNUSED 10 /* Linux has no clock with this number */
#define CLOCK_TAI 11
#define CLOCKS 12

#define BILLION 1000000000ul

/* clock.c. Called in events of the guest. */
void clock_init(word rate, word step, word start);
/* Starts the guest's clock. `parent` is 1 + the id of the parent, or 0. */
void clock_begin(unsigned int id, word parent);
/* Returns whether the clock with that number is virtual. Linux reads the number as 32 bits. */
bool clock_is_virtual(word clock);
/* Returns whether the executive serves sleeps by that clock. Linux serves or refuses all others. */
bool clock_has_sleep(word clock);
/* Returns the virtual time of `clock` in nanoseconds. With steps, advances the guest's clock by one first. */
word clock_read(unsigned int id, word clock);
/*
 * Starts a sleep of `ns`. With steps, advances the guest's clock by it and returns false. Otherwise returns true, with
 * the real time of the sleep in *ticks.
 */
bool clock_sleep(unsigned int id, word ns, word *ticks);
/* Returns the nanoseconds of the virtual clock in a real microsecond. */
word clock_rate(void);

/* serve.c. Returns the answer to a call. */
struct executive_answer clock_answer(unsigned int id, word number, const word argument[4]);
void clock_early(word ticks);

/* vdso.c. Hides the vDSO from the program that the guest is about to execute. */
void vdso_hide(void);

#endif
