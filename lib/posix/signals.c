// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals. They wake a thread that waits, and divert a thread that computes to its handler. exception.c makes signals
 * of exceptions of the processor.
 */
#include <runtime/memory.h>

#include "ready.h"
#include "signal_state.h"
#include "timer.h"

#define QUEUE 64
#define IGNORED_BY_DEFAULT (BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT))
#define OVERRUN_MAX 0x7fffffff
#define REAL_TIME 32 /* first signal of which several can be pending */

struct queued {
	uint8_t signal; /* 0: not in use */
	uint8_t target; /* id of the thread, 0: the program */
	uint64_t order;
	struct signal_info info;
};

struct sigaction signal_actions[SIGNALS + 1];
uint64_t signals_of_program;
static struct queued queue[QUEUE];
static uint64_t queued_so_far;

bool signal_ignored(int signal)
{
	const __sighandler_t handler = signal_actions[signal].sa_handler;

	return handler == SIG_IGN || (handler == SIG_DFL && BIT(signal) & IGNORED_BY_DEFAULT);
}

bool signal_wanted(const struct posix_thread *thread)
{
	return (thread->pending | signals_of_program) & (thread->awaited | ~thread->mask);
}

bool signal_open(const struct posix_thread *thread, int signal)
{
	return BIT(signal) & (thread->awaited | ~thread->mask);
}

void mask_replace(struct posix_thread *thread, uint64_t mask)
{
	posix_lock();
	thread->mask_after = thread->mask;
	thread->mask_restore = true;
	thread->mask = mask & ~UNBLOCKABLE;
	posix_unlock();
}

void mask_settle(struct posix_thread *thread, long status)
{
	if (status == -EINTR)
		return;
	posix_lock();
	thread->mask = thread->mask_after;
	thread->mask_restore = false;
	posix_unlock();
}

static struct queued *queue_free(void)
{
	for (unsigned int i = 0; i < QUEUE; i++)
		if (!queue[i].signal)
			return &queue[i];
	return NULL;
}

/*
 * Makes one thread check for a signal of the program. Prefers a thread that waits, then the caller, which checks at the
 * end of its system call, and then a thread that computes.
 */
static void program_interrupt(int signal)
{
	const struct posix_thread *self = posix_self();
	struct posix_thread *computes = NULL;

	for (unsigned int id = 0; id < POSIX_THREADS; id++) {
		struct posix_thread *thread = &posix_threads[id];

		if (!thread->alive || !signal_open(thread, signal))
			continue;
		if (thread->waiting) {
			thread_interrupt(thread);
			return;
		}
		if (!computes || thread == self)
			computes = thread;
	}
	if (computes)
		thread_divert(computes);
}

/*
 * An ignored signal is dropped, unless it is blocked. For the program, as on Linux, the mask of its first thread
 * counts. A pending standard signal is not queued again, unless a timer sends it. Each timer has one queued signal.
 */
static bool signal_dropped(const struct posix_thread *thread, int signal,
			   const struct signal_info *info)
{
	const bool timer = info->code == SI_TIMER && info->overrun;
	const uint64_t pending = thread ? thread->pending : signals_of_program;
	const bool blocked = (thread ? thread : &posix_threads[1])->mask & BIT(signal);

	return (signal_ignored(signal) && !blocked) ||
	       (signal < REAL_TIME && !timer && pending & BIT(signal));
}

long signal_post(struct posix_thread *thread, int signal, const struct signal_info *info)
{
	struct queued *entry = queue_free();

	if (signal_dropped(thread, signal, info))
		return 1;
	if (!entry)
		return -EAGAIN;
	*entry = (struct queued){ .signal = (uint8_t)signal,
				  .target = (uint8_t)(thread ? posix_place(thread) : 0),
				  .order = ++queued_so_far,
				  .info = *info };
	if (thread) {
		thread->pending |= BIT(signal);
		if (signal_open(thread, signal))
			thread_look(thread);
	} else {
		signals_of_program |= BIT(signal);
		program_interrupt(signal);
	}
	file_changed(&signal_files, POLLIN);
	return 0;
}

/* Returns the oldest entry of a signal of `target`, or NULL. Sets *more if there are others. */
static struct queued *queue_find(int signal, unsigned int target, bool *more)
{
	struct queued *found = NULL;
	unsigned int count = 0;

	for (unsigned int i = 0; i < QUEUE; i++) {
		if (queue[i].signal != signal || queue[i].target != target)
			continue;
		count++;
		if (!found || queue[i].order < found->order)
			found = &queue[i];
	}
	*more = count > 1;
	return found;
}

void signals_forget(const struct posix_thread *thread)
{
	for (unsigned int i = 0; i < QUEUE; i++)
		if (queue[i].target == posix_place(thread))
			queue[i].signal = 0;
}

void signals_timer_deleted(const struct signal_overrun *overrun)
{
	for (unsigned int i = 0; i < QUEUE; i++)
		if (queue[i].signal && queue[i].info.overrun == overrun)
			queue[i].info.overrun = NULL;
}

void signals_discard(int signal)
{
	for (unsigned int i = 0; i < QUEUE; i++) {
		if (queue[i].signal != signal)
			continue;
		if (queue[i].info.overrun)
			queue[i].info.overrun->pending = false;
		queue[i].signal = 0;
	}
	signals_of_program &= ~BIT(signal);
	for (unsigned int id = 0; id < POSIX_THREADS; id++)
		posix_threads[id].pending &= ~BIT(signal);
}

static int overrun_take(struct signal_overrun *overrun)
{
	timer_catch_up(overrun);
	overrun->pending = false;
	overrun->last = overrun->count < OVERRUN_MAX ? overrun->count : OVERRUN_MAX;
	overrun->count = 0;
	return (int)overrun->last;
}

static void info_fill(struct siginfo *to, int signal, const struct signal_info *info)
{
	memset(to, 0, sizeof(*to));
	to->si_signo = signal;
	to->si_code = info->code;
	if (info->code == SI_TIMER) {
		to->si_tid = info->timer;
		to->si_overrun = info->overrun ? overrun_take(info->overrun) : 0;
		to->si_ptr = (void *)info->value;
	} else {
		to->si_pid = (int)posix_pid();
		to->si_ptr = (void *)info->value;
	}
}

/* Removes the lowest pending signal of a set. Returns its number, or 0 if none is pending. */
int signal_take(struct posix_thread *thread, uint64_t set, struct siginfo *info)
{
	const bool own = thread->pending & set;
	const uint64_t found = (own ? thread->pending : signals_of_program) & set;
	struct queued *entry;
	int signal;
	bool more;

	if (!found)
		return 0;
	signal = __builtin_ctzl(found) + 1;
	entry = queue_find(signal, own ? posix_place(thread) : 0, &more);
	if (!more)
		*(own ? &thread->pending : &signals_of_program) &= ~BIT(signal);
	info_fill(info, signal, &entry->info);
	entry->signal = 0;
	return signal;
}
