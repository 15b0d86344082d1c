/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Simulates the host's part of guests: records, and the steps of the entry code and the host. Each function acts for
 * the simulated CPU.
 */
#ifndef TEST_GUESTS_H
#define TEST_GUESTS_H

#include <kernel/guest_event.h>

#include "objects.h"

#define GUESTS 6
#define EVENT_ENTRY (ENTRY + 0x800) /* entry of handler threads */

/* Guests of all CPUs. A record with cpu = NULL is free. */
extern struct guest guests_all[GUESTS];
extern unsigned int guests_notified[GUESTS]; /* notifications from the kernel, by guest */

/* Starts a system whose host has guests. */
void guests_enable(void);
/* Does the same, with the booter's thread as scheduler. Returns the slot of its endpoint. */
word guests_start(void);
/* The booter's thread dispatches a thread, after it has received all notices. */
void run(word thread);
/* The records of all components, which guests_enable() marks as executives. */
extern struct limpet_image_component guests_records[LIMPET_COMPONENTS_MAX];
/* Makes a thread of the component that has called GUEST_SERVE for all kinds of events. */
word handler_new(const struct built *in, word id, word scheduler);
struct executive *executive_of(const struct built *b);

/* Starts guest `id` with this executive. */
struct guest *guest_begin(unsigned int id, struct executive *x);
/* Ends or releases the guest. */
void guest_remove(struct guest *g);

/* Starts a handler thread for an event of the guest. Returns whether there was one. */
bool guest_event(struct guest *g, unsigned int kind, const word words[6]);
/* Makes a kernel call of the handler thread, which is inside. Returns the value that the entry code gets. */
long guest_inside(struct guest *g, word op, const word words[6]);
#define call_inside(g, name, ...)                                                                  \
	guest_inside(g, LIMPET_CALL_##name, (const word[6]){ __VA_ARGS__ })
/* Answers the event. A thread that was moved answers by call(). */
void guest_answers(struct guest *g, word operation, word value);
/* Moves the handler thread, and makes it ready. */
void guest_moves(struct guest *g);
/* Passes the kernel's messages to the guests. */
void guests_updated(struct cpu *c);

/*
 * invariants_guest.c: checks handler threads, executives and guests. guest_waits() returns whether a thread waits
 * for an event or the host.
 */
bool guest_waits(const struct thread *t);
void guests_check(const struct cpu *c);

#endif
