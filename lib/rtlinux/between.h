/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FIFOs between the threads of all modules that have the component exchange: those whose number the system file does not give the
 * module. Each has one ring, as in RTLinux. Results and errors are those of lib/fifo. In addition, EPERM: another module
 * has created the FIFO.
 */
#ifndef RTLINUX_BETWEEN_H
#define RTLINUX_BETWEEN_H

#include <fifo/fifo.h>

#define BETWEEN_EPERM (-1L)

/* Returns 0. ENODEV: the system file gives the module no exchange. ENOMEM: the exchange gives the module no more memory. */
long between_create(unsigned int number, unsigned long size);
long between_resize(unsigned int number, unsigned long size);
long between_destroy(unsigned int number);
long between_put(unsigned int number, const void *data, unsigned long n);
long between_get(unsigned int number, void *data, unsigned long n);
long between_used_bytes(unsigned int number);
long between_flush(unsigned int number);
/*
 * Calls `handler` in a thread of the module above its other threads after another module has moved bytes of the FIFO. NULL: no
 * longer. EAGAIN: the module has no spare thread.
 */
long between_watch(unsigned int number, int (*handler)(unsigned int fifo));

#endif
