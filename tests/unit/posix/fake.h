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
extern unsigned int fake_thread;   /* that runs */
extern void (*fake_blocked)(void); /* what others do while it waits; then it is not used again */
extern uint64_t fake_woken;	   /* threads */
extern uint64_t fake_diverted;	   /* the same */
#define FAKE_ALARM 9		   /* id of the thread that fires timers */
#define FAKE_IP 0x401000ul	   /* where threads are in the program */
extern unsigned long fake_pages, fake_quota; /* of the memory manager */
extern unsigned int fake_allocations;
extern unsigned long fake_passed_on; /* kind of the last fault that went to the next handler */
#define FAKE_TOUCHABLE 0x700000ul    /* an address that gets memory when it is touched */
extern char fake_log[];

/* Makes threads 2 to 5 those of a program, with priorities 2 to 5, and 2 the one that runs. */
int fake_begin(void **state);
/* A system call of the thread that runs. */
long fake_call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
	       unsigned long e, unsigned long f);
#define CALL6(n, a, b, c, d, e, f, ...)                                                            \
	fake_call(n, (unsigned long)(a), (unsigned long)(b), (unsigned long)(c),                   \
		  (unsigned long)(d), (unsigned long)(e), (unsigned long)(f))
#define SYS(...) CALL6(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

#endif
