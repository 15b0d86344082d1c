// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that provokes the errors which the other modules of this property do not, and calls the functions
 * that these do not call. This source tests signals, clocks, timers and objects of synchronisation.
 */
#include <rtl.h>
#include <errno.h>
#include <pthread.h>
#include <rtl_barrier.h>
#include <rtl_sched.h>
#include <rtl_sync.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "errors.h"

MODULE_LICENSE("GPL");
MODULE_AUTHOR("Limpet");
MODULE_DESCRIPTION("errors");

static int wrong;
static volatile int handled;

void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s, errno %d\n", what, errno);
	}
}

void fails(int status, int error, const char *what)
{
	expect(status == -1 && errno == error, what);
	errno = 0;
}

/* --- signals */

static void handler(int signal)
{
	handled = signal;
}

static void *wait_signal(void *arg)
{
	sigset_t set, before, none;

	sigemptyset(&none);
	sigfillset(&set);
	sigdelset(&set, RTL_SIGUSR2);
	expect(sigismember(&set, RTL_SIGUSR1) && !sigismember(&set, RTL_SIGUSR2), "sigismember");
	expect(sigprocmask(SIG_SETMASK, &set, &before) == 0 && before == 0, "sigprocmask");
	expect(pthread_sigmask(99, &set, 0) == EINVAL, "an unknown way to set the mask");
	pthread_kill(pthread_self(), RTL_SIGUSR1);
	expect(sigpending(&set) == 0 && set == 1ul << RTL_SIGUSR1 && !handled, "sigpending");
	expect(!RTL_TIMED_OUT(&set), "RTL_TIMED_OUT");
	fails(sigsuspend(&none), EINTR, "sigsuspend");
	expect(handled == RTL_SIGUSR1, "sigsuspend runs the handler");
	expect(sigpending(&set) == 0 && set == 0, "no signal is left");
	return arg;
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = handler }, old;
	pthread_t thread;

	fails(sigsuspend(0), EFAULT, "sigsuspend without a mask");
	fails(sigpending(0), EFAULT, "sigpending without a set");
	fails(sigaction(RTL_SIGUSR1 - 1, &action, 0), EINVAL, "sigaction below RTL_SIGUSR1");
	fails(sigaction(RTL_MAX_SIGNAL + 1, &action, 0), EINVAL, "sigaction above the signals");
	fails(sigaction(RTL_SIGIRQMIN - 1, &action, 0), EINVAL, "sigaction below the interrupts");
	fails(sigaction(RTL_SIGIRQMIN + NR_IRQS, &action, 0), EINVAL,
	      "sigaction above the interrupts");
	fails(sigaction(RTL_SIGIRQMIN + 3, &action, 0), EBUSY, "sigaction of a line");
	expect(sigaction(RTL_SIGIRQMIN + 3, 0, &old) == 0 && old.sa_handler == SIG_DFL,
	       "a line without a handler");
	action.sa_handler = SIG_IGN;
	expect(sigaction(RTL_SIGIRQMIN + 3, &action, 0) == 0, "no handler is removed");
	action.sa_handler = handler;
	expect(sigaction(RTL_SIGUSR1, &action, 0) == 0 && sigaction(RTL_SIGUSR1, 0, &old) == 0 &&
		       old.sa_handler == handler && old.owner == pthread_self(),
	       "sigaction without an action");
	pthread_create(&thread, 0, wait_signal, 0);
	expect(pthread_join(thread, 0) == 0, "pthread_join");
}

/* --- clocks */

static void intervals(void)
{
	struct timespec a = { 1, 999999999 }, b = { 2, 0 }, c = { 3, 1500000000 };

	expect(timespec_lt(&a, &b) && !timespec_lt(&b, &b) && timespec_gt(&b, &a) &&
		       !timespec_gt(&b, &b) && timespec_le(&a, &b) && timespec_le(&b, &b) &&
		       !timespec_le(&b, &a) && timespec_ge(&b, &a) && timespec_ge(&b, &b) &&
		       !timespec_ge(&a, &b) && timespec_eq(&b, &b) && !timespec_eq(&a, &b),
	       "comparisons of times");
	timespec_add(&a, &b);
	expect(a.tv_sec == 3 && a.tv_nsec == 999999999, "timespec_add");
	timespec_sub(&b, &a);
	expect(b.tv_sec == -2 && b.tv_nsec == 1, "timespec_sub below 0");
	timespec_normalize(&c);
	expect(c.tv_sec == 4 && c.tv_nsec == 500000000, "timespec_normalize");
	expect(timespec_to_ns(&c) == 4500000000LL && timespec_to_ns(&b) == -1999999999LL,
	       "timespec_to_ns");
	a = timespec_from_ns(4500000001LL);
	b = timespec_from_ns(-1);
	expect(a.tv_sec == 4 && a.tv_nsec == 500000001 && b.tv_sec == -1 && b.tv_nsec == 999999999,
	       "timespec_from_ns");
	expect(hrt2ts(1500000000)->tv_sec == 1 && hrt2ts(1500000000)->tv_nsec == 500000000,
	       "hrt2ts");
	expect(HRT_TO_8254(83800) == 100 && HRT_FROM_8254(100) == 83800 && HRT_FROM_NS(5) == 5,
	       "ticks of the timer chip");
}

