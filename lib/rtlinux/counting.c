// SPDX-License-Identifier: BSD-2-Clause
/* Implements semaphores and barriers. */
#include "core.h"

static int fails(int error)
{
	errno = error;
	return -1;
}

int sem_init(sem_t *semaphore, int shared, unsigned int value)
{
	(void)shared;
	semaphore->state = value * 2;
	return 0;
}

int sem_destroy(sem_t *semaphore)
{
	(void)semaphore;
	return 0;
}

/*
 * Decrements the semaphore and returns true unless its value is 0. `waited` is 1 for a thread that has waited or is
 * about to wait. It sets the mark that makes sem_post() look for waiters. Value and mark are one word, because the
 * semaphore can be freed as soon as its value has been increased.
 */
static bool semaphore_take(sem_t *semaphore, unsigned int waited)
{
	unsigned int old = __atomic_load_n(&semaphore->state, __ATOMIC_SEQ_CST), new;

	do
		new = (old > 1 ? old - 2 : old) | waited;
	while (!__atomic_compare_exchange_n(&semaphore->state, &old, new, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST));
	return old > 1;
}

static bool semaphore_waited(void *object)
{
	return semaphore_take(object, 1);
}

/* Waits for a semaphore whose value is 0. */
static int wait_inside(sem_t *semaphore, hrtime_t until)
{
	INSIDE;
	int status = rtlinux_wait(semaphore, semaphore_waited, until, WAIT_CANCEL | WAIT_SIGNAL);

	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return status ? fails(status) : 0;
}

static int semaphore_wait(sem_t *semaphore, hrtime_t until)
{
	return semaphore_take(semaphore, 0) ? 0 : wait_inside(semaphore, until);
}

int sem_wait(sem_t *semaphore)
{
	return semaphore_wait(semaphore, HRTIME_INFINITY);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
	return semaphore_wait(semaphore, timespec_to_ns(until));
}

int sem_trywait(sem_t *semaphore)
{
	return semaphore_take(semaphore, 0) ? 0 : fails(EAGAIN);
}

/* A thread must not be interrupted between the increment and the wake-up of the waiters. */
static void post_inside(sem_t *semaphore)
{
	INSIDE;
	unsigned int old = __atomic_load_n(&semaphore->state, __ATOMIC_SEQ_CST);

	while (!__atomic_compare_exchange_n(&semaphore->state, &old, (old + 2) & ~1u, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	if (old & 1)
		rtlinux_wake(semaphore);
}

int sem_post(sem_t *semaphore)
{
	unsigned int old = __atomic_load_n(&semaphore->state, __ATOMIC_SEQ_CST);

	do {
		if (old & 1) {
			post_inside(semaphore);
			return 0;
		}
	} while (!__atomic_compare_exchange_n(&semaphore->state, &old, old + 2, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return 0;
}

int sem_getvalue(sem_t *semaphore, int *value)
{
	*value = (int)(__atomic_load_n(&semaphore->state, __ATOMIC_SEQ_CST) / 2);
	return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attributes)
{
	attributes->pshared = PTHREAD_PROCESS_PRIVATE;
	return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes)
{
	(void)attributes;
	return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	attributes->pshared = shared;
	return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attributes, int *shared)
{
	*shared = attributes->pshared;
	return 0;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
			 unsigned int count)
{
	(void)attributes;
	if (!count)
		return EINVAL;
	*barrier = (pthread_barrier_t){ .count = count };
	return 0;
}

#define ROUND_SHIFT 32

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	if ((unsigned int)barrier->state)
		return EBUSY;
	barrier->count = 0;
	return 0;
}

/* A thread's round is kept in its record, because rtlinux_wait() passes one pointer. */
static bool barrier_passed(void *object)
{
	const pthread_barrier_t *barrier = object;
	const unsigned int *round = rtlinux_self()->posix_data;

	return __atomic_load_n(&barrier->state, __ATOMIC_SEQ_CST) >> ROUND_SHIFT != *round;
}

/*
 * Counts the caller. The last thread of a round starts the next one in the same access, so that no thread can arrive in
 * between. Returns whether the caller is the last one.
 */
static bool barrier_arrive(pthread_barrier_t *barrier, unsigned int *round)
{
	unsigned long old = __atomic_load_n(&barrier->state, __ATOMIC_SEQ_CST), new;
	bool last;

	do {
		*round = (unsigned int)(old >> ROUND_SHIFT);
		last = (unsigned int)old + 1 == barrier->count;
		new = last ? (*round + 1ul) << ROUND_SHIFT : old + 1;
	} while (!__atomic_compare_exchange_n(&barrier->state, &old, new, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	return last;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();
	void *before = self->posix_data;
	unsigned int round;
	int status;

	if (!barrier->count)
		return EINVAL;
	if (barrier_arrive(barrier, &round)) {
		rtlinux_wake(barrier);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	self->posix_data = &round;
	do
		status = rtlinux_wait(barrier, barrier_passed, HRTIME_INFINITY, 0);
	while (status && status != ECANCELED);
	self->posix_data = before;
	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return 0;
}
