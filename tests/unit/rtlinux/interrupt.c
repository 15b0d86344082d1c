// SPDX-License-Identifier: GPL-2.0
/*
 * Tests how threads of an RTLinux module interrupt each other: lib/rtlinux/interrupt.c, core.c, period.c and thread.c. The test
 * replaces the kernel and the scheduler, and decides which thread calls. The worker computes at IP. The boss has a
 * higher priority. Returns the line of the first failure, at most 255, or 0.
 */
#include <rtlinux/core.h>

#include <runtime/kernel_call.h>
#include <runtime/thread.h>
#include <runtime/time.h>
#include <setjmp.h>
#include <sync/lock.h>

#include "threads.h"

#define FIRST 10
#define WORKER (FIRST + 1)
#define BOSS (FIRST + 2)
#define OTHER (FIRST + 3)
#define IP 0x401234

extern struct limpet_info own asm("__limpet_info");
struct limpet_info own = { .thread = FIRST, .first_thread = FIRST, .priority = 100 };
static unsigned int current = BOSS;
static bool elsewhere; /* the worker executes in another component */
static unsigned int diverted, locked, suspended, handled, ended;
/* What the boss does in the next handler or wait of the worker, or NULL. */
static void (*during)(void);
static jmp_buf end;
static struct rtl_thread_struct *worker, *boss;

word rtlinux_interrupted(void);

unsigned int limpet_thread_id(void)
{
	return current;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	EXPECT(LIMPET_CALL(0) - op == LIMPET_CALL_THREAD_DIVERT);
	EXPECT(locked == 1 && in[0] == WORKER && in[2] == (word)rtlinux_interrupt);
	if (elsewhere)
		return LIMPET_ESTATE;
	out->w0 = IP;
	if (in[1] != IP)
		return LIMPET_EAGAIN;
	diverted++;
	return LIMPET_OK;
}

void lock_take(struct lock *lock)
{
	(void)lock;
	locked++;
}

void lock_drop(struct lock *lock)
{
	(void)lock;
	locked--;
}

/* Lets the boss run. Returns whether it had something to do. */
static bool boss_runs(void)
{
	void (*act)(void) = during;

	during = NULL;
	current = BOSS;
	if (act)
		act();
	current = WORKER;
	return act;
}

/* Lets the worker run from its interruption until it ends. */
static bool worker_ends(void)
{
	const unsigned int before = ended;

	current = WORKER;
	if (!setjmp(end))
		rtlinux_interrupted();
	current = BOSS;
	return ended == before + 1;
}

/* The boss wakes the waiting worker. */
long sched_suspend_on(word object, word since, word owner, word deadline)
{
	(void)since;
	(void)owner;
	EXPECT(deadline == LIMPET_NEVER);
	if (current == BOSS) { /* it waits for the end of the worker */
		EXPECT(object == (word)boss);
		EXPECT(!worker->rtlinux_deleted || worker->rtlinux_level == boss->rtlinux_level);
		EXPECT(worker_ends());
		return LIMPET_OK;
	}
	EXPECT(object == (word)worker && current == WORKER);
	suspended++;
	if (!boss_runs()) {
		current = BOSS;
		EXPECT(!pthread_wakeup_np(worker));
		current = WORKER;
	}
	return LIMPET_OK;
}

void limpet_thread_exit(word value)
{
	EXPECT(current == WORKER && value == (word)PTHREAD_CANCELED && worker->rtlinux_inside);
	ended++;
	longjmp(end, 1);
}

long sched_join(word thread, word deadline, word *value)
{
	(void)deadline;
	EXPECT(current == BOSS && thread == WORKER && worker->rtlinux_ended);
	*value = (word)PTHREAD_CANCELED;
	return LIMPET_OK;
}

long sched_create(word entry, word argument, word priority)
{
	(void)entry;
	(void)argument;
	(void)priority;
	return LIMPET_EQUOTA;
}

hrtime_t gethrtime(void)
{
	return 0;
}

uint64_t limpet_time(void)
{
	return 0;
}

uint64_t rtlinux_stamp(hrtime_t time)
{
	EXPECT(time == HRTIME_INFINITY);
	return LIMPET_NEVER;
}

static void boss_interrupts(void)
{
	if (boss_runs() && worker->rtlinux_diverted)
		EXPECT(rtlinux_interrupted() == IP);
}

static void handler(int signal)
{
	EXPECT(signal == RTL_SIGUSR1 && pthread_self() == worker && !worker->rtlinux_inside);
	EXPECT(worker->blocked & 1ul << RTL_SIGUSR1);
	errno = ENOSPC;
	handled++;
	boss_interrupts();
}

