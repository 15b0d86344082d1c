/* SPDX-License-Identifier: BSD-2-Clause */
/* Component `calls` in the test's process; what it invokes is made up. */
#ifndef CALL_SERVER_H
#define CALL_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#define CALL_RING 4096u
#define CALL_SLOT 70u /* of the first function */

/* The channel's memory, as both sides see it. */
extern char *call_memory;

/* The invocations, by slot, in their order. */
extern struct call_invoked {
	unsigned int count;
	unsigned long slot;
	unsigned long in[6];
} call_invoked;
/* The result of the next invocation. */
extern long call_status;
/* Functions that may be called, and the interface. */
extern unsigned long call_functions, call_interface;

/* The component begins, after `stops` lives before. */
void call_server_begin(unsigned int stops);
/* Answers one request. */
bool call_server_step(void);
/* Takes notice of the other side, as channel_wait() does. */
void call_server_look(void);
/* Puts `length` bytes into the ring to Linux, as a server that is not honest. False: no space. */
bool call_server_say(const void *bytes, uint64_t length);

#endif
