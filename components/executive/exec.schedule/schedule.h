/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedules guests by rules, one for each name of a program. A rule is a line of a file of the ramdisk:
 *
 *   PROGRAM reserve BUDGET PERIOD    each thread gets BUDGET microseconds of processor time in each PERIOD, and no more.
 *                                    A constant bandwidth server, as Linux's SCHED_DEADLINE: of those that are ready
 *                                    the earliest deadline is first. sched_yield() ends the period's work
 *   PROGRAM share N                  N parts of the time that reservations leave. While there are several, each has the
 *                                    processor for a quantum. sched_yield() lets the next one go first
 *
 * PROGRAM is the last part of the path that was executed, if that has less than 256 bytes. * stands for all others. If it
 * has no line, their rule is `share 1`. Children have the rule of their parent until they execute a program. Together the
 * reservations of the rules must not exceed the processor. A rule that several threads use counts once in that, so their
 * number is the user's to limit. A thread that has used its budget waits for the end of the period, also if it sleeps first.
 *
 * A filter for it has nanosleep, clock_nanosleep, rt_sigreturn, sched_yield, execve and execveat: without the last two
 * all guests have the rule of *. Each guest that waits for its turn has a handler thread, so `threads` of the system file
 * must be more than the guests.
 *
 *   rules.c   reads rules
 *   policy.c  who is next, for lib/executive/turn.h
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
extern struct rule rules[PROGRAMS_MAX]; /* by the number of the program */

/* rules.c */
/* Reads rules. Returns 0, or the number of the first line that is wrong, and then *why says what is. */
unsigned int schedule_rules_read(const char *text, size_t size, const char **why);
/* Reads them from a file of the ramdisk. Returns false, and prints why, if guests cannot be served. */
bool schedule_rules_load(const struct limpet_info *info);

/* policy.c */
void schedule_init(word quantum);
/* The guest calls sched_yield(). */
void schedule_yield(unsigned int id);

#endif
