// SPDX-License-Identifier: BSD-2-Clause
/* Implements mutexes, condition variables and spin locks. */
#include "core.h"

int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
	*attributes = (pthread_mutexattr_t){ .pshared = PTHREAD_PROCESS_SHARED,
					     .prioceiling = RTLINUX_PRIORITY_MAX };
	return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes)
{
	(void)attributes;
	return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type)
{
	if (type != PTHREAD_MUTEX_NORMAL && attributes->type != PTHREAD_MUTEX_SPINLOCK_NP)
		return EINVAL;
	attributes->type = type;
	return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *type)
{
	*type = attributes->type;
	return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol)
{
	if (protocol != PTHREAD_PRIO_NONE && protocol != PTHREAD_PRIO_PROTECT)
		return ENOTSUP;
	attributes->protocol = protocol;
	return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attributes, int *protocol)
{
	*protocol = attributes->protocol;
	return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attributes, int ceiling)
{
	if (ceiling < 0 || ceiling > RTLINUX_PRIORITY_MAX)
		return EINVAL;
	attributes->prioceiling = ceiling;
	return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attributes, int *ceiling)
{
	*ceiling = attributes->prioceiling;
	return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	attributes->pshared = shared;
	return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared)
{
	*shared = attributes->pshared;
	return 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	*mutex = (pthread_mutex_t){ .valid = RTLINUX_VALID };
	if (attributes) {
		mutex->type = attributes->type;
		mutex->protocol = attributes->protocol;
		mutex->prioceiling = attributes->prioceiling;
	}
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	mutex->valid = 0;
	return 0;
}

/*
 * Locks a free mutex. State and mark of waiters are one word, because a mutex can be freed as soon as it is unlocked.
 */
static bool mutex_take(pthread_mutex_t *mutex)
{
	int free = 0;

	return __atomic_compare_exchange_n(&mutex->state, &free, 1, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/*
 * Locks a free mutex for a waiter. Also returns true for a destroyed mutex, so that its waiters return with an error.
 */
static bool mutex_waited(void *object)
{
	pthread_mutex_t *mutex = object;

	return mutex->valid != RTLINUX_VALID ||
	       !__atomic_exchange_n(&mutex->state, 2, __ATOMIC_SEQ_CST);
}

/*
 * Unlocks a mutex and wakes its waiters. Returns 0, so that the caller can end with this call. Not inline, so that the
 * fast path of the caller saves no registers.
 */
static __attribute__((noinline)) int mutex_give(pthread_mutex_t *mutex)
{
	INSIDE;

	if (__atomic_exchange_n(&mutex->state, 0, __ATOMIC_SEQ_CST) == 2)
		rtlinux_wake(mutex);
	return 0;
}

static int mutex_check(const pthread_mutex_t *mutex)
{
	if (mutex->valid != RTLINUX_VALID)
		return EINVAL;
	return mutex->protocol == PTHREAD_PRIO_PROTECT &&
			       RTL_PRIO(rtlinux_self()) > mutex->prioceiling
		       ? EINVAL
		       : 0;
}

/* Called after the mutex was locked. Raises its owner to the ceiling, or masks the other threads. */
static void mutex_raise(pthread_mutex_t *mutex)
{
	struct rtl_thread_struct *self = rtlinux_self();

	if (mutex->type == PTHREAD_MUTEX_SPINLOCK_NP) {
		mutex->before = (int)rtlinux_mask();
	} else if (mutex->protocol == PTHREAD_PRIO_PROTECT) {
		mutex->before = self->rtlinux_ceiling;
		if (mutex->prioceiling > self->rtlinux_ceiling)
			self->rtlinux_ceiling = mutex->prioceiling;
		rtlinux_order();
	}
}

static int mutex_lock_until(pthread_mutex_t *mutex, hrtime_t until)
{
	INSIDE;
	int status = mutex_check(mutex);

	if (!status)
		status = rtlinux_wait(mutex, mutex_waited, until, 0);
	if (status)
		return status;
	if (mutex->valid != RTLINUX_VALID)
		return EINVAL;
	mutex_raise(mutex);
	return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int status;

	if (mutex->valid == RTLINUX_VALID && !(mutex->type | mutex->protocol) && mutex_take(mutex))
		return 0;
	status = mutex_lock_until(mutex, HRTIME_INFINITY);

	return status == ECANCELED ? (pthread_exit(PTHREAD_CANCELED), 0) : status;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	int status;

	if (mutex->type == PTHREAD_MUTEX_SPINLOCK_NP)
		return EINVAL;
	status = mutex_lock_until(mutex, timespec_to_ns(until));
	return status == ECANCELED ? (pthread_exit(PTHREAD_CANCELED), 0) : status;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	INSIDE;
	int status = mutex_check(mutex);

	if (status)
		return status;
	if (!mutex_take(mutex))
		return EBUSY;
	mutex_raise(mutex);
	return 0;
}

/*
 * Unlocks a mutex with a type or protocol. Reads its fields first, because the mutex can be freed as soon as it is
 * unlocked.
 */
static __attribute__((noinline)) int mutex_unlock_special(pthread_mutex_t *mutex)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();
	int before = mutex->before, type = mutex->type;

	mutex_give(mutex);
	if (type == PTHREAD_MUTEX_SPINLOCK_NP) {
		rtlinux_mask_set((unsigned long)before);
	} else {
		self->rtlinux_ceiling = before;
		rtlinux_order();
	}
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	int alone = 1; /* the state without waiters */

	if (mutex->valid != RTLINUX_VALID)
		return EINVAL;
	if (mutex->type | mutex->protocol)
		return mutex_unlock_special(mutex);
	if (__atomic_compare_exchange_n(&mutex->state, &alone, 0, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST))
		return 0;
	return mutex_give(mutex);
}

int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
	if (mutex->valid != RTLINUX_VALID || mutex->protocol != PTHREAD_PRIO_PROTECT ||
	    ceiling < 0 || ceiling > RTLINUX_PRIORITY_MAX)
		return EINVAL;
	if (old)
		*old = mutex->prioceiling;
	mutex->prioceiling = ceiling;
	return 0;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling)
{
	*ceiling = mutex->prioceiling;
	return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	attributes->pshared = shared;
	return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *attributes, int *shared)
{
	*shared = attributes->pshared;
	return 0;
}

