// SPDX-License-Identifier: GPL-2.0
/* Tests POSIX threads and all functions that make them wait. Each part prints that it is right, or the error. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 6
#define ROUNDS 500
#define MS 1000000

static int wrongs;

static void check(int good, const char *what)
{
	if (good)
		return;
	wrongs++;
	printf("wrong: %s\n", what);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, MS }, NULL);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * MS;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

/* --- mutexes and joins. A yield inside lets another thread run */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static __thread int own;

static void *count(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		long before;

		pthread_mutex_lock(&mutex);
		before = counter;
		if (i % 50 == 0)
			sched_yield();
		counter = before + 1;
		own++;
		pthread_mutex_unlock(&mutex);
	}
	return (void *)((intptr_t)argument * 1000 + own);
}

static void mutexes(void)
{
	pthread_t threads[THREADS];
	void *value;

	for (int round = 0; round < 3; round++) {
		counter = 0;
		for (intptr_t i = 0; i < THREADS; i++)
			check(!pthread_create(&threads[i], NULL, count, (void *)i),
			      "pthread_create");
		for (intptr_t i = 0; i < THREADS; i++) {
			check(!pthread_join(threads[i], &value), "pthread_join");
			check((intptr_t)value == i * 1000 + ROUNDS, "a thread's value");
		}
		check(counter == THREADS * ROUNDS, "mutual exclusion");
	}
	printf("mutexes done\n");
}

static void *nothing(void *argument)
{
	return argument;
}

static void many(void)
{
	pthread_attr_t detached;
	pthread_t thread;
	int made = 0;

	for (int i = 0; i < 100; i++) {
		check(!pthread_create(&thread, NULL, nothing, &made),
		      "pthread_create, one after the other");
		pthread_join(thread, NULL);
	}
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 100; i++) {
		int status = pthread_create(&thread, &detached, nothing, NULL);

		check(status == 0 || status == EAGAIN, "pthread_create, detached");
		made += status == 0;
		if (status == EAGAIN)
			nap();
	}
	check(made > 50, "detached threads become free again");
	printf("threads come and go\n");
}

/* Creates a thread. Tries again while detached threads that are about to end use all threads of the program. */
static void begin(pthread_t *thread, void *(*function)(void *), void *argument)
{
	int status;

	for (int naps = 0;
	     (status = pthread_create(thread, NULL, function, argument)) == EAGAIN && naps < 5000;
	     naps++)
		nap();
	check(!status, "pthread_create");
}

/* --- condition variables: a queue of one place */

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int place, full;

static void *produce(void *argument)
{
	for (int i = 1; i <= ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (full)
			pthread_cond_wait(&changed, &mutex);
		place = i;
		full = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

static void conditions(void)
{
	struct timespec late;
	pthread_t thread;
	long sum = 0;
	int64_t before;

	begin(&thread, produce, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (!full)
			pthread_cond_wait(&changed, &mutex);
		sum += place;
		full = 0;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(thread, NULL);
	check(sum == ROUNDS * (ROUNDS + 1) / 2, "condition variable");
	before = now();
	late = in_ms(CLOCK_REALTIME, 20);
	pthread_mutex_lock(&mutex);
	check(pthread_cond_timedwait(&changed, &mutex, &late) == ETIMEDOUT, "a wait has an end");
	pthread_mutex_unlock(&mutex);
	check(now() - before >= 19 * MS, "not too early");
	printf("conditions done\n");
}

/* --- priority inheritance: while `low` has the mutex that `high` wants, `middle` must not run first */

static pthread_mutex_t inherited;
static sem_t go_middle, go_high;
static char order[8];
static int ordered;

static void *low(void *argument)
{
	pthread_mutex_lock(&inherited);
	sem_post(&go_high); /* runs to the mutex, and waits */
	sem_post(&go_middle);
	order[ordered++] = 'l';
	pthread_mutex_unlock(&inherited);
	return argument;
}

static void *middle(void *argument)
{
	sem_wait(&go_middle);
	order[ordered++] = 'm';
	return argument;
}

static void *high(void *argument)
{
	sem_wait(&go_high);
	pthread_mutex_lock(&inherited);
	order[ordered++] = 'h';
	pthread_mutex_unlock(&inherited);
	return argument;
}

static pthread_t with_priority(int priority, void *(*function)(void *))
{
	struct sched_param param = { .sched_priority = priority };
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
	pthread_attr_setschedparam(&attributes, &param);
	check(!pthread_create(&thread, &attributes, function, NULL),
	      "pthread_create with a priority");
	return thread;
}

static void inheritance(int protocol, const char *wanted, const char *name)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[3];

	pthread_mutexattr_init(&attributes);
	check(!pthread_mutexattr_setprotocol(&attributes, protocol),
	      "pthread_mutexattr_setprotocol");
	pthread_mutex_init(&inherited, &attributes);
	sem_init(&go_middle, 0, 0);
	sem_init(&go_high, 0, 0);
	ordered = 0;
	memset(order, 0, sizeof(order));
	threads[0] = with_priority(30, high);
	threads[1] = with_priority(20, middle);
	threads[2] = with_priority(10, low);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	check(!strcmp(order, wanted), name);
	printf("%s: order %s\n", name, order);
}

/* --- cancellation, of a waiting thread and of one that does not wait */

static volatile int waiting; /* number of threads that have started */
static int cleaned;

static void clean(void *argument)
{
	(void)argument;
	cleaned++;
}

static void *wait_for_ever(void *argument)
{
	pthread_cleanup_push(clean, NULL);
	waiting++;
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return argument;
}

static void *work_for_ever(void *argument)
{
	pthread_cleanup_push(clean, NULL);
	waiting++;
	for (;;) {
		sched_yield();
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return argument;
}

static void cancellation(void)
{
	void *(*functions[])(void *) = { wait_for_ever, work_for_ever };

	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		void *value = NULL;

		begin(&thread, functions[i], NULL);
		for (int naps = 0; waiting == i && naps < 5000; naps++)
			nap();
		check(!pthread_cancel(thread), "pthread_cancel");
		check(!pthread_join(thread, &value) && value == PTHREAD_CANCELED,
		      "a cancelled thread's value");
		check(cleaned == i + 1, "its clean-up handler");
	}
	printf("cancellation done\n");
}

/* --- signals and timers */

static volatile int handled, handled_value;
static volatile double kept;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)context;
	handled++;
	handled_value = info->si_value.sival_int;
	kept = kept * 1.5 +
	       signal; /* the vector registers must be those of the interrupted code afterwards */
}

