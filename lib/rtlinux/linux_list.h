/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists with the names and the layout of Linux's <linux/list.h>. <rtlinux/linux.h> includes this file. */
#ifndef RTLINUX_LINUX_LIST_H
#define RTLINUX_LINUX_LIST_H

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
#define INIT_LIST_HEAD(head) ((void)((head)->next = (head)->prev = (head)))
#define list_entry container_of
#define list_for_each(at, head) for ((at) = (head)->next; (at) != (head); (at) = (at)->next)
#define list_for_each_prev(at, head) for ((at) = (head)->prev; (at) != (head); (at) = (at)->prev)
#define list_for_each_safe(at, after, head)                                                        \
	for ((at) = (head)->next, (after) = (at)->next; (at) != (head);                            \
	     (at) = (after), (after) = (at)->next)
#define list_for_each_entry(at, head, member)                                                      \
	for ((at) = list_entry((head)->next, __typeof__(*(at)), member); &(at)->member != (head);  \
	     (at) = list_entry((at)->member.next, __typeof__(*(at)), member))

static inline void rtlinux_list_put(struct list_head *entry, struct list_head *before,
				    struct list_head *after)
{
	before->next = after->prev = entry;
	entry->next = after;
	entry->prev = before;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	rtlinux_list_put(entry, head, head->next);
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	rtlinux_list_put(entry, head->prev, head);
}

static inline void list_del(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
}

static inline void list_del_init(struct list_head *entry)
{
	list_del(entry);
	INIT_LIST_HEAD(entry);
}

static inline int list_empty(const struct list_head *head)
{
	return head->next == head;
}

#endif
