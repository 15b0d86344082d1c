/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the information that a component has about itself, and the functions that it defines.
 */
#ifndef RUNTIME_COMPONENT_H
#define RUNTIME_COMPONENT_H

#include <runtime/stack_pool.h>
#include <runtime/types.h>

/* The info page; the symbol's address is set when the image is composed. */
extern const struct limpet_info __limpet_info;

/*
 * Initialises the component. The booter calls it once before any thread runs, for servers before their clients. It must
 * return and must not block. A negative status stops the boot with a message. The default function returns 0.
 */
long component_init(const struct limpet_info *info);

/* Runs as the component's own thread, if the component has one. The default function returns immediately. */
void component_main(const struct limpet_info *info);

/*
 * Ends the component's own thread after component_main() has returned. It must not return. The default function waits
 * forever.
 */
_Noreturn void component_exit(void);

/* Returns the component's info page, which is valid in any context and never changes. */
static inline const struct limpet_info *limpet_info(void)
{
	return &__limpet_info;
}

#ifdef LIMPET_FAKE_KERNEL
unsigned int limpet_thread_id(void);
#else
/* Returns the stack pointer of the calling thread. */
static inline word limpet_stack_pointer(void)
{
	word sp;

	asm volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

#ifdef LIMPET_STACK_POOL
/*
 * Returns the id of the calling thread. A word at the top of its stack is the address of its entry
 * stack.
 */
static inline unsigned int limpet_thread_id(void)
{
	word last = limpet_stack_pointer() | (__limpet_pool.size - 1);

	return limpet_pool_thread(*(const uint64_t *)(last + POOL_ENTRY_WORD));
}

/*
 * Returns the stack pointer with which the calling thread started, if it is in its own component.
 */
static inline word limpet_stack_top(void)
{
	return (limpet_stack_pointer() | (__limpet_pool.size - 1)) + POOL_NUMBER_WORD;
}
#else
/* Returns the id of the calling thread, computed from the address of its stack. */
static inline unsigned int limpet_thread_id(void)
{
	return (unsigned int)((limpet_stack_pointer() - limpet_info()->stacks) >>
			      limpet_info()->stack_shift);
}

/*
 * Returns the stack pointer with which the calling thread started, if it is in its own component.
 */
static inline word limpet_stack_top(void)
{
	const struct limpet_info *info = limpet_info();

	return info->stacks + ((limpet_thread_id() + 1ul) << info->stack_shift);
}
#endif
#endif

/*
 * Returns the number that the system file sets for argument `name`, or `otherwise` if it sets none. Any context. Costs
 * a search of the component's arguments, at most LIMPET_INFO_ARGS.
 */
int64_t limpet_arg_number(const struct limpet_info *info, const char *name, int64_t otherwise);
/*
 * Returns the number of argument `name` if it is between `min` and `max`. Otherwise it returns
 * `otherwise`, which must be in this range, and logs a line. For components that import log.
 */
int64_t limpet_arg_within(const struct limpet_info *info, const char *name, int64_t otherwise,
			  int64_t min, int64_t max);
/* Returns the text of argument `name`, or `otherwise` if the system file sets none. The text stays valid. */
const char *limpet_arg_text(const struct limpet_info *info, const char *name,
			    const char *otherwise);
/*
 * Returns a one-line description of an error of <limpet/error.h>, also for an unknown one. Never
 * NULL.
 */
const char *limpet_error_text(long status);
/* Returns the name of an error, such as "EBUSY". Never NULL. */
const char *limpet_error_name(long status);

#endif
