// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints the results of poll(), select(), epoll, eventfd, timerfd, large mappings, locks of files, ignored signals and
 * names of threads. Part files.c has calls of files and limits, part ends.c the ends of mappings of files, and part
 * special.c FIFOs, signalfd and names of other threads. Linux runs the same source with the same C library, and both
 * outputs must be equal. Therefore the program prints no time, address or id.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "same.h"

#define MS 1000000l

static volatile int handled;

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / MS;
}

/* Starts a repeated SIGALRM, so that one arrives while the program waits. */
static void alarms(long us)
{
	const struct itimerval time = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &time, NULL);
}

static long give(int fd, uint64_t value)
{
	return write(fd, &value, sizeof(value));
}

/* Returns the value that was read, or -1. */
static long take(int fd)
{
	uint64_t value = 0;

	return read(fd, &value, sizeof(value)) < 0 ? -1 : (long)value;
}

static int later_fd;

static void *give_later(void *nothing)
{
	usleep(20000);
	give(later_fd, 1);
	return nothing;
}

/* Makes another thread write to a descriptor soon. */
static pthread_t give_soon(int fd)
{
	pthread_t thread;

	later_fd = fd;
	pthread_create(&thread, NULL, give_later, NULL);
	return thread;
}

static void events(void)
{
	int count = eventfd(3, EFD_NONBLOCK), one = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
	int blocking = eventfd(0, 0);
	pthread_t thread;
	char byte;

	puts("--- eventfd");
	SHOW(eventfd(0, 0x10000));
	SHOW(take(count));
	SHOW(take(count));
	SHOW(give(count, UINT64_MAX));
	SHOW(give(count, UINT64_MAX - 1));
	SHOW(give(count, 1));
	SHOW(take(count));
	SHOW(read(count, &byte, 1));
	SHOW(write(count, &byte, 1));
	SHOW(take(one));
	SHOW(take(one));
	SHOW(take(one));
	SHOW(fcntl(count, F_GETFL) & O_NONBLOCK);
	SHOW(fcntl(count, F_SETFL, 0));
	thread = give_soon(blocking);
	SHOW(take(blocking));
	pthread_join(thread, NULL);
	alarms(20000);
	SHOW(take(blocking));
	alarms(0);
	close(count);
	close(one);
	close(blocking);
	SHOW(take(count));
}

static void timers(void)
{
	const struct itimerspec once = { .it_value = { 0, 5 * MS } };
	const struct itimerspec often = { { 0, 2 * MS }, { 0, 2 * MS } };
	const struct itimerspec past = { .it_value = { 0, 1 } }, off = { 0 };
	const struct itimerspec far = { .it_value = { 1000, 0 } }, bad = { .it_value = { 0, -1 } };
	struct itimerspec left;
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), event = eventfd(0, 0);

	puts("--- timerfd");
	SHOW(timerfd_create(12345, 0));
	SHOW(timerfd_create(CLOCK_MONOTONIC, 1));
	SHOW(timerfd_settime(event, 0, &once, NULL));
	SHOW(timerfd_settime(99, 0, &once, NULL));
	SHOW(timerfd_settime(timer, 8, &once, NULL));
	SHOW(timerfd_settime(timer, 0, &bad, NULL));
	SHOW(timerfd_gettime(event, &left));
	SHOW(timerfd_settime(timer, 0, &once, NULL));
	SHOW(take(timer));
	SHOW(timerfd_gettime(timer, &left));
	SHOW(left.it_value.tv_sec || left.it_value.tv_nsec);
	SHOW(timerfd_settime(timer, 0, &often, NULL));
	usleep(15000);
	SHOW(take(timer) >= 7);
	SHOW(timerfd_settime(timer, TFD_TIMER_ABSTIME, &past, &left));
	SHOW(left.it_interval.tv_nsec);
	SHOW(take(timer));
	SHOW(timerfd_settime(timer, 0, &far, NULL));
	SHOW(timerfd_gettime(timer, &left));
	SHOW(left.it_value.tv_sec >= 990);
	SHOW(fcntl(timer, F_SETFL, O_NONBLOCK));
	SHOW(take(timer));
	SHOW(read(timer, &left, 7));
	SHOW(give(timer, 1));
	SHOW(timerfd_settime(timer, 0, &often, NULL));
	usleep(5000);
	SHOW(timerfd_settime(timer, 0, &off, NULL));
	SHOW(take(timer));
	close(timer);
	close(event);
}

