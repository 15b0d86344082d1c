/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message queues and FIFOs of RTLinux modules. Their content is in memory of this component. A module passes numbers,
 * and data in the window that only it and this component have. So a module can put wrong bytes into what it may use,
 * but cannot damage the records, and a thread that crashes in its module holds no lock here.
 *
 * One lock protects all records. It is held for one copy of at most EXCHANGE_DATA bytes, one pass over the waiting
 * threads, and the calls that resume them. Without the lock, a caller could be preempted for any time before it resumes
 * a thread of higher priority. With it, threads that need the lock lend it their priority. Functions whose comment does
 * not say otherwise need the lock.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <limpet/limits.h>
#include <rtlinux/exchange.h>
#include <runtime/component.h>
#include <sync/lock.h>

#define CLIENTS 16
#define QUEUES 64 /* bits of `notified` */
#define QUEUES_EACH 32
#define FIFOS 64 /* bits of `moved` */

extern struct lock exchange_lock;

/* --- client.c: the components that use this one, and their memory */

struct client {
	word badge;	 /* 0: the record is free */
	uint32_t opener; /* its bit in the queues that it has opened */
	struct exchange_window *window;
	uint32_t pages;	  /* pages of queues and FIFOs that are charged to it */
	uint32_t queues;  /* number of queues that are charged to it */
	uint64_t watched; /* bit N: it gets notices of moves of FIFO N */
	word watcher;	  /* thread that is then resumed; 0: it has not set one */
};

/* Returns the caller's record. NULL: it has not called share. */
struct client *client_of(word badge);
struct client *client_at(unsigned int index);
/* Returns a free record with a window, or NULL. Sets *status if it returns NULL. */
struct client *client_make(word badge, long *status);
/*
 * Allocates memory that counts for the client. Returns its address and the number of pages. EQUOTA: the client would
 * exceed the argument pages-each. Also returns the errors of mem's allocate.
 */
long client_allocate(struct client *client, uint64_t bytes, void **memory, uint32_t *pages);
void client_free(struct client *client, const void *memory, uint32_t pages);
/* Charges pages to `to` in place of `from`. Returns false if `to` would exceed pages-each. */
bool client_take_over(struct client *to, struct client *from, uint32_t pages);
/*
 * Returns the watchers of a FIFO other than the client `mover`, one in each call, and sets their bits. `from` is 0 in
 * the first call. Returns 0 after the last watcher.
 */
word client_watcher(const struct client *mover, unsigned int fifo, unsigned int *from);

/* --- waiter.c: the threads that wait for a queue */

/* Records that the calling thread, one of the client's, waits for a queue. */
void waiter_add(const struct client *client, unsigned int queue, word level);
/* Records that the calling thread no longer waits. */
void waiter_drop(void);
/* Records that the client's threads no longer wait. */
void waiters_drop(const struct client *client);
/* Returns whether a thread other than the caller waits for the queue. */
bool waiter_any(unsigned int queue);
/*
 * Resumes the threads that wait for the queue, except those of the client, whose library wakes them. NULL: all of
 * them. Threads of higher priority run before it returns.
 */
void waiters_wake(const struct client *client, unsigned int queue);

/* --- queue.c, fifo.c */

/* Closes the client's queues and ends its notices. */
void queues_drop(const struct client *client);
/* Empties the client's FIFOs, which are not created until it creates them again. */
void fifos_drop(const struct client *client);

#endif
