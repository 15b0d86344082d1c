// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that tests functions and their errors: version 1, message queues, barriers, spin locks, ceilings,
 * soft interrupts and wait queues. The module classic tests the other ones.
 */
#include <rtl.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <rtl_barrier.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

MODULE_PARM(list, "1-4i");
MODULE_PARM(small, "h");
module_param(wide, long, 0444);
MODULE_PARM_DESC(list, "declared before its variable, as some programs do");
static int list[4] = { 1, 2, 3, 4 };
static short small = 7;
static long wide = 9;
EXPORT_SYMBOL(list);

static int wrong, softs, soft;
static volatile int stage;
static pthread_barrier_t barrier;
static pthread_mutex_t mutex;
static spinlock_t spin = SPIN_LOCK_UNLOCKED;
static rtl_wait_t waiting = RTL_WAIT_INITIALIZER;
static sem_t sem;
static mqd_t queue;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s, errno %d\n", what, errno);
	}
}

static pthread_t made(void *(*entry)(void *), int arg, int priority)
{
	struct sched_param p;
	pthread_attr_t attr;
	pthread_t thread = 0;

	p.sched_priority = priority;
	pthread_attr_init(&attr);
	pthread_attr_setschedparam(&attr, &p);
	expect(pthread_create(&thread, &attr, entry, (void *)(long)arg) == 0, "pthread_create");
	return thread;
}

static long result(pthread_t thread)
{
	void *value = 0;

	expect(pthread_join(thread, &value) == 0, "pthread_join");
	return (long)value;
}

static void fails(int status, int error, const char *what)
{
	expect(status == -1 && errno == error, what);
}

/* --- version 1 */

static RT_TASK task;
static int ran, data_of_task;
static RTIME first_tick;

static void task_run(int data)
{
	data_of_task = data;
	first_tick = rt_get_time();
	for (;;) {
		ran++;
		rt_task_wait();
	}
}

static void version_1(void)
{
	RTIME now = rt_get_time();

	expect(rt_task_init(&task, task_run, 77, 3000, 1) == 0, "rt_task_init");
	usleep(2000);
	expect(!ran, "a task is dormant until it is periodic");
	expect(task->sched_param.sched_priority == 999999, "priority 1 is the highest");
	expect(rt_task_use_fp(&task, 1) == 0, "rt_task_use_fp");
	now = rt_get_time();
	expect(rt_task_make_periodic(&task, now + RT_TICKS_PER_SEC / 500, -1) == -EINVAL,
	       "a negative period");
	expect(rt_task_make_periodic(&task, now + RT_TICKS_PER_SEC / 500,
				     RT_TICKS_PER_SEC / 1000) == 0,
	       "rt_task_make_periodic");
	while (ran < 4)
		usleep(1000);
	expect(data_of_task == 77 && first_tick >= now + RT_TICKS_PER_SEC / 500,
	       "the first release");
	expect(rt_task_suspend(&task) == 0, "rt_task_suspend");
	usleep(3000);
	ran = 0;
	usleep(5000);
	expect(ran == 0, "a suspended task does not run");
	expect(rt_task_wakeup(&task) == 0, "rt_task_wakeup");
	while (!ran)
		usleep(1000);
	expect(rt_task_delete(&task) == 0 && rt_task_delete(&task) == -EINVAL, "rt_task_delete");
	expect(rt_task_wakeup(&task) == -ESRCH && rt_task_suspend(&task) == -ESRCH,
	       "a task that is deleted");
	expect(rtl_set_oneshot_mode() == 0 && rtl_set_periodic_mode(1193) > 0,
	       "modes of version 1");
	now = rt_get_time();
	rt_delay(119);
	expect(rt_get_time() - now >= 119, "rt_delay");
}

/* --- barriers */

static void *meet(void *arg)
{
	int i, serial = 0;

	for (i = 0; i < 3; i++)
		serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	return (void *)(long)serial;
}