/* Descriptors that polls() opens and later functions use. */
static int ends[2], event, timer, file, null;
static mqd_t queue;

static void poll_show(const char *when)
{
	struct pollfd polled[] = { { .fd = ends[0], .events = POLLIN | POLLOUT },
				   { .fd = ends[1], .events = POLLIN | POLLOUT },
				   { .fd = event, .events = POLLIN | POLLOUT },
				   { .fd = timer, .events = POLLIN },
				   { .fd = queue, .events = POLLIN | POLLOUT },
				   { .fd = file, .events = POLLIN | POLLOUT },
				   { .fd = null, .events = POLLIN },
				   { .fd = 63, .events = POLLIN },
				   { .fd = -1, .events = POLLIN } };
	const unsigned int count = sizeof(polled) / sizeof(*polled);
	int found = poll(polled, count, 0);

	printf("%s: %d of", when, found);
	for (unsigned int i = 0; i < count; i++)
		printf(" %x", polled[i].revents);
	printf("\n");
}

static void polls(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	const struct itimerspec soon = { .it_value = { 0, MS } };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	const struct timespec none = { 0, 0 }, bad = { 0, -1 };
	struct pollfd one = { .events = POLLIN };
	pthread_t thread;
	sigset_t set, old;
	long begin;

	puts("--- poll");
	mq_unlink("/limpet-same");
	SHOW(pipe(ends));
	event = eventfd(0, 0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	queue = mq_open("/limpet-same", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attr);
	file = open("/tmp/same", O_RDWR | O_CREAT, 0600);
	null = open("/dev/null", O_RDONLY);
	poll_show("nothing is there");
	give(ends[1], 1);
	give(event, 1);
	timerfd_settime(timer, 0, &soon, NULL);
	mq_send(queue, "text", 4, 0);
	usleep(5000);
	poll_show("all is there");
	give(event, UINT64_MAX - 2);
	poll_show("the event is full");
	one.fd = event;
	take(event);
	begin = now_ms();
	SHOW(poll(&one, 1, 30));
	SHOW(now_ms() - begin >= 29);
	thread = give_soon(event);
	SHOW(poll(&one, 1, -1));
	pthread_join(thread, NULL);
	take(event);
	sigaction(SIGALRM, &action, NULL);
	alarms(20000);
	SHOW(poll(&one, 1, -1));
	alarms(0);
	SHOW(poll(&one, 100000, 0));
	SHOW(ppoll(&one, 1, &bad, NULL));
	SHOW(ppoll(&one, 1, &none, NULL));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	handled = 0;
	SHOW(ppoll(&one, 1, NULL, &old));
	SHOW(handled);
	raise(SIGUSR1);
	give(event, 1);
	handled = 0;
	SHOW(ppoll(&one, 1, NULL, &old));
	SHOW(handled);
	sigprocmask(SIG_SETMASK, &old, NULL);
	SHOW(handled);
	take(event);
}

static void select_show(const char *what, int result, const fd_set *sets)
{
	show(what, result);
	for (unsigned int i = 0; i < 3; i++) {
		for (int fd = 0; fd < FD_SETSIZE; fd++)
			if (FD_ISSET(fd, &sets[i]))
				printf(" %s%s", (const char *[]){ "read ", "write ", "other " }[i],
				       fd == ends[0]   ? "reader"
				       : fd == ends[1] ? "writer"
						       : "event");
	}
	printf("\n");
}

static void selects(void)
{
	const struct timespec none = { 0, 0 };
	struct timeval time = { 0, 30000 }, bad = { 5, -1 };
	struct timespec raw = { 10, 0 };
	fd_set sets[3];
	long begin;
	int max = event + 1;

	puts("--- select");
	memset(sets, 0, sizeof(sets));
	FD_SET(ends[0], &sets[0]);
	FD_SET(event, &sets[0]);
	FD_SET(ends[1], &sets[1]);
	FD_SET(event, &sets[1]);
	FD_SET(event, &sets[2]);
	select_show("some are ready", select(max, &sets[0], &sets[1], &sets[2], NULL), sets);
	memset(sets, 0, sizeof(sets));
	FD_SET(event, &sets[0]);
	begin = now_ms();
	select_show("the time is over", select(max, &sets[0], NULL, NULL, &time), sets);
	SHOW(now_ms() - begin >= 29);
	FD_SET(event, &sets[0]);
	alarms(20000);
	select_show("a signal", select(max, &sets[0], NULL, NULL, NULL), sets);
	SHOW(syscall(SYS_pselect6, max, &sets[0], NULL, NULL, &raw, NULL));
	alarms(0);
	SHOW(raw.tv_sec == 9);
	FD_SET(62, &sets[0]);
	select_show("a closed descriptor", select(63, &sets[0], NULL, NULL, NULL), sets);
	SHOW(select(-1, NULL, NULL, NULL, NULL));
	SHOW(select(0, NULL, NULL, NULL, &bad));
	SHOW(bad.tv_sec); /* an invalid time is not changed */
	SHOW(pselect(0, NULL, NULL, NULL, &none, NULL));
	close(ends[1]);
	FD_ZERO(&sets[0]);
	FD_SET(ends[0], &sets[0]);
	take(ends[0]);
	select_show("the end of a pipe", select(max, &sets[0], NULL, NULL, NULL), sets);
	poll_show("the writer is closed");
	close(ends[0]);
	SHOW(pipe(ends));
	close(ends[0]);
	ends[0] = 61;
	poll_show("the reader is closed");
	close(ends[1]);
}

/* Waits for up to `max` events, and prints them. */
static void epoll_show(const char *when, int epoll, int max, int ms)
{
	struct epoll_event found[8];
	int count = epoll_wait(epoll, found, max, ms);

	show(when, count);
	for (int i = 0; i < count; i++)
		printf(" %x of %d", found[i].events, (int)found[i].data.u32);
	printf("\n");
}

static int epoll_set(int epoll, int operation, int fd, unsigned int events, int name)
{
	struct epoll_event event = { .events = events, .data = { .u32 = (uint32_t)name } };

	return epoll_ctl(epoll, operation, fd, &event);
}

static void epolls(void)
{
	const struct itimerspec soon = { .it_value = { 0, MS } };
	int epoll = epoll_create1(EPOLL_CLOEXEC), second, copy;
	struct pollfd polled = { .fd = epoll, .events = POLLIN };
	struct epoll_event found;
	pthread_t thread;
	sigset_t empty;
	char text[16];

	puts("--- epoll");
	SHOW(epoll_create(0));
	SHOW(epoll_create1(1));
	SHOW(pipe(ends));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, file, EPOLLIN, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, null, EPOLLIN, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, 63, EPOLLIN, 1));
	SHOW(epoll_set(63, EPOLL_CTL_ADD, event, EPOLLIN, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, epoll, EPOLLIN, 1));
	SHOW(epoll_set(event, EPOLL_CTL_ADD, epoll, EPOLLIN, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_MOD, event, EPOLLIN, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_DEL, event, EPOLLIN, 1));
	SHOW(epoll_set(epoll, 77, event, EPOLLIN, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, event, EPOLLIN, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, event, EPOLLIN, 1));
	SHOW(epoll_wait(event, &found, 1, 0));
	SHOW(epoll_wait(63, &found, 1, 0));
	SHOW(epoll_wait(epoll, &found, 0, 0));
	SHOW(poll(&polled, 1, 0));
	epoll_show("nothing", epoll, 8, 10);
	give(event, 1);
	SHOW(poll(&polled, 1, 0));
	epoll_show("level", epoll, 8, -1);
	epoll_show("level again", epoll, 8, -1);
	take(event);
	epoll_show("level is over", epoll, 8, 0);
	SHOW(poll(&polled, 1, 0));
	SHOW(epoll_set(epoll, EPOLL_CTL_MOD, event, EPOLLIN | EPOLLET, 2));
	give(event, 1);
	epoll_show("edge", epoll, 8, -1);
	epoll_show("no edge", epoll, 8, 0);
	give(event, 1);
	epoll_show("second edge", epoll, 8, 0);
	SHOW(epoll_set(epoll, EPOLL_CTL_MOD, event, EPOLLIN | EPOLLONESHOT, 3));
	epoll_show("once", epoll, 8, 0);
	give(event, 1);
	epoll_show("only once", epoll, 8, 0);
	SHOW(epoll_set(epoll, EPOLL_CTL_MOD, event, EPOLLIN | EPOLLOUT | EPOLLONESHOT, 4));
	epoll_show("enabled", epoll, 8, 0);
	take(event);
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, ends[0], EPOLLIN | EPOLLET, 5));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, ends[1], EPOLLOUT | EPOLLET, 6));
	epoll_show("writer", epoll, 8, 0);
	SHOW(write(ends[1], "one", 3));
	epoll_show("reader", epoll, 8, 0);
	SHOW(read(ends[0], text, 1));
	epoll_show("rest without an edge", epoll, 8, 0);
	SHOW(write(ends[1], "two", 3));
	epoll_show("reader again", epoll, 8, 0);
	SHOW(epoll_set(epoll, EPOLL_CTL_MOD, event, EPOLLIN, 7));
	SHOW(epoll_set(epoll, EPOLL_CTL_MOD, ends[0], EPOLLIN, 8));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, timer, EPOLLIN, 9));
	take(timer);
	timerfd_settime(timer, 0, &soon, NULL);
	usleep(5000);
	give(event, 1);
	epoll_show("first of three", epoll, 1, 0);
	epoll_show("second", epoll, 1, 0);
	epoll_show("third", epoll, 1, 0);
	epoll_show("first again", epoll, 1, 0);
	take(event);
	take(timer);
	SHOW(epoll_set(epoll, EPOLL_CTL_DEL, timer, 0, 0));
	mq_send(queue, "text", 4, 0);
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, queue, EPOLLIN, 10));
	epoll_show("queue and reader", epoll, 8, 0);
	SHOW(mq_receive(queue, text, 8, NULL));
	SHOW(close(ends[1]));
	epoll_show("end of the pipe", epoll, 8, 0);
	SHOW(read(ends[0], text, 16));
	epoll_show("empty pipe", epoll, 8, 0);
	copy = dup(ends[0]);
	SHOW(close(ends[0]));
	epoll_show("a copy keeps it", epoll, 8, 0);
	SHOW(close(copy));
	epoll_show("all are closed", epoll, 8, 0);
	thread = give_soon(event);
	epoll_show("another thread", epoll, 8, -1);
	pthread_join(thread, NULL);
	take(event);
	alarms(20000);
	epoll_show("a signal", epoll, 8, -1);
	sigemptyset(&empty);
	SHOW(epoll_pwait(epoll, &found, 1, 1000, &empty));
	alarms(0);
	second = epoll_create(1);
	SHOW(epoll_set(second, EPOLL_CTL_ADD, event, EPOLLOUT, 11));
	give(event, 1);
	epoll_show("first instance", epoll, 8, 0);
	epoll_show("second instance", second, 8, 0);
	SHOW(read(epoll, text, 8));
	SHOW(close(epoll));
	SHOW(close(second));
	SHOW(mq_close(queue));
	SHOW(mq_unlink("/limpet-same"));
}

