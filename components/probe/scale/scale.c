// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures the figures of suite scale. During case NAME-N, N other threads sleep. Half of them have a lower priority
 * than the measured thread and wake earlier, so that a scheduler has to skip their timers. The others have a higher
 * priority, so that their timers matter.
 */
#include <runtime/format.h>
#include <runtime/measure.h>
#include <runtime/thread.h>

#include <sync/mutex.h>

#include <import/pong.h>
#include <import/sched.h>

#define PRIORITY 100 /* priority of the measured thread in component.toml */
#define PERIOD_US 1000
#define FAR_US 3600000000ul /* time until the first sleeper wakes: after the end of the run */

static const uint64_t counts[] = { 1, 16, 64, 256, 1000 };
static uint64_t sleepers;
static word partner, self;
static struct mutex mutex;
static volatile uint64_t stamp; /* time at which the partner continued */
static volatile bool locking;	/* the partner locks the mutex, else it wakes this thread */

static void *sleeper_main(void *until)
{
	sched_sleep_until((word)until);
	limpet_print("wrong: a sleeper woke\n");
	return NULL;
}

static long sleeper_create(uint64_t i)
{
	bool important = i % 2;
	uint64_t until = limpet_time() + limpet_us_to_ticks(FAR_US * (1 + important) + i);
	word priority = important ? PRIORITY + 2 + i / 2 % 150 : PRIORITY - 1 - i / 2 % 90;

	return sched_create((word)sleeper_main, until, priority);
}

/* Creates sleepers up to `count`, and sleeps until all of them sleep. */
static long sleepers_add(uint64_t count)
{
	for (; sleepers < count; sleepers++) {
		long id = sleeper_create(sleepers);

		if (id < 0)
			return id;
	}
	return sched_sleep_until(limpet_time() + limpet_us_to_ticks(10 * PERIOD_US));
}

static void *partner_main(void *argument)
{
	for (;;) {
		sched_block();
		if (locking) {
			mutex_lock(&mutex, LIMPET_NEVER);
			stamp = limpet_time();
			mutex_unlock(&mutex);
		} else {
			stamp = limpet_time();
			sched_wake(self);
		}
	}
	return argument;
}

static void value_set(uint64_t i, uint64_t ticks)
{
	if (i >= MEASURE_WARM_UP)
		measure_values[i - MEASURE_WARM_UP] =
			(uint32_t)(ticks > measure_empty ? ticks - measure_empty : 0);
}

static void report(const char *what)
{
	char name[24];

	limpet_format(name, sizeof(name), "%s-%lu", what, sleepers);
	measure_report("scale", name, "limpet");
}

/* Measures the error of a 1 kHz loop: its first time stamp after a release, less the time of the release. */
static void measure_wake(void)
{
	word due = 0;

	sched_periodic(limpet_us_to_ticks(PERIOD_US), 0);
	for (uint64_t i = 0; i < measure_rounds + MEASURE_WARM_UP; i++) {
		uint64_t now;

		sched_periodic_wait(&due);
		now = limpet_time();
		value_set(i, now - due + measure_empty);
	}
	report("wake");
}

static void measure_invoke(void)
{
	MEASURE(pong_call0());
	report("invoke");
}

/* Measures the switch from a thread that blocks to a ready thread with the same priority. */
static void measure_dispatch(void)
{
	locking = false;
	sched_priority(partner, PRIORITY);
	for (uint64_t i = 0; i < measure_rounds + MEASURE_WARM_UP; i++) {
		uint64_t start;

		sched_wake(partner);
		start = limpet_time();
		sched_block();
		value_set(i, stamp - start);
	}
	report("dispatch");
}

/* Measures the time from the unlocking of a mutex until a waiter of higher priority runs. */
static void measure_lock(void)
{
	locking = true;
	sched_priority(partner, PRIORITY + 1);
	for (uint64_t i = 0; i < measure_rounds + MEASURE_WARM_UP; i++) {
		uint64_t start;

		mutex_lock(&mutex, LIMPET_NEVER);
		sched_wake(partner);
		start = limpet_time();
		mutex_unlock(&mutex);
		value_set(i, stamp - start);
	}
	report("lock");
}

static long measure_with(uint64_t count)
{
	long status = sleepers_add(count);

	if (status < 0)
		return status;
	measure_wake();
	measure_invoke();
	measure_dispatch();
	measure_lock();
	return LIMPET_OK;
}

void component_main(const struct limpet_info *info)
{
	uint64_t max = (uint64_t)limpet_arg_number(info, "sleepers", 0);
	long status = sched_create((word)partner_main, 0, PRIORITY);

	measure_begin(info);
	self = info->thread;
	partner = (word)status;
	for (unsigned int i = 0; i < array_size(counts) && status >= 0; i++)
		if (counts[i] <= max)
			status = measure_with(counts[i]);
	if (status >= 0 && sleepers < max)
		status = measure_with(max);
	if (status < 0)
		limpet_print("wrong: %s\n", limpet_error_text(status));
	limpet_print("done\n");
}
