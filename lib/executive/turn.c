// SPDX-License-Identifier: BSD-2-Clause
#include <executive/program.h>
#include <executive/turn.h>
#include <runtime/memory.h>
#include <runtime/time.h>

#define NO_GUEST LIMPET_GUESTS_MAX

enum state {
	ABSENT,
	READY,	 /* it has the turn or waits for it */
	AWAY,	 /* it sleeps in turn_sleep(), or in Linux until the event BREAK */
	STOPPED, /* by the policy */
};

struct place {
	enum state state;
	word due;	       /* when it becomes ready; LIMPET_NEVER: unknown */
	word ran;	       /* its processor time at the last charge */
	word asked;	       /* requested time of BREAK; 0: not requested */
	uint32_t heir;	       /* heir of that request */
	uint32_t next, before; /* in the ring of the guests that are not ABSENT, and of NO_GUEST */
	bool over;	       /* after END; the holder of the lock removes it */
};

static const struct turn_policy *policy;
static struct place place[LIMPET_GUESTS_MAX + 1];
static unsigned int current = NO_GUEST;

/* --- the lock: events of all guests are on one CPU, but Linux switches between guests */

#define LOCK_PAUSE_US 20
#define ASTRAY_US 1000 /* how long a guest may run without the turn */

static uint32_t locked, missed; /* missed: some guests have `over` set */

static bool lock_try(void)
{
	return !__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE);
}

/* Returns false if the guest has ended. Its event must then not wait. */
static bool lock(void)
{
	long status;

	while (!lock_try()) {
		status = executive_hold(limpet_time() + limpet_us_to_ticks(LOCK_PAUSE_US), 0);
		if (status != LIMPET_ETIME && status != LIMPET_OK)
			return lock_try();
	}
	return true;
}

static unsigned int decide(unsigned int me);
static void decide_here(void);
static void remove_over(void);

static void unlock(void)
{
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
	while (__atomic_exchange_n(&missed, 0, __ATOMIC_ACQ_REL) && lock_try()) {
		remove_over();
		decide_here();
		__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
	}
}

/* --- the ring of guests, under the lock */

static void place_remove(unsigned int id)
{
	struct place *own = &place[id];

	if (own->state == ABSENT)
		return;
	place[own->before].next = own->next;
	place[own->next].before = own->before;
	own->state = ABSENT;
	if (current == id)
		current = NO_GUEST;
}

static void place_add(unsigned int id)
{
	struct place *own = &place[id];
	bool asleep;

	place_remove(id);
	*own = (struct place){
		.state = READY, .heir = NO_GUEST, .next = place[NO_GUEST].next, .before = NO_GUEST
	};
	place[own->next].before = id;
	place[NO_GUEST].next = id;
	executive_use(id, &own->ran, &asleep);
}

static void remove_over(void)
{
	unsigned int id = place[NO_GUEST].next, next;

	for (; id != NO_GUEST; id = next) {
		next = place[id].next;
		if (place[id].over)
			place_remove(id);
	}
}

/* The guest must be AWAY or STOPPED. */
static void become_other(unsigned int id, enum state state, word due)
{
	place[id].state = state;
	place[id].due = due;
	if (current == id)
		current = NO_GUEST;
}

static void become_ready(unsigned int id, word since)
{
	word until;

	if (place[id].state == READY)
		return;
	place[id].state = READY;
	until = policy->ready(id, since);
	if (until)
		become_other(id, STOPPED, until);
}

/* --- decisions */

/* Charges a guest for its processor time, and ends its turn if it sleeps or the policy stops it. */
static void charge(unsigned int id, word now)
{
	struct place *own = &place[id];
	word ran, until, used;
	bool asleep;

	if (executive_use(id, &ran, &asleep) < 0) {
		place_remove(id);
		return;
	}
	used = ran - own->ran;
	own->ran = ran;
	until = policy->used(id, used, now);
	if (until)
		become_other(id, STOPPED, until);
	else if (asleep)
		become_other(id, AWAY, LIMPET_NEVER);
}

/*
 * Starts an event of a guest. Charges the guest also for its time without the turn, which would otherwise be missing in
 * its next period. Adds an unknown guest, because the executive may have restarted.
 */
static void place_enter(unsigned int id)
{
	if (place[id].state != ABSENT)
		charge(id, limpet_time());
	if (place[id].state == ABSENT)
		place_add(id);
}

/* Returns the first and the second of the ready guests in the order of the policy, or NO_GUEST. */
static unsigned int first_ready(unsigned int *second)
{
	unsigned int best = NO_GUEST;

	*second = NO_GUEST;
	for (unsigned int id = place[NO_GUEST].next; id != NO_GUEST; id = place[id].next) {
		if (place[id].state != READY)
			continue;
		if (best == NO_GUEST || policy->before(id, best)) {
			*second = best;
			best = id;
		} else if (*second == NO_GUEST || policy->before(id, *second)) {
			*second = id;
		}
	}
	return best;
}

static void wake_due(word now)
{
	for (unsigned int id = place[NO_GUEST].next; id != NO_GUEST; id = place[id].next)
		if (place[id].state > READY && place[id].due <= now)
			become_ready(id, place[id].due);
}

/* Returns when a decision is due in the turn of a guest. */
static word decision_due(unsigned int id, word now)
{
	word due = policy->until(id, now);

	for (unsigned int other = place[NO_GUEST].next; other != NO_GUEST;
	     other = place[other].next)
		if (place[other].state > READY && place[other].due < due &&
		    policy->matters(id, other))
			due = place[other].due;
	return due;
}

