/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions for the replacement of a component by another build while the system runs. The composer, components,
 * supervisors and `limpet update` share them. See docs/guide/update.md.
 *
 * A component with LIMPET_COMPONENT_UPDATE has three segments: code, constants and data. Each has the size that the system
 * file reserves, and they follow one another. The code begins with a table: a struct limpet_update_head, then jumps of
 * LIMPET_UPDATE_ENTRY bytes to the start routine and to each exported function. The data begin with the component's state,
 * if it has one.
 */
#ifndef LIMPET_UPDATE_H
#define LIMPET_UPDATE_H

#include <stdint.h>

#define LIMPET_UPDATE_ENTRY 8			/* bytes of an entry of the table */
#define LIMPET_UPDATE_MAGIC 0x6470756cu		/* "lupd" as a little-endian word */
#define LIMPET_UPDATE_PARTS 3			/* segments */
#define LIMPET_UPDATE_PIECE 40			/* bytes that one call of update_put() passes */
#define LIMPET_STATE_MAGIC 0x65746174732d706cul /* "lp-state" as a little-endian word */

/* The first entry of the table of a build. */
struct limpet_update_head {
	uint32_t magic;
	uint32_t interfaces; /* CRC-32 of the interfaces that the component exports and imports */
};

/* Header of the state that a component keeps. See LIMPET_STATE of <runtime/state.h>. */
struct limpet_state_head {
	uint64_t magic;
	uint32_t version; /* of the state's layout; the component's author chooses it */
	uint32_t size;	  /* bytes of the state, which follows */
	uint32_t updates; /* builds that have passed on this state; 0: it has its initial values */
	uint32_t reserved;
};

/* The status of update_apply(). */
enum limpet_update_outcome {
	LIMPET_UPDATE_DONE = 0,
	LIMPET_UPDATE_DAMAGED = 1,    /* the new build did not arrive as it was sent */
	LIMPET_UPDATE_INTERFACES = 2, /* it has other interfaces */
	LIMPET_UPDATE_STATE = 3,      /* its state has another version or size */
	LIMPET_UPDATE_BUSY = 4,	      /* a crash of the component is being handled */
	LIMPET_UPDATE_FAILED =
		5, /* it could not be initialised; the old build has been restarted */
	LIMPET_UPDATE_STOPPED =
		6, /* the old build could not be initialised either; the component is stopped */
};

#endif
