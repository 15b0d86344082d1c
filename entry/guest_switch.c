// SPDX-License-Identifier: GPL-2.0
/* Guests: switches between the states `guest` and `executive` of entry.h. */
#include <entry/guest.h>
#include <entry/processor.h>
#include <kernel/guest_event.h>

#define VECTOR_DB 1
#define DR6_RESET 0xffff0ff0ul
#define DR7_NONE 0x400ul
#define SET (1ul << 32)
#define KEY_0 3u	      /* bits of PKRU: no access, no write to pages of key 0 */
#define SYSCALL_SIZE 2	      /* bytes of the instruction */
#define FLAG_RESUME 0x10000ul /* no breakpoint at the next instruction */

static inline word cr3_read(void)
{
	word value;

	asm volatile("mov %%cr3, %0" : "=r"(value));
	return value;
}

/* Allows key 0, because a guest's protection keys could deny its executive all memory. */
static inline void keys_allow(struct guest *guest)
{
	u32 keys = keys_read();

	if (likely(!(keys & KEY_0)))
		return;
	guest->hal.keys = keys | SET;
	keys_write(keys & ~KEY_0);
}

static inline void executive_in(struct entry_cpu *entry, struct guest *guest,
				const struct thread *thread)
{
	guest->hal.space = cr3_read() | entry_cr3_keep;
	if (entry_keys)
		keys_allow(guest);
	idt_load(&entry_idt_ours);
	entry->inside = INSIDE_GUEST;
	hal_page_table_load(thread->component->space);
}

void entry_guest_in(struct entry_cpu *entry)
{
	executive_in(entry, entry->guest, entry->guest->thread);
}

/*
 * Restores the guest's protection keys, and its debug register after exceptions of the executive.
 */
static __attribute__((__noinline__, __cold__)) void rare_restore(struct guest *guest)
{
	if (guest->hal.keys)
		keys_write((u32)guest->hal.keys);
	if (guest->hal.debug)
		asm volatile("mov %0, %%db7" : : "r"(guest->hal.debug & ~SET));
	guest->hal.keys = guest->hal.debug = 0;
}

static inline void executive_out(struct entry_cpu *entry, struct guest *guest)
{
	hal_page_table_load(guest->hal.space);
	entry->inside = 0;
	idt_load(&entry_idt_guest);
	if (unlikely(guest->hal.keys | guest->hal.debug))
		rare_restore(guest);
}

/*
 * Leaves the executive. If the thread's instruction pointer is not canonical, a later IRET to it would fault in the
 * kernel. If the thread is in compatibility mode, it would continue in 64-bit mode. In both cases the thread continues at
 * address 0, where it gets a page fault.
 */
void entry_guest_out(struct entry_cpu *entry)
{
	struct hal_regs *regs = &entry->guest->thread->regs;

	if (unlikely(!hal_regs_valid(regs)))
		hal_regs_jump(regs, 0);
	executive_out(entry, entry->guest);
}

static inline struct user_return call_begin(struct entry_cpu *entry, struct guest *guest)
{
	struct thread *thread = guest_take(guest);

	if (unlikely(!thread))
		return (struct user_return){ 0, 0 };
	guest_count(guest, LIMPET_GUEST_CALL, &guest->regs.status);
	executive_in(entry, guest, thread);
	return (struct user_return){ guest->executive->entry, thread->stack };
}

/* Handles a call if the guest is stacked, or not on its CPU. */
static __attribute__((__noinline__)) struct user_return call_rare(struct entry_cpu *entry,
								  struct guest *guest)
{
	if (guest->stacked)
		guest_call_first(guest);
	return entry->cpu == guest->cpu ? call_begin(entry, guest) : (struct user_return){ 0, 0 };
}

/*
 * Handles a system call of the guest. Returns the place at which its executive starts. If ip is 0,
 * the entry code must enter process context first.
 */
struct user_return entry_guest_call(struct entry_cpu *entry, struct guest *guest)
{
	return likely(entry->cpu == guest->direct) ? call_begin(entry, guest)
						   : call_rare(entry, guest);
}

