/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What suite rtlinux measures of locks and queues, compiled twice: for Linux, and unchanged as a part of the RTLinux module.
 * The including file defines stamp(), which returns the time stamp, and thread_start(), which creates a thread that is more
 * urgent than its caller. All threads share one CPU.
 */
#define WARM_UP 50
#define ROUNDS 2000
#define MESSAGE 16

static unsigned long long samples[ROUNDS], begun;
static pthread_mutex_t mutex;
static sem_t semaphore, turn;
static mqd_t queue;
static char message[MESSAGE];

static void sample_take(int round, unsigned long long since)
{
	unsigned long long took = stamp() - since;

	if (round >= WARM_UP)
		samples[round - WARM_UP] = took;
}

static void mutex_pass(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void semaphore_pass(void)
{
	sem_post(&semaphore);
	sem_wait(&semaphore);
}

static void queue_pass(void)
{
	mq_send(queue, message, MESSAGE, 1);
	mq_receive(queue, message, MESSAGE, 0);
}

/* A pair of calls in one thread, which does not wait. */
static void measure_alone(void (*pass)(void))
{
	int round;

	for (round = 0; round < WARM_UP + ROUNDS; round++) {
		unsigned long long since = stamp();

		pass();
		sample_take(round, since);
	}
}

/* The urgent threads take the sample when their wait ends. `turn` starts a round. */
static void *mutex_wait(void *nothing)
{
	int round;

	for (round = 0; round < WARM_UP + ROUNDS; round++) {
		sem_wait(&turn);
		pthread_mutex_lock(&mutex);
		sample_take(round, begun);
		pthread_mutex_unlock(&mutex);
	}
	return nothing;
}

static void *semaphore_wait(void *nothing)
{
	int round;

	for (round = 0; round < WARM_UP + ROUNDS; round++) {
		sem_wait(&semaphore);
		sample_take(round, begun);
	}
	return nothing;
}

static void *queue_wait(void *nothing)
{
	int round;

	for (round = 0; round < WARM_UP + ROUNDS; round++) {
		mq_receive(queue, message, MESSAGE, 0);
		sample_take(round, begun);
	}
	return nothing;
}

static void mutex_wake(void)
{
	pthread_mutex_lock(&mutex);
	sem_post(&turn);
	begun = stamp();
	pthread_mutex_unlock(&mutex);
}

static void semaphore_wake(void)
{
	begun = stamp();
	sem_post(&semaphore);
}

static void queue_wake(void)
{
	begun = stamp();
	mq_send(queue, message, MESSAGE, 1);
}

/* From the call that lets the urgent thread continue until that thread runs. It waits again when the call returns. */
static void measure_waiting(void *(*wait)(void *), void (*wake)(void))
{
	pthread_t thread = thread_start(wait);
	int round;

	for (round = 0; round < WARM_UP + ROUNDS; round++)
		wake();
	pthread_join(thread, 0);
}

/* Measures a case by its letter. Returns whether there is one. */
static int measure(char what)
{
	switch (what) {
	case 'm':
		measure_alone(mutex_pass);
		return 1;
	case 'M':
		measure_waiting(mutex_wait, mutex_wake);
		return 1;
	case 's':
		measure_alone(semaphore_pass);
		return 1;
	case 'S':
		measure_waiting(semaphore_wait, semaphore_wake);
		return 1;
	case 'q':
		measure_alone(queue_pass);
		return 1;
	case 'Q':
		measure_waiting(queue_wait, queue_wake);
		return 1;
	}
	return 0;
}

/* Prepares what the cases use. Returns whether all of it was created. */
static int prepare(void)
{
	struct mq_attr form;

	memset(&form, 0, sizeof(form));
	form.mq_maxmsg = 10;
	form.mq_msgsize = MESSAGE;
	queue = mq_open("/limpet-bench", O_RDWR | O_CREAT, 0600, &form);
	return queue >= 0 && !pthread_mutex_init(&mutex, 0) && !sem_init(&semaphore, 0, 0) &&
	       !sem_init(&turn, 0, 0);
}
