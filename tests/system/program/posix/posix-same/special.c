// SPDX-License-Identifier: BSD-2-Clause
/* Prints the results of FIFOs, signals with a descriptor, signals of timers, and names of other threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "same.h"

#define FIFO "/tmp/fifo"

/* Returns the current poll() events of a descriptor. */
static int polled(int fd)
{
	struct pollfd one = { fd, POLLIN | POLLOUT, 0 };

	return poll(&one, 1, 0) < 0 ? -1 : one.revents;
}

static void *write_soon(void *nothing)
{
	int fd;

	usleep(20000);
	fd = open(FIFO, O_WRONLY);
	SHOW(write(fd, "from a thread", 13));
	close(fd);
	return nothing;
}

static void fifo_ends(void)
{
	char text[32] = "";
	pthread_t thread;
	int reader;

	pthread_create(&thread, NULL, write_soon, NULL);
	reader = open(FIFO, O_RDONLY);
	pthread_join(thread, NULL);
	SHOW(read(reader, text, sizeof(text)));
	puts(text);
	SHOW(read(reader, text, sizeof(text)));
	SHOW(polled(reader));
	close(reader);
}

static void fifo_nonblocking(void)
{
	int reader, writer, second;
	char text[8];
	struct stat is;

	SHOW(open(FIFO, O_WRONLY | O_NONBLOCK));
	reader = open(FIFO, O_RDONLY | O_NONBLOCK);
	SHOW(polled(reader));
	SHOW(read(reader, text, sizeof(text)));
	writer = open(FIFO, O_WRONLY | O_NONBLOCK);
	second = open(FIFO, O_WRONLY);
	SHOW(read(reader, text, sizeof(text)));
	SHOW(write(writer, "abc", 3));
	SHOW(polled(reader));
	SHOW(polled(writer));
	SHOW(fstat(reader, &is));
	SHOW(S_ISFIFO(is.st_mode));
	SHOW(lseek(reader, 0, SEEK_SET));
	close(writer);
	SHOW(read(reader, text, sizeof(text)));
	SHOW(read(reader, text, sizeof(text)));
	close(second);
	SHOW(polled(reader));
	SHOW(read(reader, text, sizeof(text)));
	writer = open(FIFO, O_WRONLY);
	SHOW(polled(reader));
	SHOW(write(writer, "lost", 4));
	close(reader);
	SHOW(write(writer, "x", 1));
	SHOW(polled(writer));
	close(writer);
	reader = open(FIFO, O_RDONLY | O_NONBLOCK);
	SHOW(read(reader, text, sizeof(text)));
	close(reader);
}

/* Tests a descriptor for reading and writing, which is a reader and a writer. Its open waits for neither. */
static void fifo_both(void)
{
	const int both = open(FIFO, O_RDWR), reader = open(FIFO, O_RDONLY);
	const int writer = open(FIFO, O_WRONLY | O_NONBLOCK);
	struct pollfd polled = { .fd = both, .events = POLLIN | POLLOUT };
	char text[8];

	SHOW(poll(&polled, 1, 0));
	SHOW(polled.revents);
	SHOW(write(both, "abcd", 4));
	SHOW(poll(&polled, 1, 0));
	SHOW(polled.revents);
	SHOW(read(both, text, 2));
	SHOW(read(reader, text, sizeof(text)));
	close(reader);
	SHOW(write(writer, "ef", 2));
	close(writer);
	SHOW(read(both, text, sizeof(text)));
	close(both);
}

/* Tests that bytes remain in the FIFO when its name is removed while it is open. */
static void fifo_unlinked(void)
{
	const int reader = open(FIFO, O_RDONLY | O_NONBLOCK), writer = open(FIFO, O_WRONLY);
	char text[8];

	SHOW(unlink(FIFO));
	SHOW(open(FIFO, O_RDONLY));
	SHOW(write(writer, "abcd", 4));
	close(writer);
	SHOW(read(reader, text, sizeof(text)));
	close(reader);
}

static void fifos(void)
{
	struct stat is;

	puts("--- FIFOs");
	signal(SIGPIPE, SIG_IGN);
	SHOW(mkfifo(FIFO, 0640));
	SHOW(mkfifo(FIFO, 0640));
	SHOW(mkfifo("/nothing/fifo", 0640));
	SHOW(mkfifoat(AT_FDCWD, "/tmp/second", 0600));
	SHOW(rename("/tmp/second", "/tmp/third"));
	SHOW(unlink("/tmp/third"));
	SHOW(stat(FIFO, &is));
	SHOW(is.st_mode);
	SHOW(is.st_size);
	SHOW(truncate(FIFO, 0));
	fifo_ends();
	fifo_nonblocking();
	fifo_both();
	fifo_unlinked();
}

static void record_show(int fd)
{
	struct signalfd_siginfo is = { 0 };

	SHOW(read(fd, &is, sizeof(is)));
	SHOW(is.ssi_signo);
	SHOW(is.ssi_code);
	SHOW(is.ssi_int);
}

