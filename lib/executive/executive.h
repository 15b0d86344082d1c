/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library of executives, which are components that receive the system calls, page faults and lifetimes of
 * unmodified Linux programs. An executive defines executive_event(), and calls executive_serve() in its own thread.
 * <limpet/guest.h> has the contract with the kernel, and docs/guide/guests.md an introduction.
 *
 * Several threads can call executive_event() at the same time, one for each event. After a signal, a guest can continue
 * without the answer of an event. Its next event can then occur while the handler still computes that answer.
 * executive_event() must not use vector registers, so the component must not have `fpu = true`. It must wait only in
 * executive_wait(). Functions without another note may be called only in executive_event(), and fail with LIMPET_ESTATE
 * elsewhere.
 */
#ifndef EXECUTIVE_H
#define EXECUTIVE_H

#include <limpet/guest.h>
#include <runtime/kernel_call.h>
#include <runtime/types.h>

struct executive_answer {
	word operation; /* enum limpet_guest_answer */
	word value;
};

/*
 * Handles an event of a guest and returns the answer. The component defines this function. `event` is
 * LIMPET_GUEST_EVENT(kind, id), and enum limpet_guest_event describes the words.
 */
struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5);

/* Return the answers of enum limpet_guest_answer. */
static inline struct executive_answer executive_served(long result)
{
	return (struct executive_answer){ LIMPET_GUEST_SERVE, (word)result };
}

static inline struct executive_answer executive_passed(void)
{
	return (struct executive_answer){ LIMPET_GUEST_PASS, 0 };
}

static inline struct executive_answer executive_passed_result(void)
{
	return (struct executive_answer){ LIMPET_GUEST_PASS_RESULT, 0 };
}

static inline struct executive_answer executive_again(void)
{
	return (struct executive_answer){ LIMPET_GUEST_AGAIN, 0 };
}

static inline struct executive_answer executive_killed(int signal)
{
	return (struct executive_answer){ LIMPET_GUEST_KILL, (word)signal };
}

/*
 * Makes the component an executive. `kinds` selects the events besides CALL by LIMPET_GUEST_WANTS(...) of each. Makes
 * each spare thread of the component (`threads` in the system file) a handler thread, by interface `sched`. Each guest
 * in executive_wait() occupies one. If all are occupied, the calls of all other guests wait, too. Returns the number of
 * handler threads, or a negative error. LIMPET_ENOENT: there is no spare thread, or Limpet is attached in beneath mode.
 * LIMPET_EFULL: the CPU has LIMPET_EXECUTIVES_MAX executives. The caller can then continue with other work. Context:
 * the component's own thread, once.
 */
long executive_serve(word kinds);

/*
 * Copies `bytes` (1 to LIMPET_GUEST_COPY_MAX) between the guest of the event and the executive. LIMPET_EFAULT: a part
 * of the guest's memory cannot be accessed, and another part may have been copied. LIMPET_ERANGE: `bytes` is out of
 * range, or `own` is not mapped in the executive, or is read-only in executive_read(). Can take as long as Linux's page
 * faults.
 */
static inline long executive_read(void *own, word guest, word bytes)
{
	return limpet_call_guest_copy(LIMPET_GUEST_READ, guest, (word)own, bytes);
}

static inline long executive_write(word guest, const void *own, word bytes)
{
	return limpet_call_guest_copy(LIMPET_GUEST_WRITE, guest, (word)own, bytes);
}

/*
 * Copies text that ends with a 0, at most `size` bytes including the 0. Returns its length without the 0.
 * LIMPET_EFAULT: the text cannot be read. LIMPET_ERANGE: the text is longer. Each page of the guest is copied once, so
 * later changes by the guest have no effect.
 */
long executive_read_text(char *own, size_t size, word guest);

/* Reads register `n` of the guest, by LIMPET_GUEST_RAX and the like; 0 if there is no guest. */
word executive_register(unsigned int n);
/* Sets register `n`. LIMPET_ERANGE: the register cannot be set, or the value is an address outside user level. */
long executive_register_set(unsigned int n, word value);

/*
 * Commits the answer to this event: until the answer or the next wait, a signal that waits for longer than 100 ms does
 * not drop it. Call this before a change that must be made once for a call of the guest, and answer soon. Returns false
 * if the guest has already continued without an answer, and its call is sent again. Then change nothing, and answer
 * with executive_again(). See LIMPET_GUEST_COMMIT.
 */
static inline bool executive_commit(void)
{
	return limpet_call_guest_register_change(0, LIMPET_GUEST_COMMIT, 0) == LIMPET_OK;
}

/* Does the same, and sets register `n` as executive_register_set() does. */
static inline bool executive_register_commit(unsigned int n, word value)
{
	return limpet_call_guest_register_change(n, 1 | LIMPET_GUEST_COMMIT, value) == LIMPET_OK;
}

