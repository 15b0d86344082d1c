/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet streams with promised rates, by the algorithm of "Hijack: Taking Control of COTS Systems for Real-Time
 * User-Level Services" (its experiment on quality of service). A guest has a token for each packet that it was promised
 * in a period. A call that receives takes one token. While guests with tokens have packets, the other guests wait.
 * Otherwise the others share the rest of the period. In the next period all get new tokens. In addition, each gets one
 * to three extra tokens, so that steady streams also get their promise in windows that start inside a period. Guests
 * with promised tokens precede those that have only extra ones. Tokens of one period can be kept for the next.
 *
 *   PROGRAM promise N      a line of a file of the ramdisk: promises N calls that receive in each second. PROGRAM is
 *                          the last part of the path that was executed. All other programs have no promise
 *
 * The calls that receive are read, readv, recvfrom, recvmsg and recvmmsg, for every kind of file. Each thread has its
 * own tokens.
 *
 * The filter must have these calls, execve and execveat. Each guest that waits for its turn occupies a handler thread.
 * So `threads` in the system file must be greater than the number of guests.
 *
 *   rules.c   reads rules
 *   policy.c  counts tokens and selects the next guest, for lib/executive/turn.h
 *   main.c    events
 */
#ifndef STREAM_H
#define STREAM_H

#include <executive/program.h>
#include <executive/turn.h>

extern uint32_t promises[PROGRAMS_MAX]; /* calls in a second, indexed by the number of the program */
extern uint32_t promise_max;		/* the largest one */

/* rules.c */
/* Reads rules. Returns 0, or the number of the first invalid line with the reason in *why. */
unsigned int stream_rules_read(const char *text, size_t size, const char **why);
/* Reads rules from a file of the ramdisk. Returns false, and prints the reason, if guests cannot be served. */
bool stream_rules_load(const struct limpet_info *info);

/* policy.c */
/* The arguments are in microseconds. */
void stream_init(word period, word quantum);
/* Takes a token, because the guest is about to receive a packet. */
void stream_receive(unsigned int id);

#endif
