// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/stack_pool.h>

#define OWN_STACK UINT64_MAX /* number of a stack that is not returned */

struct stack_pool __limpet_pool;

_Static_assert(LIMPET_ESTACK == -20, "stack_wait.S");
_Static_assert(__builtin_offsetof(struct stack_pool, free) == POOL_FREE, "macros");
_Static_assert(__builtin_offsetof(struct stack_pool, waiters) == POOL_WAITERS, "macros");
_Static_assert(__builtin_offsetof(struct stack_pool, size) == POOL_SIZE, "macros");
_Static_assert(__builtin_offsetof(struct stack_pool, lowest) == POOL_LOWEST, "macros");
_Static_assert(__builtin_offsetof(struct stack_pool, top) == POOL_TOP, "macros");
_Static_assert(__builtin_offsetof(struct stack_pool, holder) == POOL_HOLDER, "macros");

void limpet_pool_init(const struct limpet_info *info)
{
	const uint64_t size = 1ul << info->pool_shift;

	__limpet_pool = (struct stack_pool){
		.free = ~0ul >> (64 - info->pool_count),
		.count = info->pool_count,
		.size = size,
		.lowest = info->stacks + (1ul << LIMPET_ENTRY_SHIFT),
		.top = info->pool + size,
	};
}

word limpet_pool_own(const struct limpet_info *info, word entry)
{
	const unsigned int index = limpet_pool_thread(entry) - info->first_thread;
	word *top = (word *)(__limpet_pool.top + (info->pool_count + index) * __limpet_pool.size);

	top[-1] = entry;
	top[-2] = OWN_STACK;
	return (word)(top - 2);
}
