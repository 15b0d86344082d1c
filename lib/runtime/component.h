/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a component knows about itself, and the functions that it supplies.
 */
#ifndef RUNTIME_COMPONENT_H
#define RUNTIME_COMPONENT_H

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
/* Id of the thread that runs: each thread has a stack of its own in each component. */
static inline unsigned int limpet_thread_id(void)
{
	word sp;

	asm volatile("mov %%rsp, %0" : "=r"(sp));
	return (unsigned int)((sp - limpet_info()->stacks) >> limpet_info()->stack_shift);
}
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
