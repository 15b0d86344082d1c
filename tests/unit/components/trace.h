/* SPDX-License-Identifier: BSD-2-Clause */
/* Records the lines of a test's threads in their order. The test includes this file after cmocka.h. */
#ifndef TRACE_H
#define TRACE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"

static char trace[4096];

static void mark(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void mark(const char *format, ...)
{
	va_list values;
	size_t length = strlen(trace);

	va_start(values, format);
	vsnprintf(trace + length, sizeof(trace) - length, format, values);
	va_end(values);
}

/* All threads run to their end. */
static void run_setup(const struct fake_setup *setup)
{
	trace[0] = 0;
	fake_run(setup);
	if (fake_failure)
		fail_msg("%s", fake_failure);
}

#endif
