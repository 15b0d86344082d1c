// SPDX-License-Identifier: GPL-2.0
/* Calls the supervisor through a channel of an instance of `calls`. */
#include <host/debug.h>

#include <cli/command/debug/target.h>

long target_attach(struct limpet_caller *caller, unsigned int component)
{
	return debug_attach(caller, component);
}

static long detach(void *to)
{
	return debug_detach(to);
}

static long stop(void *to)
{
	return debug_stop(to);
}

static long go(void *to, unsigned int thread, enum target_how how)
{
	return debug_go(to, thread, how);
}

static long state(void *to, uint64_t *event)
{
	return debug_state(to, event);
}

static long next(void *to, unsigned int after, struct target_thread *thread)
{
	return debug_next(to, after, &thread->stopped, &thread->kind);
}

static long registers(void *to, unsigned int thread, unsigned int what, uint64_t value[3])
{
	return debug_registers(to, thread, what, &value[0], &value[1], &value[2]);
}

static long set(void *to, unsigned int thread, unsigned int number, uint64_t value)
{
	return debug_set(to, thread, number, value);
}

static long memory_read(void *to, uint64_t address, uint64_t value[3])
{
	return debug_read(to, address, &value[0], &value[1], &value[2]);
}

static long memory_write(void *to, uint64_t address, uint8_t value)
{
	return debug_write(to, address, value);
}

static long insert(void *to, uint64_t address)
{
	return debug_insert(to, address);
}

static long breakpoint_remove(void *to, uint64_t address)
{
	return debug_remove(to, address);
}

struct target target_of(struct limpet_caller *caller)
{
	return (struct target){ caller,	     detach,	   stop,      go,
				state,	     next,	   registers, set,
				memory_read, memory_write, insert,    breakpoint_remove };
}
