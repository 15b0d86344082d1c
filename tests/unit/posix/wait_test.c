// SPDX-License-Identifier: BSD-2-Clause
/* Tests futexes, signals and timers. One thread runs, and a function does the work of the others meanwhile. */
#define _GNU_SOURCE
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <ucontext.h>

#include <runtime/types.h>

#include "../../../lib/posix/posix.h"
#include "../../../lib/posix/timer.h"

/* Copy of Linux's numbers, because <linux/futex.h> conflicts with the headers of some C libraries. */
enum { WAIT, WAKE, REQUEUE = 3, CMP_REQUEUE, LOCK_PI = 6, UNLOCK_PI, TRYLOCK_PI, WAIT_BITSET };
#define WAITERS 0x80000000u
#define MS FAKE_TICKS_PER_MS

struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static uint32_t first = 1, second = 1;
static const struct timespec five = { 0, 5000000 };

/* Makes a thread wait, without running it. */
static void sleeper(unsigned int id, const uint32_t *address, uint64_t since)
{
	posix_threads[id].waiting = WAITS;
	posix_threads[id].futex = address;
	posix_threads[id].futex_bits = ~0u;
	posix_threads[id].futex_since = since;
}

static void test_futex(void **state)
{
	uint64_t before = fake_time;

	(void)state;
	assert_int_equal(SYS(SYS_futex, &first, WAIT, 2, 0), -EAGAIN);
	assert_int_equal(SYS(SYS_futex, (char *)&first + 1, WAIT, 1, 0), -EINVAL);
	assert_int_equal(SYS(SYS_futex, &first, WAIT, 1, &five), -ETIMEDOUT);
	assert_int_equal(fake_time - before, 5 * MS);
	assert_int_equal(SYS(SYS_futex, &first, WAIT_BITSET, 1, &five, 0, 1),
			 -ETIMEDOUT); /* in the past */
	assert_int_equal(SYS(SYS_futex, &first, 99), -ENOSYS);
	sleeper(3, &first, 1);
	sleeper(4, &first, 3);
	sleeper(5, &second, 2);
	assert_int_equal(SYS(SYS_futex, &first, WAKE, 1), 1);
	assert_int_equal(fake_woken, 1 << 4); /* the one with the highest priority */
	assert_int_equal(SYS(SYS_futex, &first, CMP_REQUEUE, 0, 1, &second, 2), -EAGAIN);
	assert_int_equal(SYS(SYS_futex, &first, CMP_REQUEUE, 0, 1, &second, 1), 1);
	assert_int_equal(SYS(SYS_futex, &first, WAKE, 9), 0);
	posix_threads[5].priority = 3;
	assert_int_equal(SYS(SYS_futex, &second, WAKE, 1), 1);
	assert_int_equal(fake_woken, 1 << 4 | 1 << 3); /* the one that has waited longest */
	assert_int_equal(SYS(SYS_futex, &second, WAKE, 9), 1);
	posix_threads[5].priority = 5;
}

/* The program can set the real time to less than the time since the start. */
static void test_real_time(void **state)
{
	const int op = WAIT_BITSET | 256; /* FUTEX_CLOCK_REALTIME */
	const struct timespec set = { 5, 0 }, until = { 7, 0 };
	uint64_t before;

	(void)state;
	fake_time = 100000 * MS;
	before = fake_time;
	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &set), 0);
	assert_int_equal(SYS(SYS_futex, &first, op, 1, &until, 0, ~0u), -ETIMEDOUT);
	assert_int_equal(fake_time - before, 2000 * MS);
	assert_int_equal(SYS(SYS_futex, &first, op, 1, &set, 0, ~0u), -ETIMEDOUT); /* in the past */
	assert_int_equal(fake_time - before, 2000 * MS);
}

static uint32_t lock;
static long queue;

/* Thread 3 sets CLOCK_REALTIME past the deadlines of the other thread. */
static void clock_forward(void)
{
	const struct timespec set = { 3000, 0 };

	fake_thread = 3;
	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &set), 0);
}

