// SPDX-License-Identifier: BSD-2-Clause
/* From the registers of a system call to the function that serves it. */
#include <runtime/print.h>

#include <asm/unistd.h>

#include "call.h"
#include "posix.h"
#include "signals.h"

#define CALLS 512 /* Linux has fewer numbers */

typedef long call(word a, word b, word c, word d, word e, word f);

/* A function of fewer words leaves the registers of the others alone. */
#define CALL_ENTRY(name, words) [__NR_##name] = (call *)(void *)call_##name,
static call *const calls[CALLS] = { POSIX_CALLS(CALL_ENTRY) };

/* That a call, or this use of it such as clone() for a process, is not served: once for each number. */
static void unserved_tell(word number)
{
	static uint64_t told[CALLS / 64];
	const word n = number < CALLS ? number : 0;
	const uint64_t bit = 1ul << n % 64;

	if (!(__atomic_fetch_or(&told[n / 64], bit, __ATOMIC_RELAXED) & bit))
		limpet_print("system call %lu of Linux is not served, the program gets ENOSYS\n",
			     number);
}

void posix_system_call(struct posix_frame *frame)
{
	struct posix_thread *thread = posix_self();
	const word number = frame->rax;
	call *served = number < CALLS ? calls[number] : NULL;

	thread->frame = frame;
	frame->rax = served ? (word)served(frame->rdi, frame->rsi, frame->rdx, frame->r10,
					   frame->r8, frame->r9)
			    : (word)-ENOSYS;
	if (unlikely(frame->rax == (word)-ENOSYS))
		unserved_tell(number);
	if (unlikely(signals_attention(thread, number)))
		signals_deliver(thread, number);
	thread_pointers(thread);
}
