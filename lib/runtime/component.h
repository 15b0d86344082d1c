/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a component knows about itself, and the functions that it supplies.
 */
#ifndef RUNTIME_COMPONENT_H
#define RUNTIME_COMPONENT_H

#include <runtime/stack_pool.h>
#include <runtime/types.h>

/* The info page; the symbol's address is set when the image is composed. */
extern const struct limpet_info __limpet_info;

/*
 * Called once by the booter, before any thread runs, servers before their clients. It must return
 * and must not block. A negative status stops the boot with a message. Default: returns 0.
 */
long component_init(const struct limpet_info *info);

/* The component's own thread, when it has a priority. Default: returns at once. */
void component_main(const struct limpet_info *info);

/* Called when component_main() has returned; must not return. Default: waits for ever. */
_Noreturn void component_exit(void);

/* The component's info page. */
static inline const struct limpet_info *limpet_info(void)
{
	return &__limpet_info;
}

#ifdef LIMPET_FAKE_KERNEL
unsigned int limpet_thread_id(void);
#else
static inline word limpet_stack_pointer(void)
{
	word sp;

	asm volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

#ifdef LIMPET_STACK_POOL
/* Id of the calling thread. The top of its stack names its entry stack. */
static inline unsigned int limpet_thread_id(void)
{
	word last = limpet_stack_pointer() | (__limpet_pool.size - 1);

	return limpet_pool_thread(*(const uint64_t *)(last + POOL_ENTRY_WORD));
}

/* Where the calling thread's own code began on its stack, in its own component. */
static inline word limpet_stack_top(void)
{
	return (limpet_stack_pointer() | (__limpet_pool.size - 1)) + POOL_NUMBER_WORD;
}
#else
/* Id of the calling thread. The place of its stack says it. */
static inline unsigned int limpet_thread_id(void)
{
	return (unsigned int)((limpet_stack_pointer() - limpet_info()->stacks) >>
			      limpet_info()->stack_shift);
}

/* Where the calling thread's own code began on its stack, in its own component. */
static inline word limpet_stack_top(void)
{
	const struct limpet_info *info = limpet_info();

	return info->stacks + ((limpet_thread_id() + 1ul) << info->stack_shift);
}
#endif
#endif

/* The number that the system file gives for argument `name`, or `otherwise`. */
int64_t limpet_arg_number(const struct limpet_info *info, const char *name, int64_t otherwise);
/*
 * The same, `least` to `most`, which `otherwise` is, too: instead of another number `otherwise` is taken, and a line
 * in the log says so. For components that import log.
 */
int64_t limpet_arg_within(const struct limpet_info *info, const char *name, int64_t otherwise,
			  int64_t least, int64_t most);
/* The text that it gives. The result lives as long as the component. */
const char *limpet_arg_text(const struct limpet_info *info, const char *name,
			    const char *otherwise);
/* One line for an error of <limpet/error.h>; also for unknown ones. Never NULL. */
const char *limpet_error_text(long status);
/* Its name, "EBUSY". Never NULL. */
const char *limpet_error_name(long status);

#endif
