// SPDX-License-Identifier: BSD-2-Clause
/* The calls that read the clock or sleep. Bad arguments get the errors that Linux returns. */
#include "clock.h"

#include <executive/linux.h>
#include <executive/sleep.h>
#include <guest/numbers.h>
#include <runtime/time.h>

#define TIMER_ABSTIME 1u
#define THOUSAND 1000

static word early;

void clock_early(word ticks)
{
	early = ticks;
}

/* Writes two numbers. Returns 0 or -EFAULT. */
static long pair_write(word address, word first, word second)
{
	const word pair[] = { first, second };

	return executive_write(address, pair, sizeof(pair)) < 0 ? -LINUX_EFAULT : 0;
}

static long gettime(unsigned int id, word clock, word address)
{
	word now = clock_read(id, clock);

	return pair_write(address, now / BILLION, now % BILLION);
}

/* The time zone is the one that Linux has without a call of settimeofday(). */
static long time_of_day(unsigned int id, word time, word zone)
{
	static const uint32_t none[2];
	word now = clock_read(id, CLOCK_REALTIME);

	if (time && pair_write(time, now / BILLION, now % BILLION / THOUSAND) < 0)
		return -LINUX_EFAULT;
	if (zone && executive_write(zone, none, sizeof(none)) < 0)
		return -LINUX_EFAULT;
	return 0;
}

static long time_seconds(unsigned int id, word address)
{
	word now = clock_read(id, CLOCK_REALTIME) / BILLION;

	if (address && executive_write(address, &now, sizeof(now)) < 0)
		return -LINUX_EFAULT;
	return (long)now;
}

static struct executive_answer sleep_for(struct sleep *sleep, word ns)
{
	if (!clock_sleep(sleep->id, ns, &sleep->ticks))
		return executive_served(0);
	sleep->early = early;
	sleep->rate = clock_rate();
	return sleep_answer(sleep);
}

/* Sleeps for the time at `request`, or until that time of `clock` if `absolute` is set. */
static struct executive_answer sleep_at(struct sleep *sleep, word request, bool absolute,
					word clock)
{
	struct sleep_time time;
	long error = sleep_read(&time, request);
	word ns, now;

	if (error)
		return executive_served(error);
	ns = sleep_nanoseconds(&time);
	if (!absolute)
		return sleep_for(sleep, ns);
	now = clock_read(sleep->id, clock);
	/* Read after `now`, so that the sleep does not end too early. */
	sleep->start = limpet_time();
	return sleep_for(sleep, ns > now ? ns - now : 0);
}

static struct executive_answer sleep_on(struct sleep *sleep, const word argument[4])
{
	bool absolute = argument[1] & TIMER_ABSTIME;

	if (!absolute)
		sleep->remaining = argument[3];
	return sleep_at(sleep, argument[2], absolute, argument[0]);
}

struct executive_answer clock_answer(unsigned int id, word number, const word argument[4])
{
	struct sleep sleep = { .id = id,
			       .number = number,
			       .argument = { argument[0], argument[1], argument[2], argument[3] },
			       .start = limpet_time() };

	switch (number) {
	case GUEST_CALL_clock_gettime:
		if (!clock_is_virtual(argument[0]))
			break;
		return executive_served(gettime(id, argument[0], argument[1]));
	case GUEST_CALL_gettimeofday:
		return executive_served(time_of_day(id, argument[0], argument[1]));
	case GUEST_CALL_time:
		return executive_served(time_seconds(id, argument[0]));
	case GUEST_CALL_nanosleep:
		sleep.remaining = argument[1];
		return sleep_at(&sleep, argument[0], false, CLOCK_MONOTONIC);
	case GUEST_CALL_clock_nanosleep:
		if (!clock_has_sleep(argument[0]))
			break;
		return sleep_on(&sleep, argument);
	case GUEST_CALL_rt_sigreturn:
		sleep_returned(id);
		break;
	}
	return executive_passed();
}