static void barriers(void)
{
	pthread_barrierattr_t kind;
	pthread_t first, second;
	int shared, serial, i;

	pthread_barrierattr_init(&kind);
	expect(pthread_barrierattr_setpshared(&kind, 5) == EINVAL,
	       "pthread_barrierattr_setpshared");
	expect(pthread_barrierattr_setpshared(&kind, PTHREAD_PROCESS_SHARED) == 0 &&
		       pthread_barrierattr_getpshared(&kind, &shared) == 0 &&
		       shared == PTHREAD_PROCESS_SHARED,
	       "pthread_barrierattr_getpshared");
	expect(pthread_barrier_init(&barrier, 0, 0) == EINVAL, "a barrier for 0 threads");
	expect(pthread_barrier_wait(&barrier) == EINVAL, "a barrier that is not initialised");
	expect(pthread_barrier_init(&barrier, &kind, 3) == 0, "pthread_barrier_init");
	first = made(meet, 0, 5);
	second = made(meet, 0, 6);
	expect(pthread_barrier_destroy(&barrier) == EBUSY, "a barrier with waiters");
	for (serial = 0, i = 0; i < 3; i++)
		serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	serial += result(first) + result(second);
	expect(serial == 3, "one serial thread in each round");
	expect(pthread_barrier_destroy(&barrier) == 0, "pthread_barrier_destroy");
}

/* --- spin locks and masked threads */

static void *step(void *arg)
{
	pthread_spin_lock(&spin);
	stage = (int)(long)arg;
	pthread_spin_unlock(&spin);
	return 0;
}

static void *spin_hold(void *arg)
{
	unsigned long flags;
	pthread_t other;

	expect(pthread_spin_lock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY,
	       "pthread_spin_trylock");
	other = made(step, 1, 50);
	expect(stage == 0, "a thread of higher priority does not run while a spin lock is held");
	expect(pthread_spin_unlock(&spin) == 0 && stage == 1, "it runs at the unlock");
	result(other);
	rtl_no_interrupts(flags);
	other = made(step, 2, 50);
	expect(stage == 1, "it does not run while interrupts are masked");
	rtl_restore_interrupts(flags);
	expect(stage == 2, "it runs when they are restored");
	result(other);
	rtl_spin_lock_irqsave(&spin, flags);
	rtl_spin_unlock_irqrestore(&spin, flags);
	expect(pthread_spin_trylock(&spin) == 0 && pthread_spin_unlock(&spin) == 0 &&
		       pthread_spin_destroy(&spin) == 0,
	       "a spin lock that is free");
	return arg;
}

/* --- ceilings */

static void *under_ceiling(void *arg)
{
	stage += (int)(long)arg;
	return 0;
}

static void *ceiling(void *arg)
{
	struct sched_param p = { 60 };
	pthread_mutexattr_t kind;
	pthread_t other;
	int value;

	pthread_mutexattr_init(&kind);
	expect(pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_PROTECT) == 0 &&
		       pthread_mutexattr_getprotocol(&kind, &value) == 0 &&
		       value == PTHREAD_PRIO_PROTECT,
	       "pthread_mutexattr_setprotocol");
	expect(pthread_mutexattr_setprioceiling(&kind, 1000001) == EINVAL &&
		       pthread_mutexattr_setprioceiling(&kind, 40) == 0 &&
		       pthread_mutexattr_getprioceiling(&kind, &value) == 0 && value == 40,
	       "pthread_mutexattr_setprioceiling");
	expect(pthread_mutexattr_setpshared(&kind, 9) == EINVAL, "pthread_mutexattr_setpshared");
	expect(pthread_mutex_init(&mutex, &kind) == 0 && pthread_mutex_lock(&mutex) == 0,
	       "a mutex with a ceiling");
	stage = 0;
	other = made(under_ceiling, 1, 30);
	expect(stage == 0, "the owner has the ceiling");
	expect(pthread_mutex_unlock(&mutex) == 0 && stage == 1, "its priority comes back");
	result(other);
	expect(pthread_mutex_setprioceiling(&mutex, 70, &value) == 0 && value == 40 &&
		       pthread_mutex_getprioceiling(&mutex, &value) == 0 && value == 70,
	       "pthread_mutex_setprioceiling");
	pthread_mutex_setprioceiling(&mutex, 40, 0);
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
	expect(pthread_mutex_lock(&mutex) == EINVAL && pthread_mutex_trylock(&mutex) == EINVAL,
	       "a thread above the ceiling");
	expect(pthread_mutex_destroy(&mutex) == 0 && pthread_mutex_lock(&mutex) == EINVAL &&
		       pthread_mutex_unlock(&mutex) == EINVAL &&
		       pthread_mutex_trylock(&mutex) == EINVAL,
	       "a mutex that is destroyed");
	return arg;
}

/* --- plain mutexes: each waiter locks the mutex, highest priority first */

