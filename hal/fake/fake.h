/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of the fake processor for tests. */
#ifndef HAL_FAKE_H
#define HAL_FAKE_H

#include <hal.h>

#define FAKE_DEVICE 16u /* bit in the rights of a device's page */

/*
 * Returns the page that user level finds at `address`, and its rights. NULL: a page fault. For a
 * device's page, returns the physical address.
 */
void *fake_lookup(const struct hal_page_table *pt, word address, unsigned int *rights);

/* Calls `each` for every mapping of memory. */
void fake_mappings(const struct hal_page_table *pt,
		   void (*each)(void *context, word address, void *page), void *context);

/* Reports a violation of the contract, and ends the process. */
_Noreturn void fake_broken(const char *how);

#endif
