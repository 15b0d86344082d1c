// SPDX-License-Identifier: BSD-2-Clause
#include "between.h"
#include "core.h"
#include "exchange.h"

#include <import/exchange.h>

static int (*handlers[FIFO_NUMBERS])(unsigned int fifo);
static uint64_t watched;  /* bit N: FIFO N has a handler */
static uint64_t *moved;	  /* set in the window */
static pthread_t watcher; /* runs the handlers; NULL: not created */

/* Returns the error of lib/fifo for a status of the exchange. */
static long error_of(long status)
{
	switch (status) {
	case LIMPET_EBUSY:
		return FIFO_EBUSY;
	case LIMPET_EFULL:
		return FIFO_ENOSPC;
	case LIMPET_ERIGHTS:
		return BETWEEN_EPERM;
	case LIMPET_ERANGE:
	case LIMPET_EQUOTA:
	case LIMPET_ENOMEM:
		return FIFO_ENOMEM;
	default:
		return status < 0 ? FIFO_ENODEV : status;
	}
}

/* Unlocks the exchange, and returns the error for a status. */
static long finish(long status)
{
	rtlinux_exchange_unlock();
	return error_of(status);
}

long between_create(unsigned int number, unsigned long size)
{
	return rtlinux_exchange_lock() ? finish(exchange_fifo_create(number, size, 0))
				       : FIFO_ENODEV;
}

long between_resize(unsigned int number, unsigned long size)
{
	return rtlinux_exchange_lock() ? finish(exchange_fifo_create(number, size, 1))
				       : FIFO_ENODEV;
}

long between_destroy(unsigned int number)
{
	return rtlinux_exchange_lock() ? finish(exchange_fifo_destroy(number)) : FIFO_ENODEV;
}

long between_put(unsigned int number, const void *data, unsigned long n)
{
	struct exchange_window *window = rtlinux_exchange_lock();
	long status;

	if (!window)
		return FIFO_ENODEV;
	if (n <= EXCHANGE_DATA)
		memcpy(window->data, data, n);
	status = finish(exchange_fifo_put(number, n));
	return status ? status : (long)n;
}

long between_get(unsigned int number, void *data, unsigned long n)
{
	struct exchange_window *window = rtlinux_exchange_lock();
	long status;

	if (!window)
		return FIFO_ENODEV;
	status = exchange_fifo_get(number, n);
	if (status > 0)
		memcpy(data, window->data, (unsigned long)status < n ? (unsigned long)status : n);
	return finish(status);
}

long between_used_bytes(unsigned int number)
{
	return rtlinux_exchange_lock() ? finish(exchange_fifo_used(number, 0)) : FIFO_ENODEV;
}

long between_flush(unsigned int number)
{
	const long status = rtlinux_exchange_lock() ? finish(exchange_fifo_used(number, 1))
						    : FIFO_ENODEV;

	return status < 0 ? status : 0;
}

/* Reads and clears the set of FIFOs whose bytes other modules have moved. */
static bool moves_take(void *set)
{
	*(uint64_t *)set = __atomic_exchange_n(moved, 0, __ATOMIC_SEQ_CST);
	return *(uint64_t *)set;
}

static void *watch(void *nothing)
{
	INSIDE;
	unsigned char depth;
	uint64_t set = 0;

	for (;;) {
		rtlinux_wait(&set, moves_take, HRTIME_INFINITY, WAIT_SIGNAL);
		for (; set; set &= set - 1) {
			const unsigned int fifo = (unsigned int)__builtin_ctzl(set);
			int (*handler)(unsigned int fifo) =
				__atomic_load_n(&handlers[fifo], __ATOMIC_SEQ_CST);

			if (handler) {
				depth = rtlinux_module_begin(inside);
				handler(fifo);
				rtlinux_module_end(inside, depth);
			}
		}
	}
	return nothing;
}

long between_watch(unsigned int number, int (*handler)(unsigned int fifo))
{
	struct exchange_window *window = rtlinux_exchange_lock();

	if (!window)
		return FIFO_ENODEV;
	__atomic_store_n(&handlers[number], handler, __ATOMIC_SEQ_CST);
	watched = handler ? watched | 1ul << number : watched & ~(1ul << number);
	moved = &window->moved;
	if (handler && !rtlinux_server_start(&watcher, watch)) {
		rtlinux_exchange_unlock();
		return -EAGAIN;
	}
	return watcher ? finish(exchange_fifo_watch(watched, rtlinux_id(watcher))) : finish(0);
}
