// SPDX-License-Identifier: BSD-2-Clause
/*
 * Handles robust mutexes of an ending thread. Marks in their words that the owner has died, and wakes one waiter of
 * each, as Linux's Documentation/locking/robust-futex-ABI.rst describes.
 */
#include <linux/futex.h>

#include "posix.h"
#include "waiter.h"

#define ENTRIES_MAX 2048 /* bounds the loop, because the program can destroy the list */
#define PI 1ul		 /* flag in the address of an entry */

static void entry_abandon(const struct robust_list_head *head, const struct robust_list *entry,
			  unsigned int tid)
{
	uint32_t *word_of = (uint32_t *)((word)entry + (word)head->futex_offset);
	uint32_t old = __atomic_load_n(word_of, __ATOMIC_SEQ_CST), new;

	do {
		if ((old & FUTEX_TID_MASK) != tid)
			return;
		new = (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	} while (!__atomic_compare_exchange_n(word_of, &old, new, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	if (old & FUTEX_WAITERS)
		futex_wake(word_of);
}

static struct robust_list *plain(const struct robust_list *entry)
{
	return (struct robust_list *)((word)entry & ~PI);
}

void robust_abandon(struct posix_thread *thread)
{
	struct robust_list_head *head = thread->robust;
	const struct robust_list *pending, *entry;

	if (!head)
		return;
	pending = plain(head->list_op_pending);
	entry = plain(head->list.next);
	for (unsigned int i = 0; i < ENTRIES_MAX && entry != &head->list; i++) {
		const struct robust_list *next = plain(entry->next);

		if (entry != pending)
			entry_abandon(head, entry, posix_id(thread));
		entry = next;
	}
	if (pending)
		entry_abandon(head, pending, posix_id(thread));
	thread->robust = NULL;
}