static void sleeps(void)
{
	struct timespec time = { 0, NSECS_PER_SEC }, past = { 0, 1 };
	hrtime_t now;

	fails(nanosleep(&time, 0), EINVAL, "nanosleep of too many nanoseconds");
	expect(clock_nanosleep(CLOCK_REALTIME, 0, &time, 0) == EINVAL && errno == 0,
	       "clock_nanosleep of too many nanoseconds");
	time.tv_nsec = -1;
	fails(nanosleep(&time, 0), EINVAL, "nanosleep of negative nanoseconds");
	expect(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, 0) == EINVAL,
	       "clock_nanosleep of negative nanoseconds");
	expect(clock_nanosleep(0, 0, &past, 0) == EINVAL, "clock_nanosleep of an unknown clock");
	expect(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, 0) == 0,
	       "a time in the past");
	now = gethrtime();
	expect(usleep(1000) == 0 && gethrtime() >= now + 1000000, "usleep");
	now = gethrtime();
	udelay(20);
	ndelay(1000);
	mdelay(1);
	expect(gethrtime() >= now + 1021000, "udelay");
}

static void clocks(void)
{
	struct timespec value = { 7, 7 };
	time_t second;

	expect(gethrtimeres() == 32 && clock_getres(CLOCK_GPOS, &value) == 0 && value.tv_sec == 0 &&
		       value.tv_nsec == 32,
	       "clock_getres");
	fails(clock_getres(0, &value), EINVAL, "clock_getres of an unknown clock");
	fails(clock_gettime(0, &value), EINVAL, "clock_gettime of an unknown clock");
	fails(clock_settime(CLOCK_GPOS, &value), EINVAL, "clock_settime");
	expect(clock_gethrtime(0) == -1, "clock_gethrtime of an unknown clock");
	expect(time(&second) == second && second <= gethrtime() / NSECS_PER_SEC, "time");
	expect(rtl_getschedclock() == CLOCK_RTL_SCHED && CLOCK_MONOTONIC == CLOCK_UST, "clocks");
	expect(rtl_setclockmode(CLOCK_REALTIME, RTL_CLOCK_MODE_PERIODIC, 0) == -EINVAL &&
		       rtl_setclockmode(CLOCK_8254, RTL_CLOCK_MODE_ONESHOT, 0) == -EINVAL &&
		       rtl_setclockmode(CLOCK_REALTIME, RTL_CLOCK_MODE_ONESHOT, 0) == 0,
	       "rtl_setclockmode");
	expect(rtl_setclockhandler(CLOCK_8254, 0) == -EINVAL &&
		       rtl_setclockhandler(CLOCK_GPOS, 0) == -EINVAL &&
		       rtl_unsetclockhandler(CLOCK_RTL_SCHED) == -EINVAL,
	       "rtl_setclockhandler");
	expect(CLOCK_RTL_SCHED->init(CLOCK_RTL_SCHED) == -EBUSY &&
		       CLOCK_RTL_SCHED->settimer(CLOCK_RTL_SCHED, 1000) == -EINVAL &&
		       CLOCK_8254->settimer(CLOCK_8254, 1000) == -EINVAL,
	       "clocks that have no timer");
	expect(rtl_clockadjust(CLOCK_GPOS, 0) == -EINVAL && I8253_channel2_free() == 0,
	       "clocks of Linux");
	expect(rt_request_timer(0) == -EBUSY, "rt_request_timer");
	rt_free_timer();
}

static void timers(void)
{
	struct itimerspec value = { { 0, 0 }, { 0, NSECS_PER_SEC } };
	struct sigevent event = { SIGEV_THREAD, RTL_SIGUSR1 };
	timer_t all[32], more;
	int i;

	fails(timer_create(CLOCK_8254, 0, &more), EINVAL, "a timer of another clock");
	fails(timer_create(CLOCK_REALTIME, &event, &more), EINVAL, "a timer with a thread");
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = RTL_SIGUSR1 - 1;
	fails(timer_create(CLOCK_REALTIME, &event, &more), EINVAL, "a timer of a reserved signal");
	fails(timer_create(CLOCK_REALTIME, 0, 0), EINVAL, "a timer without a place");
	for (i = 0; i < RTL_MAX_TIMERS; i++)
		expect(timer_create(CLOCK_REALTIME, 0, &all[i]) == 0, "timer_create");
	fails(timer_create(CLOCK_REALTIME, 0, &more), EAGAIN, "more than 32 timers");
	fails(timer_settime(all[0], 0, &value, 0), EINVAL, "too many nanoseconds of a timer");
	value.it_value.tv_nsec = 0;
	value.it_interval.tv_nsec = -1;
	fails(timer_settime(all[0], 0, &value, 0), EINVAL, "a negative interval");
	fails(timer_gettime(all[0], 0), EINVAL, "timer_gettime without a place");
	expect(timer_getoverrun(all[0]) == 0, "timer_getoverrun");
	for (i = 0; i < RTL_MAX_TIMERS; i++)
		expect(timer_delete(all[i]) == 0, "timer_delete");
	value.it_interval.tv_nsec = 0;
	fails(timer_settime(all[0], 0, &value, 0), EINVAL, "timer_settime of a deleted timer");
	fails(timer_gettime(all[0], &value), EINVAL, "timer_gettime of a deleted timer");
	fails(timer_getoverrun(all[0]), EINVAL, "timer_getoverrun of a deleted timer");
	fails(timer_delete(0), EINVAL, "timer_delete of no timer");
}

