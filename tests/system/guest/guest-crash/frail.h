/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of the executive exec.frail. It crashes in these events: call FRAIL_CALL, RESULT (of getpgid), FAULT,
 * EXCEPTION, SIGNAL of FRAIL_SIGNAL, and BREAK that a guest has requested. It also crashes in BEGIN of a thread, and in
 * EXEC of a process that a guest has created.
 */
#ifndef FRAIL_H
#define FRAIL_H

#define FRAIL_CALL 500
#define FRAIL_SERVED 501 /* returns FRAIL_VALUE */
#define FRAIL_MAP 502	 /* address: creates a range of one page */
#define FRAIL_FAULTS 503 /* signals: their exceptions cause EXCEPTION */
#define FRAIL_BREAK 504	 /* requests BREAK */
#define FRAIL_SIGNAL 10	 /* SIGUSR1 */
#define FRAIL_VALUE 4711

#endif
