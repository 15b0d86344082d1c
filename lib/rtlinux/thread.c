// SPDX-License-Identifier: BSD-2-Clause
/* Implements threads, pthread_create() to pthread_delete_np(), and their attributes. */
#include "core.h"

#include <runtime/thread.h>

#include <import/sched.h>

int pthread_attr_init(pthread_attr_t *attributes)
{
	*attributes =
		(pthread_attr_t){ .stack_size = 20480, .initial_state = 1ul << RTL_SIGNAL_READY };
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes)
{
	(void)attributes;
	return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size)
{
	if (size < RTL_PTHREAD_STACK_MIN)
		return EINVAL;
	attributes->stack_size = size;
	return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size)
{
	*size = attributes->stack_size;
	return 0;
}

int pthread_attr_setstackaddr(pthread_attr_t *attributes, void *address)
{
	attributes->stack_addr = address;
	return 0;
}

int pthread_attr_getstackaddr(const pthread_attr_t *attributes, void **address)
{
	*address = attributes->stack_addr;
	return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *param)
{
	attributes->sched_param = *param;
	return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *param)
{
	*param = attributes->sched_param;
	return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state)
{
	if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
		return EINVAL;
	attributes->detachstate = state;
	return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state)
{
	*state = attributes->detachstate;
	return 0;
}

int pthread_attr_setcpu_np(pthread_attr_t *attributes, int cpu)
{
	if (!rtl_cpu_exists(cpu))
		return EINVAL;
	attributes->cpu = cpu;
	return 0;
}

int pthread_attr_getcpu_np(const pthread_attr_t *attributes, int *cpu)
{
	*cpu = attributes->cpu;
	return 0;
}

int pthread_attr_setfp_np(pthread_attr_t *attributes, int use)
{
	attributes->use_fp = use;
	return 0;
}

int pthread_attr_getfp_np(const pthread_attr_t *attributes, int *use)
{
	*use = attributes->use_fp;
	return 0;
}

int pthread_setfp_np(pthread_t thread, int use)
{
	thread->uses_fp = use;
	return 0;
}

static bool started(void *object)
{
	struct rtl_thread_struct *thread = object;

	return !thread->rtlinux_dormant || rtlinux_released(thread);
}

/* Starts every thread. A valid record is complete. A dormant thread waits for its first release. */
static void thread_main(void)
{
	struct rtl_thread_struct *self = rtlinux_self();

	while (!rtlinux_valid(self))
		sched_yield();
	while (self->rtlinux_dormant &&
	       rtlinux_wait(self, started, HRTIME_INFINITY, WAIT_PERIOD) != 0)
		;
	self->rtlinux_dormant = 0;
	if (rtlinux_thread_begin)
		rtlinux_thread_begin();
	rtlinux_module_begin(self);
	pthread_exit(self->rtlinux_entry(self->rtlinux_argument));
}

/* The thread is created at the lowest priority, so that it does not run before its record is complete. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *),
		   void *argument)
{
	INSIDE;
	struct rtl_thread_struct *record;
	pthread_attr_t given;
	long id;

	pthread_attr_init(&given);
	if (attributes)
		given = *attributes;
	if (!rtl_cpu_exists(given.cpu) || given.sched_param.sched_priority < 0 ||
	    given.sched_param.sched_priority > RTLINUX_PRIORITY_MAX)
		return EINVAL;
	id = sched_create((word)thread_main, 0, 1);
	if (id < 0)
		return EAGAIN;
	record = rtlinux_record((unsigned int)id);
	*record = (struct rtl_thread_struct){
		.sched_param = given.sched_param,
		.resume_time = HRTIME_INFINITY,
		.uses_fp = given.use_fp,
		.rtlinux_entry = entry,
		.rtlinux_argument = argument,
		.rtlinux_ceiling = -1,
		.rtlinux_level = 1,
		.rtlinux_inside = 1,
		.rtlinux_dormant = !(given.initial_state & 1ul << RTL_SIGNAL_READY),
		.rtlinux_detached = given.detachstate == PTHREAD_CREATE_DETACHED,
	};
	if (record->rtlinux_detached)
		sched_detach((word)id);
	*thread = record;
	__atomic_store_n(&record->magic, RTL_THREAD_MAGIC, __ATOMIC_SEQ_CST);
	rtlinux_order();
	return 0;
}

bool rtlinux_server_start(pthread_t *server, void *(*serve)(void *))
{
	const struct sched_param highest = { .sched_priority = RTLINUX_PRIORITY_MAX };
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setschedparam(&attributes, &highest);
	return *server || !pthread_create(server, &attributes, serve, NULL);
}

static bool has_ended(void *ended)
{
	return __atomic_load_n((const unsigned char *)ended, __ATOMIC_SEQ_CST);
}

/*
 * Waits for the end of a thread, and takes its result. The caller handles signals during the wait, so it can be
 * deleted. sched_join() then returns soon, because the thread has left the module's code.
 */
