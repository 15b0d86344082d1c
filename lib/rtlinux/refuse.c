// SPDX-License-Identifier: BSD-2-Clause
#include "core.h"

#include <runtime/print.h>

long rtlinux_refuse(const char *function, const char *reason, long error)
{
	INSIDE;

	limpet_print("%s is refused: %s\n", function, reason);
	return error;
}
