/* SPDX-License-Identifier: GPL-2.0 */
/* Faults and thread states in words. */
#ifndef CLI_FAULT_H
#define CLI_FAULT_H

#include <stddef.h>

#include <cli/common/snapshot.h>

/* Describes a component's last fault, or writes "" without a fault. */
void fault_describe(const struct limpet_stat_component *component, char *to, size_t size);
/* Describes why a thread is dead; "" if it is not dead. */
void thread_death(const struct snapshot *snapshot, const struct limpet_stat_thread *thread,
		  char *to, size_t size);
/* Formats the result of snapshot_priority(): "-" for a spare thread, because its creator chooses the priority. */
const char *thread_priority_text(unsigned int priority, char text[12]);
/* Returns the word for an enum limpet_thread_state. Never returns NULL. */
const char *thread_state_word(unsigned int state);

#endif
