/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns, for executives that schedule their guests: of all guests that are ready, one has the turn. The others wait in
 * the executive. The executive's policy says who is next, and for how long. A turn ends
 *
 *   by time    the event BREAK comes when the policy's time is over, or when a guest that sleeps becomes ready
 *   by sleep   the guest sleeps in Linux or in a call that the executive serves. Linux then runs its heir, which is the
 *              second of those that were ready
 *   by wish    turn_pass(), turn_stop()
 *
 * Linux runs the guest that has the turn by the Linux priority of its thread, and what a guest does in Linux goes on
 * without a turn. A guest that a signal, a tracer or the freezer wants goes on after 50 ms to take it, and waits for its
 * turn at the next break.
 *
 * Linux can switch to another guest at any instruction of an event. Therefore functions of the policy are called one
 * after another, and what they use should be changed by them only.
 *
 * All functions but turn_init() may be called in executive_event() only, and cost time linear in the guests.
 */
#ifndef EXECUTIVE_TURN_H
#define EXECUTIVE_TURN_H

#include <executive/executive.h>
#include <executive/sleep.h>

struct turn_policy {
	/* Returns whether guest `a` must have the turn before guest `b`, if both are ready. */
	bool (*before)(unsigned int a, unsigned int b);
	/*
	 * The guest has run for so many ticks since the last call. Returns 0, or the time stamp until which it must
	 * not run: its turn ends.
	 */
	word (*used)(unsigned int id, word ticks, word now);
	/*
	 * The guest has been ready since the time stamp `since`, after it has slept or was stopped. Returns 0, or the
	 * time stamp until which it must not run.
	 */
	word (*ready)(unsigned int id, word since);
	/* The guest begins, or turn_set() was called: `what` is the caller's. */
	void (*set)(unsigned int id, word what);
	/* The guest gets the turn. Returns the time stamp of the next decision, or LIMPET_NEVER. */
	word (*until)(unsigned int id, word now);
	/* Guest `a` is to come behind guest `b`, if that can be. */
	void (*behind)(unsigned int a, unsigned int b);
	/* Returns whether guest `b`, which becomes ready at a known time, should be considered then in the turn of `a`. */
	bool (*matters)(unsigned int a, unsigned int b);
};

/* Before executive_serve(), which must ask for BEGIN, EXEC, END and BREAK. */
void turn_init(const struct turn_policy *policy);

/* The event BEGIN: the guest waits for its first turn. */
void turn_begin(unsigned int id, word what);
/* The event BREAK; also when what the policy reads elsewhere has changed. */
void turn_break(unsigned int id);
/* The event END. */
void turn_end(unsigned int id);
/* A call that the executive serves by sleeping. Others have the turn meanwhile. Returns its answer. */
struct executive_answer turn_sleep(const struct sleep *sleep);
/* The policy is to know something else of the guest, which then waits for its turn if another one is before it. */
void turn_set(unsigned int id, word what);
/*
 * Handles BEGIN, EXEC, BREAK and END of guests whose `what` is the number of their program (<executive/program.h>). `w2` is
 * word 2 of the event.
 */
void turn_life(unsigned int kind, unsigned int id, word w2);
/* The guest lets the first of the others that are ready go first, if there is one: behind(). */
void turn_pass(unsigned int id);
/* The guest must not run before the time stamp: it waits until then, and for its turn. */
void turn_stop(unsigned int id, word until);

#endif
