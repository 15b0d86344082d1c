/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FIFOs and shared buffers of RTLinux, on the component's side: docs/reference/fifo.md. The system file gives a
 * component FIFO numbers ([[fifo]]) and buffers ([[mbuff]]); Linux has them as /dev/rtfN and through mbuff.h.
 *
 * A FIFO has a ring in each direction. Data from the component stay in it until Linux reads them, also while no
 * process has the FIFO open. Only fifo_wait() waits for Linux. Positions that Linux writes are checked against this
 * side's own; if they are invalid, both rings are emptied.
 *
 * Context: any thread of the component, after component_init(). Each FIFO has a mutex of lib/sync with priority
 * inheritance, which is held for one copy of at most 64 KiB, so several threads can use one FIFO. The component imports
 * sched, because the mutex needs it. Cost: a constant, the copy, and a kernel call if Linux waits for the change.
 *
 * Errors are negative numbers of Linux's errno. This library needs no C library.
 */
#ifndef FIFO_FIFO_H
#define FIFO_FIFO_H

#include <stdbool.h>
#include <stdint.h>

#define FIFO_NUMBERS 64 /* FIFOs have the numbers 0 to 63 */

#define FIFO_ENOMEM (-12L)
#define FIFO_EBUSY (-16L)
#define FIFO_ENODEV (-19L)
#define FIFO_EINVAL (-22L)
#define FIFO_ENOSPC (-28L)

/* Returns whether the system file gives the component a FIFO of this number. Never fails. */
bool fifo_is_given(unsigned int number);
/*
 * Creates the FIFO with `size` bytes for each direction that the system file gives it. It is empty. From now on Linux
 * can open it. Returns 0. -ENODEV: the system file gives the component no such FIFO. -EBUSY: it is created already.
 * -ENOMEM: `size` is more than the system file gives. -EINVAL: `size` is 0.
 */
long fifo_create(unsigned int number, unsigned long size);
/*
 * Destroys the FIFO with its content. Open files of Linux stay open: read, write and open fail there until the FIFO is
 * created again. Returns 0. -ENODEV: it is not created.
 */
long fifo_destroy(unsigned int number);
/*
 * Puts `n` bytes in for Linux, all or none. Returns n. -ENOSPC: there is not enough free space, and nothing was put in.
 * -ENODEV: the FIFO is not created, or has no direction to Linux.
 */
long fifo_put(unsigned int number, const void *data, unsigned long n);
/* Takes up to `n` bytes out that Linux wrote. Returns their number, 0 if there are none. -ENODEV: as fifo_put(). */
long fifo_get(unsigned int number, void *data, unsigned long n);
/* Empties both directions. In a user pair both FIFOs share a device: flushing `put` drops unread writes to `get`, too. */
long fifo_flush(unsigned int number);
/* Empties both directions and changes the size of both. Errors: as fifo_create(), -ENODEV: it is not created. */
long fifo_resize(unsigned int number, unsigned long size);
/* Returns the number of bytes that fifo_put() can put in now. -ENODEV. */
long fifo_free_bytes(unsigned int number);
/* Returns the bytes from Linux that fifo_get() can take out. -ENODEV. */
long fifo_used_bytes(unsigned int number);
/* Returns the bytes that were put in and that Linux has not read. -ENODEV. */
long fifo_unread_bytes(unsigned int number);
/* Returns 1 if a Linux process has the FIFO open, else 0. Linux says so; do not rely on it. -ENODEV. */
long fifo_opened(unsigned int number);
/*
 * Makes a pair for one device: a process that opens /dev/rtf<get> writes into `get` and reads what fifo_put() puts into
 * `put`. The pair ends when one of the two is destroyed. Unread bytes in `put` are dropped. Returns 0. -ENODEV: one of
 * the two is not created. -EINVAL: they are the same, or one of them is in a pair.
 */
long fifo_make_pair(unsigned int get, unsigned int put);
/*
 * Sets whether fifo_wait() returns the FIFO. At first it returns every FIFO. A process that reads or writes a
 * FIFO that is not watched sends the component no event. The first fifo_wait() after this call can also return the FIFO
 * for earlier reads and writes. Returns 0. -ENODEV: the system file gives the component no such FIFO.
 */
long fifo_watch(unsigned int number, bool watched);
/*
 * Waits until Linux has read from or written into a watched FIFO since the last call. Returns the FIFOs, bit N for
 * number N, and `previous`: bits of an earlier call that the caller has not handled. If `previous` is not 0 it does not
 * wait. A process that reads from a user pair counts for `put`, one that writes for `get`. Returns 0 if the time stamp
 * `deadline` (limpet_time(), LIMPET_NEVER) came first, or another event came to the component's endpoint. The first
 * call with a deadline needs a spare thread of the component, as channel_wait_until(). Only the component's own thread
 * can wait, so that one is the service thread; for another thread the result is 0.
 */
uint64_t fifo_wait(uint64_t previous, uint64_t deadline);

/*
 * Returns the shared buffer `name`, at least `size` bytes, or NULL: the system file gives the component none of this
 * name, or a smaller one. Upper case and '_' in the name count as lower case and '-'. It is zero when the system is
 * loaded, keeps its content when a component crashes, and other sides may write it at any time.
 */
void *mbuff_open(const char *name, unsigned long size);

#endif