static void clock_back(void)
{
	const struct timespec set = { 1500, 0 };

	fake_thread = 3;
	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &set), 0);
}

static long wait_queue(const struct timespec *until)
{
	char text[8];

	return SYS(SYS_mq_timedreceive, queue, text, 8, 0, until);
}

static long wait_space(const struct timespec *until)
{
	return SYS(SYS_mq_timedsend, queue, "text", 4, 0, until);
}

static long wait_lock(const struct timespec *until)
{
	lock = 3;
	return SYS(SYS_futex, &lock, LOCK_PI, 0, until);
}

/* Setting CLOCK_REALTIME moves the deadlines of waits that depend on it. */
static void real_time_set(long (*wait)(const struct timespec *until))
{
	const struct timespec from = { 1000, 0 }, until = { 2000, 0 };
	uint64_t before = fake_time;

	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &from), 0);
	fake_blocked = clock_forward;
	assert_int_equal(wait(&until), -ETIMEDOUT);
	assert_int_equal(fake_time, before);
	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &from), 0);
	fake_blocked = clock_back;
	assert_int_equal(wait(&until), -ETIMEDOUT);
	assert_int_equal(fake_time - before, 500000 * MS);
	assert_false(posix_threads[2].sleeps_real);
}

static void test_real_time_set(void **state)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	const struct timespec from = { 1000, 0 }, until = { 2000, 0 };
	const int op = WAIT_BITSET | 256; /* FUTEX_CLOCK_REALTIME */

	(void)state;
	queue = SYS(SYS_mq_open, "queue", O_CREAT | O_RDWR, 0600, &attributes);
	assert_true(queue >= 0);
	real_time_set(wait_queue);
	assert_int_equal(SYS(SYS_mq_timedsend, queue, "text", 4, 0, NULL), 0);
	real_time_set(wait_space);
	real_time_set(wait_lock);
	lock = 0;
	/* After the wake-up the program calls again, and its deadline has passed. */
	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &from), 0);
	fake_blocked = clock_forward;
	assert_int_equal(SYS(SYS_futex, &first, op, 1, &until, 0, ~0u), 0);
	assert_int_equal(SYS(SYS_futex, &first, op, 1, &until, 0, ~0u), -ETIMEDOUT);
	SYS(SYS_close, queue);
	assert_int_equal(SYS(SYS_mq_unlink, "queue"), 0);
}

static void give(void)
{
	fake_thread = 3;
	assert_int_equal(SYS(SYS_futex, &lock, UNLOCK_PI), 0);
	assert_int_equal(lock, WAITERS);
}

static void test_inheritance(void **state)
{
	(void)state;
	assert_int_equal(SYS(SYS_futex, &lock, LOCK_PI, 0, 0), 0);
	assert_int_equal(lock, 2);
	assert_int_equal(SYS(SYS_futex, &lock, LOCK_PI, 0, 0), -EDEADLK);
	assert_int_equal(SYS(SYS_futex, &lock, UNLOCK_PI), 0);
	assert_int_equal(lock, 0);
	assert_int_equal(SYS(SYS_futex, &lock, UNLOCK_PI), -EPERM);
	lock = 3;
	assert_int_equal(SYS(SYS_futex, &lock, TRYLOCK_PI), -EAGAIN);
	assert_int_equal(SYS(SYS_futex, &lock, LOCK_PI, 0, &five), -ETIMEDOUT); /* in the past */
	assert_int_equal(lock, 3 | WAITERS);
	fake_blocked = give;
	assert_int_equal(SYS(SYS_futex, &lock, LOCK_PI, 0, 0), 0);
	assert_int_equal(lock, 2);
	lock = 60;
	assert_int_equal(SYS(SYS_futex, &lock, LOCK_PI, 0, 0), -ESRCH);
}

/* --- signals */

static uint8_t stack[16384] __attribute__((aligned(64)));

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

static void restorer(void)
{
}

static void action_set(int number, unsigned long flags)
{
	struct kernel_action action = { handler, SA_SIGINFO | 0x04000000 | flags, restorer,
					1ul << (SIGUSR2 - 1) };

	assert_int_equal(SYS(SYS_rt_sigaction, number, &action, 0, 8), 0);
}