static void notified(union sigval value)
{
	sem_post(value.sival_ptr);
}

static void timers(void)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
	struct itimerspec period = { { 0, 2 * MS }, { 0, 2 * MS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN,
				  .sigev_value = { 77 } };
	struct timespec long_nap = { 10, 0 }, left = { 0, 0 };
	sigset_t set;
	timer_t timer;
	siginfo_t info;
	sem_t sem;
	int64_t before = now();

	sigaction(SIGRTMIN, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	check(!timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create");
	check(!timer_settime(timer, 0, &period, NULL), "timer_settime");
	check(nanosleep(&long_nap, &left) == -1 && errno == EINTR && (left.tv_sec || left.tv_nsec),
	      "a signal ends a sleep");
	while (handled < 5)
		pause();
	check(handled_value == 77 && now() - before >= 9 * MS, "timer's signals");
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++)
		check(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_code == SI_TIMER,
		      "sigwaitinfo");
	timer_delete(timer);
	check(sigtimedwait(&set, &info, &(struct timespec){ 0, 5 * MS }) != 0, "sigtimedwait");
	handled = 0;
	raise(SIGUSR1);
	check(handled == 1, "raise");
	sem_init(&sem, 0, 0);
	event = (struct sigevent){ .sigev_notify = SIGEV_THREAD,
				   .sigev_notify_function = notified,
				   .sigev_value.sival_ptr = &sem };
	check(!timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create with a thread");
	timer_settime(timer, 0, &period, NULL);
	for (int i = 0; i < 3; i++)
		sem_wait(&sem);
	timer_delete(timer);
	printf("timers done\n");
}

/* --- pipes */

static void *write_much(void *argument)
{
	int *ends = argument;
	char line[100];

	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 200; i++)
		check(write(ends[1], line, sizeof(line)) == sizeof(line), "write to a pipe");
	close(ends[1]);
	return NULL;
}

static void pipes(void)
{
	char text[333];
	int ends[2];
	long sum = 0, part;
	pthread_t thread;
	struct pollfd polled;

	check(!pipe(ends), "pipe");
	polled = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	check(poll(&polled, 1, 5) == 0, "poll of an empty pipe");
	begin(&thread, write_much, ends);
	check(poll(&polled, 1, -1) == 1 && polled.revents & POLLIN, "poll");
	while ((part = read(ends[0], text, sizeof(text))) > 0)
		sum += part;
	pthread_join(thread, NULL);
	check(sum == 20000 && part == 0, "all that was written is read");
	close(ends[0]);
	printf("pipes done\n");
}

/* --- a periodic loop */

static void periods(void)
{
	struct timespec due = in_ms(CLOCK_MONOTONIC, 1);
	int64_t worst = 0;

	for (int i = 0; i < 200; i++) {
		int64_t late;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
		late = now() - (due.tv_sec * 1000000000ll + due.tv_nsec);
		check(late >= 0, "a sleep ends not before its time");
		worst = late > worst ? late : worst;
		due.tv_nsec += MS;
		due.tv_sec += due.tv_nsec / 1000000000;
		due.tv_nsec %= 1000000000;
	}
	printf("periods done, latest %lld ns\n", (long long)worst);
}

static void *last(void *argument)
{
	printf("threads: %d wrong\n", wrongs);
	exit(wrongs != 0);
	return argument;
}

int main(void)
{
	pthread_t thread;

	mutexes();
	many();
	conditions();
	inheritance(PTHREAD_PRIO_INHERIT, "lhm", "inheritance");
	inheritance(PTHREAD_PRIO_NONE, "mlh", "none");
	cancellation();
	timers();
	pipes();
	periods();
	begin(&thread, last, NULL); /* ends the program while main waits */
	for (;;)
		pause();
}
