// SPDX-License-Identifier: BSD-2-Clause
/*
 * The data, in a file of their own: the compiler must not know how many threads there are room for.
 * The linker puts `sched` last, and room for the threads of the system behind it.
 */
#include <sched/policy_calls.h>

/* Tests have room for as many as there can be. */
#ifdef LIMPET_FAKE_KERNEL
struct sched sched = { .thread = { [LIMPET_THREADS_MAX - 1] = { .state = STATE_NONE } } };
#else
struct sched sched __attribute__((section(".bss..each-thread")));
#endif
struct policy policy;
