// SPDX-License-Identifier: BSD-2-Clause
/* Waits for stacks of the component's pool, see <runtime/stack_pool.h>. */
#include <runtime/stack_pool.h>

#include <sync/core.h>

/* A request of the calling thread. */
struct request {
	word entry;  /* top of its entry stack */
	long number; /* of the stack that it got */
};

/*
 * Takes a free stack. Without one it sets *owner to a thread that has a stack, to which the caller
 * lends its priority.
 */
static bool try_stack(void *object, const void *want, word *owner)
{
	struct request *request = object;

	(void)want;
	for (uint32_t i = 0; i < __limpet_pool.count; i++) {
		uint64_t holder = 0;

		if (__atomic_compare_exchange_n(&__limpet_pool.holder[i], &holder, request->entry,
						false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			__atomic_fetch_and(&__limpet_pool.free, ~(1ul << i), __ATOMIC_SEQ_CST);
			request->number = (long)i;
			return true;
		}
		*owner = limpet_pool_thread(holder);
	}
	return false;
}

static bool any_free(void)
{
	for (uint32_t i = 0; i < __limpet_pool.count; i++)
		if (!__atomic_load_n(&__limpet_pool.holder[i], __ATOMIC_SEQ_CST))
			return true;
	return false;
}

/*
 * Two stacks can be released before the woken thread runs. Both releases wake the same thread, so that thread wakes the
 * next one.
 */
long limpet_stack_wait(word entry)
{
	struct request request = { .entry = entry };
	word owner;
	long status;

	if (try_stack(&request, NULL, &owner))
		return request.number;
	if (limpet_info()->flags & LIMPET_COMPONENT_STACK_ERROR)
		return LIMPET_ESTACK;
	status = sync_wait(&__limpet_pool.waiters, try_stack, &request, NULL, LIMPET_NEVER);
	if (any_free())
		sync_wake(&__limpet_pool.waiters);
	if (status)
		return status == LIMPET_ESTATE ? LIMPET_ESTACK : status;
	return request.number;
}

void limpet_stack_wake(void)
{
	sync_wake_best(&__limpet_pool.waiters);
}