static int order[3], ordered;

static void *in_order(void *arg)
{
	expect(pthread_mutex_lock(&mutex) == 0, "pthread_mutex_lock");
	order[ordered++] = (int)(long)arg;
	usleep(100);
	expect(pthread_mutex_unlock(&mutex) == 0, "pthread_mutex_unlock");
	return 0;
}

static void mutexes(void)
{
	pthread_t threads[3];
	struct timespec past = { 0, 1 };
	int i;

	pthread_mutex_init(&mutex, 0);
	expect(pthread_mutex_setprioceiling(&mutex, 5, 0) == EINVAL,
	       "a ceiling without the protocol");
	pthread_mutex_lock(&mutex);
	for (i = 0; i < 3; i++)
		threads[i] = made(in_order, i, 10 + i);
	expect(pthread_mutex_trylock(&mutex) == EBUSY, "pthread_mutex_trylock");
	expect(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT, "pthread_mutex_timedlock");
	pthread_mutex_unlock(&mutex);
	for (i = 0; i < 3; i++)
		result(threads[i]);
	expect(order[0] == 2 && order[1] == 1 && order[2] == 0, "the order of waiters");
	pthread_mutex_destroy(&mutex);
}

/* --- semaphores: each post lets one waiter continue */

static void *take(void *arg)
{
	expect(sem_wait(&sem) == 0, "sem_wait");
	stage++;
	return 0;
}

static void semaphores(void)
{
	pthread_t threads[3];
	int value, i;

	sem_init(&sem, 0, 2);
	expect(sem_getvalue(&sem, &value) == 0 && value == 2, "sem_getvalue");
	expect(sem_wait(&sem) == 0 && sem_trywait(&sem) == 0, "a semaphore of two");
	fails(sem_trywait(&sem), EAGAIN, "sem_trywait");
	stage = 0;
	for (i = 0; i < 3; i++)
		threads[i] = made(take, 0, 10 + i);
	for (i = 1; i <= 3; i++) {
		sem_post(&sem);
		usleep(1000);
		expect(stage == i, "one waiter for each post");
	}
	for (i = 0; i < 3; i++)
		result(threads[i]);
	expect(sem_getvalue(&sem, &value) == 0 && value == 0 && sem_destroy(&sem) == 0,
	       "sem_destroy");
}

/* --- message queues */

static int notified;

static void notice(int signal)
{
	notified = signal;
}

static void *receive(void *arg)
{
	char text[16];
	unsigned int priority;
	long sum = 0;
	int i;

	for (i = 0; i < 3; i++) {
		expect(mq_receive(queue, text, sizeof(text), &priority) == 4, "mq_receive");
		sum = sum * 10 + priority;
	}
	return (void *)sum;
}

static void *last_send(void *arg)
{
	return (void *)(long)mq_send(queue, "last", 4, 0);
}

static void queue_errors(void)
{
	struct mq_attr form = { 0, 0, 16 };
	struct timespec past = { 0, 1 };
	char text[16];
	mqd_t reader, second;

	fails(mq_open("/none", O_RDONLY), ENOENT, "a queue that does not exist");
	fails(mq_open("/", O_RDWR | O_CREAT, 0600, 0), EINVAL, "a queue without a name");
	fails(mq_open("/a-name-of-more-than-thirty-two-letters", O_RDWR | O_CREAT, 0600, 0),
	      ENAMETOOLONG, "a long name");
	fails(mq_open("/form", O_RDWR | O_CREAT, 0600, &form), EINVAL, "a queue for no messages");
	form.mq_maxmsg = 1000000;
	form.mq_msgsize = 1000000;
	fails(mq_open("/form", O_RDWR | O_CREAT, 0600, &form), ENOSPC, "a queue that is too large");
	form.mq_maxmsg = 2;
	form.mq_msgsize = 16;
	queue = mq_open("queue", O_RDWR | O_CREAT, 0600, &form);
	expect(queue >= 0, "mq_open");
	fails(mq_open("/queue", O_RDWR | O_CREAT | O_EXCL, 0600, &form), EEXIST,
	      "a queue that exists");
	reader = mq_open("/queue", O_RDONLY | O_NONBLOCK);
	expect(reader >= 0 && reader != queue, "a second descriptor, with a slash");
	fails(mq_send(reader, "text", 4, 1), EBADF, "mq_send of a reader");
	fails(mq_receive(reader, text, 16, 0), EAGAIN, "mq_receive without waiting");
	fails(mq_receive(reader, text, 15, 0), EMSGSIZE, "mq_receive into less than a message");
	fails(mq_send(queue, text, 17, 1), EMSGSIZE, "a message that is too long");
	fails(mq_send(queue, "text", 4, 32), EINVAL, "a priority above 31");
	fails(mq_timedreceive(queue, text, 16, 0, &past), ETIMEDOUT, "mq_timedreceive");
	second = mq_open("/queue", O_WRONLY);
	fails(mq_receive(second, text, 16, 0), EBADF, "mq_receive of a writer");
	expect(mq_close(second) == 0 && mq_close(reader) == 0, "mq_close");
	fails(mq_close(reader), EBADF, "mq_close again");
	fails(mq_send(99, "text", 4, 1), EBADF, "a descriptor that does not exist");
	fails(mq_unlink("/none"), ENOENT, "mq_unlink");
}

