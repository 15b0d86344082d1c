// SPDX-License-Identifier: BSD-2-Clause
/*
 * In each round the thread with the lowest priority acquires a lock, and holds it until the others are ready. The
 * thread with the highest priority then needs the lock, and one in between has much work. The amount of this work that
 * is done before the lock is acquired shows an inversion, independent of the machine's speed.
 */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <sync/mutex.h>
#include <sync/rwlock.h>
#include <sync/semaphore.h>

#include <import/pool.h>
#include <import/sched.h>
#include <import/shared.h>

#define LOW 10
#define NEAR 15 /* has the first thread's lock, waits for the last */
#define MIDDLE 20
#define HIGH 30

#define HELD 20000ul  /* turns of a loop, with the lock */
#define WORK 100000ul /* turns of the thread in between */
#define PAUSE_US 25ul

static struct mutex mutex, second, ceiling = { .ceiling = HIGH };
static struct rwlock rwlock;
static struct semaphore semaphore;
static volatile uint64_t worked;      /* by the thread in between, in all rounds */
static volatile bool held, near_held; /* the lock is held; the near thread's lock is */
static volatile bool released;	      /* the others are ready */
static uint64_t wrong, longest;

struct scene {
	const char *name;
	long (*low)(void);  /* locks, computes, unlocks */
	long (*high)(void); /* locks and unlocks */
	bool near;	    /* with a thread between the two */
	bool inverted;	    /* without inheritance: the test detects an inversion */
};

static void compute(uint64_t turns)
{
	for (volatile uint64_t turn = 0; turn < turns; turn++)
		;
}

static void complain(const char *what, const char *name, long value)
{
	if (wrong++ < 10)
		limpet_print("wrong: %s: %s: %ld\n", name, what, value);
}

/* Work of the thread with the lowest priority between lock and unlock. */
static long with(long taken)
{
	held = true;
	while (!released)
		;
	compute(HELD);
	return taken;
}

static long mutex_low(void)
{
	long status = with(mutex_lock(&mutex, LIMPET_NEVER));

	return status ? status : mutex_unlock(&mutex);
}

static long mutex_high(void)
{
	long status = mutex_lock(&mutex, LIMPET_NEVER);

	return status ? status : mutex_unlock(&mutex);
}

/* Locks the second mutex before the thread with the highest priority needs it. */
static long near_run(void)
{
	long status = mutex_lock(&second, LIMPET_NEVER);

	near_held = true;
	status = status ? status : mutex_lock(&mutex, LIMPET_NEVER);
	compute(HELD);
	status = status ? status : mutex_unlock(&mutex);
	return status ? status : mutex_unlock(&second);
}

static long second_high(void)
{
	long status = mutex_lock(&second, LIMPET_NEVER);

	return status ? status : mutex_unlock(&second);
}

static long server_low(void)
{
	word x, y, z;

	return shared_call4(HELD, 0, 0, 0, &x, &y, &z);
}

static long server_high(void)
{
	word x, y, z;

	return shared_call4(0, 0, 0, 0, &x, &y, &z);
}

static long stack_low(void)
{
	word x, y, z;

	return pool_call4(HELD, 0, 0, 0, &x, &y, &z);
}

static long stack_high(void)
{
	return pool_call0();
}

static long read_low(void)
{
	long status = with(rwlock_read(&rwlock, LIMPET_NEVER));

	return status ? status : rwlock_read_end(&rwlock);
}

static long write_high(void)
{
	long status = rwlock_write(&rwlock, LIMPET_NEVER);

	return status ? status : rwlock_write_end(&rwlock);
}

static long ceiling_low(void)
{
	long status = with(mutex_lock(&ceiling, LIMPET_NEVER));

	return status ? status : mutex_unlock(&ceiling);
}

static long ceiling_high(void)
{
	long status = mutex_try(&ceiling); /* it is always free when this thread runs */

	return status ? status : mutex_unlock(&ceiling);
}

static long semaphore_low(void)
{
	long status = with(semaphore_down(&semaphore, LIMPET_NEVER));

	return status ? status : semaphore_up(&semaphore);
}

static long semaphore_high(void)
{
	long status = semaphore_down(&semaphore, LIMPET_NEVER);

	return status ? status : semaphore_up(&semaphore);
}

static const struct scene scenes[] = {
	{ "mutex", mutex_low, mutex_high, false, false },
	{ "nested", mutex_low, second_high, true, false },
	{ "server", server_low, server_high, false, false },
	{ "stack", stack_low, stack_high, false, false },
	{ "rwlock", read_low, write_high, false, false },
	{ "ceiling", ceiling_low, ceiling_high, false, false },
	{ "semaphore", semaphore_low, semaphore_high, false, true },
};

static word low_thread(word scene)
{
	return (word)scenes[scene].low();
}

static word near_thread(word unused)
{
	(void)unused;
	return (word)near_run();
}

static word middle_thread(word unused)
{
	(void)unused;
	for (uint64_t turn = 0; turn < WORK; turn++)
		worked++;
	return 0;
}

static word high_thread(word scene)
{
	uint64_t before = worked, asked = limpet_time(), waited;
	long status = scenes[scene].high();

	waited = limpet_time() - asked;
	if (waited > longest)
		longest = waited;
	if (scenes[scene].inverted != (worked != before))
		complain("the one in between did this much meanwhile", scenes[scene].name,
			 (long)(worked - before));
	return (word)status;
}

static long create(word (*function)(word), word argument, word priority)
{
	long thread = sched_create((word)function, argument, priority);

	if (thread < 0)
		complain("create", limpet_error_name(thread), thread);
	return thread;
}

static void thread_join(const char *name, long thread)
{
	word value = 0;
	long status = thread < 0 ? thread : sched_join((word)thread, LIMPET_NEVER, &value);

	if (status || value)
		complain("a thread ended with", name, status ? status : (long)value);
}

/* Returns whether the lock is held, here or in the server. */
static bool taken(void)
{
	word inside = 0;

	shared_stamp(&inside);
	return held || inside;
}

static void release(void)
{
	released = true;
	shared_call0();
}

static void threads_pause(void)
{
	sched_sleep_until(limpet_time() + limpet_us_to_ticks(PAUSE_US));
}

/* This thread has the highest priority, so threads that it creates start when it waits. */
static void round_run(const struct scene *scene, word index)
{
	long low, near = 0, middle, high;

	held = near_held = released = false;
	low = create(low_thread, index, LOW);
	while (!taken())
		threads_pause();
	if (scene->near)
		near = create(near_thread, index, NEAR);
	while (scene->near && !near_held)
		threads_pause();
	high = create(high_thread, index, HIGH);
	middle = create(middle_thread, index, MIDDLE);
	release();
	thread_join(scene->name, high);
	thread_join(scene->name, middle);
	if (scene->near)
		thread_join(scene->name, near);
	thread_join(scene->name, low);
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 20);

	semaphore_up(&semaphore);
	for (word index = 0; index < array_size(scenes); index++) {
		longest = 0;
		for (word i = 0; i < rounds; i++)
			round_run(&scenes[index], index);
		limpet_print("%s: %lu rounds, waited at most %lu ticks\n", scenes[index].name,
			     rounds, longest);
	}
	limpet_print("end: wrong %lu\n", wrong);
}
