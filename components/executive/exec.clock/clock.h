/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual clock for each guest. A guest that no other guest made starts with a new one; others continue with that of
 * the guest that made them. With argument `rate` the clocks run at that speed, and sleeps last as long as the clock
 * says. With `step-ns` a clock only advances when its guest reads it, or sleeps, which takes no time then: a program of
 * one thread finds the same times in each run.
 *
 * Served are clock_gettime, gettimeofday, time, nanosleep and clock_nanosleep: the recommended filter, with
 * rt_sigreturn. All clocks but those of processor time, and clock devices, read the virtual time; with `step-ns` those
 * of processor time do, too.
 *
 * The vDSO is not a system call. It is hidden from each program that a guest executes, see vdso.c. A program that was
 * attached while it ran, and 32-bit code, still read the real time there. Not covered either: RDTSC, time stamps of
 * files, time limits of other calls (poll, futex), timers and alarms, clock_settime.
 *
 * A guest that sleeps occupies a handler thread. `threads` in the system file must be more than the guests that sleep at
 * a time, because calls of others wait when no handler thread is free.
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
#define CLOCK_UNUSED 10 /* Linux has none with this number */
#define CLOCK_TAI 11
#define CLOCKS 12

#define BILLION 1000000000ul

/* clock.c: context: events of the guest. */
void clock_init(word rate, word step, word start);
/* Starts the guest's clock; `parent`: 1 + id of the guest that made it, or 0. */
void clock_begin(unsigned int id, word parent);
/* Returns whether the guest's clock with that number is virtual. Linux reads it as a 32-bit number. */
bool clock_is_virtual(word clock);
/* Returns whether guests sleep by that clock, so that the executive serves it. Linux answers for the others. */
bool clock_has_sleep(word clock);
/* Advances the clock by a step. Returns its virtual nanoseconds: CLOCK_MONOTONIC, or one that counts from 1970. */
word clock_read(unsigned int id, word clock);
/* The guest sleeps until its clock has `ns` more. Returns whether that takes real time: then *ticks is how much. */
bool clock_sleep(unsigned int id, word ns, word *ticks);
/* Nanoseconds of the virtual clock in a real microsecond. */
word clock_rate(void);

/* serve.c: the answer to a call. */
struct executive_answer clock_answer(unsigned int id, word number, const word argument[4]);
void clock_early(word ticks);

/* vdso.c: hides the vDSO from the program that the guest is about to execute. */
void vdso_hide(void);

#endif
