/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedules guests by rules, one for each name of a program. A rule is a line of a file of the ramdisk:
 *
 *   PROGRAM reserve BUDGET PERIOD    gives each thread at most BUDGET microseconds of processor time in each PERIOD, by
 *                                    a constant bandwidth server, as Linux's SCHED_DEADLINE. The ready thread with the
 *                                    earliest deadline runs first. sched_yield() ends the period's work
 *   PROGRAM share N                  gives each thread N parts of the time that reservations leave. Several threads
 *                                    take turns of a quantum. sched_yield() lets the next one run first
 *
 * PROGRAM is the last part of the path that was executed, if that has less than 256 bytes. * means all other programs.
 * Without a line for *, their rule is `share 1`. Children have the rule of their parent until they execute a program.
 * The sum of all reservations must not exceed the processor. A rule counts once in this sum, even if several threads
 * use it, so the user must limit their number. A thread that has used its budget waits for the end of the period, also
 * if it sleeps first.
 *
 * The filter must have nanosleep, clock_nanosleep, rt_sigreturn, sched_yield, execve and execveat. Without the last
 * two, all guests have the rule of *. Each guest that waits for its turn occupies a handler thread. So `threads` in the
 * system file must be greater than the number of guests.
 *
 *   rules.c   reads rules
 *   policy.c  selects the next guest, for lib/executive/turn.h
 *   main.c    events
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <executive/program.h>
#include <executive/turn.h>

struct rule {
	uint32_t share;	     /* 0: reserved */
	word budget, period; /* ticks */
};
extern struct rule rules[PROGRAMS_MAX]; /* indexed by the number of the program */

/* rules.c */
/* Reads rules. Returns 0, or the number of the first invalid line with the reason in *why. */
unsigned int schedule_rules_read(const char *text, size_t size, const char **why);
/* Reads rules from a file of the ramdisk. Returns false, and prints the reason, if guests cannot be served. */
bool schedule_rules_load(const struct limpet_info *info);

/* policy.c */
void schedule_init(word quantum);
/* Handles a guest's call of sched_yield(). */
void schedule_yield(unsigned int id);

#endif
