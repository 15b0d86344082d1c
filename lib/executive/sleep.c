// SPDX-License-Identifier: BSD-2-Clause
#include <executive/linux.h>
#include <executive/sleep.h>
#include <runtime/time.h>

#define BILLION 1000000000l
#define MILLION 1000000l

/* SYSCALL itself changes these registers. */
#define RCX 2
#define R11 11

/* A call that a signal has interrupted. Only events of its guest use it, one after another. */
struct kept {
	word deadline;
	word mark;     /* of the call and the registers */
	bool any;      /* the record is in use */
	bool returned; /* a signal handler has returned since */
	int handlers;  /* signal handlers that were called since and have not returned */
};

static struct kept kept[LIMPET_GUESTS_MAX];

void sleep_returned(unsigned int id)
{
	kept[id].returned = true;
	kept[id].handlers--;
}

void sleep_event(unsigned int kind, unsigned int id, word w0)
{
	if (kind == LIMPET_GUEST_BEGIN || kind == LIMPET_GUEST_EXEC)
		kept[id].any = false;
	if (kind == LIMPET_GUEST_SIGNAL && LIMPET_GUEST_SIGNAL_FATE(w0) == LIMPET_GUEST_HANDLED)
		kept[id].handlers++;
}

long sleep_read(struct sleep_time *time, word address)
{
	if (executive_read(time, address, sizeof(*time)) < 0)
		return -LINUX_EFAULT;
	if (time->seconds < 0 || time->nanoseconds < 0 || time->nanoseconds >= BILLION)
		return -LINUX_EINVAL;
	return 0;
}

word sleep_nanoseconds(const struct sleep_time *time)
{
	if (time->seconds >= INT64_MAX / BILLION)
		return INT64_MAX;
	return (word)(time->seconds * BILLION + time->nanoseconds);
}

word sleep_ticks(word nanoseconds)
{
	word ms = nanoseconds / MILLION, rest = nanoseconds % MILLION;
	word each = limpet_info()->ticks_per_ms;

	if (ms >= LIMPET_NEVER / each - 1)
		return LIMPET_NEVER;
	return ms * each + (rest * each + MILLION - 1) / MILLION;
}

word sleep_nanoseconds_in(word ticks)
{
	word each = limpet_info()->ticks_per_ms;

	return ticks / each * MILLION + ticks % each * MILLION / each;
}

word sleep_scaled(word nanoseconds, word rate, word of)
{
	word whole = nanoseconds / of;

	if (whole >= INT64_MAX / rate - 1)
		return INT64_MAX;
	return whole * rate + nanoseconds % of * rate / of;
}

static word mix(word sum, word value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15ul;
	return sum ^ sum >> 29;
}

/* Returns a hash of the call. A repeated call has the same hash, and other calls almost certainly have another one. */
static word mark_of(const struct sleep *sleep)
{
	word mark = mix(0, sleep->number);

	for (unsigned int i = 0; i < array_size(sleep->argument); i++)
		mark = mix(mark, sleep->argument[i]);
	for (unsigned int n = 0; n <= LIMPET_GUEST_RIP; n++)
		if (n != RCX && n != R11)
			mark = mix(mark, executive_register(n));
	return mark;
}

/*
 * Takes the record of an interrupted call. Returns whether the guest repeats that call. If a handler has not returned,
 * it has jumped out of the call, and this is a new call.
 */
static bool kept_take(const struct sleep *sleep)
{
	struct kept *own = &kept[sleep->id];

	if (likely(!own->any) || own->mark != mark_of(sleep))
		return false;
	own->any = false;
	return own->handlers <= 0;
}

static long remaining_write(const struct sleep *sleep, word ticks)
{
	word ns = sleep_scaled(sleep_nanoseconds_in(ticks), sleep->rate, SLEEP_RATE);
	struct sleep_time time = { (long)(ns / BILLION), (long)(ns % BILLION) };

	if (!sleep->remaining)
		return 0;
	return executive_write(sleep->remaining, &time, sizeof(time)) < 0 ? -LINUX_EFAULT : 0;
}

/* Handles the end of a wait by a signal. Writes the remaining time in any case, as Linux does. */
static struct executive_answer interrupted(const struct sleep *sleep, word deadline)
{
	word now = limpet_time();

	if (now >= deadline)
		return executive_served(0);
	if (remaining_write(sleep, deadline - now) < 0)
		return executive_served(-LINUX_EFAULT);
	kept[sleep->id] = (struct kept){ deadline, mark_of(sleep), true, false, 0 };
	return executive_again();
}

struct executive_answer sleep_answer(const struct sleep *sleep)
{
	word start = sleep->start;
	word deadline = sleep->ticks < LIMPET_NEVER - start ? start + sleep->ticks : LIMPET_NEVER;
	long status;

	if (kept_take(sleep)) {
		if (kept[sleep->id].returned)
			return executive_served(-LINUX_EINTR);
		deadline = kept[sleep->id].deadline;
	}
	do
		status = executive_wait(deadline, sleep->early);
	while (status == LIMPET_OK);
	if (status == LIMPET_EINTR)
		return interrupted(sleep, deadline);
	return status == LIMPET_ETIME ? executive_served(0) : executive_passed();
}
