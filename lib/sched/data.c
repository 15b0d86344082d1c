// SPDX-License-Identifier: BSD-2-Clause
/*
 * The data of a scheduler. They have their own file, because the compiler must not know the size of the thread array.
 * The linker puts `sched` last, followed by space for the threads of the system.
 */
#include <sched/policy_calls.h>

/* In tests the array has the maximum number of threads. */
#ifdef LIMPET_FAKE_KERNEL
struct sched sched = { .thread = { [LIMPET_THREADS_MAX - 1] = { .state = STATE_NONE } } };
#else
struct sched sched __attribute__((section(".bss..each-thread")));
#endif
struct policy policy;
