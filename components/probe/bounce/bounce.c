// SPDX-License-Identifier: BSD-2-Clause
/* Events between CPUs. The booter has connected the two components through LIMPET_SLOT_PORT. */
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#define ROUNDS_MAX 10000
#define RETRY_US 1000

static uint32_t values[ROUNDS_MAX];

static void event_send(void)
{
	long status = limpet_call_endpoint_send(LIMPET_SLOT_PORT, 1);

	if (status)
		limpet_print("cannot send: %s\n", limpet_error_text(status));
}

static long receive(word flags)
{
	struct limpet_out out;

	return limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, flags, &out);
}

/* The other CPU may not have started yet. Events are lost until then. */
static void other_find(void)
{
	do {
		event_send();
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(RETRY_US));
	} while (receive(LIMPET_NOWAIT) == LIMPET_EEMPTY);
	/* Discards late answers to earlier events. */
	sched_sleep_until(limpet_time() + limpet_us_to_ticks(10 * RETRY_US));
	receive(LIMPET_NOWAIT);
}

static void measure(uint64_t rounds)
{
	struct figure figure;

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t start = limpet_time();

		event_send();
		receive(0);
		values[i] = (uint32_t)(limpet_time() - start);
	}
	figure = figure_of_values(values, rounds);
	figure_print(&figure, "table1", "cross-cpu", "limpet");
	limpet_print("done\n");
}

void component_main(const struct limpet_info *info)
{
	int64_t rounds = limpet_arg_number(info, "rounds", 200);

	limpet_print("CPU %u of %u\n", info->cpu, info->cpus);
	if (limpet_arg_number(info, "first", 0)) {
		other_find();
		measure(rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : (uint64_t)rounds);
		return;
	}
	for (;;) {
		receive(0);
		event_send();
	}
}