static void *receive_forever(void *arg)
{
	char text[16];

	mq_receive(queue, text, sizeof(text), 0);
	return arg;
}

/* Closes a queue in which another thread waits. The next queue must not take its place. */
static void queue_closed(void)
{
	struct mq_attr form = { .mq_maxmsg = 2, .mq_msgsize = 16 };
	pthread_t other;
	mqd_t next;

	queue = mq_open("/closed", O_RDWR | O_CREAT, 0, &form);
	other = made(receive_forever, 0, 30);
	expect(mq_unlink("/closed") == 0 && mq_close(queue) == 0, "mq_close while a thread waits");
	next = mq_open("/next", O_RDWR | O_CREAT, 0, &form);
	expect(mq_send(next, "text", 4, 0) == 0 && mq_getattr(next, &form) == 0 &&
		       form.mq_curmsgs == 1,
	       "the waiting thread gets no message of the next queue");
	pthread_cancel(other);
	result(other);
	mq_unlink("/next");
	mq_close(next);
}

static void exit_in_handler(int signal)
{
	(void)signal;
	pthread_exit(0);
}

/*
 * Ends threads in each possible way while they wait in a queue. The queues must be free afterwards, because a module
 * has only 32.
 */
static void receivers_ended(void)
{
	const struct sigaction leave = { .sa_handler = exit_in_handler };
	pthread_t other;
	int round;

	sigaction(RTL_SIGUSR1, &leave, 0);
	for (round = 0; round < 99; round++) {
		queue = mq_open("/ended", O_RDWR | O_CREAT | O_EXCL, 0, 0);
		if (queue < 0)
			break;
		other = made(receive_forever, 0, 30);
		if (round % 3 == 0)
			pthread_delete_np(other);
		else if (round % 3 == 1)
			pthread_cancel(other);
		else
			pthread_kill(other, RTL_SIGUSR1);
		if (round % 3)
			result(other);
		expect(mq_unlink("/ended") == 0 && mq_close(queue) == 0, "mq_close");
	}
	expect(queue >= 0, "the queue of a thread that ended in a call is free");
}

static void *queues(void *arg)
{
	struct sigevent event = { SIGEV_SIGNAL, RTL_SIGUSR1 };
	struct timespec past = { 0, 1 };
	struct sigaction action;
	struct mq_attr form;
	pthread_t other;

	queue_errors();
	other = made(receive, 0, 20);
	expect(mq_send(queue, "one.", 4, 1) == 0 && mq_send(queue, "two.", 4, 2) == 0 &&
		       mq_send(queue, "thr.", 4, 3) == 0 && result(other) == 123,
	       "messages to a thread of higher priority");
	mq_send(queue, "one.", 4, 1);
	mq_send(queue, "two.", 4, 2);
	expect(mq_getattr(queue, &form) == 0 && form.mq_curmsgs == 2 && form.mq_maxmsg == 2 &&
		       form.mq_msgsize == 16,
	       "mq_getattr");
	fails(mq_timedsend(queue, "full", 4, 0, &past), ETIMEDOUT,
	      "mq_timedsend into a full queue");
	form.mq_flags = O_NONBLOCK;
	expect(mq_setattr(queue, &form, 0) == 0, "mq_setattr");
	fails(mq_send(queue, "full", 4, 0), EAGAIN, "mq_send into a full queue");
	form.mq_flags = 0;
	expect(mq_setattr(queue, &form, &form) == 0 && form.mq_flags == O_NONBLOCK,
	       "the attributes before");
	other = made(last_send, 0, 30);
	expect((long)receive(0) == 210 && result(other) == 0,
	       "the highest priority is first, and a waiting sender continues");
	action.sa_handler = notice;
	action.sa_flags = 0;
	action.sa_mask = 0;
	sigaction(RTL_SIGUSR1, &action, 0);
	expect(mq_notify(queue, &event) == 0, "mq_notify");
	fails(mq_notify(queue, &event), EBUSY, "mq_notify again");
	mq_send(queue, "text", 4, 1);
	pthread_testcancel();
	expect(notified == RTL_SIGUSR1, "a message into an empty queue notifies");
	event.sigev_signo = 60;
	fails(mq_notify(queue, &event), EINVAL, "mq_notify with an unknown signal");
	expect(mq_notify(queue, 0) == 0, "mq_notify without an event");
	expect(mq_unlink("/queue") == 0, "mq_unlink");
	fails(mq_open("/queue", O_RDWR), ENOENT, "a name that is gone");
	expect(mq_getattr(queue, &form) == 0 && form.mq_curmsgs == 1 && mq_close(queue) == 0,
	       "the queue lives until it is closed");
	queue_closed();
	receivers_ended();
	return arg;
}

