/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that a component creates: its spare threads (`threads` in the system file), which wait in the
 * scheduler until sched_create(entry, argument, priority) gives them something to do. For components that
 * import sched under the name sched.
 */
#ifndef RUNTIME_THREAD_H
#define RUNTIME_THREAD_H

#include <runtime/types.h>

/* Where a spare thread begins, at the top of its stack: asks what to do, does it, begins again. */
_Noreturn void limpet_thread_begin(void);

/*
 * Ends what the calling thread does; who joins it gets the value. The same as a return from `entry`,
 * from wherever on the thread's stack in its own component.
 */
_Noreturn void limpet_thread_exit(word value);

#endif
