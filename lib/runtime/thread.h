/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a component's spare threads (`threads` in the system file). They wait in the scheduler until
 * sched_create(entry, argument, priority) starts one. For components that import sched under the
 * name sched.
 */
#ifndef RUNTIME_THREAD_H
#define RUNTIME_THREAD_H

#include <runtime/types.h>

/*
 * Runs a spare thread from the top of its stack: waits for its work, does it, and exits,
 * repeatedly.
 */
_Noreturn void limpet_thread_begin(void);

/*
 * Ends the calling spare thread, and passes the value to the thread that joins it. It has the same effect as a return
 * from `entry`, and may be called at any depth in the thread's own component. The thread can then be created again.
 */
_Noreturn void limpet_thread_exit(word value);

#endif
