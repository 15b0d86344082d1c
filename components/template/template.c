// SPDX-License-Identifier: BSD-2-Clause
/* A component to copy. It prints a greeting periodically, on a thread of its own. */
#include <runtime/component.h> /* component_init, component_main, limpet_arg_... */
#include <runtime/print.h>     /* limpet_print: needs the import log */
#include <runtime/time.h>      /* limpet_time, limpet_us_to_ticks */

#include <import/sched.h> /* sched_...: one function for each of the interface's */

static const char *greeting;

/*
 * Called once, before any thread of the system runs. The servers of the imports are ready. This
 * function must not block. A negative status stops the boot with a message. Remove the function if
 * it is not needed.
 */
long component_init(const struct limpet_info *info)
{
	greeting = limpet_arg_text(info, "greeting", "hello");
	return LIMPET_OK;
}

/* The component's own thread. When it returns, the thread ends, but the component stays. */
void component_main(const struct limpet_info *info)
{
	int64_t period_us = limpet_arg_number(info, "period-us", 100000);
	int64_t count = limpet_arg_number(info, "count", 10);
	word due;

	if (sched_periodic(limpet_us_to_ticks((uint64_t)period_us), 0) < 0)
		limpet_print("argument period-us is out of range\n");
	for (int64_t n = 1; n <= count && sched_periodic_wait(&due) >= 0; n++)
		limpet_print("%s, number %ld\n", greeting, n);
}
