/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the windows in which a memory manager maps allocations. Each component has its own window
 * of addresses, so that shared memory can have the same address in all components. The booter
 * provides page tables for it according to `quota` in the system file.
 */
#ifndef RUNTIME_WINDOW_H
#define RUNTIME_WINDOW_H

#include <stdint.h>

#define LIMPET_WINDOW_FIRST 0x600000000000ul
#define LIMPET_WINDOW_BYTES (1ul << 30)
#define LIMPET_WINDOW_QUOTA 256 /* pages of each component, unless the system file says otherwise */

/* Returns the address of the window of the component at `index` of the image. */
static inline uint64_t limpet_window(uint32_t index)
{
	return LIMPET_WINDOW_FIRST + index * LIMPET_WINDOW_BYTES;
}

/*
 * Returns the index of the component whose window contains an address, so that the receiver of an
 * address can check the owner. A result of LIMPET_COMPONENTS_MAX or more means that it is in no
 * window.
 */
static inline uint64_t limpet_window_owner(uint64_t address)
{
	return (address - LIMPET_WINDOW_FIRST) / LIMPET_WINDOW_BYTES;
}

#endif
