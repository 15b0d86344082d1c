/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the parts of world.h share. */
#ifndef PARTS_H
#define PARTS_H

#include "world.h"

/* --- servers.c */

extern uint64_t servers_resumed; /* threads, that have not gone on yet */
extern word servers_waits[64];	 /* by thread: the object that it waits for; 0: none */

void servers_begin(void);
/* Frees the memory of the components. */
void servers_end(void);

/* --- stack.c */

/* A component of that name, and its channel, whose Linux end begins. It has a gateway and a name server. */
void stack_load(struct stack *s, struct limpet_info_channel *channel, const char *name);
/* It begins; address: its argument, or NULL. */
void stack_begin(struct stack *s, const char *address);
/* Nothing of it is left; one that was never loaded has nothing. */
void stack_end(struct stack *s);

#endif
