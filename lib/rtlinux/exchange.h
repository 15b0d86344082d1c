/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that the component exchange shares with a module, and a module's use of that component. All threads of a
 * module use one data area, under a lock of the module.
 */
#ifndef RTLINUX_EXCHANGE_H
#define RTLINUX_EXCHANGE_H

#include <runtime/types.h>

#define EXCHANGE_CREATE 1u /* of queue_open: creates a queue that does not exist */
#define EXCHANGE_EXCLUSIVE                                                                         \
	2u /* of queue_open, with EXCHANGE_CREATE: a queue that exists is an error */
#define EXCHANGE_DATA                                                                              \
	65536u		  /* bytes of the data area: the maximum size of a message and of a FIFO */
#define EXCHANGE_NAME 32u /* max. characters of a queue's name */

/* The component never reads `notified` and `moved`, except to add bits. The module clears them. */
struct exchange_window {
	uint64_t notified; /* bit N: queue N has notified the thread that was registered */
	uint64_t moved;	   /* bit N: another component has moved bytes of FIFO N */
	char rest[4080];
	char data[EXCHANGE_DATA];
};

#define EXCHANGE_PAGES (sizeof(struct exchange_window) / 4096)
_Static_assert(sizeof(struct exchange_window) == 4096 + EXCHANGE_DATA, "whole pages");

/*
 * Locks the module's window for one call of the component. The first call also attaches the window. Returns NULL
 * without a lock if the module does not import the exchange, or if the exchange has no memory for the module. Until the
 * caller unlocks the window, it may wait only for the component.
 */
struct exchange_window *rtlinux_exchange_lock(void);
/* Unlocks the module's window. */
void rtlinux_exchange_unlock(void);

#endif