static void other_handler(int signal)
{
	EXPECT(signal == RTL_SIGUSR2);
	boss_interrupts();
}

static struct rtl_thread_struct *made(unsigned int id, int priority)
{
	struct rtl_thread_struct *record = rtlinux_record(id);

	*record = (struct rtl_thread_struct){
		.magic = RTL_THREAD_MAGIC,
		.sched_param = { priority },
		.rtlinux_ceiling = -1,
		.errno_val = EBADF,
	};
	return record;
}

/* Starts a case: the worker computes, and the boss calls. */
static void begin(void)
{
	current = BOSS;
	boss = made(BOSS, 50);
	worker = made(WORKER, 10);
	rtlinux_order();
	elsewhere = false;
	diverted = suspended = handled = ended = 0;
}

static void library_leave(void)
{
	INSIDE;
}

/* Lets the worker run from its interruption. */
static void worker_runs(void)
{
	current = WORKER;
	EXPECT(rtlinux_interrupted() == IP && !worker->rtlinux_diverted);
	current = BOSS;
}

static void signal_interrupts(void)
{
	begin();
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1) && diverted == 1);
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1) && diverted == 1); /* it has not run since */
	worker_runs();
	EXPECT(handled == 1 && worker->errno_val == EBADF && !worker->blocked);
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1) && diverted == 2);
	elsewhere = true;
	begin();
	elsewhere = true;
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1) && !diverted && !worker->rtlinux_diverted);
}

static void library_is_not_interrupted(void)
{
	begin();
	worker->rtlinux_inside = 1;
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1) && !diverted);
	current = WORKER;
	library_leave(); /* a nested call */
	EXPECT(!handled);
	worker->rtlinux_inside = 0;
	library_leave();
	EXPECT(handled == 1);

	begin(); /* the worker enters the library before the kernel call */
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1) && diverted == 1);
	worker->rtlinux_inside = 1;
	worker_runs();
	EXPECT(!handled && worker->rtlinux_inside == 1);
	worker->rtlinux_inside = 0;
	current = WORKER;
	library_leave();
	EXPECT(handled == 1);
}

static void masked_is_not_interrupted(void)
{
	begin();
	current = WORKER;
	EXPECT(!rtlinux_mask() && rtlinux_mask() == 1);
	current = BOSS;
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1) && !pthread_suspend_np(worker) && !diverted);
	current = WORKER;
	library_leave();
	EXPECT(!handled && !suspended);
	rtlinux_mask_set(0);
	EXPECT(handled == 1 && suspended == 1);
}

static void blocked_signal_waits(void)
{
	const rtl_sigset_t set = 1ul << RTL_SIGUSR1;

	begin();
	current = WORKER;
	EXPECT(!pthread_sigmask(SIG_BLOCK, &set, NULL));
	current = BOSS;
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1));
	worker_runs();
	EXPECT(!handled);
	current = WORKER;
	EXPECT(!pthread_sigmask(SIG_UNBLOCK, &set, NULL) && handled == 1);
}

static void signal_send(void)
{
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1));
}

static void both_send(void)
{
	signal_send();
	EXPECT(!pthread_kill(worker, RTL_SIGUSR2));
}

/* A signal that comes while its handler, another one, or the mask of sigsuspend() blocks it is handled afterwards. */
static void blocked_signal_is_handled(void)
{
	const struct sigaction action = { .sa_handler = other_handler,
					  .sa_mask = 1ul << RTL_SIGUSR1 };
	const rtl_sigset_t set = 1ul << RTL_SIGUSR1;

	begin();
	EXPECT(!pthread_kill(worker, RTL_SIGUSR1));
	during = signal_send;
	worker_runs();
	EXPECT(handled == 2 && !worker->pending && !worker->blocked);

	EXPECT(!sigaction(RTL_SIGUSR2, &action, NULL));
	EXPECT(!pthread_kill(worker, RTL_SIGUSR2));
	during = signal_send;
	worker_runs();
	EXPECT(handled == 3 && !worker->pending && !worker->blocked);

	begin();
	current = WORKER;
	during = both_send;
	EXPECT(sigsuspend(&set) == -1 && handled == 1 && !worker->pending && !worker->blocked);
}

