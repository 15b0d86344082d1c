/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the parts of world.h share. */
#ifndef PARTS_H
#define PARTS_H

#include "world.h"

/* --- servers.c */

extern uint64_t servers_resumed; /* threads that were resumed, but have not run yet */
extern word servers_waits[64];	 /* by thread: the object that it waits for, or 0 */

void servers_begin(void);
/* Frees the memory of the components. */
void servers_end(void);

/* --- stack.c */

/* Loads a component with this name and its channel, and starts Linux's end. It has a gateway and a name server. */
void stack_load(struct stack *s, struct limpet_info_channel *channel, const char *name);
/* Starts the component. `address` is its argument, or NULL. */
void stack_begin(struct stack *s, const char *address);
/* Unloads the component completely, if it was loaded. */
void stack_end(struct stack *s);

#endif