static inline struct user_return result_begin(struct entry_cpu *entry, struct guest *guest)
{
	struct thread *thread;

	guest->resulting = true;
	thread = entry->cpu == guest->cpu ? guest_take(guest) : NULL;
	if (unlikely(!thread))
		return (struct user_return){ 0, ENTRY_TO_TASK };
	guest_count(guest, LIMPET_GUEST_RESULT, &guest->regs.status);
	executive_in(entry, guest, thread);
	return (struct user_return){ guest->executive->entry, thread->stack };
}

/* Handles a result if registers for the call were changed, or the guest is stacked. */
static __attribute__((__noinline__)) struct user_return result_rare(struct entry_cpu *entry,
								    struct guest *guest)
{
	guest_own_arguments(guest);
	if (guest->stacked ? guest_result_next(guest) : guest->result_wanted)
		return result_begin(entry, guest);
	guest->regs.ax = guest->result;
	return (struct user_return){ 0, ENTRY_TO_GUEST };
}

/*
 * Handles the end of a call. If no registers were changed, an executive needs the result, because
 * the end is not awaited otherwise.
 */
struct user_return entry_guest_result(struct entry_cpu *entry, struct guest *guest)
{
	return likely(!guest->unusual) ? result_begin(entry, guest) : result_rare(entry, guest);
}

/*
 * Passes the call to the host. Awaits its end if an executive needs the result, or registers were
 * changed.
 */
static inline word call_expect(struct entry_cpu *entry, struct guest *guest)
{
	if (guest->result_wanted || guest->changed) {
		guest->expected = entry_guest_expect(guest);
		if (guest->expected)
			entry->inside = INSIDE_RESULT;
	}
	return ENTRY_TO_HOST;
}

static inline word call_pass(struct entry_cpu *entry, struct guest *guest)
{
	guest->result_wanted = guest->operation == LIMPET_GUEST_PASS_RESULT &&
			       guest->executive->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT);
	guest->replaced = guest->changed && guest->own.ax != guest->regs.ax;
	return call_expect(entry, guest);
}

word entry_guest_pass(struct entry_cpu *entry, struct guest *guest)
{
	if (!guest->stacked)
		return call_pass(entry, guest);
	guest_level_set(guest, 0);
	return call_expect(entry, guest);
}

/* --- the next event of a stacked guest, if its executive has an idle handler thread */

/*
 * Sets the handler thread's registers and enters the executive. The thread's words are set already.
 */
static inline word event_begin(struct entry_cpu *entry, struct guest *guest, word kind)
{
	struct thread *thread = guest->thread;

	hal_regs_enter(&thread->regs, guest->executive->entry, thread->stack,
		       LIMPET_GUEST_EVENT(kind, guest->id));
	executive_in(entry, guest, thread);
	return ENTRY_TO_EXECUTIVE;
}

/* Passes the result to the next executive that needs it, or to the guest. */
static word result_stacked(struct entry_cpu *entry, struct guest *guest)
{
	struct thread *thread;

	if (!guest_result_next(guest)) {
		guest->regs.ax = guest->result;
		guest->resulting = false;
		return ENTRY_TO_GUEST;
	}
	guest->resulting = true;
	thread = guest_take(guest);
	if (!thread)
		return ENTRY_TO_NEW;
	thread->regs.bx = (word)(int)guest->regs.ax;
	thread->regs.bp = guest->result;
	thread->regs.r12 = thread->regs.r13 = thread->regs.r14 = thread->regs.r15 = 0;
	guest->others++;
	return event_begin(entry, guest, LIMPET_GUEST_RESULT);
}

static word pass_stacked(struct entry_cpu *entry, struct guest *guest)
{
	const struct hal_regs *regs = &guest->regs;
	const unsigned int level = guest_call_passed(guest);
	struct thread *thread;

	if (!level)
		return entry_guest_pass(entry, guest);
	guest_call_next(guest, level);
	thread = guest_take(guest);
	if (!thread)
		return ENTRY_TO_NEW;
	thread->regs.bx = (word)(int)regs->ax;
	thread->regs.bp = regs->di;
	thread->regs.r12 = regs->si;
	thread->regs.r13 = regs->dx;
	thread->regs.r14 = regs->r10;
	thread->regs.r15 = regs->r8;
	guest->calls++;
	return event_begin(entry, guest, LIMPET_GUEST_CALL);
}

