// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that communicates with the module right, and with itself. Each byte that a process writes into FIFO
 * 0 is a command. Its answer is one byte in FIFO 1: '.' if all checks pass, else 'X'.
 *
 * FIFOs 0 to 3 are Linux's. FIFO 20 gets bytes from right, FIFO 21 sends bytes to right, and FIFO 22 connects two
 * threads of this module.
 */
#include <rtl.h>
#include <errno.h>
#include <fcntl.h>
#include <mbuff.h>
#include <mqueue.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

#define COMMANDS 0
#define ANSWERS 1
#define ORDERS 100
#define FROM_RIGHT 20
#define TO_RIGHT 21
#define INSIDE 22

static char command, *area;
static int wrong, moves_inside, moves_putter, moves_right, rung;
static pthread_t putter;
static sem_t ordered, come;
static mqd_t orders, answers, bell;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s\n", what);
	}
}

static struct timespec soon(long ms)
{
	hrtime_t until = clock_gethrtime(CLOCK_REALTIME) + ms * 1000000ll;

	return timespec_from_ns(until);
}

/* Runs in the thread of this module that calls rtf_put() or rtf_get(). */
static int moved_inside(unsigned int fifo)
{
	moves_inside += fifo == INSIDE;
	moves_putter += pthread_self() == putter;
	return 0;
}

/* Runs after right has called rtf_put() or rtf_get(). */
static int moved_right(unsigned int fifo)
{
	moves_right += fifo == FROM_RIGHT;
	if (pthread_self() != pthread_linux() && !rtf_isempty(fifo))
		sem_post(&come);
	return 0;
}

static void *put_inside(void *arg)
{
	int i;

	putter = pthread_self();
	for (i = 0; i < 50; i++) {
		expect(rtf_put(INSIDE, &i, sizeof(i)) == sizeof(i), "rtf_put to a thread");
		if (i % 10 == 9)
			usleep(1000);
	}
	return arg;
}

/*
 * Tests that a thread of this module gets the bytes of another one in order. Each rtf_put() and rtf_get() calls the
 * handler.
 */
static void inside(void)
{
	pthread_t thread;
	int next = 0, got, calls = 50, tries = 0;

	moves_inside = moves_putter = 0;
	expect(rtf_create(INSIDE, 256) == 0, "rtf_create for threads");
	expect(rtf_create(INSIDE, 256) == -EBUSY, "rtf_create again");
	expect(rtf_create_rt_handler(INSIDE, moved_inside) == 0, "rtf_create_rt_handler");
	expect(rtf_isempty(INSIDE), "a new FIFO is empty");
	expect(pthread_create(&thread, 0, put_inside, 0) == 0, "pthread_create");
	while (next < 50 && tries++ < 2000) {
		calls++;
		if (rtf_get(INSIDE, &got, sizeof(got)) != sizeof(got)) {
			usleep(500);
			continue;
		}
		expect(got == next, "the order of bytes");
		next++;
	}
	pthread_join(thread, 0);
	expect(next == 50 && moves_inside == calls, "the handler for each call");
	expect(moves_putter == 50, "the handler runs in the thread that puts");
	expect(rtf_put(INSIDE, area, 257) == -ENOSPC && rtf_isempty(INSIDE), "more than the FIFO");
	expect(rtf_put(INSIDE, area, 256) == 256 && rtf_put(INSIDE, area, 1) == -ENOSPC,
	       "exactly the FIFO's size");
	expect(rtf_resize(INSIDE, 16) == 0 && rtf_isempty(INSIDE) &&
		       rtf_put(INSIDE, area, 17) == -ENOSPC,
	       "rtf_resize");
	expect(rtf_put(INSIDE, "12345678", 8) == 8 && rtf_flush(INSIDE) == 0 && rtf_isempty(INSIDE),
	       "rtf_flush");
	expect(!rtf_isused(INSIDE) && rtf_destroy(INSIDE) == 0 && rtf_destroy(INSIDE) == -EINVAL,
	       "rtf_destroy");
	expect(rtf_get(INSIDE, &got, 4) == -EINVAL, "rtf_get of a FIFO that is not created");
}

