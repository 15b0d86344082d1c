// SPDX-License-Identifier: GPL-2.0
/* The words and sentences of a cause. */
#include <stdarg.h>
#include <stdio.h>

#include <cli/command/check/cause_text.h>

const char *cause_word(enum cause_kind kind)
{
	static const char *const words[] = {
		[CAUSE_NONE] = "none",
		[CAUSE_OWN] = "own-code",
		[CAUSE_BUDGET] = "budget",
		[CAUSE_THREAD] = "thread",
		[CAUSE_CHANNEL] = "channel",
		[CAUSE_FAULTS] = "faults",
		[CAUSE_LINUX_TASK] = "linux-thread",
		[CAUSE_THROTTLING] = "throttling",
		[CAUSE_INTERRUPTS] = "interrupts",
		[CAUSE_SHARE] = "linux-share",
		[CAUSE_LINUX] = "linux",
		[CAUSE_SMI] = "smi",
		[CAUSE_NMI] = "nmi",
		[CAUSE_HEAT] = "heat",
		[CAUSE_FREQUENCY] = "frequency",
		[CAUSE_IDLE_STATE] = "idle-state",
		[CAUSE_CPUS] = "cpu-offline",
		[CAUSE_STALL] = "stall",
		[CAUSE_STEAL] = "hypervisor",
		[CAUSE_STUCK] = "stuck",
		[CAUSE_UNKNOWN] = "unknown",
	};

	return words[kind];
}

void cause_set(struct cause *cause, enum cause_kind kind, const char *found, ...)
{
	va_list arguments;

	cause->kind = kind;
	va_start(arguments, found);
	vsnprintf(cause->found, sizeof(cause->found), found, arguments);
	va_end(arguments);
}

void cause_remedy(struct cause *cause, const char *remedy, ...)
{
	va_list arguments;

	va_start(arguments, remedy);
	vsnprintf(cause->remedy, sizeof(cause->remedy), remedy, arguments);
	va_end(arguments);
}
