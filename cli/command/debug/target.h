/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A component that is debugged: the functions of interface `debug`, whose definition describes them. Each returns 0 or
 * more, or a negative LIMPET_E... or LIMPET_CALL_... A unit test has other functions.
 */
#ifndef CLI_DEBUG_TARGET_H
#define CLI_DEBUG_TARGET_H

#include <stdint.h>

#define TARGET_REGISTERS 18
#define TARGET_FLAGS 17
#define TARGET_THREADS_MAX 1023
#define TARGET_HELD 512 /* kind of a thread that was stopped by attach or stop */

enum target_how { TARGET_CONTINUE, TARGET_STEP, TARGET_CRASH };

struct target_thread {
	uint64_t stopped, kind;
};

struct target {
	void *to; /* the first argument of all functions */
	long (*detach)(void *to);
	long (*stop)(void *to);
	long (*go)(void *to, unsigned int thread, enum target_how how);
	long (*state)(void *to, uint64_t *event);
	long (*next)(void *to, unsigned int after, struct target_thread *thread);
	long (*registers)(void *to, unsigned int thread, unsigned int what, uint64_t value[3]);
	long (*set)(void *to, unsigned int thread, unsigned int number, uint64_t value);
	long (*read)(void *to, uint64_t address, uint64_t value[3]);
	long (*write)(void *to, uint64_t address, uint8_t value);
	long (*insert)(void *to, uint64_t address);
	long (*remove)(void *to, uint64_t address);
};

struct limpet_caller;

/* Makes the target that an open channel leads to. */
struct target target_of(struct limpet_caller *caller);
/* Starts a session with a component. Returns as the target's functions. */
long target_attach(struct limpet_caller *caller, unsigned int component);

#endif