static void suspension(void)
{
	begin();
	EXPECT(!pthread_suspend_np(worker) && diverted == 1);
	worker_runs();
	EXPECT(suspended == 1 && !worker->rtlinux_object && !worker->pending);

	begin();
	EXPECT(!pthread_suspend_np(worker) && !pthread_wakeup_np(worker));
	worker_runs();
	EXPECT(!suspended && !worker->pending);
}

static bool was_suspended(void *times)
{
	return suspended >= *(unsigned int *)times;
}

/* A wake-up makes other waits test their condition again. It does not end a later wait. */
static void wakeups_are_not_counted(void)
{
	unsigned int times = 2;

	begin();
	worker->resume_time = HRTIME_INFINITY;
	worker->rtlinux_dormant = 1;
	EXPECT(!pthread_wakeup_np(worker) && !worker->rtlinux_dormant);
	current = WORKER;
	EXPECT(!pthread_wait_np() && suspended == 1);

	EXPECT(!rtlinux_wait(&times, was_suspended, HRTIME_INFINITY, 0) && suspended == times);
	EXPECT(!pthread_wait_np() && suspended == 3);

	times = 4; /* the thread is suspended when a wake-up has come for the wait of another object */
	worker->pending = 1ul << RTL_SIGNAL_SUSPEND | 1ul << RTL_SIGNAL_WAKEUP;
	worker->rtlinux_object = &times;
	EXPECT(!rtlinux_wait(&times, was_suspended, HRTIME_INFINITY, 0) && suspended == times);
	worker->rtlinux_object = NULL;
}

static void cleanup(void *ran)
{
	EXPECT(!worker->rtlinux_inside);
	++*(int *)ran;
}

static void cancellation(void)
{
	int ran = 0;
	struct rtl_cleanup record = { cleanup, &ran, NULL };

	begin();
	worker->rtlinux_cleanup = &record;
	EXPECT(!pthread_cancel(worker) && diverted == 1);
	worker_runs(); /* the type is deferred */
	EXPECT(!ended);
	worker->rtlinux_cancel_async = 1;
	worker->rtlinux_cancel_off = 1;
	EXPECT(!pthread_cancel(worker));
	worker_runs();
	EXPECT(!ended);
	worker->rtlinux_cancel_off = 0;
	EXPECT(!pthread_cancel(worker));
	EXPECT(worker_ends() && ran == 1);
}

static void deletion(void)
{
	int ran = 0;
	struct rtl_cleanup record = { cleanup, &ran, NULL };

	begin();
	worker->rtlinux_cleanup = &record;
	EXPECT(!pthread_delete_np(worker) && diverted == 1 && ended == 1 && !ran);
	EXPECT(pthread_delete_np(worker) == ESRCH);
}

static pthread_t other;

static void worker_delete(void)
{
	EXPECT(pthread_join(other, NULL) == EINVAL && pthread_detach(other) == EINVAL);
	EXPECT(!pthread_detach(worker) && !pthread_delete_np(worker));
}

static void worker_cancel(void)
{
	EXPECT(!pthread_cancel(worker));
}

static void worker_signal(void)
{
	EXPECT(!pthread_wakeup_np(worker) && !pthread_kill(worker, RTL_SIGUSR1));
	during = worker_cancel;
}

/* Makes the worker wait for the end of another thread. The boss ends the wait by `act`. */
static void worker_joins(void (*act)(void))
{
	begin();
	other = made(OTHER, 5);
	current = WORKER;
	during = act;
	if (!setjmp(end))
		pthread_join(other, NULL);
	current = BOSS;
	EXPECT(ended == 1 && !worker->rtlinux_object && other->magic);
}

/* A thread that waits for the end of another one handles signals, and can be deleted and cancelled. */
static void joining(void)
{
	void *value = NULL;

	worker_joins(worker_delete);
	EXPECT(!worker->magic);
	worker_joins(worker_signal);
	EXPECT(handled == 1);

	begin();
	EXPECT(!pthread_cancel(worker));
	worker->rtlinux_cancel_async = 1;
	EXPECT(!pthread_join(worker, &value) && value == PTHREAD_CANCELED && !worker->magic);
	EXPECT(pthread_join(worker, NULL) == ESRCH);
}

int main(void)
{
	const struct sigaction action = { .sa_handler = handler };

	begin();
	EXPECT(!sigaction(RTL_SIGUSR1, &action, NULL));
	signal_interrupts();
	library_is_not_interrupted();
	masked_is_not_interrupted();
	blocked_signal_waits();
	blocked_signal_is_handled();
	suspension();
	wakeups_are_not_counted();
	cancellation();
	deletion();
	joining();
	return failed > 255 ? 255 : failed;
}
