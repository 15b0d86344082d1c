// SPDX-License-Identifier: BSD-2-Clause
/* The system calls about threads. */
#include <runtime/memory.h>

#include <import/sched.h>

#include <asm/prctl.h>
#include <linux/futex.h>
#include <linux/sched.h>

#include "call.h"
#include "policy.h"

/* The flags of pthread_create(). A new process would lack some of them. */
#define CLONE_NEEDED (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define CLONE_KNOWN                                                                                \
	(CLONE_NEEDED | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |  \
	 CLONE_CHILD_CLEARTID | CLONE_DETACHED)

/* The start of a thread that clone() made. Its record is complete when the lock is free. */
static void thread_main(void)
{
	struct posix_thread *thread = posix_self();

	posix_lock();
	posix_unlock();
	thread_go(thread);
}

/* Makes the record of a new thread, which starts as a copy of `parent` with result 0 of the system call. */
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
	clock_thread_begin(thread);
	thread_begin(thread);
}

long call_clone(word flags, word stack, word parent_tid, word child_tid, word tls)
{
	struct posix_thread *self = posix_self(), *thread;
	long id;

	if ((flags & CLONE_NEEDED) != CLONE_NEEDED || flags & ~(word)CLONE_KNOWN || !stack)
		return -ENOSYS; /* fork, vfork */
	if (self->policy == SCHED_DEADLINE && !self->reset_on_fork)
		return -EAGAIN;
	posix_lock();
	id = posix_exiting ? LIMPET_EQUOTA : sched_create((word)thread_main, 0, self->priority);
	if (id < 0) {
		posix_unlock();
		return -EAGAIN;
	}
	sched_detach((word)id);
	thread = &posix_threads[((unsigned int)id - posix_first) % POSIX_THREADS];
	thread_new(thread, self);
	if (self->reset_on_fork)
		policy_reset(thread);
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

/* The list of robust mutexes that a thread has: POSIX.1-2017, pthread_mutexattr_setrobust(). See robust.c. */
long call_set_robust_list(word head, word size)
{
	if (size != sizeof(struct robust_list_head))
		return -EINVAL;
	posix_self()->robust = (struct robust_list_head *)head;
	return 0;
}

long call_get_robust_list(word tid, word head, word size)
{
	const struct posix_thread *thread = tid ? thread_of(tid) : posix_self();

	if (!thread)
		return -ESRCH;
	*(struct robust_list_head **)head = thread->robust;
	*(word *)size = sizeof(struct robust_list_head);
	return 0;
}