/* Tests refusals of EPOLLEXCLUSIVE, and waits with a time in nanoseconds. */
static void epoll_options(void)
{
	int epoll = epoll_create1(0), second = epoll_create1(0), counter = eventfd(1, 0);
	struct timespec none = { 0, 0 }, soon = { 0, 20 * MS }, bad = { 0, -1 };
	struct epoll_event found;
	sigset_t empty;

	puts("--- epoll options");
	sigemptyset(&empty);
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, counter, EPOLLIN | EPOLLONESHOT | EPOLLEXCLUSIVE, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, counter, EPOLLIN | EPOLLRDHUP | EPOLLEXCLUSIVE, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, counter, EPOLLIN | EPOLLEXCLUSIVE, 1));
	SHOW(epoll_set(epoll, EPOLL_CTL_MOD, counter, EPOLLIN, 1));
	SHOW(epoll_set(second, EPOLL_CTL_ADD, counter, EPOLLOUT, 1));
	SHOW(epoll_set(second, EPOLL_CTL_MOD, counter, EPOLLIN | EPOLLEXCLUSIVE, 1));
	epoll_show("exclusive", epoll, 8, 0);
	SHOW(syscall(SYS_epoll_pwait2, epoll, &found, 1, &none, NULL, 0));
	take(counter);
	SHOW(syscall(SYS_epoll_pwait2, epoll, &found, 1, &soon, &empty, 8));
	SHOW(syscall(SYS_epoll_pwait2, epoll, &found, 1, &bad, NULL, 0));
	SHOW(syscall(SYS_epoll_pwait2, epoll, &found, 1, &soon, &empty, 4));
	SHOW(syscall(SYS_epoll_pwait2, counter, &found, 1, &none, NULL, 0));
	alarms(20000);
	SHOW(syscall(SYS_epoll_pwait2, epoll, &found, 1, NULL, NULL, 0));
	alarms(0);
	SHOW(close(counter));
	SHOW(close(second));
	SHOW(close(epoll));
}

