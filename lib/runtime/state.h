/* SPDX-License-Identifier: BSD-2-Clause */
/* State that a component passes on to the build that replaces it. See docs/guide/update.md. */
#ifndef RUNTIME_STATE_H
#define RUNTIME_STATE_H

#include <limpet/update.h>

/*
 * Defines the state of a component: NAME.value of type TYPE. A component has at most one. The version must change whenever
 * the meaning of the type changes; its size is compared as well. The initial values are zero.
 *
 * When component_init() of a new build runs, NAME.value has the values of the old build, and NAME.head.updates is not 0.
 * The supervisor can copy them between any two instructions of a component's thread that waits, or that has a lower priority
 * than the component `calls`. It copies bytes, so the type must not have pointers.
 */
#define LIMPET_STATE(type, name, number)                                                           \
	static struct {                                                                            \
		struct limpet_state_head head;                                                     \
		type value;                                                                        \
	} name __attribute__((section(".limpet.state"), used, aligned(8))) = {                     \
		.head = { .magic = LIMPET_STATE_MAGIC, .version = (number), .size = sizeof(type) } \
	}

#endif