/* --- objects of synchronisation */

static void attributes(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_barrierattr_t barrier;
	int value = 7;

	expect(pthread_mutexattr_init(&mutex) == 0 &&
		       pthread_mutexattr_settype(&mutex, PTHREAD_MUTEX_NORMAL) == 0 &&
		       pthread_mutexattr_gettype(&mutex, &value) == 0 && value == 0,
	       "pthread_mutexattr_gettype");
	expect(pthread_mutexattr_setprioceiling(&mutex, -1) == EINVAL, "a negative ceiling");
	expect(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_PRIVATE) == 0 &&
		       pthread_mutexattr_getpshared(&mutex, &value) == 0 && value == 0 &&
		       pthread_mutexattr_destroy(&mutex) == 0,
	       "pthread_mutexattr_getpshared");
	expect(pthread_condattr_init(&cond) == 0 &&
		       pthread_condattr_setpshared(&cond, 2) == EINVAL &&
		       pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED) == 0 &&
		       pthread_condattr_getpshared(&cond, &value) == 0 && value == 1 &&
		       pthread_condattr_destroy(&cond) == 0,
	       "attributes of conditions");
	expect(pthread_barrierattr_init(&barrier) == 0 &&
		       pthread_barrierattr_destroy(&barrier) == 0,
	       "pthread_barrierattr_destroy");
}

static void conditions(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond;
	struct timespec past = { 0, 1 };
	int value;

	expect(pthread_cond_init(&cond, 0) == 0 && pthread_cond_broadcast(&cond) == 0,
	       "pthread_cond_broadcast");
	pthread_mutex_lock(&mutex);
	expect(pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT &&
		       pthread_mutex_trylock(&mutex) == EBUSY,
	       "pthread_cond_timedwait locks again");
	pthread_mutex_unlock(&mutex);
	expect(pthread_mutex_getprioceiling(&mutex, &value) == 0 && value == 0 &&
		       pthread_mutex_setprioceiling(&mutex, 5, &value) == EINVAL,
	       "ceilings without the protocol");
	pthread_mutex_destroy(&mutex);
	expect(pthread_cond_wait(&cond, &mutex) == EINVAL &&
		       pthread_cond_timedwait(&cond, &mutex, &past) == EINVAL &&
		       pthread_mutex_timedlock(&mutex, &past) == EINVAL,
	       "a destroyed mutex");
	expect(pthread_cond_destroy(&cond) == 0, "pthread_cond_destroy");
}

static void locks(void)
{
	rtl_wait_t queue;
	spinlock_t lock;
	struct semaphore count;
	sem_t sem;
	unsigned long flags = 7, before;

	expect(pthread_spin_init(&lock, 0) == 0, "pthread_spin_init");
	spin_lock_init(&lock);
	spin_lock(&lock);
	expect(spin_is_locked(&lock) && !spin_trylock(&lock), "spin_trylock");
	spin_unlock(&lock);
	spin_lock_irqsave(&lock, flags);
	spin_unlock_irqrestore(&lock, flags);
	expect(!spin_is_locked(&lock), "spin_is_locked");
	rtl_stop_interrupts();
	rtl_hard_save_flags(before);
	rtl_allow_interrupts();
	rtl_hard_save_flags(flags);
	expect(before && !flags, "rtl_hard_save_flags");
	rtl_critical(flags);
	rtl_end_critical(flags);
	rtl_wait_init(&queue);
	rtl_wait_wakeup(&queue);
	init_MUTEX_LOCKED(&count);
	expect(down_trylock(&count), "init_MUTEX_LOCKED");
	init_MUTEX(&count);
	expect(!down_trylock(&count), "init_MUTEX");
	sem_init(&sem, 0, 0);
	fails(sem_timedwait(&sem, hrt2ts(1)), ETIMEDOUT, "sem_timedwait in the past");
	fails(sem_trywait(&sem), EAGAIN, "sem_trywait");
}

int init_module(void)
{
	errno = 0;
	expect(sizeof(RTLINUX_VERSION(3, 2, 0)) == 4 && sched_get_priority_min(SCHED_FIFO) == 0,
	       "constants");
	signals();
	intervals();
	sleeps();
	clocks();
	timers();
	attributes();
	conditions();
	locks();
	threads_test();
	files_test();
	linux_test();
	rtl_printf("init done, %d wrong\n", wrong);
	return 0;
}

void cleanup_module(void)
{
	rtl_printf("cleanup done, %d wrong\n", wrong);
}
