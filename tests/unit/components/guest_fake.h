/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest and a kernel in miniature for the tests of executives: registers, memory, waits, the console and the calls of
 * the scheduler. A test calls executive_event() itself, as the kernel would. component_main() executes in a thread of
 * its own, which runs only in fake_main(), so that a test sees what it prints in between.
 */
#ifndef GUEST_FAKE_H
#define GUEST_FAKE_H

#include <executive/executive.h>

#define FAKE_TICKS_PER_MS 1000000ul /* so a tick is a nanosecond */
#define FAKE_OWN 2		    /* id of the component's own thread */
#define FAKE_SPARES 4
#define FAKE_REGISTERS 18

extern struct limpet_info fake_info asm("__limpet_info"); /* the name that the composer gives it */
extern uint64_t fake_now;
extern word fake_register[FAKE_REGISTERS];
extern bool fake_orphan; /* the guest is gone: the kernel refuses its calls */
extern unsigned int fake_wakes, fake_created;
extern word fake_kinds;	       /* of GUEST_SERVE; 0: not served */
extern long fake_serve_status; /* what GUEST_SERVE returns if it is refused, or 0 */

/* The next results of GUEST_WAIT; LIMPET_ETIME with the time passed if there are no more. */
extern long fake_wait[8];
extern unsigned int fake_waits;			  /* how many waits there were */
extern word fake_deadline, fake_early, fake_held; /* of the last wait */
extern uint64_t fake_wait_time;			  /* ticks that a wait takes if a signal ends it */

/* GUEST_MAP, _REVOKE, _FILTER and _WAKE: what was asked last, and what they return. */
extern word fake_map_range[3], fake_range[2];
extern long fake_map_status, fake_revoke_status, fake_wake_status, fake_filter_status;
extern unsigned int fake_maps, fake_revokes;
extern word fake_woken;
extern uint64_t fake_filter[LIMPET_GUEST_FILTER_WORDS];

/* Called at the beginning of each kernel call of a handler; NULL: nothing. */
extern void (*fake_between)(void);
/* A kernel of the test's own: returns whether the call is one of its, and *status. NULL: there is none. */
extern bool (*fake_kernel)(word call, const word *in, struct limpet_out *out, long *status);

/* GUEST_BREAK: what was asked last. GUEST_INFO: what it returns. */
extern word fake_break[3], fake_clock[3];
extern long fake_info_status;

/* Forgets everything but the state of the component under test. */
void fake_reset(void);
/* Adds an argument of the system file. */
void fake_argument(const char *name, int64_t number);
void fake_argument_text(const char *name, const char *text);
/* Runs component_main() until it waits or returns. Returns whether it waits. */
bool fake_main(void);
/* Returns the output since the last call. */
const char *fake_text(void);

/* Memory of the guest: pages that exist once they are put. */
#define FAKE_PAGES 64
void fake_page(word address, bool writable);
void fake_put(word address, const void *from, size_t size);
void fake_put_text(word address, const char *text);
/* Returns false if the bytes are not there. */
bool fake_get(word address, void *to, size_t size);

/* executive_event() by its parts. */
struct executive_answer fake_event(unsigned int kind, unsigned int id, word w0, word w1, word w2,
				   word w3);
/* A call, with its arguments in the registers, too. */
struct executive_answer fake_call(unsigned int id, word number, word w1, word w2, word w3, word w4,
				  word w5, word w6);

#define assert_served(answer, result)                                                              \
	do {                                                                                       \
		struct executive_answer it = (answer);                                             \
		assert_int_equal(it.operation, LIMPET_GUEST_SERVE);                                \
		assert_int_equal((long)it.value, (long)(result));                                  \
	} while (0)
#define assert_answer(answer, kind) assert_int_equal((answer).operation, LIMPET_GUEST_##kind)

#endif
