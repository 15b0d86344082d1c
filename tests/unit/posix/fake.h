/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that lib/posix calls, for one thread at a time. Time passes while a thread waits. */
#ifndef TEST_POSIX_FAKE_H
#define TEST_POSIX_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FAKE_TICKS_PER_MS 2500000ul

extern struct posix_frame fake_frame; /* the program's registers */
extern uint64_t fake_time;
extern unsigned int fake_thread;	     /* the running thread */
extern void (*fake_blocked)(void);	     /* work of other threads during the next wait */
extern uint64_t fake_woken;		     /* bitmap of threads */
extern uint64_t fake_diverted;		     /* bitmap of threads */
#define FAKE_ALARM 9			     /* id of the thread that fires timers */
#define FAKE_CREATED 7			     /* id of the thread that clone() makes */
#define FAKE_IP 0x401000ul		     /* address at which threads execute in the program */
extern unsigned long fake_pages, fake_quota; /* pages of the memory manager */
extern bool fake_adjacent; /* allocations are next to each other, and do not count in fake_pages */
extern unsigned int fake_allocations;
/* The last call of mem_protect() that succeeded. All calls fail while fake_protect_refuses is set. */
extern struct fake_protection {
	uint64_t address, pages, rights;
} fake_protection;
extern bool fake_protect_refuses;
extern unsigned long fake_passed_on; /* kind of the last fault that went to the next handler */
#define FAKE_TOUCHABLE 0x700000ul    /* an address that gets memory at the first access */
extern char fake_log[];
extern uint64_t fake_ticks[64];	   /* run time of each thread, first n ms for thread n */
extern unsigned int fake_accounts; /* number of calls for run times */
/*
 * Whether the scheduler has deadlines, the status of its next calls for reservations, and the reservation and slice of
 * each thread.
 */
extern bool fake_deadlines;
extern long fake_reserve;
extern struct fake_reservation {
	uint64_t budget, period, slice, priority;
} fake_reserved[64];
extern unsigned int fake_yields, fake_job_ends;

/* Makes threads 2 to 5 those of a program, with priorities 2 to 5. Thread 2 runs. */
int fake_begin(void **state);
/* Makes a system call of the running thread. */
long fake_call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
	       unsigned long e, unsigned long f);
#define CALL6(n, a, b, c, d, e, f, ...)                                                            \
	fake_call(n, (unsigned long)(a), (unsigned long)(b), (unsigned long)(c),                   \
		  (unsigned long)(d), (unsigned long)(e), (unsigned long)(f))
#define SYS(...) CALL6(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

#endif
