/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet streams with promised rates, by the algorithm of "Hijack: Taking Control of COTS Systems for Real-Time User-Level
 * Services" (its experiment on quality of service). A guest has a token for each packet that it was promised in a period.
 * A call that receives takes one. While guests with tokens have packets, the others wait; when they have none left, or no
 * packets, the others share the rest of the period. With the next period all get their tokens anew, one to three
 * more than was promised, so that steady streams also have their promise in windows that begin inside a period. Tokens of
 * one period can be kept for the next.
 *
 *   PROGRAM promise N      a line of a file of the ramdisk: N calls that receive in a second. PROGRAM is the last part of
 *                          the path that was executed. All other programs have no promise
 *
 * read, readv, recvfrom, recvmsg and recvmmsg receive, whatever their file is. Each thread has tokens of its own.
 *
 * A filter for it has these calls, execve and execveat. Each guest that waits for its turn has a handler thread, so
 * `threads` of the system file must be more than the guests.
 *
 *   rules.c   reads rules
 *   policy.c  tokens, and who is next, for lib/executive/turn.h
 *   main.c    events
 */
#ifndef STREAM_H
#define STREAM_H

#include <executive/program.h>
#include <executive/turn.h>

extern uint32_t promises[PROGRAMS_MAX]; /* in a second, by the number of the program */
extern uint32_t promise_most;		/* the largest one */

/* rules.c */
/* Reads rules. Returns 0, or the number of the first line that is wrong, and then *why says what is. */
unsigned int stream_rules_read(const char *text, size_t size, const char **why);
/* Reads them from a file of the ramdisk. Returns false, and prints why, if guests cannot be served. */
bool stream_rules_load(const struct limpet_info *info);

/* policy.c */
/* Both in microseconds. */
void stream_init(word period, word quantum);
/* The guest is about to receive a packet. */
void stream_receive(unsigned int id);

#endif
