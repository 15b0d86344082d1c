// SPDX-License-Identifier: BSD-2-Clause
/* The system calls about signals. */
#include <runtime/memory.h>
#include <runtime/time.h>

#include "call.h"
#include "clock.h"
#include "signal_state.h"
#include "timer.h"

#define SS_DISABLE 2 /* not in the headers of the ABI */

long call_rt_sigaction(word signal, word new, word old, word size)
{
	if (!signal || signal > SIGNALS || size != sizeof(uint64_t) ||
	    (new && BIT(signal) & UNBLOCKABLE))
		return -EINVAL;
	posix_lock();
	if (old)
		*(struct sigaction *)old = signal_actions[signal];
	if (new)
		signal_actions[signal] = *(const struct sigaction *)new;
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
	timers_fire(limpet_time());
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

/* Until a handler was, or is to be, entered. */
static long wait_for_signal(struct posix_thread *thread)
{
	thread->waiting = WAITS;
	while (thread_wait(thread, LIMPET_NEVER, 0) != -EINTR)
		thread->waiting = WAITS;
	return -EINTR;
}

void mask_replace(struct posix_thread *thread, uint64_t mask)
{
	posix_lock();
	thread->mask_after = thread->mask;
	thread->mask_restore = true;
	thread->mask = mask & ~UNBLOCKABLE;
	posix_unlock();
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

/* The structure's `flags` is an int, followed by the size. */
long call_sigaltstack(word new, word old)
{
	struct posix_thread *thread = posix_self();

	if (old)
		*(stack_t *)old = (stack_t){ .ss_sp = (void *)thread->alternate,
					     .ss_flags = thread->alternate_size ? 0 : SS_DISABLE,
					     .ss_size = thread->alternate_size };
	if (new) {
		const stack_t *stack = (const stack_t *)new;
		const bool off = stack->ss_flags & SS_DISABLE;

		if (!off && stack->ss_size < MINSIGSTKSZ)
			return -ENOMEM;
		thread->alternate = off ? 0 : (word)stack->ss_sp;
		thread->alternate_size = off ? 0 : stack->ss_size;
	}
	return 0;
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

long call_kill(word pid, word signal)
{
	if (pid && (int)pid != -1 && pid != posix_pid())
		return -ESRCH;
	return signal_send(NULL, signal, SI_USER);
}
