// SPDX-License-Identifier: BSD-2-Clause
/* Reads the scheduler's threads and arguments from the system's description. */
#include <runtime/format.h>
#include <runtime/memory.h>

#include <sched/argument.h>
#include <sched/budget.h>
#include <sched/core.h>
#include <sched/object.h>
#include <sched/setup.h>
#include <sched/spare.h>

#define BUDGET_ARGUMENTS 8
#define LEAD_CALLS 8 /* an interrupt makes some calls longer, so the shortest counts */

static bool mine(const struct limpet_info *info, unsigned int id)
{
	return id != info->thread && info->thread_of[id].scheduler == info->index;
}

/* The own thread of each component, which is not spare. */
static uint16_t own_thread[LIMPET_COMPONENTS_MAX];

static void own_threads_find(const struct limpet_info *info)
{
	memset(own_thread, 0, sizeof(own_thread));
	for (unsigned int id = 1; id <= info->threads; id++)
		if (!(info->thread_of[id].flags & LIMPET_THREAD_SPARE))
			own_thread[info->thread_of[id].component] = (uint16_t)id;
}

/* Returns the thread of the nested scheduler that schedules a thread, or NONE if there is no such scheduler. */
static unsigned int scheduler_of(const struct limpet_info *info, unsigned int id)
{
	unsigned int component = info->thread_of[id].scheduler;

	return component ? own_thread[component] : NONE;
}

/* Returns the thread of this scheduler that represents a thread: itself, or that of its nested scheduler; else NONE. */
static unsigned int proxy_of(const struct limpet_info *info, unsigned int id)
{
	for (unsigned int turn = 0; id && turn < LIMPET_NESTING_MAX; turn++) {
		if (mine(info, id))
			return id;
		id = id == info->thread ? NONE : scheduler_of(info, id);
	}
	return NONE;
}

static void threads_find(struct sched *sched, const struct limpet_info *info)
{
	own_threads_find(info);
	for (unsigned int id = 1; id <= sched->threads; id++) {
		struct thread *thread = &sched->thread[id];
		unsigned int proxy = proxy_of(info, id);

		thread->proxy = (uint16_t)proxy;
		if (proxy && proxy != id)
			sched->thread[proxy].part = true;
		thread->component = (uint16_t)info->thread_of[id].component;
		thread->priority = (uint8_t)info->thread_of[id].priority;
		thread->spare = info->thread_of[id].flags & LIMPET_THREAD_SPARE;
	}
}

/* Reads the arguments reserve-0, ... : "THREAD BUDGET PERIOD", in microseconds. */
static long budgets_read(struct sched *sched, const struct limpet_info *info)
{
	for (unsigned int i = 0; i < BUDGET_ARGUMENTS; i++) {
		const char *text;
		char name[16];
		uint64_t number[3];

		limpet_format(name, sizeof(name), "reserve-%u", i);
		text = limpet_arg_text(info, name, "");
		if (!*text)
			continue;
		if (!numbers_read(text, number, 3) || !number[1] || number[1] > number[2])
			return argument_refuse(name, "must be @NAME US US");
		if (!number[0] || thread_proxy(sched, number[0]) != number[0])
			return argument_refuse(name, "not this scheduler's thread");
		if (budget_set(sched, (unsigned int)number[0], limpet_us_to_ticks(number[1]),
			       limpet_us_to_ticks(number[2])))
			return argument_refuse(name, "more than the free time");
		sched->thread[number[0]].given = true;
	}
	return LIMPET_OK;
}

/*
 * Returns the time of two kernel calls, in ticks. The return to a thread that has waited is shorter: it leaves the
 * kernel twice, and enters it once.
 */
static uint64_t lead_measure(void)
{
	uint64_t least = LIMPET_LEAD_MAX / 2;

	for (unsigned int i = 0; i < LEAD_CALLS; i++) {
		uint64_t begin = limpet_time(), ticks;

		limpet_call_nop();
		ticks = limpet_time() - begin;
		least = ticks < least ? ticks : least;
	}
	return 2 * least;
}

/* Returns the time by which a wait ends early, in ticks. */
static uint64_t lead_read(const struct limpet_info *info)
{
	const int64_t ns = limpet_arg_number(info, "lead-ns", -1);
	uint64_t ticks;

	if (ns < 0)
		return lead_measure();
	ticks = (uint64_t)ns * info->ticks_per_ms / 1000000;
	return ticks < LIMPET_LEAD_MAX ? ticks : LIMPET_LEAD_MAX;
}

/* Returns the turn of all threads in the beginning, in ticks. */
static uint32_t slice_read(const struct limpet_info *info)
{
	uint64_t ticks = limpet_us_to_ticks((uint64_t)limpet_arg_number(info, "slice-us", 0));

	return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

long component_init(const struct limpet_info *info)
{
	long status;

	sched = (struct sched){ .self = info->thread,
				.threads = info->threads,
				.programmed = LIMPET_NEVER,
				.capacity =
					(uint64_t)limpet_arg_number(info, "capacity-percent", 100),
				.slice = slice_read(info),
				.lead = lead_read(info) };
	for (unsigned int id = 0; id <= sched.threads; id++)
		sched.thread[id] = (struct thread){ 0 };
	timers_init(&sched.timers, &sched.thread[0].wait);
	objects_init(&sched);
	policy = (struct policy){ 0 };
	threads_find(&sched, info);
	status = policy_setup(&sched, info);
	for (unsigned int id = 1; id <= sched.threads; id++) {
		slice_set(&sched, id, sched.slice);
		if (sched.thread[id].proxy == id && !status)
			thread_begin(&sched, id);
	}
	return status ? status : budgets_read(&sched, info);
}

/*
 * Sets whether events may switch an idle CPU directly to their threads. They may not if nested schedulers or budgets
 * must know the running thread. All threads get the same urgency, so they do not preempt each other.
 */
void urgency_set(struct sched *sched, bool urgent)
{
	if (CLOCK_NESTED || urgent == sched->urgent)
		return;
	sched->urgent = urgent;
	for (unsigned int id = 1; id <= sched->threads; id++)
		if (sched->thread[id].proxy == id)
			limpet_call_thread_urgency(LIMPET_SLOT_THREADS + id, urgent);
}

void sched_begin(struct sched *sched, const struct limpet_info *info)
{
	bool urgent = POLICY_URGENCY;

	policy_begin(sched);
	if (CLOCK_NESTED)
		return;
	limpet_call_cpu_timer(LIMPET_SLOT_CPU, LIMPET_SLOT_ENDPOINT);
	limpet_call_thread_urgency(LIMPET_SLOT_THREADS + info->thread, LIMPET_URGENCY_MAX);
	for (unsigned int id = 1; id <= sched->threads; id++)
		urgent &= !sched->thread[id].part && !sched->thread[id].budget;
	sched->urgent = !urgent; /* so that urgency_set() does not skip it */
	urgency_set(sched, urgent);
}
