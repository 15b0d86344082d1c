/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux's system calls for a program that was built for them and runs as a component. This
 * header has the record of a thread, and the functions that the files here share. Constants and structures of the ABI
 * come from Linux's own user level headers.
 *
 * Two locks: posix_lock() guards threads, waiting, signals and timers; file_lock() (file.h) guards
 * files. A holder of the second may lock the first.
 */
#ifndef POSIX_POSIX_H
#define POSIX_POSIX_H

#include <runtime/component.h>
#include <runtime/types.h>

#include <asm/errno.h>

#include "thread_offsets.h"

/* The program's registers at a system call, as entry.S pushes them. */
struct posix_frame {
	word r15, r14, r13, r12, rbp, rbx, r9, r8, r10, rdx, rsi, rdi, rax, rip, flags, rsp;
};

#define NO_CALL (~0ul) /* no number of a system call */

/* An exception of the processor. */
struct posix_exception {
	word vector;
	word address; /* accessed address of a page fault */
	word code;    /* error code */
};

/* The kind of a thread's wait. Only a wake-up of the same kind ends it. */
enum posix_waiting { RUNS = 0, WAITS, WAITS_FOR_OWNER };

struct posix_thread {
	word sp;	  /* scratch of the entry */
	word stack;	  /* end of the thread's stack in this component */
	word interrupted; /* where it was when it was diverted */
	bool leaving;	  /* it has looked for signals, and goes to the program */
	bool diverted;	  /* it goes to posix_interrupt() when it runs */
	bool full;	  /* rcx and r11 are the program's, too */
	word rcx, r11;
	word go_sp;    /* stack pointer below the address to go to */
	word fault_ip; /* address of the exception that becomes a signal */
	_Alignas(64) uint8_t vectors[512];

	word fs;			 /* the program's thread pointer */
	struct posix_frame *frame;	 /* of the system call that it is in */
	word number;			 /* of that call; NO_CALL: it was interrupted */
	char name[16];			 /* PR_SET_NAME */
	uint32_t *clear_at_exit;	 /* CLONE_CHILD_CLEARTID */
	struct robust_list_head *robust; /* its robust mutexes */
	struct posix_frame first;	 /* clone: what it begins with */
	bool alive;
	bool sleeps_real; /* until the real time is what it waits for */
	uint64_t ticks;	  /* that it had run when it began: it was another thread then */
	uint8_t waiting;  /* enum posix_waiting */
	uint8_t policy;	  /* SCHED_... */
	uint8_t priority; /* the scheduler's */

	const uint32_t *futex; /* that it waits at */
	uint32_t futex_bits;
	uint64_t futex_since; /* order among equals */

	uint64_t mask;	  /* signals that are blocked: bit n is signal n + 1 */
	uint64_t awaited; /* by sigtimedwait */
	uint64_t pending;
	uint64_t mask_after; /* sigsuspend: the mask to go back to */
	bool mask_restore;
	word alternate, alternate_size;	  /* sigaltstack */
	struct posix_exception exception; /* the one at fault_ip */
};

_Static_assert(offsetof(struct posix_thread, sp) == POSIX_THREAD_SP, "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, stack) == POSIX_THREAD_STACK, "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, interrupted) == POSIX_THREAD_INTERRUPTED,
	       "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, leaving) == POSIX_THREAD_LEAVING, "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, rcx) == POSIX_THREAD_RCX, "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, r11) == POSIX_THREAD_R11, "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, go_sp) == POSIX_THREAD_GO_SP, "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, fault_ip) == POSIX_THREAD_FAULT_IP,
	       "thread_offsets.h");
_Static_assert(offsetof(struct posix_thread, vectors) == POSIX_THREAD_VECTORS, "thread_offsets.h");

/*
 * The program's threads: its own and its spare ones, whose ids follow. A thread's place is its id less posix_first.
 * Place 0 is unused.
 */
#define POSIX_THREADS 64
_Static_assert(LIMPET_SPARES_FEW + 2 <= POSIX_THREADS, "a place for each thread of a component");
extern struct posix_thread posix_threads[POSIX_THREADS];
extern unsigned int posix_first;

/* The thread that runs; here its stack is the component's own, which tells. */
static inline struct posix_thread *posix_self(void)
{
	return &posix_threads[(limpet_thread_id() - posix_first) % POSIX_THREADS];
}

static inline unsigned int posix_place(const struct posix_thread *thread)
{
	return (unsigned int)(thread - posix_threads);
}

static inline unsigned int posix_id(const struct posix_thread *thread)
{
	return posix_place(thread) + posix_first;
}

/* Keeps the compiler from moving accesses to memory across it. */
#define barrier() asm volatile("" : : : "memory")

