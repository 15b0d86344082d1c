// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include <limpet/call.h>

#include <cli/fault.h>

#define VECTOR_PAGE_FAULT 14
#define VECTORS 32

/* Bits of a page fault's error code. */
#define ERROR_PRESENT 1u
#define ERROR_WRITE 2u
#define ERROR_FETCH 16u

static const char *vector_words(unsigned int vector)
{
	static const char *const words[VECTORS] = {
		[0] = "divide error",
		[1] = "debug exception",
		[3] = "breakpoint",
		[4] = "overflow",
		[5] = "bound range exceeded",
		[6] = "invalid instruction",
		[7] = "no floating-point unit",
		[11] = "segment not present",
		[12] = "stack fault",
		[13] = "general protection",
		[16] = "floating-point error",
		[17] = "unaligned access",
		[19] = "vector arithmetic error",
		[21] = "control-flow violation",
	};

	return vector < VECTORS && words[vector] ? words[vector] : "exception";
}

static void describe_page_fault(const struct limpet_stat_component *component, char *to,
				size_t size)
{
	uint64_t error = component->fault_error;

	snprintf(to, size, "%s of %s address 0x%" PRIx64 " at 0x%" PRIx64,
		 error & ERROR_FETCH   ? "execution"
		 : error & ERROR_WRITE ? "write"
				       : "read",
		 error & ERROR_PRESENT ? "forbidden" : "unmapped", component->fault_address,
		 component->fault_ip);
}

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
	else if (kind == VECTOR_PAGE_FAULT)
		describe_page_fault(component, to, size);
	else
		snprintf(to, size, "%s (%u) at 0x%" PRIx64, vector_words(kind), kind,
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
