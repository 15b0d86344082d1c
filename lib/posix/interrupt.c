// SPDX-License-Identifier: BSD-2-Clause
/* The way back to the program of a thread that was diverted to posix_interrupt in entry.S, and of a new one. */
#include <runtime/divert.h>

#include "posix.h"

#define BELOW_FRAME 256 /* bytes at the end of a stack, at least the size of a frame */

word posix_stacks, posix_stacks_size;

/* The values that posix_interrupt has stored on the program's stack. */
struct interruption {
	word rax, flags, reserved;
	uint8_t red_zone[LIMPET_RED_ZONE];
};

struct posix_leave posix_interrupted(struct posix_frame *frame)
{
	struct posix_thread *thread = posix_self();
	const struct interruption *from = (const void *)frame->rsp;

	frame->rax = from->rax;
	frame->flags = from->flags;
	frame->rip = thread->interrupted;
	frame->rsp = (word)(from + 1);
	thread->frame = frame;
	thread->number = NO_CALL;
	thread->full = true;
	barrier();
	thread->diverted = false;
	return posix_leave(thread);
}

/*
 * Returns the address and stack at which a thread continues after an interruption in the library. Address 0 means
 * posix_leave_again().
 */
struct posix_resume posix_interrupted_library(void)
{
	struct posix_thread *thread = posix_self();
	const word address = thread->leaving ? 0 : thread->interrupted;

	barrier();
	thread->diverted = false;
	return (struct posix_resume){ address, thread->stack - BELOW_FRAME };
}

struct posix_leave posix_leave_again(void)
{
	return posix_leave(posix_self());
}

struct posix_leave posix_leave_first(void)
{
	struct posix_thread *thread = posix_self();

	thread->frame = (struct posix_frame *)thread->stack - 1;
	*thread->frame = thread->first;
	thread->number = NO_CALL;
	return posix_leave(thread);
}

#ifndef LIMPET_FAKE_KERNEL
_Noreturn void thread_go(struct posix_thread *thread)
{
	thread_pointers(thread);
	posix_begin(thread->stack - BELOW_FRAME);
}
#endif
