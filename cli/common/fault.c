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

/* Finds the component on the thread's CPU whose last fault happened in this thread. Returns NULL if it is unknown. */
static const struct limpet_stat_component *fault_of(const struct snapshot *snapshot,
						    const struct limpet_stat_thread *thread)
{
	const struct limpet_stat *stat = &snapshot->stat;

	for (unsigned int i = 0; i < stat->components; i++)
		if (stat->component[i].cpu == thread->cpu && stat->component[i].faults &&
		    stat->component[i].fault_thread == thread->id)
			return &stat->component[i];
	return NULL;
}

void thread_death(const struct snapshot *snapshot, const struct limpet_stat_thread *thread,
		  char *to, size_t size)
{
	const struct limpet_stat_component *component;
	char fault[160];

	*to = 0;
	if (thread->state != LIMPET_THREAD_DEAD)
		return;
	component = fault_of(snapshot, thread);
	if (!component) {
		snprintf(to, size, "its component was stopped");
		return;
	}
	fault_describe(component, fault, sizeof(fault));
	snprintf(to, size, "%s in %s", fault,
		 image_component_name(&snapshot->image, component->index));
}

const char *thread_priority_text(unsigned int priority, char text[12])
{
	snprintf(text, 12, "%u", priority);
	return priority ? text : "-";
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