#define CHAIN 5

/* Tests epoll instances that watch other instances. */
static void epoll_nested(void)
{
	int chain[CHAIN], counter = eventfd(0, 0);
	pthread_t thread;

	puts("--- nested epoll");
	for (int i = 0; i < CHAIN; i++)
		chain[i] = epoll_create1(0);
	for (int i = 1; i < CHAIN; i++)
		SHOW(epoll_set(chain[i], EPOLL_CTL_ADD, chain[i - 1], EPOLLIN, i));
	SHOW(epoll_set(chain[0], EPOLL_CTL_ADD, chain[3], EPOLLIN, 1));
	SHOW(epoll_set(chain[1], EPOLL_CTL_ADD, chain[0], EPOLLIN, 1));
	SHOW(epoll_set(chain[2], EPOLL_CTL_ADD, chain[0], EPOLLIN | EPOLLEXCLUSIVE, 1));
	epoll_show("nothing", chain[2], 8, 0);
	SHOW(epoll_set(chain[0], EPOLL_CTL_ADD, counter, EPOLLIN, 10));
	epoll_show("nothing yet", chain[2], 8, 0);
	thread = give_soon(counter);
	epoll_show("an inner event", chain[2], 8, -1);
	pthread_join(thread, NULL);
	epoll_show("again", chain[2], 8, 0);
	epoll_show("one in", chain[1], 8, 0);
	epoll_show("innermost", chain[0], 8, 0);
	take(counter);
	epoll_show("it is over", chain[2], 8, 0);
	SHOW(epoll_set(chain[2], EPOLL_CTL_MOD, chain[1], EPOLLIN | EPOLLET, 2));
	give(counter, 1);
	epoll_show("edge", chain[2], 8, 0);
	epoll_show("no edge", chain[2], 8, 0);
	give(counter, 1);
	epoll_show("second edge", chain[2], 8, 0);
	SHOW(close(chain[1]));
	epoll_show("a closed instance", chain[2], 8, 0);
	SHOW(close(counter));
}

