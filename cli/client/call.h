/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Client library: calls of a component's functions, through a channel that an instance of component
 * `calls` owns. <host/INTERFACE.h>, generated from the interface, has one function for each; see
 * limpet_call(3).
 *
 * Only one thread at a time may use a caller. The functions check all data from the component side. A
 * call returns within its timeout, even if these data are invalid.
 */
#ifndef CLIENT_CALL_H
#define CLIENT_CALL_H

#include <stdint.h>

#include <client/channel.h>
#include <limpet/error.h>
#include <limpet/host_call.h>

/* Reasons for a missing answer, in addition to the LIMPET_E... that the component itself returns. */
enum limpet_call_status {
	LIMPET_CALL_TIME = -1001, /* timeout; the function may still run */
	LIMPET_CALL_LOST = -1002, /* the component crashed or was stopped, or the system ended */
	LIMPET_CALL_BAD = -1003,  /* the answer is invalid */
	LIMPET_CALL_INTERFACE = -1004, /* another interface, or version, than this program's */
	LIMPET_CALL_FUNCTION = -1005,  /* the system file does not let Linux call this function */
};

struct limpet_caller {
	struct limpet_channel channel;
	bool lost;	      /* the next call opens the channel again */
	unsigned int timeout; /* ms, of each call, 1 to 2^31 - 1 */
	uint64_t id;	      /* id of the last request */
	char name[64];
};

/*
 * Opens channel `name` for calls that wait up to `timeout` ms. Returns 0 or a negative errno, as
 * limpet_channel_open() does. -EINVAL: `timeout` is 0, or above 2^31 - 1. After an error nothing is open.
 */
int limpet_caller_open(struct limpet_caller *caller, const char *name, unsigned int timeout);
void limpet_caller_close(struct limpet_caller *caller);

/*
 * Calls function number `function`. Returns its status, or one of the above. If the status is negative,
 * `out` is zero. After LIMPET_CALL_LOST the next call opens the channel again.
 */
long limpet_call(struct limpet_caller *caller, uint32_t interface, uint32_t function,
		 const uint64_t in[LIMPET_HOST_CALL_WORDS], uint64_t out[LIMPET_HOST_ANSWER_WORDS]);

/*
 * Returns one line for a status, also for an unknown one: what failed, why, and what to do. Never
 * NULL.
 */
const char *limpet_call_text(long status);

#endif
