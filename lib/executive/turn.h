/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns, for executives that schedule their guests. One of the ready guests has the turn, and the others wait in the
 * executive. The executive's policy selects the next guest and the length of its turn. A turn ends
 *
 *   by time     the event BREAK occurs when the policy's time is over, or when a sleeping guest becomes ready
 *   by sleep    the guest sleeps in Linux or in a call that the executive serves. Linux then runs its successor, which
 *               is the second of the ready guests
 *   by request  turn_pass(), turn_stop()
 *
 * Linux runs the guest that has the turn by the Linux priority of its thread. Work of a guest inside Linux continues
 * without a turn. A guest with a pending signal, tracer or freezer continues after 50 ms to handle it, and waits for
 * its turn at the next break.
 *
 * Linux can switch to another guest at any instruction of an event. Therefore functions of the policy are called one
 * after another, and only they should change the data that they use.
 *
 * All functions except turn_init() may be called only in executive_event(), and take time linear in the number of
 * guests.
 */
#ifndef EXECUTIVE_TURN_H
#define EXECUTIVE_TURN_H

#include <executive/executive.h>
#include <executive/sleep.h>

struct turn_policy {
	/* Returns whether guest `a` must have the turn before guest `b`, if both are ready. */
	bool (*before)(unsigned int a, unsigned int b);
	/*
	 * Charges the guest for `ticks` of run time since the last call. Returns 0, or the time stamp until which it
	 * must not run. Its turn then ends.
	 */
	word (*used)(unsigned int id, word ticks, word now);
	/*
	 * Is called for a guest that became ready at the time stamp `since`, after a sleep or a stop. Returns 0, or the
	 * time stamp until which the guest must not run.
	 */
	word (*ready)(unsigned int id, word since);
	/* Is called when the guest starts, and by turn_set(). `what` is the caller's value. */
	void (*set)(unsigned int id, word what);
	/* Gives the guest the turn. Returns the time stamp of the next decision, or LIMPET_NEVER. */
	word (*until)(unsigned int id, word now);
	/* Moves guest `a` behind guest `b`, if the policy can do that. */
	void (*behind)(unsigned int a, unsigned int b);
	/*
	 * Returns whether guest `b`, which becomes ready at a known time, should be considered then in the turn of `a`.
	 */
	bool (*matters)(unsigned int a, unsigned int b);
};

/* Must be called before executive_serve(), which must select BEGIN, EXEC, END and BREAK. */
void turn_init(const struct turn_policy *policy);

/* Handles the event BEGIN. The guest waits for its first turn. */
void turn_begin(unsigned int id, word what);
/* Handles the event BREAK. Must also be called when other data that the policy reads have changed. */
void turn_break(unsigned int id);
/* Handles the event END. */
void turn_end(unsigned int id);
/* Serves a call by a sleep, during which other guests have the turn. Returns the answer of the call. */
struct executive_answer turn_sleep(const struct sleep *sleep);
/* Passes a new value to the policy's set(). The guest then waits for its turn if another guest precedes it. */
void turn_set(unsigned int id, word what);
/*
 * Handles BEGIN, EXEC, BREAK and END of guests whose `what` is the number of their program (<executive/program.h>).
 * `w2` is word 2 of the event.
 */
void turn_life(unsigned int kind, unsigned int id, word w2);
/* Gives the turn to the first of the other ready guests, if there is one, and calls behind(). */
void turn_pass(unsigned int id);
/* Makes the guest wait until the time stamp, and then for its turn. */
void turn_stop(unsigned int id, word until);

#endif
