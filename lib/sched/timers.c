// SPDX-License-Identifier: BSD-2-Clause
#include <sched/timers.h>

/* Updates the list of first timers, the minimum rank and the cached answer after a change of the tree. */
static void update(struct timers *t)
{
	unsigned int first = t->tree.first, second = first ? tree_next(&t->tree, first) : 0;

	if (!t->popped) {
		t->first = (uint16_t)first;
		t->next = tree_node(&t->tree, first)->key;
		t->second = (uint16_t)second;
		t->second_due = tree_node(&t->tree, second)->key;
	} else {
		t->first = (uint16_t)second;
		t->next = tree_node(&t->tree, second)->key;
	}
	t->least = tree_node(&t->tree, t->tree.root)->sum;
	t->asked = 0;
}

void timers_init(struct timers *t, struct node *node)
{
	*t = (struct timers){ 0 };
	tree_init(&t->tree, node, false);
	update(t);
}

/* Removes the popped timer's node from the tree. */
static void drop(struct timers *t)
{
	tree_remove(&t->tree, t->popped);
	t->popped = 0;
}

void timers_clear(struct timers *t)
{
	drop(t);
	update(t);
}

void timers_insert(struct timers *t, unsigned int link, uint64_t due, uint32_t rank)
{
	if (t->popped)
		drop(t);
	tree_insert(&t->tree, link, due, rank);
	update(t);
}

void timers_end(struct timers *t, unsigned int link)
{
	tree_remove(&t->tree, link);
	update(t);
}

void timers_renumber(struct timers *t, unsigned int link, uint32_t rank)
{
	tree_renumber(&t->tree, link, rank);
	update(t);
}

uint64_t timers_find(struct timers *t, uint32_t rank)
{
	unsigned int link = tree_first_below(&t->tree, rank);

	if (link && link == t->popped) {
		timers_clear(t);
		link = tree_first_below(&t->tree, rank);
	}
	t->asked = rank;
	t->answer = tree_node(&t->tree, link)->key;
	return t->answer;
}
