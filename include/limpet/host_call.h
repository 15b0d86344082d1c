/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls from a Linux process into a component: one message of a channel for the request, one for
 * the answer. Version 1.
 *
 * The component answers each request once, in the order of the requests. Each side copies a message
 * of the other side, and checks the length and each field of the copy.
 */
#ifndef LIMPET_HOST_CALL_H
#define LIMPET_HOST_CALL_H

#include <stdint.h>

#define LIMPET_HOST_CALL_WORDS 6
#define LIMPET_HOST_ANSWER_WORDS 3

struct limpet_host_call {
	uint64_t id;	    /* chosen by the caller, copied to the answer */
	uint32_t interface; /* HOST_..._INTERFACE of <host/INTERFACE.h> */
	uint32_t function;  /* number of the function in the interface */
	uint64_t word[LIMPET_HOST_CALL_WORDS];
};

enum limpet_host_outcome {
	LIMPET_HOST_DONE = 0,	   /* the function was invoked and returned the status and words */
	LIMPET_HOST_LENGTH = 1,	   /* the message has not the length of a request; id is 0 */
	LIMPET_HOST_INTERFACE = 2, /* the system file wires another interface, or another version */
	LIMPET_HOST_FUNCTION = 3,  /* the system file does not allow Linux to call the function */
};

struct limpet_host_answer {
	uint64_t id;
	uint32_t outcome;  /* enum limpet_host_outcome */
	uint32_t reserved; /* 0 */
	int64_t status;	   /* of the invocation; the words are valid if it is 0 or more */
	uint64_t word[LIMPET_HOST_ANSWER_WORDS];
};

_Static_assert(sizeof(struct limpet_host_call) == 64, "one line");
_Static_assert(sizeof(struct limpet_host_answer) == 48, "no gaps");

#endif
