/* SPDX-License-Identifier: GPL-2.0 */
/* Doubly linked lists. All operations take constant time. */
#ifndef KERNEL_LIST_H
#define KERNEL_LIST_H

#include <hal/types.h>

/* A list, or an object's member that links the object into a list. next is NULL if it is not in a list. */
struct list {
	struct list *next, *before;
};

/* Evaluates to the object that contains this member. */
#define list_object(item, type, member) ((type *)((u8 *)(item) - __builtin_offsetof(type, member)))

static inline void list_init(struct list *list)
{
	list->next = list->before = list;
}

/* Returns the first item, or NULL. */
static inline struct list *list_first(const struct list *list)
{
	return list->next != list ? list->next : NULL;
}

/* Adds an item that is not in a list. */
static inline void list_append(struct list *list, struct list *item)
{
	item->next = list;
	item->before = list->before;
	list->before->next = item;
	list->before = item;
}

/* Removes an item from its list, if it is in one. */
static inline void list_remove(struct list *item)
{
	if (!item->next)
		return;
	item->next->before = item->before;
	item->before->next = item->next;
	item->next = NULL;
}

#endif
