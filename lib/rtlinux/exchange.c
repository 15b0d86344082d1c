// SPDX-License-Identifier: BSD-2-Clause
/* Attaches and locks the module's window of the component exchange. */
#include <rtlinux/exchange.h>

#include <sync/lock.h>

#include <import/exchange.h>
#include <import/mem.h>

static struct lock lock;
static struct exchange_window *window; /* NULL: not attached */

/* Attaches the window and returns it, or NULL. After a restart of the module, the window can be attached already. */
static struct exchange_window *window_attach(void)
{
	word address;
	long status = exchange_share(&address);

	if (status)
		return NULL;
	status = mem_attach(address);
	return status < 0 && status != LIMPET_EBUSY ? NULL : (struct exchange_window *)address;
}

struct exchange_window *rtlinux_exchange_lock(void)
{
	lock_take(&lock);
	if (unlikely(!window))
		window = window_attach();
	if (likely(window))
		return window;
	lock_drop(&lock);
	return NULL;
}

void rtlinux_exchange_unlock(void)
{
	lock_drop(&lock);
}
