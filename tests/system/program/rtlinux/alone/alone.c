// SPDX-License-Identifier: GPL-2.0
/* An RTLinux module whose system file lacks what it uses: alone.toml. */
#include <rtl.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static int wrong;
static sem_t sem;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s, errno %d\n", what, errno);
	}
}

static int answer(unsigned int fifo, unsigned int command, unsigned long argument)
{
	return 0;
}

static void expire(struct pt_regs *regs)
{
}

static void *stay(void *arg)
{
	sem_wait(&sem);
	return arg;
}

/* The module has one thread, which cannot be created again before it has ended. */
static void no_thread(void)
{
	clockid_t clock = rtl_getbestclock(0);
	pthread_t thread, more;
	timer_t timer;

	sem_init(&sem, 0, 0);
	expect(pthread_create(&thread, 0, stay, 0) == 0, "pthread_create");
	expect(pthread_create(&more, 0, stay, 0) == EAGAIN, "a second thread");
	expect(timer_create(CLOCK_REALTIME, 0, &timer) == -1 && errno == EAGAIN,
	       "a timer without a thread");
	expect(rtl_setclockhandler(clock, expire) == 0 && clock->init(clock) == -EAGAIN,
	       "a clock without a thread");
	rtl_unsetclockhandler(clock);
	sem_post(&sem);
	expect(pthread_join(thread, 0) == 0, "pthread_join");
}

int init_module(void)
{
	expect(mq_open("/queue", O_RDWR | O_CREAT, 0600, 0) == -1 && errno == ENOSYS,
	       "mq_open without an exchange");
	expect(mq_unlink("/queue") == -1 && errno == ENOENT, "mq_unlink without an exchange");
	expect(rtf_create(9, 100) == -ENODEV, "rtf_create without an exchange");
	expect(open("/dev/rtf9", O_RDWR | O_CREAT | O_NONBLOCK) == -1 && errno == ENOMEM,
	       "open without an exchange");
	expect(rtf_create(0, 100) == 0 && rtf_link_user_ioctl(0, answer) == -ENOSYS &&
		       rtf_link_user_ioctl(0, 0) == 0 && rtf_destroy(0) == 0,
	       "rtf_link_user_ioctl without a channel");
	no_thread();
	rtl_printf("init done, %d wrong\n", wrong);
	return -ENODEV; /* the module is not loaded */
}

void cleanup_module(void)
{
	rtl_printf("wrong: cleanup\n");
}