/* Tests that a writer gets an edge when a full pipe has space again. */
static void pipe_full(void)
{
	static char block[4096];
	int epoll = epoll_create1(0);

	puts("--- a full pipe");
	SHOW(pipe2(ends, O_NONBLOCK));
	SHOW(epoll_set(epoll, EPOLL_CTL_ADD, ends[1], EPOLLOUT | EPOLLET, 1));
	epoll_show("space", epoll, 8, 0);
	while (write(ends[1], block, 512) == 512)
		;
	SHOW(write(ends[1], block, 512));
	epoll_show("full", epoll, 8, 0);
	SHOW(read(ends[0], block, sizeof(block)));
	epoll_show("space again", epoll, 8, 0);
	SHOW(write(ends[1], block, 512));
	epoll_show("no edge", epoll, 8, 0);
	close(ends[0]);
	epoll_show("no reader", epoll, 8, 0);
	signal(SIGPIPE, SIG_IGN);
	SHOW(write(ends[1], block, 1));
	close(ends[1]);
	close(epoll);
}

static void mappings(void)
{
	const size_t size = 24 << 20, half = size / 2;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	puts("--- mappings");
	SHOW(memory != MAP_FAILED);
	if (memory == MAP_FAILED)
		return;
	for (size_t at = 0; at < size; at += 4096)
		sum += memory[at]++;
	SHOW(sum);
	SHOW(mprotect(memory + half - 8192, 16384, PROT_READ));
	SHOW(memory[half - 4096] + memory[half]);
	SHOW(mprotect(memory + half - 8192, 16384, PROT_READ | PROT_WRITE));
	memory[half - 4096] = memory[half] = 2;
	SHOW(memory[half - 4096] + memory[half] + memory[half - 8192]);
	SHOW(munmap(memory + half - 8192, 16384));
	SHOW(memory[half - 12288] + memory[half + 8192] + memory[size - 4096]);
	SHOW(munmap(memory, half - 8192));
	SHOW(munmap(memory + half + 8192, half - 8192));
	memory =
		mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SHOW(memory != MAP_FAILED);
	SHOW(memory[0] + memory[half] + memory[size]);
	SHOW(munmap(memory, size + 4096));
	SHOW(mmap(NULL, 1ul << 47, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
}

static void locks(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 8, .l_len = 8 };
	char name[16];

	puts("--- locks and names");
	SHOW(fcntl(file, F_SETLK, &lock));
	SHOW(fcntl(file, F_SETLKW, &lock));
	SHOW(fcntl(file, F_GETLK, &lock));
	SHOW(lock.l_type == F_UNLCK);
	SHOW(fcntl(null, F_SETLK, &lock));
	lock.l_type = F_WRLCK;
	SHOW(fcntl(null, F_SETLK, &lock));
	lock.l_type = F_UNLCK;
	SHOW(fcntl(file, F_SETLK, &lock));
	lock.l_type = F_WRLCK;
	SHOW(fcntl(file, F_OFD_SETLK, &lock));
	lock.l_type = F_RDLCK;
	SHOW(fcntl(file, F_OFD_GETLK, &lock));
	SHOW(lock.l_type == F_UNLCK);
	lock.l_type = 77;
	SHOW(fcntl(file, F_SETLK, &lock));
	SHOW(prctl(PR_SET_NAME, "a name of more than 15"));
	SHOW(prctl(PR_GET_NAME, name));
	puts(name);
	SHOW(pthread_setname_np(pthread_self(), "short"));
	SHOW(prctl(PR_GET_NAME, name));
	puts(name);
}

/* --- System calls of SQLite's unix VFS: a rollback journal, and then the index of a write-ahead log */

#define DB "/tmp/same.db"
#define PENDING 0x40000000 /* the first byte that SQLite locks, possibly after the file's end */
#define SHARED_SIZE 510
#define PAGE 4096

static int lock(int fd, int type, long start, long size)
{
	struct flock range = {
		.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start, .l_len = size
	};

	return fcntl(fd, F_SETLK, &range);
}

static void transaction(int db)
{
	static char page[PAGE] = "page";
	int journal, folder;

	SHOW(lock(db, F_RDLCK, PENDING, 1));
	SHOW(lock(db, F_RDLCK, PENDING + 2, SHARED_SIZE));
	SHOW(lock(db, F_UNLCK, PENDING, 1));
	SHOW(lock(db, F_WRLCK, PENDING + 1, 1));
	SHOW(access(DB "-journal", F_OK));
	journal = open(DB "-journal", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	SHOW(journal == -1);
	SHOW(fchmod(journal, 0640));
	SHOW(fchown(journal, 0, 0));
	SHOW(pwrite(journal, page, 512, 0));
	SHOW(pwrite(journal, page, PAGE, 512));
	SHOW(fsync(journal));
	folder = open("/tmp", O_RDONLY | O_CLOEXEC);
	SHOW(fsync(folder));
	close(folder);
	SHOW(lock(db, F_WRLCK, PENDING, 1));
	SHOW(lock(db, F_WRLCK, PENDING + 2, SHARED_SIZE));
	SHOW(pwrite(db, page, PAGE, 2 * PAGE));
	SHOW(pread(db, page, PAGE, PAGE));
	SHOW(page[0] + page[PAGE - 1]);
	SHOW(pread(db, page, PAGE, 2 * PAGE));
	SHOW(pread(db, page, PAGE, 3 * PAGE));
	SHOW(fdatasync(db));
	SHOW(close(journal));
	SHOW(unlink(DB "-journal"));
	SHOW(lock(db, F_RDLCK, PENDING + 2, SHARED_SIZE));
	SHOW(lock(db, F_UNLCK, 0, 0));
}

static void log_index(void)
{
	int shm = open(DB "-shm", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	char *map;

	SHOW(lock(shm, F_WRLCK, 128, 1));
	SHOW(ftruncate(shm, 3));
	SHOW(lock(shm, F_RDLCK, 128, 1));
	for (long at = PAGE - 1; at < 8 * PAGE; at += PAGE)
		SHOW(pwrite(shm, "", 1, at));
	map = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, shm, 0);
	SHOW(map == MAP_FAILED);
	map[5 * PAGE] = 'x';
	SHOW(lock(shm, F_WRLCK, 120, 1));
	SHOW(pread(shm, map, 1, 5 * PAGE));
	SHOW(map[0]);
	SHOW(munmap(map, 8 * PAGE));
	SHOW(close(shm));
	SHOW(unlink(DB "-shm"));
}

static void database(void)
{
	struct flock range = { .l_type = F_WRLCK, .l_start = PENDING + 1, .l_len = 1 };
	char text[64];
	struct stat is;
	int db;

	puts("--- a database");
	unlink(DB);
	SHOW(lstat(DB, &is));
	db = open(DB, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	SHOW(fstat(db, &is));
	SHOW(S_ISREG(is.st_mode) + is.st_size + (long)is.st_nlink);
	SHOW(fcntl(db, F_GETFD));
	SHOW(fcntl(db, F_SETFD, 0));
	SHOW(fcntl(db, F_GETFD));
	SHOW(fcntl(db, F_GETFL) & O_CLOEXEC);
	SHOW(fcntl(db, F_GETLK, &range));
	SHOW(range.l_type == F_UNLCK);
	transaction(db);
	log_index();
	SHOW(ftruncate(db, PAGE));
	SHOW(fstat(db, &is));
	SHOW(is.st_size);
	SHOW(readlink(DB, text, sizeof(text)));
	SHOW(close(db));
	SHOW(stat(DB, &is));
	SHOW(is.st_size);
	SHOW(unlink(DB));
}

/* Tests that ignoring a signal discards pending ones of the thread and of the program. */
static void signals_ignored(void)
{
	sigset_t set, pending;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	SHOW(sigprocmask(SIG_BLOCK, &set, NULL));
	signal(SIGUSR2, on_signal);
	SHOW(raise(SIGUSR2));
	SHOW(kill(getpid(), SIGUSR2));
	SHOW(sigpending(&pending));
	SHOW(sigismember(&pending, SIGUSR2));
	signal(SIGUSR2, SIG_IGN);
	SHOW(sigpending(&pending));
	SHOW(sigismember(&pending, SIGUSR2));
	signal(SIGUSR2, on_signal);
	handled = 0;
	SHOW(sigprocmask(SIG_UNBLOCK, &set, NULL));
	SHOW(handled);
}

int main(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGALRM, &action, NULL);
	events();
	timers();
	polls();
	selects();
	epolls();
	epoll_options();
	epoll_nested();
	pipe_full();
	mappings();
	locks();
	signals_ignored();
	database();
	special();
	file_ends();
	files();
	return 0;
}
