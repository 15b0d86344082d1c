/* SPDX-License-Identifier: GPL-2.0 */
/* Faults and thread states in words. */
#ifndef CLI_FAULT_H
#define CLI_FAULT_H

#include <stddef.h>

#include <cli/common/snapshot.h>

/* Describes a component's last fault; "" when it had none. */
void fault_describe(const struct limpet_stat_component *component, char *to, size_t size);
/* Describes what a dead thread died of; "" of other threads. */
void thread_death(const struct snapshot *snapshot, const struct limpet_stat_thread *thread,
		  char *to, size_t size);
/* Word for enum limpet_thread_state; never NULL. */
const char *thread_state_word(unsigned int state);

#endif
