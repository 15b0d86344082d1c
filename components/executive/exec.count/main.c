// SPDX-License-Identifier: BSD-2-Clause
#include "count.h"

#include <executive/linux.h>
#include <executive/report.h>
#include <executive/start.h>
#include <runtime/print.h>
#include <runtime/time.h>

#define RING 4096 /* the ring carries no lines: it only wakes the component's own thread */

static struct process *process_of[LIMPET_GUESTS_MAX];
static uint64_t start[LIMPET_GUESTS_MAX]; /* time stamp of the answer to the call */
static bool results, each;		  /* arguments results, per-process */

static struct count *count_of(unsigned int id, word number)
{
	struct process *process = process_of[id];

	return process ? &process->count[number < NUMBERS ? number : NUMBERS - 1] : NULL;
}

static struct executive_answer call_answer(unsigned int id, word number)
{
	struct count *count = count_of(id, number);

	if (!count)
		return executive_passed();
	__atomic_fetch_add(&count->calls, 1, __ATOMIC_RELAXED);
	if (!results)
		return executive_passed();
	start[id] = limpet_time();
	return executive_passed_result();
}

static void result_count(unsigned int id, word number, word result)
{
	struct count *count = count_of(id, number);

	if (!count)
		return;
	__atomic_fetch_add(&count->ticks, limpet_time() - start[id], __ATOMIC_RELAXED);
	if (result >= (word)-LINUX_ERRORS)
		__atomic_fetch_add(&count->errors, 1, __ATOMIC_RELAXED);
}

static void signal_count(unsigned int id)
{
	struct process *process = process_of[id];

	if (process)
		__atomic_fetch_add(&process->signals, 1, __ATOMIC_RELAXED);
}

/* Changes the guest's process. Wakes the component's own thread if the guest was the last thread of the old process. */
static void process_change(unsigned int id, struct process *process)
{
	struct process *old = __atomic_exchange_n(&process_of[id], process, __ATOMIC_ACQ_REL);

	if (old && process_leave(old))
		report_wake();
}

/*
 * The guest can be killed before BEGIN is handled. The kernel then refuses calls, and END may already have been
 * handled.
 */
static void guest_begin(unsigned int id, uint32_t process)
{
	struct limpet_out out;

	process_change(id, process_enter(each ? process : TOGETHER));
	if (limpet_call_guest_registers(0, &out) < 0)
		process_change(id, NULL);
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	(void)w2;
	(void)w3;
	(void)w4;
	(void)w5;
	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	if (likely(kind == LIMPET_GUEST_CALL))
		return call_answer(id, w0);
	if (kind == LIMPET_GUEST_RESULT)
		result_count(id, w0, w1);
	else if (kind == LIMPET_GUEST_SIGNAL)
		signal_count(id);
	else if (kind == LIMPET_GUEST_BEGIN)
		guest_begin(id, (uint32_t)w1);
	else if (kind == LIMPET_GUEST_END)
		process_change(id, NULL);
	return executive_passed();
}

static void left_out_print(void)
{
	uint32_t threads = __atomic_exchange_n(&left_out, 0, __ATOMIC_RELAXED);

	if (threads)
		limpet_print("%u threads were not counted, because more than %u processes ran\n",
			     threads, PROCESSES);
}

/* Prints the tables of processes that have ended, and of all if `all`. */
static void tables_print(bool all)
{
	for (struct process *process = processes; process < processes + PROCESSES; process++) {
		bool ended = process_ended(process);

		if (!ended && !(all && process->owner))
			continue;
		table_print(process, results);
		if (ended)
			process_free(process);
	}
	left_out_print();
}

void component_main(const struct limpet_info *info)
{
	static uint8_t ring[RING] __attribute__((aligned(64)));
	word every = (word)limpet_arg_within(info, "every-ms", 0, 0, 3600000) * info->ticks_per_ms;
	word next = LIMPET_NEVER;
	bool signals = limpet_arg_within(info, "signals", 1, 0, 1);

	results = limpet_arg_within(info, "results", 1, 0, 1);
	each = limpet_arg_within(info, "per-process", 0, 0, 1);
	report_init(ring, sizeof(ring));
	if (!executive_start(LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT) |
			     (signals ? LIMPET_GUEST_WANTS(LIMPET_GUEST_SIGNAL) : 0) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_END)))
		return;
	for (;;) {
		if (every && next == LIMPET_NEVER)
			next = limpet_time() + every;
		if (report_serve(next)) {
			tables_print(false);
		} else {
			tables_print(true);
			next = LIMPET_NEVER;
		}
	}
}
