/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from interface echo, version 1, by tools/compose. Do not edit. */
#ifndef EXPORT_ECHO_H
#define EXPORT_ECHO_H

#include <runtime/types.h>

#ifndef ECHO_IDS
#define ECHO_IDS
enum {
	ECHO_ID_NONE = 0,
	ECHO_ID_FOUR = 1,
	ECHO_ID_SIX = 2,
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The component defines these functions. badge: 1 + index of the component that calls. `out` is
 * zero at first. They return 0 or more, or a negative LIMPET_E... value.
 */

/* Nothing in, nothing out. */
long echo_serve_none(word badge);

struct echo_four_results {
	word x;
	word y;
	word z;
};

/*
 * Four words in, three out. a: Comes back as the status (0 to 2^31). b: Comes back as x. c:
 * Comes back as y. d: Comes back as z (ticks). Results: x: b; y: c; z: d. Errors: LIMPET_ERANGE:
 * a is above 2^31.
 */
long echo_serve_four(word badge, word a, word b, word c, word d, struct echo_four_results *out);

struct echo_six_results {
	word low;
	word high;
};

/*
 * Six words in, two out: the pointer to the results stands on the stack. a: First. b: Second. c:
 * Third. d: Fourth. e: Fifth. f: Sixth. Results: low: a + b + c; high: d + e + f.
 */
long echo_serve_six(
	word badge, word a, word b, word c, word d, word e, word f, struct echo_six_results *out);

#ifdef __cplusplus
}
#endif

#endif
