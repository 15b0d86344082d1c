// SPDX-License-Identifier: BSD-2-Clause
/* Ends threads and the program. */
#include <runtime/print.h>
#include <runtime/thread.h>

#include "call.h"
#include "file.h"
#include "posix.h"
#include "signals.h"
#include "timer.h"
#include "waiter.h"

_Noreturn void thread_end(struct posix_thread *thread, int status)
{
	const bool exiting = posix_exiting, last = thread_forget(thread);

	robust_abandon(thread);
	if (thread->clear_at_exit) {
		__atomic_store_n(thread->clear_at_exit, 0, __ATOMIC_SEQ_CST);
		futex_wake(thread->clear_at_exit);
	}
	signals_forget(thread);
	timers_forget(thread);
	posix_unlock();
	if (last && !exiting)
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
		if (posix_threads[id].alive)
			thread_look(&posix_threads[id]);
	alarm_end();
	posix_unlock();
	if (first) {
		sockets_end();
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
