// SPDX-License-Identifier: BSD-2-Clause
/* Gives functions of the import sched a symbol for Rust. time.rs and thread.rs declare them. */
#include <import/sched.h>

long limpet_rust_periodic(word period, word first)
{
	return sched_periodic(period, first);
}

long limpet_rust_periodic_wait(word *due)
{
	return sched_periodic_wait(due);
}

long limpet_rust_sleep_until(word deadline)
{
	return sched_sleep_until(deadline);
}

long limpet_rust_yield(void)
{
	return sched_yield();
}

long limpet_rust_create(word entry, word argument, word priority)
{
	return sched_create(entry, argument, priority);
}

long limpet_rust_join(word thread, word deadline, word *value)
{
	return sched_join(thread, deadline, value);
}

long limpet_rust_detach(word thread)
{
	return sched_detach(thread);
}
