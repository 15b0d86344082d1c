// SPDX-License-Identifier: BSD-2-Clause
/* The system calls about signals. */
#include <runtime/memory.h>
#include <runtime/time.h>

#include "call.h"
#include "clock.h"
#include "signal_state.h"
#include "timer.h"

#define SS_ONSTACK 1 /* these two are not in the headers of the ABI */
#define SS_DISABLE 2

long call_rt_sigaction(word signal, word new, word old, word size)
{
	if (!signal || signal > SIGNALS || size != sizeof(uint64_t) ||
	    (new && BIT(signal) & UNBLOCKABLE))
		return -EINVAL;
	posix_lock();
	if (old)
		*(struct sigaction *)old = signal_actions[signal];
	if (new) {
		signal_actions[signal] = *(const struct sigaction *)new;
		signal_actions[signal].sa_mask &= ~UNBLOCKABLE;
	}
	if (new && signal_ignored((int)signal))
		signals_discard((int)signal);
	posix_unlock();
	return 0;
}

long call_rt_sigprocmask(word how, word new, word old, word size)
{
	struct posix_thread *thread = posix_self();
	const uint64_t before = thread->mask;
	uint64_t set;

	if (size != sizeof(uint64_t))
		return -EINVAL;
	if (new) {
		set = *(const uint64_t *)new;
		if (how == SIG_BLOCK)
			set |= before;
		else if (how == SIG_UNBLOCK)
			set = before & ~set;
		else if (how != SIG_SETMASK)
			return -EINVAL;
		thread->mask = set & ~UNBLOCKABLE;
	}
	if (old)
		*(uint64_t *)old = before;
	return 0;
}

long call_rt_sigpending(word set, word size)
{
	struct posix_thread *thread = posix_self();

	if (size > sizeof(uint64_t))
		return -EINVAL;
	memcpy((void *)set, &(uint64_t){ (thread->pending | signals_of_program) & thread->mask },
	       size);
	return 0;
}

long call_rt_sigtimedwait(word set, word to, word time, word size)
{
	struct posix_thread *thread = posix_self();
	const struct timespec *wanted = (const struct timespec *)time;
	struct siginfo info;
	uint64_t deadline;
	long status = 0;
	int signal;

	if (size != sizeof(uint64_t) || (wanted && time_bad(wanted)))
		return -EINVAL;
	deadline = wanted ? clock_after(wanted) : LIMPET_NEVER;
	posix_lock();
	thread->awaited = *(const uint64_t *)set & ~UNBLOCKABLE;
	while (!(signal = signal_take(thread, thread->awaited, &info)) && !status) {
		thread->waiting = WAITS;
		status = thread_wait(thread, deadline, 0);
		if (status == -EINTR && (thread->pending | signals_of_program) & thread->awaited)
			status = 0;
	}
	thread->awaited = 0;
	posix_unlock();
	if (!signal)
		return status == -ETIMEDOUT ? -EAGAIN : status;
	if (to)
		*(struct siginfo *)to = info;
	return signal;
}

/* Waits until a handler must be entered. Returns -EINTR. */
static long wait_for_signal(struct posix_thread *thread)
{
	thread->waiting = WAITS;
	while (thread_wait(thread, LIMPET_NEVER, 0) != -EINTR)
		thread->waiting = WAITS;
	return -EINTR;
}

long call_rt_sigsuspend(word set, word size)
{
	struct posix_thread *thread = posix_self();
	long status;

	if (size != sizeof(uint64_t))
		return -EINVAL;
	mask_replace(thread, *(const uint64_t *)set);
	posix_lock();
	status = wait_for_signal(thread);
	posix_unlock();
	return status;
}

long call_pause(void)
{
	long status;

	posix_lock();
	status = wait_for_signal(posix_self());
	posix_unlock();
	return status;
}

/* The structure's `flags` is an int, followed by the size. POSIX.1-2017, sigaltstack(). */
long call_sigaltstack(word new, word old)
{
	struct posix_thread *thread = posix_self();
	const stack_t *stack = (const stack_t *)new;
	const bool on_it = thread->alternate_size &&
			   thread->frame->rsp - thread->alternate - 1 < thread->alternate_size;

	if (old)
		*(stack_t *)old = (stack_t){ .ss_sp = (void *)thread->alternate,
					     .ss_flags = on_it			  ? SS_ONSTACK
							 : thread->alternate_size ? 0
										  : SS_DISABLE,
					     .ss_size = thread->alternate_size };
	if (!stack)
		return 0;
	if (on_it)
		return -EPERM;
	if (stack->ss_flags & ~(SS_DISABLE | SS_ONSTACK))
		return -EINVAL;
	if (!(stack->ss_flags & SS_DISABLE) && stack->ss_size < MINSIGSTKSZ)
		return -ENOMEM;
	thread->alternate = stack->ss_flags & SS_DISABLE ? 0 : (word)stack->ss_sp;
	thread->alternate_size = stack->ss_flags & SS_DISABLE ? 0 : stack->ss_size;
	return 0;
}

/*
 * Queues a signal with a value of the sender, like sigqueue() of POSIX.1-2017. Refuses the codes of the kernel itself.
 */
static long signal_queue(struct posix_thread *thread, word signal, word from)
{
	const struct siginfo *given = (const struct siginfo *)from;
	const struct signal_info info = { .code = given->si_code, .value = (word)given->si_ptr };
	long status = 0;

	if (!signal || signal > SIGNALS)
		return signal ? -EINVAL : 0;
	if (given->si_code >= 0 || given->si_code == SI_TKILL)
		return -EPERM;
	posix_lock();
	status = signal_post(thread, (int)signal, &info);
	posix_unlock();
	return status < 0 ? status : 0;
}

long call_rt_sigqueueinfo(word pid, word signal, word info)
{
	if (signal > SIGNALS)
		return -EINVAL;
	return pid == posix_pid() ? signal_queue(NULL, signal, info) : -ESRCH;
}

long call_rt_tgsigqueueinfo(word pid, word tid, word signal, word info)
{
	struct posix_thread *thread = thread_of(tid);

	return pid == posix_pid() && thread ? signal_queue(thread, signal, info) : -ESRCH;
}

static long signal_send(struct posix_thread *thread, word signal, int code)
{
	const struct signal_info info = { .code = code };
	long status = 0;

	if (signal > SIGNALS)
		return -EINVAL;
	posix_lock();
	if (signal)
		status = signal_post(thread, (int)signal, &info);
	posix_unlock();
	return status < 0 ? status : 0;
}

long call_tkill(word tid, word signal)
{
	struct posix_thread *thread = thread_of(tid);

	return thread ? signal_send(thread, signal, SI_TKILL) : -ESRCH;
}

long call_tgkill(word pid, word tid, word signal)
{
	return pid == posix_pid() ? call_tkill(tid, signal) : -ESRCH;
}

/*
 * The program is the only process, and the only one of its group, so kill(0), kill(-its id) and killpg() signal it. As
 * on Linux, kill(-1) signals all other processes except process 1. It fails, because there is no such process.
 * Process 1 exists as on every system, and a user without privileges may not signal it. POSIX.1-2017, kill().
 */
long call_kill(word pid, word signal)
{
	const int to = (int)pid;

	if (signal > SIGNALS)
		return -EINVAL;
	if (to == 1 && user_effective())
		return -EPERM;
	if (to && to != (int)posix_pid() && to != -(int)posix_pid())
		return -ESRCH;
	return signal_send(NULL, signal, SI_USER);
}