int pthread_condattr_init(pthread_condattr_t *attributes)
{
	attributes->pshared = PTHREAD_PROCESS_SHARED;
	return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attributes)
{
	(void)attributes;
	return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
	(void)attributes;
	condition->wakes = 0;
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition)
{
	(void)condition;
	return 0;
}

/* A waiter stores on its own stack the number of wakes at the time when it unlocked the mutex. */
struct waiter {
	pthread_cond_t *condition;
	unsigned int wakes;
};

static bool condition_woken(void *object)
{
	const pthread_cond_t *condition = object;
	const struct waiter *waiter = rtlinux_self()->posix_data;

	return __atomic_load_n(&condition->wakes, __ATOMIC_SEQ_CST) != waiter->wakes;
}

static int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, hrtime_t until)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();
	struct waiter waiter = { condition, __atomic_load_n(&condition->wakes, __ATOMIC_SEQ_CST) };
	void *before = self->posix_data;
	int status, locked;

	self->posix_data = &waiter;
	locked = pthread_mutex_unlock(mutex);
	if (locked) {
		self->posix_data = before;
		return locked;
	}
	status = rtlinux_wait(condition, condition_woken, until, WAIT_CANCEL | WAIT_WAKEUP);
	self->posix_data = before;
	locked = pthread_mutex_lock(mutex);
	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return locked ? locked : status;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	return condition_wait(condition, mutex, HRTIME_INFINITY);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	return condition_wait(condition, mutex, timespec_to_ns(until));
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
	INSIDE;

	__atomic_fetch_add(&condition->wakes, 1, __ATOMIC_SEQ_CST);
	rtlinux_wake(condition);
	return 0;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	(void)shared;
	*lock = (pthread_spinlock_t){ 0, 0 };
	return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	(void)lock;
	return 0;
}

static bool spin_taken(void *object)
{
	pthread_spinlock_t *lock = object;

	return __atomic_exchange_n(&lock->taken, 1, __ATOMIC_SEQ_CST) == 0;
}

/* The lock is free unless its holder waits, because the holder masks the module's other threads. */
int pthread_spin_lock(pthread_spinlock_t *lock)
{
	INSIDE;
	unsigned long before = rtlinux_mask();

	rtlinux_wait(lock, spin_taken, HRTIME_INFINITY, 0);
	lock->flags = before;
	return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	INSIDE;
	unsigned long before = rtlinux_mask();

	if (!spin_taken(lock)) {
		rtlinux_mask_set(before);
		return EBUSY;
	}
	lock->flags = before;
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	INSIDE;
	unsigned long before = lock->flags;

	__atomic_store_n(&lock->taken, 0, __ATOMIC_SEQ_CST);
	rtlinux_wake(lock);
	rtlinux_mask_set(before);
	return 0;
}

/* A waiter stores the number of wakes before its wait, as a waiter for a condition does. */
static bool queue_woken(void *object)
{
	const rtl_wait_t *queue = object;
	const unsigned int *wakes = rtlinux_self()->posix_data;

	return __atomic_load_n(&queue->wakes, __ATOMIC_SEQ_CST) != *wakes;
}

int rtl_wait_sleep(rtl_wait_t *queue, spinlock_t *lock)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();
	unsigned int wakes = __atomic_load_n(&queue->wakes, __ATOMIC_SEQ_CST);
	void *before = self->posix_data;

	self->posix_data = &wakes;
	pthread_spin_unlock(lock);
	rtlinux_wait(queue, queue_woken, HRTIME_INFINITY, WAIT_CANCEL | WAIT_WAKEUP);
	self->posix_data = before;
	return (int)self->pending;
}

void rtl_wait_wakeup(rtl_wait_t *queue)
{
	INSIDE;

	__atomic_fetch_add(&queue->wakes, 1, __ATOMIC_SEQ_CST);
	rtlinux_wake(queue);
}
