// SPDX-License-Identifier: GPL-2.0
/* Tests attributes and errors of threads. */
#include <rtl.h>
#include <errno.h>
#include <pthread.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include "errors.h"

static sem_t sem, ended;
static pthread_t joined;

static void values(void)
{
	struct sched_param p = { 30 }, q = { 0 };
	pthread_attr_t attr;
	void *address = 0;
	size_t size = 0;
	int value = 7;

	expect(pthread_attr_init(&attr) == 0 && pthread_attr_getstacksize(&attr, &size) == 0 &&
		       size == 20480,
	       "pthread_attr_getstacksize");
	expect(pthread_attr_setstacksize(&attr, RTL_PTHREAD_STACK_MIN - 1) == EINVAL &&
		       pthread_attr_setstacksize(&attr, RTL_PTHREAD_STACK_MIN) == 0,
	       "pthread_attr_setstacksize");
	expect(pthread_attr_setstackaddr(&attr, &attr) == 0 &&
		       pthread_attr_getstackaddr(&attr, &address) == 0 && address == &attr,
	       "pthread_attr_setstackaddr");
	expect(pthread_attr_setschedparam(&attr, &p) == 0 &&
		       pthread_attr_getschedparam(&attr, &q) == 0 && q.sched_priority == 30,
	       "pthread_attr_getschedparam");
	expect(pthread_attr_setdetachstate(&attr, 2) == EINVAL &&
		       pthread_attr_setdetachstate(&attr, -1) == EINVAL &&
		       pthread_attr_getdetachstate(&attr, &value) == 0 &&
		       value == PTHREAD_CREATE_JOINABLE,
	       "pthread_attr_setdetachstate");
	expect(pthread_attr_setcpu_np(&attr, 1) == EINVAL && pthread_attr_setcpu(&attr, 0) == 0 &&
		       pthread_attr_getcpu_np(&attr, &value) == 0 && value == 0,
	       "pthread_attr_getcpu_np");
	expect(pthread_attr_setfp_np(&attr, 1) == 0 && pthread_attr_getfp_np(&attr, &value) == 0 &&
		       value == 1,
	       "pthread_attr_getfp_np");
	expect(pthread_attr_setschedpolicy(&attr, SCHED_RR) == 0 &&
		       pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0 &&
		       pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM) == 0 &&
		       pthread_attr_destroy(&attr) == 0,
	       "attributes that are ignored");
}

static void *wait_and_end(void *arg)
{
	sem_wait(&sem);
	sem_post(&ended);
	return arg;
}

static void *join(void *arg)
{
	return (void *)(long)pthread_join(joined, (void **)arg);
}

static void joins(void)
{
	pthread_attr_t attr;
	pthread_t thread, other;
	void *value = 0;

	pthread_attr_init(&attr);
	attr.sched_param.sched_priority = RTLINUX_PRIORITY_MAX + 1;
	expect(pthread_create(&thread, &attr, wait_and_end, 0) == EINVAL, "a priority too high");
	attr.sched_param.sched_priority = 20;
	attr.cpu = 1;
	expect(pthread_create(&thread, &attr, wait_and_end, 0) == EINVAL, "a second CPU");
	attr.cpu = 0;
	sem_init(&sem, 0, 0);
	sem_init(&ended, 0, 0);
	expect(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 &&
		       pthread_create(&thread, &attr, wait_and_end, 0) == 0,
	       "a detached thread");
	expect(pthread_join(thread, 0) == EINVAL && pthread_detach(thread) == EINVAL,
	       "a detached thread cannot be joined");
	sem_post(&sem);
	sem_wait(&ended);
	attr.detachstate = PTHREAD_CREATE_JOINABLE;
	expect(pthread_create(&joined, &attr, wait_and_end, (void *)5) == 0 &&
		       pthread_create(&other, &attr, join, 0) == 0,
	       "pthread_create");
	expect(pthread_join(joined, 0) == EINVAL, "a second joiner");
	sem_post(&sem);
	expect(pthread_join(other, &value) == 0 && !value, "the first joiner");
	expect(pthread_join(joined, 0) == ESRCH, "a thread that was joined");
	expect(pthread_create(&joined, &attr, wait_and_end, 0) == 0 &&
		       pthread_create(&other, &attr, join, 0) == 0,
	       "pthread_create");
	expect(pthread_delete_np(other) == 0 && pthread_delete_np(joined) == 0,
	       "a joiner and its thread are deleted");
}

static void *in_thread(void *arg)
{
	int old = 7;

	expect(!rtl_rt_system_is_idle(), "a thread runs");
	expect(pthread_setcancelstate(2, &old) == EINVAL && old == 7 &&
		       pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 &&
		       old == PTHREAD_CANCEL_ENABLE,
	       "pthread_setcancelstate");
	expect(pthread_setcanceltype(2, &old) == EINVAL &&
		       pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 &&
		       old == PTHREAD_CANCEL_DEFERRED,
	       "pthread_setcanceltype");
	pthread_cancel(pthread_self());
	pthread_testcancel();
	expect(sched_yield() == 0 && pthread_yield() == 0,
	       "pthread_yield while cancellation is off");
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
	expect(0, "an asynchronous cancellation acts when it is enabled");
	return arg;
}

static void calls(void)
{
	struct sched_param p = { -1 }, q = { 7 };
	pthread_t self = pthread_self(), thread;
	void *value = 0;
	int policy = 7;

	expect(pthread_equal(self, pthread_linux()) && !pthread_equal(self, 0), "pthread_equal");
	expect(pthread_getschedparam(0, &policy, &q) == ESRCH && q.sched_priority == 7 &&
		       pthread_getschedparam(self, &policy, &q) == 0 && q.sched_priority == 0 &&
		       RTL_PRIO(self) == 0,
	       "pthread_getschedparam");
	expect(pthread_setschedparam(0, SCHED_FIFO, &q) == ESRCH &&
		       pthread_setschedparam(self, SCHED_FIFO, &p) == EINVAL,
	       "pthread_setschedparam");
	p.sched_priority = RTLINUX_PRIORITY_MAX + 1;
	expect(pthread_setschedparam(self, SCHED_FIFO, &p) == EINVAL, "a priority too high");
	expect(pthread_make_periodic_np(0, 0, 0) == ESRCH && pthread_suspend_np(0) == ESRCH &&
		       pthread_wakeup_np(0) == ESRCH && pthread_delete_np(0) == ESRCH,
	       "calls for no thread");
	expect(pthread_kill(self, -1) == EINVAL && pthread_kill(self, 0) == 0, "pthread_kill");
	expect(pthread_setfp_np(self, 1) == 0 && self->uses_fp == 1, "pthread_setfp_np");
	expect(pthread_setspecific(-1, 0) == EINVAL && !pthread_getspecific(-1) &&
		       !pthread_getspecific(20),
	       "pthread_getspecific");
	expect(rtl_rt_system_is_idle() && sched_data(0)->rtl_linux_task == self,
	       "the Linux context");
	expect(rtl_reserve_cpus(1) == -EINVAL && rtl_unreserve_cpus() == -EINVAL &&
		       rtl_num_cpus() == 1 && rtl_cpu_exists(0) && !rtl_cpu_exists(1),
	       "CPUs");
	rtl_reschedule(0);
	rtl_reschedule_thread(self);
	pthread_create(&thread, 0, in_thread, 0);
	expect(pthread_join(thread, &value) == 0 && value == PTHREAD_CANCELED, "pthread_cancel");
	errno = 0;
}

void threads_test(void)
{
	values();
	joins();
	calls();
}
