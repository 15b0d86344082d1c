// SPDX-License-Identifier: BSD-2-Clause
/* Semaphores and barriers. */
#include "core.h"

static int fails(int error)
{
	errno = error;
	return -1;
}

int sem_init(sem_t *semaphore, int shared, unsigned int value)
{
	(void)shared;
	semaphore->value = (int)value;
	return 0;
}

int sem_destroy(sem_t *semaphore)
{
	(void)semaphore;
	return 0;
}

static bool semaphore_taken(void *object)
{
	sem_t *semaphore = object;
	int value = __atomic_load_n(&semaphore->value, __ATOMIC_SEQ_CST);

	while (value > 0)
		if (__atomic_compare_exchange_n(&semaphore->value, &value, value - 1, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return true;
	return false;
}

static int semaphore_wait(sem_t *semaphore, hrtime_t until)
{
	int status = rtlinux_wait(semaphore, semaphore_taken, until, WAIT_CANCEL | WAIT_SIGNAL);

	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return status ? fails(status) : 0;
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
	return semaphore_taken(semaphore) ? 0 : fails(EAGAIN);
}

int sem_post(sem_t *semaphore)
{
	__atomic_fetch_add(&semaphore->value, 1, __ATOMIC_SEQ_CST);
	rtlinux_wake(semaphore);
	return 0;
}

int sem_getvalue(sem_t *semaphore, int *value)
{
	*value = semaphore->value;
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

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	if (barrier->arrived)
		return EBUSY;
	barrier->count = 0;
	return 0;
}

/* A thread's round is kept in its record, because rtlinux_wait() passes one pointer. */
static bool barrier_passed(void *object)
{
	const pthread_barrier_t *barrier = object;
	const unsigned int *round = pthread_self()->posix_data;

	return __atomic_load_n(&barrier->round, __ATOMIC_SEQ_CST) != *round;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct rtl_thread_struct *self = pthread_self();
	unsigned int round = __atomic_load_n(&barrier->round, __ATOMIC_SEQ_CST);
	void *before = self->posix_data;

	if (!barrier->count)
		return EINVAL;
	if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_SEQ_CST) == barrier->count) {
		__atomic_store_n(&barrier->arrived, 0, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&barrier->round, 1, __ATOMIC_SEQ_CST);
		rtlinux_wake(barrier);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	self->posix_data = &round;
	while (rtlinux_wait(barrier, barrier_passed, HRTIME_INFINITY, 0) != 0)
		;
	self->posix_data = before;
	return 0;
}