/* Creates the maximum number of FIFOs. Returns their number. */
static int all_fifos(void)
{
	static char bytes[16];
	int n, count = 0;

	for (n = 0; n < 100; n++)
		if (rtf_create(n, 16) == 0)
			count++;
	for (n = 0; n < 64; n++) {
		memset(bytes, n, sizeof(bytes));
		if (n > 3 && n != FROM_RIGHT && n != TO_RIGHT)
			expect(rtf_put(n, bytes, 16) == 16, "rtf_put into one of all FIFOs");
	}
	for (n = 63; n > 3; n--)
		if (n != FROM_RIGHT && n != TO_RIGHT) {
			expect(rtf_get(n, bytes, 16) == 16 && bytes[0] == n && bytes[15] == n,
			       "its own bytes");
			expect(rtf_destroy(n) == 0, "rtf_destroy of one of all FIFOs");
		}
	return count;
}

static void rings(int signal)
{
	rung += signal == RTL_SIGUSR1;
}

static int order(int number)
{
	struct timespec until = soon(2000);

	return mq_timedsend(orders, (char *)&number, sizeof(number), 1, &until);
}

static int answer(int *number, unsigned int *priority)
{
	struct timespec until = soon(2000);
	char text[16];
	int size = mq_timedreceive(answers, text, sizeof(text), priority, &until);

	memcpy(number, text, sizeof(*number));
	return size;
}

/* Sends numbers to right, which answers with their doubles, and with a priority of 31 for each tenth. */
static void messages(void)
{
	unsigned int priority;
	int i, number;

	for (i = 0; i < ORDERS; i++) {
		expect(order(i) == 0, "mq_send to a module");
		expect(answer(&number, &priority) == sizeof(number) && number == 2 * i &&
			       priority == (i % 10 ? 3 : 31),
		       "mq_receive from a module");
	}
}

/* Makes right ring, which is a signal for the thread that sleeps here. */
static void notices(void)
{
	struct sigevent event = { SIGEV_SIGNAL, RTL_SIGUSR1 };
	struct sigaction action = { .sa_handler = rings };
	struct timespec until = { 2, 0 };
	int number = 0, before = rung;
	unsigned int priority;
	char text[16];

	sigaction(RTL_SIGUSR1, &action, 0);
	expect(mq_notify(bell, &event) == 0, "mq_notify");
	expect(order(-1) == 0, "an order to ring");
	nanosleep(&until, 0);
	expect(rung == before + 1, "a message of a module notifies");
	expect(mq_receive(bell, text, sizeof(text), &priority) == 4, "the message of the bell");
	answer(&number, &priority);
}

/* Makes right put bytes into FIFO 20, get those of FIFO 21, and write the buffer. */
static void bytes(void)
{
	struct timespec until = soon(2000);
	char text[8] = "";
	unsigned int priority;
	int number, before = moves_right;

	expect(rtf_put(TO_RIGHT, "to-right", 8) == 8, "rtf_put to a module");
	expect(order(-2) == 0, "an order to move bytes");
	expect(sem_timedwait(&come, &until) == 0 && moves_right > before,
	       "the handler after a call of another module");
	expect(rtf_get(FROM_RIGHT, text, 8) == 8 && !memcmp(text, "to-right", 8),
	       "rtf_get from a module");
	expect(answer(&number, &priority) == 4 && !strcmp(area, "right was here"), "the buffer");
}

/* Tests that without right, calls end at their time limit, and this module's own FIFOs and queues work. */
static void alone(void)
{
	struct timespec until = soon(20);
	char text[16];

	expect(order(-3) == 0, "an order to crash");
	expect(mq_timedreceive(answers, text, sizeof(text), 0, &until) == -1 && errno == ETIMEDOUT,
	       "mq_timedreceive from a module that crashed");
	inside();
}

/*
 * Makes right fill the FIFOs and read all numbers, names and bytes that it gets. Calls of this module must still work.
 */
