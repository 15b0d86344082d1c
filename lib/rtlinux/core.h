/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core of lib/rtlinux: records of threads, their order of priority, one way to wait, and signals.
 *
 * All threads of a module are on one CPU. A thread that waits names the object it waits for in its record and then tests its
 * condition. A thread that makes the condition true changes it first and then wakes every thread that names the object; the
 * woken threads test again. So no wake-up is lost, and the most urgent thread wins.
 *
 * Signals are bits of `pending`. A thread acts on them whenever it waits. It does so, too, in pthread_testcancel(),
 * pthread_yield() and rtl_schedule(). A thread that only computes is not suspended, cancelled or deleted until then.
 */
#ifndef RTLINUX_CORE_H
#define RTLINUX_CORE_H

#define RTLINUX_LIBRARY
#include <rtlinux/api.h>

#include <runtime/component.h>

#define RTLINUX_THREADS 64

/* Flags of rtlinux_wait(). */
#define WAIT_CANCEL 1 /* a cancellation point: rtlinux_wait() returns ECANCELED */
#define WAIT_SIGNAL 2 /* EINTR after a handler has run */
#define WAIT_WAKEUP 4 /* RTL_SIGNAL_WAKEUP ends the wait as success */
#define WAIT_PERIOD                                                                                \
	8 /* the time limit is the thread's next release, which other threads can change */

/* Returns whether the condition holds, and takes what there is to take. */
typedef bool rtlinux_try(void *object);

/*
 * Waits until `try` of the object succeeds, or until a time of gethrtime(). Returns 0, ETIMEDOUT, ECANCELED or EINTR. A thread
 * that pthread_delete_np() deletes does not return. Must be called by a thread of the module.
 */
int rtlinux_wait(void *object, rtlinux_try *try, hrtime_t until, unsigned int how);
/* Records the object that a thread waits for. NULL: it does not wait. */
void rtlinux_wait_for(struct rtl_thread_struct *thread, const void *object);
/* Wakes every thread that waits for the object, the most urgent one first. More urgent threads run before it returns. */
void rtlinux_wake(const void *object);
/* Sets a signal of a thread and wakes the thread. */
void rtlinux_signal(pthread_t thread, int signal);
/* Acts on the caller's signals without waiting. Results and `how` as for rtlinux_wait(). */
int rtlinux_signals(unsigned int how);

/*
 * Ends the message queue calls of the calling thread. A thread that exits calls this, because it does not return from them.
 * NULL if the module has not opened a message queue.
 */
extern void (*rtlinux_queues_leave)(struct rtl_thread_struct *self);
/* Makes the signals of mq_notify() pending that have arrived. NULL if the module has not opened a message queue. */
extern void (*rtlinux_notices_take)(void);

/* Takes a release of the calling thread's period that has come. */
bool rtlinux_released(void *self);

/* Returns whether a pthread_t is a valid thread. */
bool rtlinux_valid(const struct rtl_thread_struct *thread);
/* Returns the scheduler's id of a thread. */
unsigned int rtlinux_id(const struct rtl_thread_struct *thread);
/* Returns the record of the thread that has this id in the scheduler. */
struct rtl_thread_struct *rtlinux_record(unsigned int id);
/* Returns the number of records. */
unsigned int rtlinux_threads(void);
/* Gives each thread its place in the order of priorities. Call after a priority or the set of threads has changed. */
void rtlinux_order(void);

/* Returns the time of a thread's next timer, or HRTIME_INFINITY. */
hrtime_t rtlinux_timers_next(const struct rtl_thread_struct *self);
/* Makes the signals of a thread's expired timers pending. */
void rtlinux_timers_fire(const struct rtl_thread_struct *self);
extern struct sigaction rtlinux_actions[RTL_MAX_SIGNAL + 1];

/* Returns the time stamp of a time of gethrtime(), rounded up. HRTIME_INFINITY becomes LIMPET_NEVER. */
uint64_t rtlinux_stamp(hrtime_t time);
/* Logs that a function needs what a component does not have, and returns `error`. */
long rtlinux_refuse(const char *function, const char *reason, long error);

/*
 * Waits until Linux processes read or write FIFOs, and runs the handlers of these FIFOs. Also returns at the time stamp
 * `until`, and after any other event.
 */
void rtlinux_fifos_serve(uint64_t until);

/* Runs the module in the calling thread, which becomes the Linux context: parameters, init_module(), and what follows. */
void rtlinux_main(void);
int init_module(void);
void cleanup_module(void);

#endif