static void frame_set(void)
{
	fake_frame = (struct posix_frame){ .rbx = 11,
					   .r12 = 12,
					   .rip = 0x1000,
					   .flags = 0x202,
					   .rsp = (word)(stack + sizeof(stack)) };
	memset(posix_threads[2].vectors, 0x5a, sizeof(posix_threads[2].vectors));
}

/* Does the work of the handler's return. The stack pointer points to the context. */
static void handler_return(void)
{
	fake_frame.rsp += sizeof(word);
	fake_frame.rip = 0;
	memset(posix_threads[2].vectors, 0, sizeof(posix_threads[2].vectors));
	SYS(SYS_rt_sigreturn);
}

static void test_handler(void **state)
{
	const ucontext_t *context;
	const siginfo_t *info;
	uint64_t mask;

	(void)state;
	action_set(SIGUSR1, 0);
	frame_set();
	assert_int_equal(SYS(SYS_tkill, 2, SIGUSR1), 0); /* rax of the handler */
	assert_int_equal(fake_frame.rip, (word)handler);
	assert_int_equal(fake_frame.rdi, SIGUSR1);
	assert_true(fake_frame.rsp % 16 == 8 && *(word *)fake_frame.rsp == (word)restorer);
	assert_true(fake_frame.rsp < (word)(stack + sizeof(stack)) - 128 - 512);
	info = (const siginfo_t *)fake_frame.rsi;
	context = (const ucontext_t *)fake_frame.rdx;
	assert_int_equal(info->si_code, SI_TKILL);
	assert_int_equal(context->uc_mcontext.gregs[REG_RIP], 0x1000);
	assert_int_equal(context->uc_mcontext.gregs[REG_RBX], 11);
	assert_int_equal(context->uc_mcontext.gregs[REG_RAX], 0);
	assert_int_equal(posix_threads[2].mask, 1ul << (SIGUSR1 - 1) | 1ul << (SIGUSR2 - 1));
	handler_return();
	assert_int_equal(fake_frame.rip, 0x1000);
	assert_int_equal(fake_frame.rsp, (word)(stack + sizeof(stack)));
	assert_true(fake_frame.rbx == 11 && fake_frame.r12 == 12 &&
		    posix_threads[2].vectors[100] == 0x5a);
	assert_int_equal(posix_threads[2].mask, 0);
	mask = 1ul << (SIGUSR1 - 1);
	assert_int_equal(SYS(SYS_rt_sigprocmask, SIG_BLOCK, &mask, 0, 8), 0);
	frame_set();
	assert_int_equal(SYS(SYS_tkill, 2, SIGUSR1), 0);
	assert_int_equal(fake_frame.rip, 0x1000); /* it waits */
	assert_int_equal(SYS(SYS_rt_sigpending, &mask, 8), 0);
	assert_int_equal(mask, 1ul << (SIGUSR1 - 1));
	SYS(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, 8);
	assert_int_equal(fake_frame.rip, (word)handler);
	handler_return();
}

static void kick(void)
{
	fake_thread = 3;
	assert_int_equal(SYS(SYS_tgkill, 2, 2, SIGUSR1), 0);
	fake_thread = 2;
	frame_set();
	fake_frame.rax = SYS_futex;
}

/* The results of calls that a signal ends, and the calls that restart. */
static void test_interrupted(void **state)
{
	const ucontext_t *context;
	struct timespec rest;

	(void)state;
	for (int restarts = 0; restarts < 2; restarts++) {
		action_set(SIGUSR1, restarts ? SA_RESTART : 0);
		fake_blocked = kick;
		SYS(SYS_futex, &first, WAIT, 1, 0);
		context = (const ucontext_t *)fake_frame.rdx;
		assert_int_equal(context->uc_mcontext.gregs[REG_RAX],
				 restarts ? SYS_futex : -EINTR);
		assert_int_equal(context->uc_mcontext.gregs[REG_RIP],
				 restarts ? 0x1000 - 2 : 0x1000);
		handler_return();
	}
	fake_blocked = kick;
	SYS(SYS_nanosleep, &five, &rest);
	assert_int_equal(rest.tv_nsec, 5000000);
	context = (const ucontext_t *)fake_frame.rdx;
	assert_int_equal(context->uc_mcontext.gregs[REG_RAX], -EINTR);
	handler_return();
}

