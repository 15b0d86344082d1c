/* SPDX-License-Identifier: GPL-2.0 */
/* Prints the text of a log while it is written, in the format of `limpet log -f`. */
#ifndef HOST_LOG_COPY_H
#define HOST_LOG_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LOG_COPY_LINE 4096 /* a longer line is printed in parts */

struct log_copy {
	FILE *out;   /* NULL: nothing is printed */
	uint64_t ns; /* time at which the current line started */
	size_t length;
	char line[LOG_COPY_LINE];
};

/* Adds text, and prints the lines that it completes. Lines for programs are omitted. */
void log_copy_write(struct log_copy *copy, uint64_t ns, const char *system, const char *text,
		    size_t size);

#endif
