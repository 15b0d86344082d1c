/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls from a Linux process into a component: one message of a channel there, one back. Version 1.
 *
 * The component side answers each request once, in the order in which they come. What either side reads is a
 * claim: it is copied, and its length and each field are checked.
 */
#ifndef LIMPET_HOST_CALL_H
#define LIMPET_HOST_CALL_H

#include <stdint.h>

#define LIMPET_HOST_CALL_WORDS 6
#define LIMPET_HOST_ANSWER_WORDS 3

struct limpet_host_call {
	uint64_t id;	    /* the caller's, comes back */
	uint32_t interface; /* HOST_..._INTERFACE of <host/INTERFACE.h> */
	uint32_t function;  /* its number in the interface */
	uint64_t word[LIMPET_HOST_CALL_WORDS];
};

enum limpet_host_outcome {
	LIMPET_HOST_DONE = 0,	   /* it was invoked: status and words are what came back */
	LIMPET_HOST_LENGTH = 1,	   /* the message is no request; id is 0 */
	LIMPET_HOST_INTERFACE = 2, /* the system file wires another interface, or another version */
	LIMPET_HOST_FUNCTION = 3,  /* the system file does not let Linux call it */
};

struct limpet_host_answer {
	uint64_t id;
	uint32_t outcome;  /* enum limpet_host_outcome */
	uint32_t reserved; /* 0 */
	int64_t status;	   /* of the invocation; 0 or more: the words mean something */
	uint64_t word[LIMPET_HOST_ANSWER_WORDS];
};

_Static_assert(sizeof(struct limpet_host_call) == 64, "one line");
_Static_assert(sizeof(struct limpet_host_answer) == 48, "no gaps");

#endif
