// SPDX-License-Identifier: GPL-2.0
/* An RTLinux module in the style of its time: C89, integers in pointers, periodic threads, and each kind of wait. */
#include <rtl.h>
#include <time.h>
#include <pthread.h>
#include <semaphore.h>
#include <errno.h>
#include <rtl_sched.h>
#include <linux/module.h>

#define PERIOD 2000000

MODULE_LICENSE("GPL");
static int rounds = 3;
static char *name = "three";
static int untouched = 7;
MODULE_PARM(rounds, "i");
MODULE_PARM(name, "s");
MODULE_PARM(untouched, "i");

static pthread_t fast, slow, waiter, sleeper, working, high, low;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int wrong, ready, handled, cleaned, order[4], ordered;
static hrtime_t origin;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s\n", what);
	}
}

/* Checks that each wait ends at a release origin + n * PERIOD, never early. A late thread keeps these times. */
static void *periodic(void *arg)
{
	int factor = (int)(long)arg, i;
	hrtime_t before = origin;
	struct sched_param p;

	p.sched_priority = sched_get_priority_max(SCHED_FIFO) - factor;
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
	pthread_make_periodic_np(pthread_self(), origin, (hrtime_t)PERIOD * factor);
	for (i = 0; i < rounds; i++) {
		hrtime_t now;

		pthread_wait_np();
		now = gethrtime();
		expect(now >= before, "a release is not early");
		expect(pthread_self()->resume_time > before, "the next release is a later one");
		expect((pthread_self()->resume_time - origin) % (PERIOD * factor) == 0,
		       "the grid is kept");
		before = pthread_self()->resume_time;
		if (factor == 1 && i == 0)
			rtl_delay(PERIOD * 3); /* misses releases */
	}
	rtl_printf("periodic %d: %d rounds\n", factor, rounds);
	return (void *)(long)(factor * 100);
}

static void *wait_all(void *arg)
{
	hrtime_t now;

	expect(sem_trywait(&sem) == -1 && errno == EAGAIN, "sem_trywait of 0");
	now = gethrtime();
	expect(sem_timedwait(&sem, hrt2ts(now + 1000000)) == -1 && errno == ETIMEDOUT,
	       "sem_timedwait");
	expect(gethrtime() >= now + 1000000, "sem_timedwait is not early");
	expect(sem_wait(&sem) == 0, "sem_wait");
	pthread_mutex_lock(&mutex);
	expect(pthread_cond_timedwait(&cond, &mutex, hrt2ts(gethrtime() + 1000000)) == ETIMEDOUT,
	       "pthread_cond_timedwait");
	ready = 1;
	while (ready != 2)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	rtl_printf("waits done\n");
	return arg;
}

static void clean(void *arg)
{
	cleaned += (int)(long)arg;
}

static void handler(int signal)
{
	handled += signal;
}

/* Is interrupted by a signal, suspended, woken and cancelled. */
static void *sleep_all(void *arg)
{
	struct timespec rest, second = { 1, 0 };
	int status;

	status = nanosleep(&second, &rest);
	expect(status == -1 && errno == EINTR && timespec_nz(&rest) && handled == RTL_SIGUSR1,
	       "a signal ends nanosleep");
	pthread_suspend_np(pthread_self());
	ready = 3;
	pthread_cleanup_push(clean, (void *)5);
	while (1)
		pthread_wait_np();
	pthread_cleanup_pop(0);
	return arg;
}

/* Runs until it is deleted. */
static void *work(void *arg)
{
	while (1)
		usleep(1000);
	return arg;
}

static void *in_order(void *arg)
{
	sem_wait(&sem);
	order[ordered++] = (int)(long)arg;
	return 0;
}

static void ends(pthread_t thread, void *value, const char *what)
{
	void *result = 0;

	expect(pthread_join(thread, &result) == 0 && result == value, what);
	expect(pthread_join(thread, &result) == ESRCH, "a second join");
}

static void errors(void)
{
	struct sched_param p = { -1 };
	pthread_mutex_t none = { 0 };
	pthread_attr_t attr;
	pthread_mutexattr_t kind;
	rtl_sigset_t set;

	pthread_attr_init(&attr);
	expect(pthread_attr_setstacksize(&attr, 100) == EINVAL, "a small stack");
	expect(pthread_attr_setcpu_np(&attr, 99) == EINVAL, "a CPU that does not exist");
	attr.sched_param = p;
	expect(pthread_create(&fast, &attr, work, 0) == EINVAL, "a negative priority");
	pthread_mutexattr_init(&kind);
	expect(pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE) == EINVAL,
	       "a recursive mutex");
	expect(pthread_mutexattr_setprotocol(&kind, 7) == ENOTSUP, "an unknown protocol");
	expect(pthread_mutex_lock(&none) == EINVAL && pthread_mutex_unlock(&none) == EINVAL,
	       "a mutex without initialiser");
	expect(pthread_join(pthread_self(), 0) == EDEADLK, "a join of oneself");
	expect(pthread_kill(0, 0) == ESRCH && pthread_kill(pthread_self(), 40) == EINVAL,
	       "pthread_kill");
	expect(pthread_make_periodic_np(pthread_self(), 0, -1) == EINVAL, "a negative period");
	expect(pthread_sigmask(SIG_BLOCK, 0, &set) == EFAULT, "pthread_sigmask without a set");
	expect(sigaction(RTL_SIGNAL_TIMER, 0, 0) == -1 && errno == EINVAL,
	       "sigaction of a reserved signal");
	expect(rtl_request_irq(1000, 0) == -EINVAL, "an interrupt that does not exist");
	expect(rtl_setclockmode(CLOCK_REALTIME, 9, 0) == -EINVAL, "an unknown mode");
	expect(pthread_self() == pthread_linux(), "init_module() is the Linux context");
	errno = 5;
	expect(errno == 5, "errno");
}