static __attribute__((__noinline__)) word answer_stacked(struct entry_cpu *entry,
							 struct guest *guest, word operation,
							 word value)
{
	if (guest->resulting) {
		if (operation == LIMPET_GUEST_SERVE)
			guest->result = value;
		return result_stacked(entry, guest);
	}
	if (operation != LIMPET_GUEST_SERVE)
		return pass_stacked(entry, guest);
	guest_call_served(guest, value);
	return result_stacked(entry, guest);
}

/* Handles rare answers to an event that started in entry_guest_call() or entry_guest_result(). */
static __attribute__((__noinline__)) word answer_rare(struct entry_cpu *entry, struct guest *guest,
						      word operation, word value)
{
	guest->operation = operation;
	guest->value = value;
	if (operation > LIMPET_GUEST_PASS_RESULT)
		return ENTRY_TO_TASK;
	if (guest->unusual >= GUEST_RESULTING) {
		if (unlikely(guest->stacked))
			return answer_stacked(entry, guest, operation, value);
		guest->resulting = false;
		if (operation == LIMPET_GUEST_PASS_RESULT && guest->changed)
			return call_pass(entry, guest);
		if (operation != LIMPET_GUEST_SERVE)
			guest->regs.ax = guest->result;
		guest->changed = false;
		return ENTRY_TO_GUEST;
	}
	if (operation != LIMPET_GUEST_SERVE)
		return call_pass(entry, guest);
	guest->changed = false;
	return ENTRY_TO_GUEST;
}

word entry_guest_answer(struct entry_cpu *entry, word operation, word value)
{
	struct guest *guest = entry->guest;

	executive_out(entry, guest);
	guest_give(guest);
	if (unlikely(guest->executive->queued))
		entry_guest_idle(guest);
	if (guest->hal.frame) {
		guest->operation = operation;
		guest->value = value;
		return ENTRY_TO_FRAME;
	}
	if (operation == LIMPET_GUEST_SERVE)
		guest->regs.ax = value;
	if (likely(operation <= LIMPET_GUEST_PASS && !guest->unusual))
		return operation; /* SERVE: ENTRY_TO_GUEST; PASS: ENTRY_TO_HOST */
	return answer_rare(entry, guest, operation, value);
}

_Static_assert(LIMPET_GUEST_SERVE == (int)ENTRY_TO_GUEST, "for entry_guest_answer()");
_Static_assert(LIMPET_GUEST_PASS == (int)ENTRY_TO_HOST, "for entry_guest_answer()");

/* Makes the thread execute the call instruction again after the move. */
static void call_again(struct hal_regs *regs, word call)
{
	regs->ax = call;
	regs->ip -= SYSCALL_SIZE;
}

word entry_guest_other(struct entry_cpu *entry, word call)
{
	struct guest *guest = entry->guest;
	struct hal_regs *regs = &guest->thread->regs;
	long status = guest_call(guest, (word)(LIMPET_CALL(0) - (long)call));

	if (status != GUEST_TASK && status != GUEST_MOVE) {
		if (status != CALL_DONE)
			hal_regs_status(regs, status);
		return ENTRY_TO_EXECUTIVE;
	}
	if (status == GUEST_MOVE)
		call_again(regs, call);
	entry_guest_out(entry);
	return status == GUEST_TASK ? ENTRY_TASK : ENTRY_MOVE;
}

/*
 * Handles an exception of the executive. A breakpoint of the guest can be at an address of the
 * executive. Then the guest's breakpoints are disabled until the executive stops. All other
 * exceptions occur again after the thread has moved.
 */
word entry_guest_exception(struct entry_cpu *entry, word vector)
{
	struct guest *guest = entry->guest;
	word debug;

	if (vector != VECTOR_DB)
		return ENTRY_TO_FRAME;
	asm volatile("mov %%db7, %0" : "=r"(debug));
	asm volatile("mov %0, %%db6" : : "r"(DR6_RESET));
	if (debug == DR7_NONE) {
		guest->thread->regs.flags |= FLAG_RESUME;
		return ENTRY_TO_EXECUTIVE;
	}
	asm volatile("mov %0, %%db7" : : "r"(DR7_NONE));
	guest->hal.debug = debug | SET;
	return ENTRY_TO_EXECUTIVE;
}
