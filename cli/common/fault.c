// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include <shared/image/fault.h>

#include <cli/common/fault.h>

void fault_describe(const struct limpet_stat_component *component, char *to, size_t size)
{
	unsigned int kind = component->fault_kind;

	*to = 0;
	if (!component->faults)
		return;
	if (kind == LIMPET_FAULT_SYSCALL)
		snprintf(to, size, "system call %" PRIu64 " at 0x%" PRIx64,
			 component->fault_address, component->fault_ip);
	else if (kind == LIMPET_FAULT_MODE)
		snprintf(to, size, "left 64-bit mode at 0x%" PRIx64, component->fault_ip);
	else if (kind == FAULT_PAGE)
		snprintf(to, size, "%s address 0x%" PRIx64 " at 0x%" PRIx64,
			 fault_page_words(component->fault_error), component->fault_address,
			 component->fault_ip);
	else
		snprintf(to, size, "%s (%u) at 0x%" PRIx64, fault_words(kind), kind,
			 component->fault_ip);
}

const char *thread_state_word(unsigned int state)
{
	static const char *const words[] = {
		[LIMPET_THREAD_IDLE] = "idle",
		[LIMPET_THREAD_READY] = "ready",
		[LIMPET_THREAD_WAITING] = "waiting",
		[LIMPET_THREAD_DEAD] = "dead",
	};

	return state < sizeof(words) / sizeof(*words) ? words[state] : "unknown";
}
