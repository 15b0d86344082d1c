/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For executives: components to which the system calls, page faults and lifetimes of unmodified Linux programs go. An
 * executive defines executive_event(), and calls executive_serve() in its own thread. <limpet/guest.h> has the
 * contract with the kernel, and docs/guide/guests.md an introduction.
 *
 * executive_event() is called by several threads at once, one for each event. A guest that did not wait for an
 * answer, because a signal came, can have its next event while that answer is still being worked out. It must not
 * use vector registers (so the component must not have `fpu = true`), nor wait by other means than executive_wait().
 * The functions below without another note may be called in it, and fail with LIMPET_ESTATE elsewhere.
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
 * An event of a guest: `event` is LIMPET_GUEST_EVENT(kind, id), and the words are those of enum limpet_guest_event.
 * The component defines it. Returns the answer.
 */
struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5);

/* Answers. */
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
 * Makes the component an executive. `kinds` are the events that it wants besides CALL: LIMPET_GUEST_WANTS(...) of
 * each. Creates a handler thread of each spare thread of the component (`threads` in the system file), by `sched`. Each
 * guest in executive_wait() occupies one: with too few, the calls of all other guests wait, too.
 * Returns their number, or a negative error: LIMPET_ENOENT: there is no spare thread, or the host has no guests
 * (beneath mode); LIMPET_EFULL: the CPU has LIMPET_EXECUTIVES_MAX executives. The caller goes on with what it likes.
 * Context: the component's own thread, once.
 */
long executive_serve(word kinds);

/*
 * Copies `bytes` (1 to LIMPET_GUEST_COPY_MAX) between the guest of the event and the executive. LIMPET_EFAULT: not all
 * of the guest's memory can be accessed; some may have been copied. LIMPET_ERANGE: bytes, or `own` is not mapped
 * (writable, for a read) in the executive. May take as long as Linux's page faults do.
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
 * Copies text that ends with 0, at most `size` bytes with it. Returns its length without the 0, LIMPET_EFAULT, or
 * LIMPET_ERANGE: it is longer. Each page of the guest is copied once, so what the guest changes later is not seen.
 */
long executive_read_text(char *own, size_t size, word guest);

/* Reads register `n` of the guest, by LIMPET_GUEST_RAX and the like; 0 if there is no guest. */
word executive_register(unsigned int n);
/* Sets it. LIMPET_ERANGE: no register that can be set, or an address outside user level. */
long executive_register_set(unsigned int n, word value);

/*
 * Commits the answer to this event: until the answer or the next wait, a signal that waits for longer than 100 ms does not
 * drop it. Call this before a change that must be made once for a call of the guest, and answer soon. Returns false if the
 * guest has already continued without an answer, and its call is sent again. Then change nothing, and answer with
 * executive_again(). See LIMPET_GUEST_COMMIT.
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
 * Answers CALL and RESULT: Linux carries out call `number` with these arguments in the guest's context, instead of the
 * guest's own call, and RESULT comes with what it returns. So an executive makes any number of calls of Linux, one after
 * another, before it serves the guest's call. RESULT has the number of the guest's own call each time. The answer is
 * AGAIN where registers cannot be changed: in a RESULT that comes before a signal, under a tracer, or of a guest with
 * several executives. The guest then makes its own call again, as a new event, in which the executive continues. Cost:
 * that of the call, an event, three kernel calls.
 */
struct executive_answer executive_linux(word number, const word argument[6]);

/*
 * The guest continues at `entry` with the stack pointer `stack`, and `argument` in rdi. In the events BEGIN and EXEC it
 * starts there. LIMPET_ERANGE: an address outside user level; LIMPET_ESTATE: registers cannot be changed.
 */
long executive_continue_at(word entry, word stack, word argument);

/*
 * Lets the guest wait until the time stamp `deadline` (LIMPET_NEVER: without limit) or executive_wake(). Linux runs
 * other threads meanwhile. The last `early` ticks, at most a millisecond, are waited out on the CPU. LIMPET_OK: woken;
 * LIMPET_ETIME: the time came; LIMPET_EINTR: a signal, a tracer or the freezer wants the guest: answer with
 * executive_again(), or as the call would that a signal interrupts.
 */
static inline long executive_wait(word deadline, word early)
{
	return limpet_call_guest_wait(deadline, early, 0, 0);
}

/*
 * The same for a guest whose turn it is not. Signals, tracers and the freezer are held, too, for 50 ms: then
 * LIMPET_EINTR, and the guest should go on to take them. First wakes guest `wake` - 1 as executive_wake() does; 0: none.
 */
static inline long executive_hold(word deadline, unsigned int wake)
{
	return limpet_call_guest_wait(deadline, 0, 1, wake);
}

/*
 * Ends the wait of guest `id` of this executive, or its next one if it does not wait. LIMPET_ENOENT: no such guest.
 * Context: any thread of the executive.
 */
static inline long executive_wake(unsigned int id)
{
	return limpet_call_guest_wake(id);
}

/*
 * Guest `id` of this executive gets the event BREAK on its first way to user level at or after the time stamp; 0: as
 * soon as possible, LIMPET_NEVER: no. If it sleeps in Linux before, the wait of guest `heir` - 1 ends (0: of none), and
 * the event comes when it has slept. Replaces what was asked before. LIMPET_ENOENT: no such guest. Context: any thread
 * of the executive.
 */
static inline long executive_break(unsigned int id, word time, unsigned int heir)
{
	return limpet_call_guest_break(id, time, heir);
}

/*
 * The processor time of the thread of guest `id` of this executive, in ticks, and whether it sleeps in Linux. Returns
 * LIMPET_OK, or LIMPET_ENOENT: no such guest. Context: any thread of the executive.
 */
static inline long executive_use(unsigned int id, word *ran, bool *asleep)
{
	struct limpet_out out;
	long status = limpet_call_guest_info(id, LIMPET_GUEST_USE, &out);

	*ran = out.w0;
	*asleep = out.w1;
	return status;
}

/* The guest's clocks, in ns, at a time stamp that is about now. `id` is the event's guest. */
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
 * Sets of which exceptions of the event's guest EXCEPTION comes, if the executive wants that event: bit n stands for
 * those of which Linux makes signal n.
 */
static inline long executive_faults(word signals)
{
	return limpet_call_guest_filter(LIMPET_GUEST_FILTER_FAULTS, signals, 0, 0, 0);
}

/*
 * Makes a range of `bytes` (whole pages) at `address` in the guest, whose pages the executive supplies: event FAULT.
 * `writable`: 0 or 1. Nothing may be mapped there. Children and threads of the guest share the range's pages.
 * LIMPET_ERANGE: address or bytes; LIMPET_EFULL: something is mapped there; LIMPET_ENOMEM: Linux refused.
 */
static inline long executive_map(word address, word bytes, word writable)
{
	return limpet_call_guest_map(address, bytes, writable);
}

/*
 * Takes pages at that address in such ranges from all guests of the system: the next touch is an event again.
 * LIMPET_ERANGE: address or bytes; LIMPET_ENOENT: no guest has a range.
 */
static inline long executive_revoke(word address, word bytes)
{
	return limpet_call_guest_revoke(address, bytes);
}

#endif
