// SPDX-License-Identifier: BSD-2-Clause
/* Threads of the program: each is one of the component's, with the same id. */
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/thread.h>

#include <import/sched.h>

#include <asm/prctl.h>
#include <linux/sched.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"
#include "signals.h"
#include "timer.h"

/* What pthread_create() asks for; all that a new process would be is missing. */
#define CLONE_NEEDED (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define CLONE_KNOWN                                                                                \
	(CLONE_NEEDED | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |  \
	 CLONE_CHILD_CLEARTID | CLONE_DETACHED)

struct posix_thread posix_threads[POSIX_THREADS];
unsigned int posix_first;
bool posix_exiting;
static unsigned int alive; /* threads */

unsigned int posix_pid(void)
{
	return limpet_info()->thread;
}

struct posix_thread *thread_of(word tid)
{
	word place = tid - posix_first;

	return place < POSIX_THREADS && posix_threads[place].alive ? &posix_threads[place] : NULL;
}

/* The same, with 0 for the caller. */
static struct posix_thread *thread_or_self(word tid)
{
	return tid ? thread_of(tid) : posix_self();
}

void thread_begin(struct posix_thread *thread)
{
	const struct limpet_info *info = limpet_info();

	thread->stack = info->stacks + ((uint64_t)(posix_id(thread) + 1) << info->stack_shift);
	thread->alive = true;
	alive++;
}

#ifndef LIMPET_FAKE_KERNEL
void thread_pointers(const struct posix_thread *thread)
{
	asm volatile("wrfsbase %0\n\twrgsbase %1" : : "r"(thread->fs), "r"(thread));
}
#endif

/* Where the thread of a clone() begins. Its record is complete when the lock is free. */
static void thread_main(void)
{
	struct posix_thread *thread = posix_self();

	posix_lock();
	posix_unlock();
	thread_pointers(thread);
	posix_go(&thread->first);
}

/* The record of a thread that begins as `parent` is, but with result 0 and what clone() says. */
static void thread_new(struct posix_thread *thread, const struct posix_thread *parent)
{
	*thread = (struct posix_thread){
		.fs = parent->fs,
		.first = *parent->frame,
		.policy = parent->policy,
		.priority = parent->priority,
		.mask = parent->mask,
	};
	memcpy(thread->vectors, parent->vectors, sizeof(thread->vectors));
	thread->first.rax = 0;
	thread_begin(thread);
}

long call_clone(word flags, word stack, word parent_tid, word child_tid, word tls)
{
	struct posix_thread *self = posix_self(), *thread;
	long id;

	if ((flags & CLONE_NEEDED) != CLONE_NEEDED || flags & ~(word)CLONE_KNOWN || !stack)
		return -ENOSYS; /* fork, vfork */
	posix_lock();
	id = posix_exiting ? LIMPET_EQUOTA : sched_create((word)thread_main, 0, self->priority);
	if (id < 0) {
		posix_unlock();
		return -EAGAIN;
	}
	sched_detach((word)id);
	thread = &posix_threads[((unsigned int)id - posix_first) % POSIX_THREADS];
	thread_new(thread, self);
	thread->first.rsp = stack;
	if (flags & CLONE_SETTLS)
		thread->fs = tls;
	if (flags & CLONE_CHILD_CLEARTID)
		thread->clear_at_exit = (uint32_t *)child_tid;
	if (flags & CLONE_PARENT_SETTID)
		*(uint32_t *)parent_tid = (uint32_t)id;
	if (flags & CLONE_CHILD_SETTID)
		*(uint32_t *)child_tid = (uint32_t)id;
	posix_unlock();
	return id;
}

_Noreturn void thread_end(struct posix_thread *thread, int status)
{
	const bool last = alive == 1, told = posix_exiting;

	thread->alive = false;
	alive--;
	if (thread->clear_at_exit) {
		__atomic_store_n(thread->clear_at_exit, 0, __ATOMIC_SEQ_CST);
		futex_wake(thread->clear_at_exit);
	}
	signals_forget(thread);
	timers_forget(thread);
	posix_unlock();
	if (last && !told)
		limpet_print("exit status %d\n", status & 0xff);
	limpet_thread_exit(0);
}

long call_exit(word status)
{
	posix_lock();
	thread_end(posix_self(), (int)status);
}

