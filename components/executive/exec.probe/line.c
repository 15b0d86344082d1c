// SPDX-License-Identifier: BSD-2-Clause
/* Writes a line to the log. The invocation moves a guest's event to the host thread. */
#include "probe.h"

#include <runtime/memory.h>

#include <import/log.h>

long line_print(void)
{
	static const char line[3 * sizeof(word)] = "a call of a guest\n";
	word w[3];

	memcpy(w, line, sizeof(w));
	return log_write(w[0], w[1], w[2], 0, 0, 0);
}
