/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of text from handler threads to the component's own thread, which prints them. A handler thread must not wait,
 * and an invocation would move it, so it only writes to a ring in memory. If the ring is full, the line is dropped and
 * counted. For components that import log and sched. All handler threads of an executive run on one CPU.
 */
#ifndef EXECUTIVE_REPORT_H
#define EXECUTIVE_REPORT_H

#include <runtime/types.h>

/* Makes the ring in `memory`, of 4096 bytes or more. Context: before executive_serve(). */
void report_init(void *memory, size_t bytes);

/*
 * Writes a text, which ends with a newline, or drops it. After a pause of some milliseconds without lines the call
 * also wakes the component's own thread: this moves the handler thread. Context: handler threads.
 */
void report_line(const char *text, size_t size);

/* Counts a line as dropped that the caller could not make. Context: handler threads. */
void report_drop(void);

/* Makes report_serve() return. Moves the handler thread, unless the own thread runs anyway. Context: handler threads. */
void report_wake(void);

/*
 * Prints lines until report_wake() was called or the time stamp `deadline` has passed (LIMPET_NEVER: without limit).
 * Returns whether it was called. Context: the component's own thread.
 */
bool report_serve(word deadline);

#endif
