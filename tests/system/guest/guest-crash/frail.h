/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The executive exec.frail. It crashes in call FRAIL_CALL, in RESULT (of getpgid, whose result it wants), FAULT, EXCEPTION,
 * in SIGNAL of FRAIL_SIGNAL, in BREAK that a guest asks for, in BEGIN of a thread, and in EXEC of a process that a guest
 * has made.
 */
#ifndef FRAIL_H
#define FRAIL_H

#define FRAIL_CALL 500
#define FRAIL_SERVED 501 /* returns FRAIL_VALUE */
#define FRAIL_MAP 502	 /* address: makes a range of a page */
#define FRAIL_FAULTS 503 /* signals: of which exceptions EXCEPTION comes */
#define FRAIL_BREAK 504	 /* BREAK comes next */
#define FRAIL_SIGNAL 10	 /* SIGUSR1 */
#define FRAIL_VALUE 4711

#endif
