// SPDX-License-Identifier: BSD-2-Clause
#include <sched/timers.h>

/* Updates the list of first timers, the minimum rank and the cached answer after a change of the tree. */
static void update(struct timers *timers)
{
	unsigned int first = timers->tree.first,
		     second = first ? tree_next(&timers->tree, first) : 0;

	if (!timers->popped) {
		timers->first = (uint16_t)first;
		timers->next = tree_node(&timers->tree, first)->key;
		timers->second = (uint16_t)second;
		timers->second_due = tree_node(&timers->tree, second)->key;
	} else {
		timers->first = (uint16_t)second;
		timers->next = tree_node(&timers->tree, second)->key;
	}
	timers->min = tree_node(&timers->tree, timers->tree.root)->sum;
	timers->asked = 0;
}

void timers_init(struct timers *timers, struct node *node)
{
	*timers = (struct timers){ 0 };
	tree_init(&timers->tree, node, false);
	update(timers);
}

/* Removes the popped timer's node from the tree. */
static void drop(struct timers *timers)
{
	tree_remove(&timers->tree, timers->popped);
	timers->popped = 0;
}

void timers_clear(struct timers *timers)
{
	drop(timers);
	update(timers);
}

void timers_insert(struct timers *timers, unsigned int link, uint64_t due, uint32_t rank)
{
	if (timers->popped)
		drop(timers);
	tree_insert(&timers->tree, link, due, rank);
	update(timers);
}

void timers_end(struct timers *timers, unsigned int link)
{
	tree_remove(&timers->tree, link);
	update(timers);
}

void timers_renumber(struct timers *timers, unsigned int link, uint32_t rank)
{
	tree_renumber(&timers->tree, link, rank);
	update(timers);
}

uint64_t timers_find(struct timers *timers, uint32_t rank)
{
	unsigned int link = tree_first_below(&timers->tree, rank);

	if (link && link == timers->popped) {
		timers_clear(timers);
		link = tree_first_below(&timers->tree, rank);
	}
	timers->asked = rank;
	timers->answer = tree_node(&timers->tree, link)->key;
	return timers->answer;
}

unsigned int timers_best(struct timers *timers, uint64_t now)
{
	if (timers->popped)
		timers_clear(timers);
	return tree_first_below(&timers->tree, tree_min_until(&timers->tree, now) + 1);
}
