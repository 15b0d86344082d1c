/* SPDX-License-Identifier: BSD-2-Clause */
/* Component `calls` in the test's process, with simulated invocations. */
#ifndef CALL_SERVER_H
#define CALL_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#define CALL_RING 4096u
#define CALL_SLOT 70u /* of the first function */

/* The channel's memory, which both sides use. */
extern char *call_memory;

/* The invocations: their count, and the slot and arguments of the last one. */
extern struct call_invoked {
	unsigned int count;
	unsigned long slot;
	unsigned long in[6];
} call_invoked;
/* The result of the next invocation. */
extern long call_status;
/* Functions that may be called, and the interface. */
extern unsigned long call_functions, call_interface;

/* Starts the component, after `stops` earlier lives. */
void call_server_begin(unsigned int stops);
/* Answers one request. Returns false if no request was answered. */
bool call_server_step(void);
/* Notices changes of the peer, like channel_wait(). */
void call_server_look(void);
/* Puts `length` bytes into the ring to Linux, like a dishonest server. Returns false without space. */
bool call_server_say(const void *bytes, uint64_t length);

#endif