_Noreturn void posix_exit(int status, int signal)
{
	bool first;

	posix_lock();
	first = !posix_exiting;
	posix_exiting = true;
	for (unsigned int id = 0; first && id < POSIX_THREADS; id++)
		thread_interrupt(&posix_threads[id]);
	posix_unlock();
	if (first) {
		console_end_line();
		if (signal)
			limpet_print("ended by signal %d\n", signal);
		else
			limpet_print("exit status %d\n", status & 0xff);
	}
	posix_lock();
	thread_end(posix_self(), status);
}

long call_exit_group(word status)
{
	posix_exit((int)status, 0);
}

long call_arch_prctl(word code, word address)
{
	struct posix_thread *thread = posix_self();

	if (code == ARCH_SET_FS)
		thread->fs = address;
	else if (code == ARCH_GET_FS)
		*(word *)address = thread->fs;
	else
		return -EINVAL;
	return 0;
}

long call_set_tid_address(word address)
{
	posix_self()->clear_at_exit = (uint32_t *)address;
	return posix_id(posix_self());
}

long call_gettid(void)
{
	return posix_id(posix_self());
}

/* Robust mutexes matter when a process dies; a component's memory goes with it. */
long call_set_robust_list(word head, word size)
{
	(void)head;
	(void)size;
	return 0;
}

/* --- sched_*: a priority of SCHED_FIFO is the scheduler's, SCHED_OTHER is the least */

#define PRIORITY_OTHER 1

long call_sched_yield(void)
{
	sched_yield();
	return 0;
}

static bool policy_real_time(word policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool policy_known(word policy)
{
	return policy_real_time(policy) || policy == SCHED_NORMAL || policy == SCHED_BATCH ||
	       policy == SCHED_IDLE;
}

static long policy_set(struct posix_thread *thread, word policy, int priority)
{
	const bool real_time = policy_real_time(policy);
	const uint32_t most = limpet_info()->priority;

	if (real_time ? priority < 1 || (uint32_t)priority > most : priority != 0)
		return -EINVAL;
	if (!real_time)
		priority = PRIORITY_OTHER;
	if (sched_priority(posix_id(thread), (word)priority) < 0)
		return -EPERM;
	thread->policy = (uint8_t)policy;
	thread->priority = (uint8_t)priority;
	return 0;
}

long call_sched_setscheduler(word tid, word policy, word param)
{
	struct posix_thread *thread = thread_or_self(tid);

	policy &= ~(word)SCHED_RESET_ON_FORK;
	if (!thread)
		return -ESRCH;
	return policy_known(policy) ? policy_set(thread, policy, *(const int *)param) : -EINVAL;
}

long call_sched_getscheduler(word tid)
{
	const struct posix_thread *thread = thread_or_self(tid);

	return thread ? thread->policy : -ESRCH;
}

long call_sched_setparam(word tid, word param)
{
	struct posix_thread *thread = thread_or_self(tid);

	return thread ? policy_set(thread, thread->policy, *(const int *)param) : -ESRCH;
}

long call_sched_getparam(word tid, word param)
{
	const struct posix_thread *thread = thread_or_self(tid);

	if (!thread)
		return -ESRCH;
	*(int *)param = policy_real_time(thread->policy) ? thread->priority : 0;
	return 0;
}

long call_sched_get_priority_max(word policy)
{
	if (!policy_known(policy))
		return -EINVAL;
	return policy_real_time(policy) ? (long)limpet_info()->priority : 0;
}

long call_sched_get_priority_min(word policy)
{
	return policy_known(policy) ? policy_real_time(policy) : -EINVAL;
}

long call_sched_rr_get_interval(word tid, word to)
{
	if (!thread_or_self(tid))
		return -ESRCH;
	*(struct timespec *)to = (struct timespec){ 0 };
	return 0;
}

/* A component has one processor; the program knows it as number 0. */
long call_sched_getaffinity(word tid, word size, word mask)
{
	if (!thread_or_self(tid))
		return -ESRCH;
	if (size < sizeof(word))
		return -EINVAL;
	*(word *)mask = 1;
	return sizeof(word);
}

long call_sched_setaffinity(word tid, word size, word mask)
{
	if (!thread_or_self(tid))
		return -ESRCH;
	return size && *(const uint8_t *)mask & 1 ? 0 : -EINVAL;
}

long call_getcpu(word cpu, word node)
{
	if (cpu)
		*(uint32_t *)cpu = 0;
	if (node)
		*(uint32_t *)node = 0;
	return 0;
}