static int join(pthread_t thread, void **value, unsigned int how)
{
	word result;
	long status;

	if (thread->rtlinux_detached || thread == pthread_linux() ||
	    rtlinux_awaited(&thread->rtlinux_ended))
		return EINVAL;
	if (rtlinux_wait(&thread->rtlinux_ended, has_ended, HRTIME_INFINITY, how) == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	status = sched_join(rtlinux_id(thread), LIMPET_NEVER, &result);
	if (status == LIMPET_ENOENT)
		return ESRCH;
	if (status < 0)
		return EINVAL;
	thread->magic = 0;
	if (value)
		*value = (void *)result;
	return 0;
}

int pthread_join(pthread_t thread, void **value)
{
	INSIDE;

	if (!rtlinux_valid(thread))
		return ESRCH;
	return thread == rtlinux_self() ? EDEADLK : join(thread, value, WAIT_CANCEL);
}

int pthread_detach(pthread_t thread)
{
	INSIDE;
	long status;

	if (!rtlinux_valid(thread))
		return ESRCH;
	if (thread->rtlinux_detached || thread == pthread_linux() ||
	    rtlinux_awaited(&thread->rtlinux_ended))
		return EINVAL;
	thread->rtlinux_detached = 1;
	status = sched_detach(rtlinux_id(thread));
	return status < 0 ? EINVAL : 0;
}

/* Raises a thread that must end to the priority of the thread that waits for its end. */
static void hurry(struct rtl_thread_struct *thread, int priority)
{
	if (thread->sched_param.sched_priority >= priority || thread->rtlinux_ceiling >= priority)
		return;
	thread->rtlinux_ceiling = priority;
	rtlinux_order();
}

int pthread_delete_np(pthread_t thread)
{
	INSIDE;

	if (!rtlinux_valid(thread))
		return ESRCH;
	if (thread == pthread_linux())
		return EINVAL;
	thread->rtlinux_deleted = 1;
	if (thread == rtlinux_self()) {
		pthread_detach(thread);
		rtlinux_signals(0);
	}
	thread->rtlinux_dormant = 0;
	rtlinux_look_soon(thread);
	sched_resume_on((word)thread);
	if (!thread->rtlinux_detached) {
		hurry(thread, RTL_PRIO(inside));
		join(thread, NULL, 0);
	}
	return 0;
}

int pthread_cancel(pthread_t thread)
{
	INSIDE;

	if (!rtlinux_valid(thread))
		return ESRCH;
	rtlinux_signal(thread, RTL_SIGNAL_CANCEL);
	return 0;
}

int pthread_setcancelstate(int state, int *old)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();

	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	if (old)
		*old = self->rtlinux_cancel_off;
	self->rtlinux_cancel_off = (unsigned char)state;
	self->rtlinux_look = 1; /* it can have been cancelled before */
	return 0;
}

int pthread_setcanceltype(int type, int *old)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();

	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (old)
		*old = self->rtlinux_cancel_async;
	self->rtlinux_cancel_async = (unsigned char)type;
	self->rtlinux_look = 1; /* it can have been cancelled before */
	return 0;
}

void pthread_testcancel(void)
{
	INSIDE;

	if (rtlinux_signals(WAIT_CANCEL) == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
}

int pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
	INSIDE;

	(void)policy;
	if (!rtlinux_valid(thread))
		return ESRCH;
	if (param->sched_priority < 0 || param->sched_priority > RTLINUX_PRIORITY_MAX)
		return EINVAL;
	thread->sched_param = *param;
	rtlinux_order();
	return 0;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
	(void)policy;
	if (!rtlinux_valid(thread))
		return ESRCH;
	*param = thread->sched_param;
	return 0;
}

int pthread_yield(void)
{
	INSIDE;

	pthread_testcancel();
	sched_yield();
	return 0;
}

int rtl_schedule(void)
{
	INSIDE;
	int pending = (int)rtlinux_self()->pending;

	pthread_testcancel();
	return pending;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	if (key < 0 || key >= RTL_PTHREAD_KEYS_MAX)
		return EINVAL;
	rtlinux_self()->tsd[key] = (void *)value;
	return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
	return key < 0 || key >= RTL_PTHREAD_KEYS_MAX ? NULL : rtlinux_self()->tsd[key];
}
