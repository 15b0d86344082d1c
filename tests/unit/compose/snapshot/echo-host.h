/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from interface echo, version 1, by tools/compose. Do not edit. */
#ifndef HOST_ECHO_H
#define HOST_ECHO_H

#include <client/call.h>

/* Tells the component side which definition of the interface this program was built with. */
#define HOST_ECHO_INTERFACE 0x4df8e8fau

#ifndef ECHO_IDS
#define ECHO_IDS
enum {
	ECHO_ID_NONE = 0,
	ECHO_ID_FOUR = 1,
	ECHO_ID_SIX = 2,
};
#endif

/*
 * Gives back what it gets; only for tests. Each function returns 0 or more, or a negative value:
 * a LIMPET_E... of the component, or a LIMPET_CALL_... that gives the reason why there is no
 * answer, see <client/call.h>; limpet_call_text() has one line for each. The results are valid
 * if the value is not negative.
 */

/* Nothing in, nothing out. */
static inline long echo_none(struct limpet_caller *limpet_caller)
{
	const uint64_t limpet_in[6] = { 0 };
	uint64_t limpet_out[3];
	long limpet_status =
		limpet_call(limpet_caller, HOST_ECHO_INTERFACE,
			    ECHO_ID_NONE, limpet_in, limpet_out);

	return limpet_status;
}

/*
 * Four words in, three out. a: Comes back as the status (0 to 2^31). b: Comes back as x. c:
 * Comes back as y. d: Comes back as z (ticks). Stores x: b; y: c; z: d. Errors: LIMPET_ERANGE: a
 * is above 2^31.
 */
static inline long echo_four(
	struct limpet_caller *limpet_caller, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
	uint64_t *x, uint64_t *y, uint64_t *z)
{
	const uint64_t limpet_in[6] = { a, b, c, d };
	uint64_t limpet_out[3];
	long limpet_status =
		limpet_call(limpet_caller, HOST_ECHO_INTERFACE,
			    ECHO_ID_FOUR, limpet_in, limpet_out);

	*x = limpet_out[0];
	*y = limpet_out[1];
	*z = limpet_out[2];
	return limpet_status;
}

/*
 * Six words in, two out: the pointer to the results stands on the stack. a: First. b: Second. c:
 * Third. d: Fourth. e: Fifth. f: Sixth. Stores low: a + b + c; high: d + e + f.
 */
static inline long echo_six(
	struct limpet_caller *limpet_caller, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
	uint64_t e, uint64_t f, uint64_t *low, uint64_t *high)
{
	const uint64_t limpet_in[6] = { a, b, c, d, e, f };
	uint64_t limpet_out[3];
	long limpet_status =
		limpet_call(limpet_caller, HOST_ECHO_INTERFACE,
			    ECHO_ID_SIX, limpet_in, limpet_out);

	*low = limpet_out[0];
	*high = limpet_out[1];
	return limpet_status;
}

#endif