static void test_timer(void **state)
{
	struct itimerspec period = { { 0, 2000000 }, { 0, 3000000 } };
	uint64_t set = 1ul << (SIGRTMIN - 1), before;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	siginfo_t info;
	int timer;

	(void)state;
	event.sigev_value.sival_int = 9;
	SYS(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	assert_int_equal(SYS(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(SYS(SYS_timer_settime, timer, 0, &period, 0), 0);
	before = fake_time;
	assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, &info, 0, 8), SIGRTMIN);
	assert_int_equal(fake_time - before, 3 * MS);
	assert_true(info.si_code == SI_TIMER && info.si_value.sival_int == 9 &&
		    info.si_overrun == 0);
	fake_time += 9 * MS; /* 2, 4, 6, 8 ms: one signal, three more */
	assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, &info, 0, 8), SIGRTMIN);
	assert_int_equal(info.si_overrun, 3);
	assert_int_equal(SYS(SYS_timer_getoverrun, timer), 3);
	assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, &info, 0, 8), SIGRTMIN);
	assert_int_equal(fake_time - before, 13 * MS); /* the periods keep their phase */
	assert_int_equal(SYS(SYS_timer_delete, timer), 0);
	assert_int_equal(SYS(SYS_timer_delete, timer), -EINVAL);
	assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, &info, &five, 8), -EAGAIN);
	assert_int_equal(fake_time - before, 18 * MS);
	period.it_value.tv_nsec = -1;
	assert_int_equal(SYS(SYS_timer_create, CLOCK_MONOTONIC, 0, &timer), 0);
	assert_int_equal(SYS(SYS_timer_settime, timer, 0, &period, 0), -EINVAL);
	assert_int_equal(SYS(SYS_timer_delete, timer), 0);
	assert_int_equal(SYS(SYS_timer_create, 77, 0, &timer), -EINVAL);
	assert_int_equal(SYS(SYS_tkill, 2, 65), -EINVAL);
	assert_int_equal(SYS(SYS_tkill, 60, 1), -ESRCH);
}

/* Timers with the same standard signal each deliver it, with their values. Other senders do not queue it again. */
static void test_timers_share(void **state)
{
	const struct itimerspec soon = { .it_value = { 0, 1000000 } };
	uint64_t set = 1ul << (SIGUSR1 - 1);
	siginfo_t info;
	int timer[2];

	(void)state;
	SYS(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	for (int i = 0; i < 2; i++) {
		struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };

		event._sigev_un._tid = 2;
		event.sigev_value.sival_int = 7 + i;
		assert_int_equal(SYS(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer[i]), 0);
		assert_int_equal(SYS(SYS_timer_settime, timer[i], 0, &soon, 0), 0);
	}
	fake_time += MS;
	timers_fire(fake_time);
	assert_int_equal(SYS(SYS_tkill, 2, SIGUSR1), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, &info, &five, 8), SIGUSR1);
		assert_true(info.si_code == SI_TIMER && info.si_value.sival_int == 7 + i);
	}
	assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, &info, &five, 8), -EAGAIN);
	for (int i = 0; i < 2; i++)
		assert_int_equal(SYS(SYS_timer_delete, timer[i]), 0);
	SYS(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8);
}

/* An action cannot block SIGKILL and SIGSTOP. */
static void test_unblockable(void **state)
{
	struct kernel_action action = { handler, SA_SIGINFO | 0x04000000, restorer, ~0ul }, old;

	(void)state;
	assert_int_equal(SYS(SYS_rt_sigaction, SIGUSR1, &action, 0, 8), 0);
	assert_int_equal(SYS(SYS_rt_sigaction, SIGUSR1, 0, &old, 8), 0);
	assert_int_equal(~old.mask, 1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1));
	frame_set();
	assert_int_equal(SYS(SYS_tkill, 2, SIGUSR1), 0);
	assert_int_equal(~posix_threads[2].mask, 1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1));
	handler_return();
}