static void *raise_soon(void *nothing)
{
	usleep(20000);
	kill(getpid(), SIGUSR1);
	return nothing;
}

static void signals(void)
{
	const struct timespec none = { 0, 0 };
	struct epoll_event event = { .events = EPOLLIN };
	struct signalfd_siginfo three[3];
	int fd, again, epoll = epoll_create1(0);
	pthread_t thread;
	sigset_t set;

	puts("--- signalfd");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGKILL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	SHOW(signalfd(-1, &set, 1));
	SHOW(signalfd(1, &set, 0) < 0 && errno == EINVAL);
	SHOW(signalfd(60, &set, 0));
	SHOW(fcntl(fd, F_GETFL) & O_NONBLOCK);
	SHOW(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	SHOW(polled(fd));
	SHOW(read(fd, three, sizeof(three)));
	SHOW(read(fd, three, sizeof(three[0]) - 1));
	SHOW(write(fd, "x", 1));
	SHOW(raise(SIGUSR1));
	SHOW(polled(fd));
	SHOW(epoll_wait(epoll, &event, 1, 0));
	record_show(fd);
	SHOW(epoll_wait(epoll, &event, 1, 0));
	for (int i = 1; i < 5; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i });
	SHOW(read(fd, three, sizeof(three)) / (int)sizeof(three[0]));
	SHOW(three[0].ssi_int);
	SHOW(three[2].ssi_int);
	record_show(fd);
	SHOW(sigtimedwait(&set, NULL, &none));
	sigdelset(&set, SIGRTMIN);
	again = signalfd(fd, &set, 0);
	SHOW(again == fd);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 9 });
	SHOW(polled(fd));
	sigaddset(&set, SIGRTMIN);
	SHOW(sigtimedwait(&set, NULL, &none) == SIGRTMIN);
	fcntl(fd, F_SETFL, 0);
	pthread_create(&thread, NULL, raise_soon, NULL);
	record_show(fd);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, raise_soon, NULL);
	SHOW(epoll_wait(epoll, &event, 1, -1));
	pthread_join(thread, NULL);
	record_show(fd);
	close(epoll);
	close(fd);
}

static pthread_barrier_t named;

static void *be_named(void *nothing)
{
	pthread_setname_np(pthread_self(), "own");
	pthread_barrier_wait(&named);
	pthread_barrier_wait(&named);
	return nothing;
}

static void name_show(pthread_t thread)
{
	char name[16] = "";

	SHOW(pthread_getname_np(thread, name, sizeof(name)));
	puts(name);
}

static void names(void)
{
	pthread_t thread;

	puts("--- names of threads");
	pthread_barrier_init(&named, NULL, 2);
	pthread_create(&thread, NULL, be_named, NULL);
	pthread_barrier_wait(&named);
	name_show(thread);
	SHOW(pthread_setname_np(thread, "another"));
	name_show(thread);
	SHOW(pthread_setname_np(thread, "fifteen letters"));
	name_show(thread);
	SHOW(pthread_setname_np(thread, "more than fifteen letters"));
	SHOW(pthread_setname_np(thread, ""));
	name_show(thread);
	pthread_barrier_wait(&named);
	pthread_join(thread, NULL);
	SHOW(open("/proc/self/task/999999/comm", O_RDONLY));
}

/* Tests that timers with the same standard signal each deliver it, and what an action can block. */
static void signals_of_timers(void)
{
	const struct itimerspec soon = { .it_value = { 0, 1000000 } };
	const struct timespec none = { 0, 0 };
	struct sigaction action = { .sa_handler = SIG_IGN };
	siginfo_t info;
	timer_t timers[2];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	SHOW(sigprocmask(SIG_BLOCK, &set, NULL));
	for (int i = 0; i < 2; i++) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };

		event.sigev_value.sival_int = 7 + i;
		SHOW(timer_create(CLOCK_MONOTONIC, &event, &timers[i]));
		SHOW(timer_settime(timers[i], 0, &soon, NULL));
		usleep(5000);
	}
	SHOW(kill(getpid(), SIGUSR2));
	for (int i = 0; i < 2; i++) {
		SHOW(sigtimedwait(&set, &info, &none) == SIGUSR2);
		SHOW(info.si_code == SI_TIMER);
		SHOW(info.si_value.sival_int);
		SHOW(timer_delete(timers[i]));
	}
	SHOW(sigtimedwait(&set, &info, &none));
	SHOW(sigprocmask(SIG_UNBLOCK, &set, NULL));
	sigfillset(&action.sa_mask);
	SHOW(sigaction(SIGUSR2, &action, NULL));
	SHOW(sigaction(SIGUSR2, NULL, &action));
	SHOW(sigismember(&action.sa_mask, SIGKILL));
	SHOW(sigismember(&action.sa_mask, SIGSTOP));
	SHOW(sigismember(&action.sa_mask, SIGUSR1));
}

void special(void)
{
	fifos();
	signals();
	names();
	signals_of_timers();
}