/* Tests that a periodic timer ends three waits of the thread that installed the handler. */
static void *timed(void *arg)
{
	struct itimerspec value = { { 0, 1000000 }, { 0, 1000000 } }, rest;
	struct sigevent event;
	struct sigaction action;
	timer_t timer;
	int i;

	action.sa_handler = handler;
	action.sa_flags = 0;
	action.sa_mask = 0;
	sigaction(RTL_SIGUSR2, &action, 0);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = 40;
	expect(timer_create(CLOCK_REALTIME, &event, &timer) == -1 && errno == EINVAL,
	       "a timer of an unknown signal");
	event.sigev_signo = RTL_SIGUSR2;
	expect(timer_create(CLOCK_REALTIME, &event, &timer) == 0, "timer_create");
	expect(timer_settime(timer, 0, 0, 0) == -1 && errno == EINVAL,
	       "timer_settime without a value");
	handled = 0;
	expect(timer_settime(timer, 0, &value, 0) == 0, "timer_settime");
	for (i = 0; i < 3; i++)
		expect(sem_wait(&sem) == -1 && errno == EINTR, "a timer ends sem_wait");
	/* the timer also interrupts the thread between two waits, if Linux takes the CPU there for a period */
	expect(handled >= 3 * RTL_SIGUSR2 && handled % RTL_SIGUSR2 == 0,
	       "the handler ran three times");
	expect(timer_gettime(timer, &rest) == 0 && rest.it_interval.tv_nsec == 1000000,
	       "timer_gettime");
	expect(timer_delete(timer) == 0 && timer_delete(timer) == -1, "timer_delete");
	return arg;
}

static void texts(void)
{
	char text[64];
	struct timespec t = { 1, 999999999 };

	sprintf(text, "%5d|%-4u|%04x|%s|%.2s|%Ld|%c%%", -42, 7u, 0xab, "text", "cut",
		1234567890123LL, 'x');
	expect(!strcmp(text, "  -42|7   |00ab|text|cu|1234567890123|x%"), "sprintf");
	timespec_add_ns(&t, 2);
	expect(t.tv_sec == 2 && t.tv_nsec == 1, "timespec_add_ns");
}

static pthread_t made(void *(*entry)(void *), int arg, int priority)
{
	pthread_attr_t attr;
	struct sched_param p;
	pthread_t thread;

	p.sched_priority = priority;
	pthread_attr_init(&attr);
	pthread_attr_setschedparam(&attr, &p);
	expect(pthread_create(&thread, &attr, entry, (void *)(long)arg) == 0, "pthread_create");
	return thread;
}

int init_module(void)
{
	struct sigaction action;

	rtl_printf("parameters %d %s %d\n", rounds, name, untouched);
	errors();
	texts();
	sem_init(&sem, 0, 0);
	origin = gethrtime() + 3 * PERIOD;
	fast = made(periodic, 1, 0);
	slow = made(periodic, 2, 0);
	ends(fast, (void *)100, "the fast thread");
	ends(slow, (void *)200, "the slow thread");

	waiter = made(wait_all, 9, 10);
	usleep(3000);
	sem_post(&sem);
	while (!ready)
		usleep(1000);
	pthread_mutex_lock(&mutex);
	ready = 2;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	ends(waiter, (void *)9, "the waiter");

	low = made(in_order, 1, 1);
	high = made(in_order, 2, 1000000);
	sem_post(&sem);
	sem_post(&sem);
	ends(low, 0, "the thread of lower priority");
	ends(high, 0, "the thread of higher priority");
	expect(order[0] == 2 && order[1] == 1, "the waiter of higher priority is first");

	action.sa_handler = handler;
	action.sa_flags = 0;
	action.sa_mask = 0;
	expect(sigaction(RTL_SIGUSR1, &action, 0) == 0, "sigaction");
	sleeper = made(sleep_all, 0, 5);
	pthread_kill(sleeper, RTL_SIGUSR1);
	pthread_wakeup_np(sleeper);
	expect(ready == 3, "a wake-up ends a suspension before pthread_wakeup_np() returns");
	pthread_cancel(sleeper);
	ends(sleeper, PTHREAD_CANCELED, "a cancelled thread");
	expect(cleaned == 5, "the cleanup handler");
	ends(made(timed, 0, 20), 0, "the thread with a timer");
	working = made(work, 0, 0);
	rtl_printf("init done, %d wrong\n", wrong);
	return 0;
}

void cleanup_module(void)
{
	expect(pthread_delete_np(working) == 0, "pthread_delete_np");
	expect(pthread_delete_np(working) == ESRCH, "pthread_delete_np again");
	rtl_printf("cleanup done, %d wrong\n", wrong);
}