/* A computing thread is diverted once for a signal that it does not block, and then checks for the signal. */
static void test_divert(void **state)
{
	uint64_t set = 1ul << (SIGUSR1 - 1);

	(void)state;
	action_set(SIGUSR1, 0);
	assert_int_equal(SYS(SYS_tkill, 3, SIGUSR1), 0);
	assert_int_equal(fake_diverted, 1ul << 3);
	assert_int_equal(posix_threads[3].interrupted, FAKE_IP);
	fake_diverted = 0;
	assert_int_equal(SYS(SYS_tkill, 3, SIGUSR1), 0); /* already diverted */
	fake_thread = 4;
	SYS(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	fake_thread = 2;
	assert_int_equal(SYS(SYS_tkill, 4, SIGUSR1), 0); /* it blocks the signal */
	assert_int_equal(fake_diverted, 0);
	fake_thread = 4;
	set = 1ul << (SIGUSR1 - 1);
	assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, 0, &five, 8), SIGUSR1);
	fake_thread = 3;
	SYS(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	assert_int_equal(SYS(SYS_rt_sigtimedwait, &set, 0, &five, 8), SIGUSR1);
}

/*
 * An exception of the program is passed to a handler, with the processor's words, if the thread does not block it.
 * All other exceptions are faults of the component.
 */
