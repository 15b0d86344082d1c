/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of calls in progress. LINES calls can be in progress at a time. A line has at most one user at a time: the
 * thread that took it from the pool or from its guest. So a handler thread that the kernel has abandoned cannot write
 * to the line of another thread.
 */
#ifndef TRACE_LINE_H
#define TRACE_LINE_H

#include <executive/executive.h>
#include <guest/format.h>

#define LINES 128
#define TEXT 2048 /* bytes of a line */

struct line {
	uint32_t taken;
	uint32_t prefix; /* length of the thread's id at the beginning of `text` */
	struct guest_line guest;
	char text[TEXT];
};

/* Takes a line from the pool. Returns NULL if all lines are in use. */
struct line *line_take(void);
void line_free(struct line *line);
/* Sets the guest's line to `line`, which can be NULL. Returns the guest's old line, or NULL. */
struct line *line_exchange(unsigned int id, struct line *line);
/* Prints the thread's id, and the parts of the call that are known before it is made. */
void line_begin(struct line *line, uint32_t thread, word number, const word *arguments);
/* Reports the line, and frees it. */
void line_report(struct line *line);

#endif
