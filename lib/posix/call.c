// SPDX-License-Identifier: BSD-2-Clause
/* Calls the function that serves a system call, with the arguments from the registers. */

#include <asm/unistd.h>

#include "call.h"
#include "posix.h"

typedef long call(word a, word b, word c, word d, word e, word f);

/* A function with fewer arguments does not use the other registers. */
#define CALL_ENTRY(name, words) [__NR_##name] = (call *)(void *)call_##name,
static call *const calls[CALLS] = { POSIX_CALLS(CALL_ENTRY) };

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
		call_refused(number, served, "ENOSYS", unserved_reason(number));
	return posix_leave(thread);
}
