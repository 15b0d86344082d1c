// SPDX-License-Identifier: BSD-2-Clause
/* Starts spare threads. tools/compose/build.py adds this file to the components that need it. */
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/thread.h>

#include <import/sched.h>

typedef word thread_function(word argument);

/* Ends the thread, because it has no function to run. The kernel reports it to the scheduler. */
static _Noreturn void leave(void)
{
	for (;;)
		limpet_call_2(LIMPET_CALL(LIMPET_CALL_RETURN), 0, 0);
}

/*
 * A crashed scheduler returns LIMPET_ECRASH until it has restarted, and always if it stays stopped.
 */
#define TRIES 100

void limpet_thread_begin(void)
{
	word entry, argument;
	long status = LIMPET_ECRASH;

	for (unsigned int i = 0; i < TRIES && status == LIMPET_ECRASH; i++)
		status = sched_work(&entry, &argument);
	if (status < 0)
		leave();
	limpet_thread_exit(((thread_function *)entry)(argument));
}

/*
 * Discards the stack, because the next function does not need it, and waits for the next function.
 */
static _Noreturn void thread_restart(void)
{
	asm volatile("mov %0, %%rsp\n\tcall limpet_thread_begin"
		     :
		     : "r"(limpet_stack_top())
		     : "memory");
	__builtin_unreachable();
}

void limpet_thread_exit(word value)
{
	sched_exit(value);
	if (limpet_info()->thread_of[limpet_thread_id()].flags & LIMPET_THREAD_SPARE)
		thread_restart();
	leave();
}
