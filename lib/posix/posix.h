/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux's system calls for a program that was built for them and runs as a component. This header has the record of a
 * thread, and the functions that the files here share. Constants and structures of the ABI come from Linux's own user
 * level headers.
 *
 * There are two locks. posix_lock() protects threads, waiting, signals and timers. file_lock() (file.h) protects files.
 * A holder of file_lock() may take posix_lock(), but not the other way round.
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

#define NO_CALL (~0ul) /* not the number of a system call */

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
	word interrupted; /* address at which the thread was diverted */
	bool leaving;	  /* it has checked for signals, and returns to the program */
	bool diverted;	  /* it continues at posix_interrupt() when it runs */
	bool full;	  /* rcx and r11 must also be restored */
	word rcx, r11;
	word go_sp;    /* stack pointer below the address at which it continues */
	word fault_ip; /* address of the exception that becomes a signal */
	_Alignas(64) uint8_t vectors[512];

	word fs;			 /* the program's thread pointer */
	struct posix_frame *frame;	 /* of the system call that it is in */
	word number;			 /* of that call; NO_CALL: it was interrupted */
	char name[16];			 /* PR_SET_NAME */
	uint32_t *clear_at_exit;	 /* CLONE_CHILD_CLEARTID */
	struct robust_list_head *robust; /* its robust mutexes */
	struct posix_frame first;	 /* clone: initial registers */
	bool alive;
	bool sleeps_real; /* it waits for a value of the real time */
	uint64_t ticks; /* run time before it was created, of earlier threads in the same spare thread */
	uint8_t waiting; /* enum posix_waiting */
	uint8_t policy;	 /* SCHED_... */
	uint8_t priority; /* the scheduler's. With SCHED_DEADLINE it only orders wake-ups in this library */
	bool reset_on_fork;	  /* SCHED_FLAG_RESET_ON_FORK */
	uint64_t runtime, period; /* SCHED_DEADLINE, in nanoseconds */

	const uint32_t *futex; /* address at which it waits */
	uint32_t futex_bits;
	uint64_t futex_since; /* order among threads of equal priority */

	uint64_t mask;	  /* signals that are blocked: bit n is signal n + 1 */
	uint64_t awaited; /* by sigtimedwait */
	uint64_t pending;
	uint64_t mask_after; /* sigsuspend: the mask to restore */
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

/* Returns the record of the calling thread, by its stack in this component. */
static inline struct posix_thread *posix_self(void)
{
	return &posix_threads[(limpet_thread_id() - posix_first) % POSIX_THREADS];
}

/* Returns the place of a thread in posix_threads. */
static inline unsigned int posix_place(const struct posix_thread *thread)
{
	return (unsigned int)(thread - posix_threads);
}

/* Returns the id of a thread, which is also its id in the component. */
static inline unsigned int posix_id(const struct posix_thread *thread)
{
	return posix_place(thread) + posix_first;
}

/* Prevents the compiler from moving accesses to memory across this point. */
#define barrier() asm volatile("" : : : "memory")

/* entry.S: the handler of system calls, and the start of a thread of the program with thread->first. */
extern const uint8_t posix_clean[512];
void posix_entry(void);
_Noreturn void posix_begin(word stack);
/* Starts the program's code in the calling thread, whose record is `thread`. */
_Noreturn void thread_go(struct posix_thread *thread);

/*
 * The frame with which a thread returns to the program, and whether rcx and r11 must be restored. Returned in rax and
 * rdx.
 */
struct posix_leave {
	struct posix_frame *frame;
	word full;
};

/* call.c: serves the system call of `frame`. Stores the result, or the registers of a signal handler, in the frame. */
struct posix_leave posix_system_call(struct posix_frame *frame);
/* handler.c: enters handlers of pending signals until no signal is pending. Then sets `leaving`. */
struct posix_leave posix_leave(struct posix_thread *thread);

/* interrupt.c */

/* entry.S: the address at which diverted threads continue. */
void posix_interrupt(void);
/* The stacks of the component's threads. The library uses them, and the program does not. */
extern word posix_stacks, posix_stacks_size;
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
 * Handles a fault of the program. Called by entry.S. Returns 0 if the thread continues, at posix_exception() if the
 * fault becomes a signal. An error makes it a fault of the component. `inside`: the thread was in the library or in an
 * export.
 */
long posix_fault_handle(word kind, word address, word code, word ip, word inside);
/* Enters the handler of the signal for an exception. Called by entry.S. */
struct posix_leave posix_exception_signal(struct posix_frame *frame);

/* thread.c */

/* Initialises the record of a thread of the program. Requires posix_lock(), unless it is the first thread. */
void thread_begin(struct posix_thread *thread);
/* Loads the thread pointers of the program and of the library, because a server may have changed them. */
void thread_pointers(const struct posix_thread *thread);
/* Marks a thread as ended. Returns whether it was the last one. Requires posix_lock(). */
bool thread_forget(struct posix_thread *thread);
/* Returns the live thread of the program with the id `tid`, or NULL. */
struct posix_thread *thread_of(word tid);
/* Returns the value of getpid(), which is the id of the first thread. */
unsigned int posix_pid(void);

/* exit.c */

/* Ends the calling thread. Ends also the program if this is the last thread. Requires posix_lock(). */
_Noreturn void thread_end(struct posix_thread *thread, int status);
/* Ends all threads, each as soon as it waits or makes a system call. */
_Noreturn void posix_exit(int status, int signal);
extern bool posix_exiting;

/*
 * A call that a signal has interrupted returns -ERESTART. The program does not get this value. It gets EINTR, or the
 * call is repeated after the handler.
 */

/* lock.c */

/* Locks threads, waiting, signals and timers. */
void posix_lock(void);
/* Unlocks, and resumes the threads that were woken while the lock was held, the one of highest priority first. */
void posix_unlock(void);
/* Ends the wait of a thread. Requires posix_lock(). */
void thread_wake(struct posix_thread *thread);
/* Makes a computing thread check for signals, unless it is the caller or checks anyway. Requires posix_lock(). */
void thread_divert(struct posix_thread *thread);
/* Makes a waiting thread check for a signal or the end of the program. Requires posix_lock(). */
void thread_interrupt(struct posix_thread *thread);
/* Makes a thread check for a signal or the end of the program, also if it computes. Requires posix_lock(). */
void thread_look(struct posix_thread *thread);
/* Makes the scheduler wake a thread when the lock is released. Requires posix_lock(). */
void wake_later(const struct posix_thread *thread);

/* wait.c */

/*
 * Waits with the kind thread->waiting. Returns 0 after a wake-up, -ETIMEDOUT at the time stamp `deadline`, or -EINTR if
 * the thread has a signal that it does not block or that it awaits. Requires posix_lock(), and releases it during the
 * wait. WAITS_FOR_OWNER lends the thread's priority to thread `owner`, and may end early with 0.
 */
long thread_wait(struct posix_thread *thread, uint64_t deadline, unsigned int owner);

/*
 * alarm.c: starts a spare thread that works for the library, above all threads of the program. Returns NULL if no
 * thread is left.
 */
struct posix_thread *helper_start(void (*main)(void));

/* robust.c: marks the robust mutexes of an ending thread. Requires posix_lock(). */
void robust_abandon(struct posix_thread *thread);

/* memory.c: allocates zeroed pages for the library. Returns NULL if no memory is left. */
void *pages_get(size_t size);
/* Frees pages of pages_get(). */
void pages_put(void *address, size_t size);

/* system.c: writes random bytes. */
void random_bytes(void *to, size_t size);

#endif
