// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include <export/pong.h>
#include <import/order.h>
#include <import/sched.h>

static word link, due, done;

/* Returns the number of links that it has stopped. */
long pong_serve_call0(word badge)
{
	(void)badge;
	return (long)__atomic_load_n(&done, __ATOMIC_SEQ_CST);
}

long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	(void)badge, (void)c, (void)d, (void)out;
	due = b;
	__atomic_store_n(&link, a, __ATOMIC_SEQ_CST);
	return sched_wake(limpet_info()->thread);
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	for (;;) {
		word to_stop = __atomic_exchange_n(&link, 0, __ATOMIC_SEQ_CST);
		word x;

		if (!to_stop) {
			sched_block();
			continue;
		}
		sched_sleep_until(due);
		order_call4(to_stop, 0, 0, 0, &x, &x, &x);
		__atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
	}
}
