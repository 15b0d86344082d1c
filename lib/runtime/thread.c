// SPDX-License-Identifier: BSD-2-Clause
/* Where a spare thread begins; see tools/compose/build.py for who has this. */
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/thread.h>

#include <import/sched.h>

typedef word thread_function(word argument);

/* The thread has nothing to run any more; its scheduler is told. */
static _Noreturn void leave(void)
{
	for (;;)
		limpet_call_2(LIMPET_CALL(LIMPET_CALL_RETURN), 0, 0);
}

/* A scheduler that has crashed begins anew, unless it is stopped: then it always says so. */
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

/* Nothing below the top of the stack is of use to whom the thread works for next. */
static _Noreturn void begin_anew(void)
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
		begin_anew();
	leave();
}
