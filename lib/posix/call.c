// SPDX-License-Identifier: BSD-2-Clause
/* Calls the function that serves a system call, with the arguments from the registers. */
#include <runtime/divert.h>
#include <runtime/print.h>

#include <asm/unistd.h>

#include "call.h"
#include "posix.h"
#include "signals.h"

#define CALLS 512 /* Linux has fewer numbers */

typedef long call(word a, word b, word c, word d, word e, word f);

/* A function with fewer arguments does not use the other registers. */
#define CALL_ENTRY(name, words) [__NR_##name] = (call *)(void *)call_##name,
static call *const calls[CALLS] = { POSIX_CALLS(CALL_ENTRY) };

#define NAME(name) [__NR_##name] = #name,
static const char *const names[CALLS] = {
#include <posix/names.h>
};

/* Calls that programs make and that are not served, each with a substitute. */
static const struct {
	uint16_t number;
	const char *why;
} unserved[] = {
#define PROCESS "there is one process: make a thread, or another component"
	{ __NR_fork, PROCESS },
	{ __NR_vfork, PROCESS },
	{ __NR_clone, PROCESS },
	{ __NR_execve, PROCESS },
	{ __NR_execveat, PROCESS },
	{ __NR_waitid, PROCESS },
	{ __NR_socketpair, "use pipe2()" },
	{ __NR_shmget, "use shm_open()" },
	{ __NR_semget, "use sem_open()" },
	{ __NR_msgget, "use mq_open()" },
	{ __NR_symlink, "files have names, but no symbolic links" },
};

static const char *unserved_reason(word number)
{
	for (unsigned int i = 0; i < array_size(unserved); i++)
		if (unserved[i].number == number)
			return unserved[i].why;
	return NULL;
}

/* Logs a refused call, once for each number. `why` is NULL if the call is never served and has no substitute. */
static void refused_log(word number, const char *error, const char *why)
{
	static uint64_t logged[CALLS / 64];
	const word n = number < CALLS ? number : 0;
	const uint64_t bit = 1ul << n % 64;

	if (__atomic_fetch_or(&logged[n / 64], bit, __ATOMIC_RELAXED) & bit)
		return;
	limpet_print("system call %lu of Linux (%s) is not served%s, the program gets %s%s%s\n",
		     number, number < CALLS && names[number] ? names[number] : "unknown",
		     number < CALLS && calls[number] ? " in this form" : "", error, why ? ": " : "",
		     why ? why : "");
}

long call_refuse(long status, const char *error, const char *why)
{
	refused_log(posix_self()->number, error, why);
	return status;
}

/*
 * A signal that comes after this function has checked for signals finds `leaving` set. It then diverts the thread to
 * posix_interrupt(), which checks again.
 */
struct posix_leave posix_leave(struct posix_thread *thread)
{
	struct posix_frame *frame = thread->frame;

	for (;;) {
		thread->leaving = true;
		barrier();
		if (likely(!signals_attention(thread, thread->number)))
			break;
		thread->leaving = false;
		barrier();
		signals_deliver(thread, thread->number);
	}
	thread_pointers(thread);
	if (unlikely(thread->full)) {
		thread->go_sp = frame->rsp - LIMPET_RED_ZONE - sizeof(word);
		*(word *)thread->go_sp = frame->rip;
	}
	return (struct posix_leave){ frame, thread->full };
}

struct posix_leave posix_system_call(struct posix_frame *frame)
{
	struct posix_thread *thread = posix_self();
	const word number = frame->rax;
	call *served = number < CALLS ? calls[number] : NULL;

	thread->frame = frame;
	thread->number = number;
	thread->full = false;
	frame->rax = served ? (word)served(frame->rdi, frame->rsi, frame->rdx, frame->r10,
					   frame->r8, frame->r9)
			    : (word)-ENOSYS;
	if (unlikely(frame->rax == (word)-ENOSYS))
		refused_log(number, "ENOSYS", unserved_reason(number));
	return posix_leave(thread);
}