/*
 * Answers CALL and RESULT. Linux executes call `number` with these arguments in the guest's context, instead of the
 * guest's own call. The event RESULT then contains the value that the call has returned. So an executive can make any
 * number of Linux's calls, one after another, before it serves the guest's call. RESULT has the number of the guest's
 * own call each time. The answer is AGAIN if registers cannot be changed: in a RESULT before a signal, under a tracer,
 * or of a guest with several executives. The guest then repeats its own call as a new event, in which the executive
 * continues. Cost: the call, an event and three kernel calls.
 */
struct executive_answer executive_linux(word number, const word argument[6]);

/*
 * Makes the guest continue at `entry` with the stack pointer `stack`, and `argument` in rdi. In the events BEGIN and
 * EXEC it starts there. LIMPET_ERANGE: an address is outside user level. LIMPET_ESTATE: registers cannot be changed.
 */
long executive_continue_at(word entry, word stack, word argument);

/*
 * Makes the guest wait until the time stamp `deadline` (LIMPET_NEVER: without limit) or executive_wake(). Linux runs
 * other threads meanwhile. The last `early` ticks, at most a millisecond, are a busy wait on the CPU. LIMPET_OK: the
 * guest was woken. LIMPET_ETIME: the deadline was reached. LIMPET_EINTR: a signal, a tracer or the freezer needs the
 * guest. Then answer with executive_again(), or with the result of a call that a signal interrupts.
 */
static inline long executive_wait(word deadline, word early)
{
	return limpet_call_guest_wait(deadline, early, 0, 0);
}

/*
 * Does the same for a guest that does not have the turn. Delays signals, tracers and the freezer by 50 ms, and then
 * returns LIMPET_EINTR. The guest should then continue to handle them. First wakes guest `wake` - 1 as executive_wake()
 * does, unless `wake` is 0.
 */
static inline long executive_hold(word deadline, unsigned int wake)
{
	return limpet_call_guest_wait(deadline, 0, 1, wake);
}

/*
 * Ends the wait of guest `id` of this executive, or its next wait if it does not wait. LIMPET_ENOENT: no such guest.
 * Context: any thread of the executive.
 */
static inline long executive_wake(unsigned int id)
{
	return limpet_call_guest_wake(id);
}

/*
 * Requests the event BREAK for guest `id` of this executive. The event occurs when the guest first returns to user
 * level at or after the time stamp. 0 means as soon as possible, and LIMPET_NEVER cancels the event. If the guest
 * sleeps in Linux before that time, the wait of guest `heir` - 1 ends (0: no guest), and the event occurs after the
 * sleep. Replaces the previous request. LIMPET_ENOENT: no such guest. Context: any thread of the executive.
 */
static inline long executive_break(unsigned int id, word time, unsigned int heir)
{
	return limpet_call_guest_break(id, time, heir);
}

/*
 * Reads the processor time of the thread of guest `id` of this executive, in ticks, and whether it sleeps in Linux.
 * Returns LIMPET_OK, or LIMPET_ENOENT if there is no such guest. Context: any thread of the executive.
 */
static inline long executive_use(unsigned int id, word *ran, bool *asleep)
{
	struct limpet_out out;
	long status = limpet_call_guest_info(id, LIMPET_GUEST_USE, &out);

	*ran = out.w0;
	*asleep = out.w1;
	return status;
}

/* The guest's clocks in ns, at a recent time stamp. `id` must be the guest of the event. */
struct executive_clocks {
	word stamp, monotonic, realtime;
};
static inline long executive_clocks(unsigned int id, struct executive_clocks *clocks)
{
	struct limpet_out out;
	long status = limpet_call_guest_info(id, LIMPET_GUEST_CLOCKS, &out);

	*clocks = (struct executive_clocks){ out.w0, out.w1, out.w2 };
	return status;
}

/* Sets words first to first + 3 (first: 0 or 4) of the filter of the event's guest. */
static inline long executive_filter(unsigned int first, const word filter[4])
{
	return limpet_call_guest_filter(first, filter[0], filter[1], filter[2], filter[3]);
}

/*
 * Selects the exceptions of the event's guest that cause the event EXCEPTION, if the executive has selected that event.
 * Bit n selects the exceptions for which Linux raises signal n.
 */
static inline long executive_faults(word signals)
{
	return limpet_call_guest_filter(LIMPET_GUEST_FILTER_FAULTS, signals, 0, 0, 0);
}

/*
 * Makes a range of `bytes` (whole pages) at `address` in the guest. The executive supplies its pages in the event
 * FAULT. `writable` is 0 or 1. Children and threads of the guest share the range's pages. LIMPET_ERANGE: the address or
 * the size is invalid. LIMPET_EFULL: another mapping uses these addresses. LIMPET_ENOMEM: Linux refused.
 */
static inline long executive_map(word address, word bytes, word writable)
{
	return limpet_call_guest_map(address, bytes, writable);
}

/*
 * Unmaps pages at that address in such ranges from all guests of the system. The next access causes the event FAULT
 * again. LIMPET_ERANGE: the address or the size is invalid. LIMPET_ENOENT: no guest has a range.
 */
static inline long executive_revoke(word address, word bytes)
{
	return limpet_call_guest_revoke(address, bytes);
}

#endif