/* --- soft interrupts, wait queues, suspension, and functions that a component does not support */

static void soft_handler(int irq, void *nothing, struct pt_regs *regs)
{
	softs++;
	if (softs == 1)
		rtl_global_pend_irq(irq); /* runs again */
	else
		rtl_printf("soft interrupts done, %d wrong\n", wrong);
}

static void soft_interrupts(void)
{
	int i, some[16];

	for (i = 0; i < 16; i++)
		some[i] = rtl_get_soft_irq(soft_handler, "some");
	expect(some[0] > 0 && some[15] > 0 && rtl_get_soft_irq(soft_handler, "more") == -EBUSY,
	       "16 soft interrupts");
	rtl_global_pend_irq(some[1]);
	expect(rtl_global_ispending_irq(some[1]) == 1 && rtl_global_ispending_irq(some[2]) == 0,
	       "rtl_global_ispending_irq");
	for (i = 1; i < 16; i++)
		rtl_free_soft_irq(some[i]);
	expect(rtl_global_ispending_irq(some[1]) == 0, "a freed soft interrupt is not pending");
	rtl_global_pend_irq(some[1]);
	rtl_global_pend_irq(5);
	rtl_free_soft_irq(5);
	soft = some[0];
	rtl_global_pend_irq(soft);
	rtl_global_pend_irq(soft); /* pending twice counts once */
}

static void *queue_sleep(void *arg)
{
	pthread_spin_lock(&spin);
	stage = 1;
	rtl_wait_sleep(&waiting, &spin);
	stage = 2;
	return 0;
}

static void *by_hand(void *arg)
{
	stage = 1;
	RTL_MARK_SUSPENDED(pthread_self());
	rtl_schedule();
	stage = 2;
	return 0;
}

static void waits(void)
{
	pthread_t thread = made(queue_sleep, 0, 10);

	expect(stage == 1, "rtl_wait_sleep");
	rtl_wait_wakeup(&waiting);
	result(thread);
	expect(stage == 2, "rtl_wait_wakeup");
	thread = made(by_hand, 0, 10);
	expect(stage == 1, "RTL_MARK_SUSPENDED");
	RTL_MARK_READY(thread);
	result(thread);
	expect(stage == 2, "RTL_MARK_READY");
}

static void no_irq(void)
{
}

