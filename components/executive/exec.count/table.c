// SPDX-License-Identifier: BSD-2-Clause
#include "count.h"

#include <guest/calls.h>
#include <runtime/print.h>
#include <runtime/text.h>
#include <runtime/time.h>

/* A copy of a process's counts, because handler threads can change them while they are sorted. */
static struct count copy[NUMBERS];
static uint16_t order[NUMBERS]; /* numbers of the calls that were made */
static struct count sum;

/* Returns whether row `a` is printed before row `b`, because it has more time or, for equal times, more calls. */
static bool is_before(unsigned int a, unsigned int b)
{
	if (copy[a].ticks != copy[b].ticks)
		return copy[a].ticks > copy[b].ticks;
	return copy[a].calls > copy[b].calls;
}

/* Inserts a number into the sorted order, which has `count` numbers. */
static void order_insert(unsigned int count, unsigned int number)
{
	unsigned int at = count;

	for (; at && is_before(number, order[at - 1]); at--)
		order[at] = order[at - 1];
	order[at] = (uint16_t)number;
}

/* Copies, sums up and sorts. Returns the number of rows. */
static unsigned int rows_sort(const struct process *process)
{
	unsigned int rows = 0;

	sum = (struct count){ 0 };
	for (unsigned int i = 0; i < NUMBERS; i++) {
		copy[i] = process->count[i];
		if (!copy[i].calls)
			continue;
		sum.calls += copy[i].calls;
		sum.errors += copy[i].errors;
		sum.ticks += copy[i].ticks;
		order_insert(rows++, i);
	}
	return rows;
}

static const char *name_of(unsigned int number)
{
	const struct guest_call *call = guest_call_at(number);

	if (number == NUMBERS - 1)
		return "other numbers";
	return call ? call->name : "unknown";
}

static uint64_t microseconds(uint64_t ticks)
{
	uint64_t each = limpet_info()->ticks_per_ms;

	return ticks / each * 1000 + ticks % each * 1000 / each;
}

static void row_print(const struct count *count, const char *name, bool results)
{
	uint64_t part = sum.ticks ? count->ticks / (sum.ticks / 1000 + 1) : 0;

	if (!results)
		limpet_print("%9u %s\n", count->calls, name);
	else
		limpet_print("%3lu.%lu %12lu %9lu %9u %9u %s\n", part / 10, part % 10,
			     microseconds(count->ticks), microseconds(count->ticks) / count->calls,
			     count->calls, count->errors, name);
}

void table_print(const struct process *process, bool results)
{
	uint32_t pid = (uint32_t)(__atomic_load_n(&process->owner, __ATOMIC_ACQUIRE) >> 32);
	unsigned int rows = rows_sort(process);

	if (!rows)
		return;
	if (pid == TOGETHER)
		limpet_print("all guests%s\n",
			     process_ended(process) ? "" : ", of which some still run");
	else
		limpet_print("process %u%s\n", pid,
			     process_ended(process) ? "" : ", which still runs");
	limpet_print(results ? "%% time microseconds   us/call     calls    errors call\n"
			     : "    calls call\n");
	for (unsigned int i = 0; i < rows; i++)
		row_print(&copy[order[i]], name_of(order[i]), results);
	row_print(&sum, "total", results);
	if (process->signals)
		limpet_print("%u signals\n", process->signals);
}
