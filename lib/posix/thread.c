// SPDX-License-Identifier: BSD-2-Clause
/* Records of the program's threads. Each is a thread of the component, with the same id. */
#include "posix.h"

struct posix_thread posix_threads[POSIX_THREADS];
unsigned int posix_first;
bool posix_exiting;
static unsigned int alive; /* threads that have not ended */

unsigned int posix_pid(void)
{
	return limpet_info()->thread;
}

struct posix_thread *thread_of(word tid)
{
	word place = tid - posix_first;

	return place < POSIX_THREADS && posix_threads[place].alive ? &posix_threads[place] : NULL;
}

void thread_begin(struct posix_thread *thread)
{
	const struct limpet_info *info = limpet_info();

	thread->stack = info->stacks + ((uint64_t)(posix_id(thread) + 1) << info->stack_shift);
	thread->alive = true;
	alive++;
}

bool thread_forget(struct posix_thread *thread)
{
	thread->alive = false;
	return --alive == 0;
}

#ifndef LIMPET_FAKE_KERNEL
void thread_pointers(const struct posix_thread *thread)
{
	asm volatile("wrfsbase %0\n\twrgsbase %1" : : "r"(thread->fs), "r"(thread));
}
#endif