static void refusals(void)
{
	struct utsname names;
	int file = open("/dev/rtf0", O_RDWR | O_CREAT | O_NONBLOCK);

	expect(rtl_free_irq(3) == -EINVAL && request_RTirq(3, 0) == -EINVAL &&
		       request_RTirq(3, no_irq) == -EBUSY && free_RTirq(3) == -EINVAL &&
		       rtl_request_local_irq(3, 0, 0) == -EINVAL &&
		       rtl_free_local_irq(3, 0) == -EINVAL,
	       "interrupts of the machine");
	expect(mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED && errno == EINVAL,
	       "mmap");
	expect(mmap(0, 4096, PROT_READ, MAP_SHARED, 15, 0) == MAP_FAILED && errno == EBADF,
	       "mmap of no file");
	expect(munmap(0, 4096) == 0 && mlockall(MCL_CURRENT) == 0 && uname(&names) == 0 &&
		       names.release[0] == '3',
	       "sys/mman.h");
	fails(sysconf(1), EINVAL, "sysconf");
	fails(read(15, &file, 1), EBADF, "read of no file");
	fails(write(-1, &file, 1), EBADF, "write to no file");
	fails(ioctl(file, 77, 0), EINVAL, "an unknown ioctl");
	fails(write(file, &file, 1ul << 32), ENOSPC, "write of more than INT_MAX bytes");
	expect(read(file, &file, (1ul << 31) + 1) == 0, "read of more than INT_MAX bytes");
	expect(rtf_put(64, &file, 1) == -ENODEV && rtf_get(64, &file, 1) == -ENODEV &&
		       rtf_resize(64, 1) == -ENODEV && rtf_resize(0, 0) == -EINVAL &&
		       rtf_flush(64) == -ENODEV && rtf_create_rt_handler(64, 0) == -EINVAL &&
		       rtf_make_user_pair(0, 64) == -ENODEV && rtf_make_user_pair(0, 3) == -EINVAL,
	       "numbers of FIFOs");
	expect(rtf_link_user_ioctl(64, 0) == -ENODEV, "rtf_link_user_ioctl");
	expect(close(file) == 0 && rtf_destroy(0) == 0, "close");
	expect(!kmalloc(0, GFP_KERNEL) && !kmalloc(1 << 24, GFP_KERNEL), "sizes of kmalloc");
	expect(pthread_setspecific(20, 0) == EINVAL && pthread_setspecific(0, &names) == 0 &&
		       pthread_getspecific(0) == &names,
	       "pthread_setspecific");
	expect(pthread_detach(pthread_linux()) == EINVAL &&
		       pthread_delete_np(pthread_linux()) == EINVAL &&
		       pthread_join(0, 0) == ESRCH && pthread_cancel(0) == ESRCH &&
		       pthread_detach(0) == ESRCH,
	       "threads that cannot be joined, detached or deleted");
	expect(clock_settime(CLOCK_REALTIME, 0) == -1 && errno == EINVAL &&
		       rtl_clockadjust(CLOCK_REALTIME, 5) == -EINVAL,
	       "clocks cannot be set");
}

static void texts(void)
{
	char text[32] = "abc";
	unsigned long long value = 1000000000007ULL;

	expect(!strcmp(strncat(text, "defgh", 2), "abcde") && strrchr(text, 'a') == text &&
		       strstr(text, "cd") == text + 2 && !strstr(text, "x") &&
		       strnlen(text, 3) == 3 && memchr(text, 'd', 5) == text + 3,
	       "string functions");
	expect(simple_strtol("-12", 0, 10) == -12 && do_div(value, 1000) == 7 &&
		       value == 1000000000ULL,
	       "numbers");
	expect(isdigit('7') && !isdigit('a') && toupper('a') == 'A' && isspace('\n') &&
		       isxdigit('f'),
	       "ctype.h");
}

int init_module(void)
{
	rtl_printf(KERN_INFO "parameters %d %d %d %d %ld\n", list[0], list[1], list[2], small,
		   wide);
	texts();
	refusals();
	version_1();
	barriers();
	result(made(spin_hold, 0, 10));
	result(made(ceiling, 0, 10));
	mutexes();
	semaphores();
	result(made(queues, 0, 10));
	waits();
	soft_interrupts();
	rtl_printf("init done, %d wrong\n", wrong);
	return 0;
}

static void *stay(void *arg)
{
	sem_wait(&sem);
	return arg;
}

/* The module was built with --threads 62. These do not include the thread that waits for the time of the removal. */
static void all_threads(void)
{
	pthread_t threads[62], more;
	int i;

	sem_init(&sem, 0, 0);
	for (i = 0; i < 62; i++)
		threads[i] = made(stay, i, 10);
	expect(pthread_create(&more, 0, stay, 0) == EAGAIN, "one thread more than --threads");
	for (i = 0; i < 62; i++)
		sem_post(&sem);
	for (i = 0; i < 62; i++)
		expect(result(threads[i]) == i, "each of 62 threads");
}

void cleanup_module(void)
{
	all_threads();
	expect(softs == 2,
	       "a soft interrupt that is pended twice runs once, and once more from its handler");
	rtl_printf("cleanup done, %d wrong\n", wrong);
}
