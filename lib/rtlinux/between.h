/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FIFOs between the threads of all modules that import the component exchange. These are the FIFOs whose numbers the
 * system file does not assign to the module. Each FIFO has one ring, as in RTLinux. The functions have the results and
 * errors of lib/fifo, and EPERM if another module has created the FIFO. Context: any thread of the module. Each
 * function locks the module's window and invokes the exchange once.
 */
#ifndef RTLINUX_BETWEEN_H
#define RTLINUX_BETWEEN_H

#include <fifo/fifo.h>

#define BETWEEN_EPERM (-1L)

/*
 * Creates a FIFO of `size` bytes. Returns 0. ENODEV: the module does not import the exchange. ENOMEM: the exchange has
 * no more memory for the module.
 */
long between_create(unsigned int number, unsigned long size);
long between_resize(unsigned int number, unsigned long size);
long between_destroy(unsigned int number);
long between_put(unsigned int number, const void *data, unsigned long n);
long between_get(unsigned int number, void *data, unsigned long n);
long between_used_bytes(unsigned int number);
long between_flush(unsigned int number);
/*
 * Calls `handler` after another module has moved bytes of the FIFO, in a thread of the module above its other threads.
 * NULL ends these calls. Returns 0. EAGAIN: the module has no spare thread.
 */
long between_watch(unsigned int number, int (*handler)(unsigned int fifo));

#endif