/* entry.S: where system calls arrive; to the program, with thread->first. */
extern const uint8_t posix_clean[512];
void posix_entry(void);
_Noreturn void posix_begin(word stack);
/* Makes a thread begin. It is the caller. */
_Noreturn void thread_go(struct posix_thread *thread);

/* The frame with which a thread goes to the program, and whether rcx and r11 are to be set as well: in rax and rdx. */
struct posix_leave {
	struct posix_frame *frame;
	word full;
};

/* call.c: serves the system call of `frame`; its result, or what a handler gets, is in it then. */
struct posix_leave posix_system_call(struct posix_frame *frame);
/* call.c: enters handlers of signals that are pending, until none is. The thread is `leaving` from then on. */
struct posix_leave posix_leave(struct posix_thread *thread);

/* interrupt.c */

/* entry.S: where diverted threads go on. */
void posix_interrupt(void);
/* The stacks of the component's threads, on which the library runs, and the program does not. */
extern word posix_stacks, posix_stacks_size;
/* Makes a thread that computes look for signals. With the lock; nothing happens if it is the caller, or looks anyway. */
void thread_divert(struct posix_thread *thread);
/* Called by entry.S. */
struct posix_leave posix_interrupted(struct posix_frame *frame);
struct posix_leave posix_leave_again(void);
struct posix_leave posix_leave_first(void);
struct posix_resume {
	word address;
	word stack;
};
struct posix_resume posix_interrupted_library(void);

/* exception.c */

/* entry.S: the gate that the kernel invokes for faults of the program. */
void posix_fault(void);
/* entry.S: a thread continues here if its exception becomes a signal. */
void posix_exception(void);
/*
 * Handles a fault of the program. Called by entry.S. Returns 0 if the thread continues, at posix_exception() if the fault
 * becomes a signal. An error makes it a fault of the component. `inside`: the thread was in the library or in an export.
 */
long posix_fault_handle(word kind, word address, word code, word ip, word inside);
/* Enters the handler of the signal for an exception. Called by entry.S. */
struct posix_leave posix_exception_signal(struct posix_frame *frame);

/* thread.c */

/* Makes a record that of a thread of the program. With the lock, or before there are others. */
void thread_begin(struct posix_thread *thread);
/* Loads the program's thread pointer and ours, which a server may have changed. */
void thread_pointers(const struct posix_thread *thread);
/* Marks a thread as ended. Returns whether it was the last one. With the lock. */
bool thread_forget(struct posix_thread *thread);
/* The thread with the id `tid`, if it is one of the program's that runs; else NULL. */
struct posix_thread *thread_of(word tid);
/* Returns the value of getpid(), which is the id of the first thread. */
unsigned int posix_pid(void);

/* exit.c */

/* Ends the calling thread; the program, too, if it is the last one. With the lock. */
_Noreturn void thread_end(struct posix_thread *thread, int status);
/* Ends all threads, each as soon as it waits or makes a system call. */
_Noreturn void posix_exit(int status, int signal);
extern bool posix_exiting;

/*
 * A call that a signal interrupted returns -ERESTART, which the program never sees: it gets EINTR, or the
 * call is made again after the handler.
 */

/* lock.c */

void posix_lock(void);
/* Lets those run, most important ones first, that were woken meanwhile. */
void posix_unlock(void);
/* Marks a waiting thread as one that goes on. With the lock. */
void thread_wake(struct posix_thread *thread);
/* Makes a waiting thread look whether a signal, or the end of the program, is there for it. With the lock. */
void thread_interrupt(struct posix_thread *thread);
/* Makes a thread look whether a signal, or the end of the program, is there for it, wherever it is. With the lock. */
void thread_look(struct posix_thread *thread);
/* Wakes a thread of the scheduler's when the lock is free. With the lock. */
void wake_later(const struct posix_thread *thread);

/* wait.c */

/*
 * Waits as t->waiting says until somebody wakes t: 0; until the time stamp `deadline`: -ETIMEDOUT; until t
 * has a signal that it does not block, or awaits: -EINTR. With the lock, which it has again afterwards.
 * WAITS_FOR_OWNER lends the thread's importance to thread `owner`, and may end early with 0.
 */
long thread_wait(struct posix_thread *thread, uint64_t deadline, unsigned int owner);

/*
 * alarm.c: starts a spare thread that works for the library, above all threads of the program. Returns NULL if no thread is
 * left.
 */
struct posix_thread *helper_start(void (*main)(void));

/* robust.c: marks robust mutexes of a thread that ends. With the lock. */
void robust_abandon(struct posix_thread *thread);

/* memory.c: pages that are zero, for the library's own use; NULL when there are none. */
void *pages_get(size_t size);
void pages_put(void *address, size_t size);

/* system.c: random bytes. */
void random_bytes(void *to, size_t size);

#endif
