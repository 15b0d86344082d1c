/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core of lib/rtlinux: records of threads, their order of priority, one way to wait, and signals.
 *
 * All threads of a module are on one CPU. A thread that waits stores the object in its record and then tests its
 * condition. A thread that makes the condition true changes it first and then wakes every thread that has stored the
 * object. The woken threads test again. So no wake-up is lost, and the thread with the highest priority is the first to
 * test.
 *
 * Signals are bits of `pending`. A thread acts on them in every wait, in pthread_testcancel(), pthread_yield() and
 * rtl_schedule(), and when another thread interrupts it (interrupt.c). A thread is not interrupted inside the library,
 * because it can hold a lock there, nor with masked interrupts. It then acts at the end of the call or of the section.
 * So every function of the interface that takes a lock or calls another component must begin with INSIDE, and code of
 * the module must run between rtlinux_module_begin() and rtlinux_module_end().
 */
#ifndef RTLINUX_CORE_H
#define RTLINUX_CORE_H

#define RTLINUX_LIBRARY
#include <rtlinux/api.h>

#include <runtime/component.h>

#pragma GCC visibility push(hidden) /* addresses of functions need no table, see api.h */

#define RTLINUX_THREADS 64

extern struct rtl_thread_struct rtlinux_records[RTLINUX_THREADS];

/* Returns the record of the thread that has this id in the scheduler. */
static inline struct rtl_thread_struct *rtlinux_record(unsigned int id)
{
	return &rtlinux_records[(id - limpet_info()->first_thread) % RTLINUX_THREADS];
}

/* Returns pthread_self(), without a call. */
static inline struct rtl_thread_struct *rtlinux_self(void)
{
	return rtlinux_record(limpet_thread_id());
}

/* Flags of rtlinux_wait(). */
#define WAIT_CANCEL 1 /* a cancellation point: rtlinux_wait() returns ECANCELED */
#define WAIT_SIGNAL 2 /* EINTR after a handler has run */
#define WAIT_WAKEUP 4 /* RTL_SIGNAL_WAKEUP ends the wait with success */
#define WAIT_PERIOD                                                                                \
	8 /* the time limit is the thread's next release, which other threads can change */

/* Returns whether the condition of an object holds. If so, takes the object, for example decrements a semaphore. */
typedef bool rtlinux_try(void *object);

/*
 * Waits until `try` of the object succeeds, or until a time of gethrtime(). Returns 0, ETIMEDOUT, ECANCELED or EINTR. A
 * thread that pthread_delete_np() deletes does not return. Must be called by a thread of the module.
 */
int rtlinux_wait(void *object, rtlinux_try *try, hrtime_t until, unsigned int how);
/* Records the object that a thread waits for. NULL: it does not wait. */
void rtlinux_wait_for(struct rtl_thread_struct *thread, const void *object);
/*
 * Wakes every thread that waits for the object, in the order of priority. Threads with a higher priority than the
 * caller run before it returns.
 */
void rtlinux_wake(const void *object);
/* Returns whether a thread waits for the object. */
bool rtlinux_awaited(const void *object);
/* Sets a signal of a thread, wakes the thread, and interrupts it. RTL_SIGNAL_NULL only makes its wait look again. */
void rtlinux_signal(pthread_t thread, int signal);
/* Signals that cannot be blocked. */
#define RTLINUX_UNMASKABLE ((1ul << RTL_SIGUSR1) - 1)
/* Sets the caller's blocked signals. The caller handles newly unblocked signals when it leaves the library. */
static inline void rtlinux_block(struct rtl_thread_struct *self, rtl_sigset_t blocked)
{
	self->blocked = blocked;
	barrier();
	if (self->pending & ~blocked & ~RTLINUX_UNMASKABLE)
		self->rtlinux_look = 1;
}
/* Acts on the caller's signals without waiting. Results and `how` as for rtlinux_wait(). */
int rtlinux_signals(unsigned int how);

/* Makes a thread call rtlinux_look() as soon as it runs and can be interrupted. The caller must be INSIDE. */
void rtlinux_look_soon(struct rtl_thread_struct *thread);
/* Acts on the caller's signals if they have changed and the caller can be interrupted. */
void rtlinux_look(struct rtl_thread_struct *self);

static inline struct rtl_thread_struct *rtlinux_enter(void)
{
	struct rtl_thread_struct *self = rtlinux_self();

	self->rtlinux_inside++;
	barrier();
	return self;
}

/* If another thread changes the signals after the decrement, it diverts this one. */
static inline void rtlinux_leave(struct rtl_thread_struct **self)
{
	barrier();
	(*self)->rtlinux_inside--;
	barrier();
	if (unlikely((*self)->rtlinux_look))
		rtlinux_look(*self);
}