/*
 * Requests BREAK at the end of the turn. Keeps an earlier request with the same heir, because most turns end before
 * their time. Returns false if one of the two guests has ended.
 */
static bool ask(unsigned int id, word due, unsigned int heir, word now)
{
	struct place *own = &place[id];

	if (own->heir == heir && own->asked > now && own->asked <= due)
		return true;
	own->asked = due;
	own->heir = heir;
	return executive_break(id, due, heir == NO_GUEST ? 0 : heir + 1) == LIMPET_OK;
}

static bool has_ended(unsigned int id)
{
	bool asleep;
	word ran;

	return executive_use(id, &ran, &asleep) < 0;
}

/* Selects the guest that has the turn, and requests the next decision. */
static void choose(word now)
{
	unsigned int heir;

	while ((current = first_ready(&heir)) != NO_GUEST &&
	       !ask(current, decision_due(current, now), heir, now))
		place_remove(heir != NO_GUEST && has_ended(heir) ? heir : current);
}

/* Requests an event of the guest as soon as possible. */
static void call_back(unsigned int id, word time)
{
	place[id].asked = 0;
	executive_break(id, time, 0);
}

/*
 * Decides which guest has the turn. Returns the guest that must be woken, or NO_GUEST. `me` is the guest of the calling
 * event. It was charged before, and is not woken because it waits by itself.
 */
static unsigned int decide(unsigned int me)
{
	word now = limpet_time();
	unsigned int before = current;

	if (current != NO_GUEST && current != me)
		charge(current, now);
	wake_due(now);
	choose(now);
	if (current == before)
		return NO_GUEST;
	if (before != NO_GUEST && before != me && place[before].state == READY)
		call_back(before, 0);
	return current != me ? current : NO_GUEST;
}

/* Decides, and wakes the next guest. Used by callers that do not wait for a turn. */
static void decide_here(void)
{
	unsigned int next = decide(NO_GUEST);

	if (next != NO_GUEST)
		executive_wake(next);
}

/* Waits until guest `id` has the turn. Requires the lock, and releases it. */
static void turn_await(unsigned int id)
{
	unsigned int next = decide(id);
	long status;
	word due;

	while (current != id) {
		due = place[id].state == STOPPED ? place[id].due : LIMPET_NEVER;
		unlock();
		status = executive_hold(due, next == NO_GUEST ? 0 : next + 1);
		if (status == LIMPET_ENOENT)
			status = LIMPET_OK; /* it has just ended */
		if ((status != LIMPET_OK && status != LIMPET_ETIME) || !lock()) {
			/* The guest handles its signal without the turn. */
			call_back(id, limpet_time() + limpet_us_to_ticks(ASTRAY_US));
			return;
		}
		next = current == id ? NO_GUEST : decide(id);
	}
	unlock();
}

/* --- events */

void turn_init(const struct turn_policy *its)
{
	policy = its;
	current = NO_GUEST;
	locked = missed = 0;
	memset(place, 0, sizeof(place));
	place[NO_GUEST].next = place[NO_GUEST].before = NO_GUEST;
}

void turn_begin(unsigned int id, word what)
{
	if (!lock())
		return;
	place_add(id);
	policy->set(id, what);
	policy->ready(id, limpet_time());
	turn_await(id);
}

void turn_break(unsigned int id)
{
	if (!lock())
		return;
	place_enter(id);
	place[id].asked = 0;
	if (place[id].state == AWAY)
		become_ready(id, limpet_time());
	turn_await(id);
}

void turn_set(unsigned int id, word what)
{
	if (!lock())
		return;
	place_enter(id);
	policy->set(id, what);
	become_ready(id, limpet_time());
	turn_await(id);
}

void turn_pass(unsigned int id)
{
	unsigned int first, second;

	if (!lock())
		return;
	place_enter(id);
	first = first_ready(&second);
	if (first == id)
		first = second;
	if (first != NO_GUEST)
		policy->behind(id, first);
	turn_await(id);
}

void turn_stop(unsigned int id, word until)
{
	if (!lock())
		return;
	place_enter(id);
	become_other(id, STOPPED, until);
	turn_await(id);
}

/* A guest that has ended cannot wait for the lock. The holder of the lock removes it. */
void turn_end(unsigned int id)
{
	place[id].over = true;
	__atomic_store_n(&missed, 1, __ATOMIC_RELEASE);
	if (lock_try())
		unlock();
}

struct executive_answer turn_sleep(const struct sleep *sleep)
{
	const word start = sleep->start;
	struct executive_answer answer;

	if (lock()) {
		place_enter(sleep->id);
		become_other(sleep->id, AWAY,
			     sleep->ticks < LIMPET_NEVER - start ? start + sleep->ticks
								 : LIMPET_NEVER);
		decide_here();
		unlock();
	}
	answer = sleep_answer(sleep);
	if (lock()) {
		wake_due(limpet_time()); /* since its time, not since now */
		become_ready(sleep->id, limpet_time());
		turn_await(sleep->id);
	}
	return answer;
}

void turn_life(unsigned int kind, unsigned int id, word w2)
{
	switch (kind) {
	case LIMPET_GUEST_BEGIN:
		turn_begin(id, program_started(id, w2));
		break;
	case LIMPET_GUEST_EXEC:
		turn_set(id, program_executed(id));
		break;
	case LIMPET_GUEST_BREAK:
		turn_break(id);
		break;
	case LIMPET_GUEST_END:
		turn_end(id);
		break;
	}
}