static void test_exception(void **state)
{
	uint64_t set = 1ul << (SIGSEGV - 1);
	struct posix_frame frame = { .rsp = (word)(stack + sizeof(stack)), .rip = FAKE_IP };

	(void)state;
	assert_int_equal(posix_fault_handle(14, FAKE_TOUCHABLE, 6, FAKE_IP, 1), 0);
	assert_int_not_equal(posix_fault_handle(14, 0x123, 6, FAKE_IP, 0), 0);
	assert_int_equal(fake_passed_on, 14);
	action_set(SIGSEGV, 0);
	assert_int_not_equal(posix_fault_handle(14, 0x123, 6, FAKE_IP, 1), 0); /* in the library */
	assert_int_not_equal(posix_fault_handle(256, 0x123, 0, FAKE_IP, 0), 0);
	assert_int_equal(fake_passed_on, 256);
	SYS(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	assert_int_not_equal(posix_fault_handle(14, 0x123, 6, FAKE_IP, 0), 0);
	SYS(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8);
	assert_int_equal(fake_diverted, 0);
	assert_int_equal(posix_fault_handle(14, 0x123, 6, FAKE_IP, 0), 0);
	assert_int_equal(fake_diverted, 1ul << 2);
	assert_true(posix_threads[2].diverted);
	posix_exception_signal(&frame);
	assert_false(posix_threads[2].diverted);
	assert_int_equal(frame.rdi, SIGSEGV);
	assert_int_equal(((siginfo_t *)frame.rsi)->si_code, SEGV_MAPERR);
	assert_ptr_equal(((siginfo_t *)frame.rsi)->si_addr, (void *)0x123);
	assert_int_equal(((ucontext_t *)frame.rdx)->uc_mcontext.gregs[REG_ERR], 6);
	assert_true(posix_threads[2].mask & set);
	posix_threads[2].mask = 0;
}

/* Sends more signals than the queue holds. No accepted signal is lost. */
static void test_queue(void **state)
{
	uint64_t set = ~0ul;
	int sent = 0, got = 0;

	(void)state;
	SYS(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	while (SYS(SYS_tkill, 2, SIGRTMIN) == 0)
		sent++;
	assert_int_equal(sent, 64);
	while (SYS(SYS_rt_sigtimedwait, &set, 0, &five, 8) == SIGRTMIN)
		got++;
	assert_int_equal(got, sent);
	SYS(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8);
}

static void signal_send(void)
{
	SYS(SYS_tkill, 2, SIGRTMIN + 1);
}

/* A read waits for a signal of the set, and returns all that fit. Other signals stay pending. */
static void test_signalfd(void **state)
{
	const uint64_t set = 3ul << (SIGRTMIN - 1), only = 2ul << (SIGRTMIN - 1);
	struct signalfd_siginfo records[3];
	long file, other;

	(void)state;
	SYS(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	file = SYS(SYS_signalfd4, -1, &only, 8, 0);
	assert_true(file >= 0);
	other = SYS(SYS_eventfd2, 0, 0);
	assert_int_equal(SYS(SYS_signalfd4, other, &set, 8, 0), -EINVAL);
	assert_int_equal(SYS(SYS_close, other), 0);
	assert_int_equal(SYS(SYS_signalfd4, other, &set, 8, 0), -EBADF);
	SYS(SYS_tkill, 2, SIGRTMIN);
	fake_blocked = signal_send;
	assert_int_equal(SYS(SYS_read, file, records, sizeof(records)), sizeof(records[0]));
	assert_int_equal(records[0].ssi_signo, SIGRTMIN + 1);
	SYS(SYS_tkill, 2, SIGRTMIN + 1);
	assert_int_equal(SYS(SYS_signalfd4, file, &set, 8, 0), file);
	assert_int_equal(SYS(SYS_read, file, records, sizeof(records)), 2 * sizeof(records[0]));
	assert_int_equal(records[0].ssi_signo, SIGRTMIN);
	assert_int_equal(records[1].ssi_signo, SIGRTMIN + 1);
	SYS(SYS_close, file);
	SYS(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8);
}

/* Setting the real time cancels a timer with TFD_TIMER_CANCEL_ON_SET. A timer that is due at the new time expires. */
static void test_timerfd_clock_set(void **state)
{
	const struct itimerspec later = { .it_value = { 2000000, 0 } };
	const struct timespec set = { 2000001, 0 };
	uint64_t expired = 0;
	long canceled, plain;

	(void)state;
	canceled = SYS(SYS_timerfd_create, CLOCK_REALTIME, TFD_NONBLOCK);
	plain = SYS(SYS_timerfd_create, CLOCK_REALTIME, TFD_NONBLOCK);
	assert_int_equal(SYS(SYS_timerfd_settime, canceled,
			     TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &later, 0),
			 0);
	assert_int_equal(SYS(SYS_timerfd_settime, plain, TFD_TIMER_ABSTIME, &later, 0), 0);
	assert_int_equal(SYS(SYS_read, canceled, &expired, 8), -EAGAIN);
	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &set), 0);
	assert_int_equal(SYS(SYS_read, canceled, &expired, 8), -ECANCELED);
	assert_int_equal(SYS(SYS_read, canceled, &expired, 8), -EAGAIN);
	timers_fire(fake_time);
	assert_int_equal(SYS(SYS_read, plain, &expired, 8), 8);
	assert_int_equal(expired, 1);
	SYS(SYS_close, canceled);
	SYS(SYS_close, plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_futex, fake_begin),
		cmocka_unit_test_setup(test_real_time, fake_begin),
		cmocka_unit_test_setup(test_real_time_set, fake_begin),
		cmocka_unit_test_setup(test_inheritance, fake_begin),
		cmocka_unit_test_setup(test_handler, fake_begin),
		cmocka_unit_test_setup(test_interrupted, fake_begin),
		cmocka_unit_test_setup(test_timer, fake_begin),
		cmocka_unit_test_setup(test_timers_share, fake_begin),
		cmocka_unit_test_setup(test_unblockable, fake_begin),
		cmocka_unit_test_setup(test_divert, fake_begin),
		cmocka_unit_test_setup(test_exception, fake_begin),
		cmocka_unit_test_setup(test_signalfd, fake_begin),
		cmocka_unit_test_setup(test_queue, fake_begin),
		cmocka_unit_test_setup(test_timerfd_clock_set, fake_begin),
	};

	return cmocka_run_group_tests_name("posix waiting", tests, NULL, NULL);
}