/* Declares that the calling thread is inside the library until the end of the block. */
#define INSIDE                                                                                     \
	struct rtl_thread_struct *inside                                                           \
		__attribute__((cleanup(rtlinux_leave), unused)) = rtlinux_enter()

/* Starts a call of the module's code from inside the library. The caller holds no lock. Returns the depth of calls. */
static inline unsigned char rtlinux_module_begin(struct rtl_thread_struct *self)
{
	const unsigned char depth = self->rtlinux_inside;

	barrier();
	self->rtlinux_inside = 0;
	barrier();
	if (unlikely(self->rtlinux_look))
		rtlinux_look(self);
	return depth;
}

/* Ends a call of the module's code. */
static inline void rtlinux_module_end(struct rtl_thread_struct *self, unsigned char depth)
{
	barrier();
	self->rtlinux_inside = depth;
	barrier();
}

/*
 * Ends the message queue calls of the calling thread. A thread that exits calls this, because it does not return from
 * them. NULL if the module has not opened a message queue.
 */
extern void (*rtlinux_queues_leave)(struct rtl_thread_struct *self);
/* Makes the signals of mq_notify() pending that have arrived. NULL if the module has not opened a message queue. */
extern void (*rtlinux_notices_take)(void);

/* Returns whether the calling thread's release is due. If so, sets its next release. */
bool rtlinux_released(void *self);

/* Returns whether a pthread_t is a valid thread. */
bool rtlinux_valid(const struct rtl_thread_struct *thread);
/* Returns the scheduler's id of a thread. */
unsigned int rtlinux_id(const struct rtl_thread_struct *thread);
/* Returns the number of records. */
unsigned int rtlinux_threads(void);
/*
 * Creates a thread of the library with the highest priority, which runs `serve`, if *server is NULL. It takes the place
 * of one of the module's threads. Returns whether there is one.
 */
bool rtlinux_server_start(pthread_t *server, void *(*serve)(void *));
/* Sorts the threads by priority. Must be called after a priority or the set of threads has changed. */
void rtlinux_order(void);

extern struct sigaction rtlinux_actions[RTL_MAX_SIGNAL + 1];

/*
 * Implements sigaction() for an interrupt line. Returns 0. -EBUSY: another function has installed a handler, or as
 * rtl_request_irq(). A failure changes nothing. `signal` is the argument of the handler.
 */
int rtlinux_line_action(unsigned int irq, int signal, const struct sigaction *action,
			struct sigaction *old);

/* Return a sum and a product of times, or HRTIME_INFINITY if it is too large. */
static inline hrtime_t rtlinux_sum(hrtime_t a, hrtime_t b)
{
	hrtime_t sum;

	return __builtin_add_overflow(a, b, &sum) ? HRTIME_INFINITY : sum;
}

static inline hrtime_t rtlinux_product(hrtime_t a, hrtime_t b)
{
	hrtime_t product;

	return __builtin_mul_overflow(a, b, &product) ? HRTIME_INFINITY : product;
}

/* Returns the time of a clock when gethrtime() is 0. */
hrtime_t rtlinux_clock_start(clockid_t clock);
/* Returns the time of gethrtime() at a time stamp. */
hrtime_t rtlinux_time(uint64_t ticks);
/* Returns the time stamp of a time of gethrtime(), rounded up. HRTIME_INFINITY becomes LIMPET_NEVER. */
uint64_t rtlinux_stamp(hrtime_t time);
/* Logs that a function is refused, with the reason, and returns `error`. */
long rtlinux_refuse(const char *function, const char *reason, long error);

/*
 * Waits until Linux processes read or write FIFOs, and runs the handlers of these FIFOs. Also returns at the time stamp
 * `until`, and after any other event.
 */
void rtlinux_fifos_serve(uint64_t until);
extern struct rtl_file_operations rtlinux_fifo_operations; /* of /dev/rtfN */
/* Event at the component's endpoint: the Linux context has work besides FIFOs. */
#define RTLINUX_SERVE 1
/* Handlers of rtf_link_user_ioctl(), by the number of the FIFO. */
extern rtlinux_ioctl_handler *rtlinux_ioctl_handlers[RTF_MAX_FIFO];
/* Answers one ioctl() of a process, if there is one. NULL if the module has not linked a handler. */
extern void (*rtlinux_requests_serve)(void);

/* Prepares a new thread for objects of the C library. NULL unless the module has mathematical functions. */
extern void (*rtlinux_thread_begin)(void);

/* Sets the parameters, calls init_module(), and then serves the Linux context in the calling thread. */
void rtlinux_main(void);
int init_module(void);
void cleanup_module(void);

#pragma GCC visibility pop

#endif
