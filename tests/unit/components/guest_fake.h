/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A minimal guest and kernel for the tests of executives: registers, memory, waits, the console and the scheduler's
 * calls. A test calls executive_event() like the kernel. component_main() executes in a separate thread, which runs
 * only in fake_main(), so that a test can read the output in between.
 */
#ifndef GUEST_FAKE_H
#define GUEST_FAKE_H

#include <executive/executive.h>

#define FAKE_TICKS_PER_MS 1000000ul /* so a tick is a nanosecond */
#define FAKE_OWN 2		    /* id of the component's own thread */
#define FAKE_SPARES 4
#define FAKE_REGISTERS 18

extern struct limpet_info fake_info asm("__limpet_info"); /* the name that the composer defines */
extern uint64_t fake_now;
extern word fake_register[FAKE_REGISTERS];
extern bool fake_orphan; /* the guest has ended: the kernel refuses its calls */
extern unsigned int fake_wakes, fake_created;
extern word fake_kinds;	       /* kinds of GUEST_SERVE; 0: not served */
extern long fake_serve_status; /* error of GUEST_SERVE, or 0 */

/* The next results of GUEST_WAIT. After them, the result is LIMPET_ETIME, and the time has passed. */
extern long fake_wait[8];
extern unsigned int fake_waits;			  /* number of waits */
extern word fake_deadline, fake_early, fake_held; /* arguments of the last wait */
extern uint64_t fake_wait_time;			  /* ticks that a wait takes if a signal ends it */

/* Last arguments and results of GUEST_MAP, _REVOKE, _FILTER and _WAKE. */
extern word fake_map_range[3], fake_range[2];
extern long fake_map_status, fake_revoke_status, fake_wake_status, fake_filter_status;
extern unsigned int fake_maps, fake_revokes;
extern word fake_woken;
extern uint64_t fake_filter[LIMPET_GUEST_FILTER_WORDS];

/* Called at the start of each kernel call of a handler, or NULL. */
extern void (*fake_between)(void);
/* The test's own kernel, or NULL. Returns whether it handles the call, and its result in *status. */
extern bool (*fake_kernel)(word call, const word *in, struct limpet_out *out, long *status);

/* Last arguments of GUEST_BREAK, and result of GUEST_INFO. */
extern word fake_break[3], fake_clock[3];
extern long fake_info_status;

/* Resets everything except the state of the component under test. */
void fake_reset(void);
/* Adds an argument of the system file. */
void fake_argument(const char *name, int64_t number);
void fake_argument_text(const char *name, const char *text);
/* Runs component_main() until it waits or returns. Returns whether it waits. */
bool fake_main(void);
/* Returns the output since the last call. */
const char *fake_text(void);

/* Memory of the guest. A page exists after fake_put() to it. */
#define FAKE_PAGES 64
void fake_page(word address, bool writable);
void fake_put(word address, const void *from, size_t size);
void fake_put_text(word address, const char *text);
/* Returns false if the bytes do not exist. */
bool fake_get(word address, void *to, size_t size);

/* Calls executive_event() with the parts of an event. */
struct executive_answer fake_event(unsigned int kind, unsigned int id, word w0, word w1, word w2,
				   word w3);
/* Makes a call, with its arguments also in the registers. */
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