static void flooded(void)
{
	unsigned int priority;
	char text[16];
	mqd_t own;
	int number;

	expect(order(-4) == 0 && answer(&number, &priority) == 4, "an order to flood");
	expect(rtf_get(FROM_RIGHT, text, 16) == 16 && rtf_flush(FROM_RIGHT) == 0, "a full FIFO");
	own = mq_open("/own", O_RDWR | O_CREAT, 0600, 0);
	expect(own >= 0 && mq_send(own, "mine", 4, 0) == 0, "a queue of this module");
	mq_unlink("/own");
	mq_close(own);
	expect(rtf_destroy(FROM_RIGHT) == 0 && rtf_create(FROM_RIGHT, 64) == 0 &&
		       rtf_create_rt_handler(FROM_RIGHT, moved_right) == 0,
	       "a new FIFO");
	inside();
}

static void *work(void *arg)
{
	for (;;) {
		const int before = wrong;

		sem_wait(&ordered);
		if (command == 'i')
			inside();
		else if (command == 'a')
			rtl_printf("%d FIFOs more\n", all_fifos());
		else if (command == 'm')
			messages();
		else if (command == 'n')
			notices();
		else if (command == 'b')
			bytes();
		else if (command == 'c')
			alone();
		else if (command == 'f')
			flooded();
		rtf_put(ANSWERS, wrong == before ? "." : "X", 1);
	}
	return arg;
}

static int commanded(unsigned int fifo)
{
	if (rtf_get(fifo, &command, 1) == 1)
		sem_post(&ordered);
	return 0;
}

/* Answers a process that has FIFOs 2 and 3 as one device. */
static int echoed(unsigned int fifo)
{
	char text[16];
	int i, n = rtf_get(fifo, text, sizeof(text));

	for (i = 0; i < n; i++)
		text[i] -= 'a' - 'A';
	if (n > 0)
		rtf_put(3, text, n);
	return 0;
}

int init_module(void)
{
	struct mq_attr form = { .mq_maxmsg = 4, .mq_msgsize = 16 };
	struct sched_param param = { .sched_priority = 10 };
	pthread_attr_t attr;
	pthread_t thread;

	area = mbuff_alloc("area", 100);
	sem_init(&ordered, 0, 0);
	sem_init(&come, 0, 0);
	expect(area && rtf_create(COMMANDS, 64) == 0 && rtf_create(ANSWERS, 64) == 0, "rtf_create");
	expect(rtf_create(2, 64) == 0 && rtf_create(3, 64) == 0 && rtf_make_user_pair(2, 3) == 0,
	       "rtf_make_user_pair");
	expect(rtf_create_handler(2, echoed) == 0, "rtf_create_handler of a pair");
	expect(rtf_create(FROM_RIGHT, 64) == 0 && rtf_create(TO_RIGHT, 64) == 0,
	       "rtf_create for a module");
	expect(rtf_make_user_pair(FROM_RIGHT, TO_RIGHT) == 0 &&
		       rtf_make_user_pair(INSIDE, TO_RIGHT) == -EINVAL,
	       "rtf_make_user_pair of FIFOs that Linux does not have");
	expect(rtf_create_rt_handler(FROM_RIGHT, moved_right) == 0, "rtf_create_rt_handler");
	orders = mq_open("/orders", O_WRONLY | O_CREAT, 0600, &form);
	answers = mq_open("answers", O_RDONLY | O_CREAT, 0600, &form);
	bell = mq_open("/bell", O_RDONLY | O_CREAT, 0600, &form);
	expect(orders >= 0 && answers >= 0 && bell >= 0, "mq_open");
	pthread_attr_init(&attr);
	pthread_attr_setschedparam(&attr, &param);
	expect(pthread_create(&thread, &attr, work, 0) == 0, "pthread_create");
	expect(rtf_create_handler(COMMANDS, commanded) == 0, "rtf_create_handler");
	rtl_printf("init done, %d wrong\n", wrong);
	return 0;
}

void cleanup_module(void)
{
}
