/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a memory manager maps what it allocates: each component has a window of addresses that no
 * other component of the system has, so that shared memory has the same address everywhere. The booter
 * gives page tables room for as many pages as the component's quota.
 */
#ifndef RUNTIME_WINDOW_H
#define RUNTIME_WINDOW_H

#include <stdint.h>

#define LIMPET_WINDOW_FIRST 0x600000000000ul
#define LIMPET_WINDOW_BYTES (1ul << 30)
#define LIMPET_WINDOW_QUOTA 256 /* pages of each component, unless the system file says otherwise */

/* Address of the window of the component at `index` of the image. */
static inline uint64_t limpet_window(uint32_t index)
{
	return LIMPET_WINDOW_FIRST + index * LIMPET_WINDOW_BYTES;
}

/*
 * Index of the component in whose window an address is, so that who is given one can see whether it is
 * the giver's. At least LIMPET_COMPONENTS_MAX: it is in none.
 */
static inline uint64_t limpet_window_owner(uint64_t address)
{
	return (address - LIMPET_WINDOW_FIRST) / LIMPET_WINDOW_BYTES;
}

#endif
