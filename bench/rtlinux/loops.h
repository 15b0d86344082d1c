/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measures locks and message queues for suite rtlinux. The RTLinux module and the program for Linux both include this
 * file. The including file defines stamp(), which returns the time stamp, and thread_start(), which creates a thread
 * with a higher priority than its caller. All threads share one CPU.
 */
#define WARM_UP 50
#define ROUNDS 2000
#define MESSAGE 16

static unsigned long long samples[ROUNDS], started;
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

/* Waits once in the thread of higher priority, which takes the sample when the wait ends. */
static void mutex_wait(int round)
{
	sem_wait(&turn);
	pthread_mutex_lock(&mutex);
	sample_take(round, started);
	pthread_mutex_unlock(&mutex);
}

static void semaphore_wait(int round)
{
	sem_wait(&semaphore);
	sample_take(round, started);
}

static void queue_wait(int round)
{
	mq_receive(queue, message, MESSAGE, 0);
	sample_take(round, started);
}

/*
 * The thread of higher priority waits again before these calls return. `turn` lets it try to lock the mutex that the
 * caller holds.
 */
static void mutex_wake(void)
{
	pthread_mutex_lock(&mutex);
	sem_post(&turn);
	started = stamp();
	pthread_mutex_unlock(&mutex);
}

static void semaphore_wake(void)
{
	started = stamp();
	sem_post(&semaphore);
}

static void queue_wake(void)
{
	started = stamp();
	mq_send(queue, message, MESSAGE, 1);
}

/*
 * A case is a pair of calls in one thread that does not wait, or a wait of a thread of higher priority and the call
 * that ends it.
 */
static const struct loop {
	char letter;
	void (*pass)(void);
	void (*wait)(int round);
	void (*wake)(void);
} loops[] = { { 'm', mutex_pass, 0, 0 },     { 'M', 0, mutex_wait, mutex_wake },
	      { 's', semaphore_pass, 0, 0 }, { 'S', 0, semaphore_wait, semaphore_wake },
	      { 'q', queue_pass, 0, 0 },     { 'Q', 0, queue_wait, queue_wake } };
static void (*higher_wait)(int round);

static void *higher(void *nothing)
{
	int round;

	for (round = 0; round < WARM_UP + ROUNDS; round++)
		higher_wait(round);
	return nothing;
}

static void measure_alone(const struct loop *loop)
{
	int round;

	for (round = 0; round < WARM_UP + ROUNDS; round++) {
		unsigned long long since = stamp();

		loop->pass();
		sample_take(round, since);
	}
}

static void measure_waiting(const struct loop *loop)
{
	pthread_t thread;
	int round;

	higher_wait = loop->wait;
	thread = thread_start(higher);
	for (round = 0; round < WARM_UP + ROUNDS; round++)
		loop->wake();
	pthread_join(thread, 0);
}

/* Measures the case of a letter. */
static void measure(char letter)
{
	const struct loop *loop = loops;

	while (loop->letter != letter)
		if (++loop == loops + sizeof(loops) / sizeof(*loops))
			return;
	if (loop->pass)
		measure_alone(loop);
	else
		measure_waiting(loop);
}

/* Creates the locks and the queue. Returns 1, or 0 if one cannot be created. */
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
