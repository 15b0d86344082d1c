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
static inline void keys_allow(struct guest *g)
{
	u32 keys = keys_read();

	if (likely(!(keys & KEY_0)))
		return;
	g->hal.keys = keys | SET;
	keys_write(keys & ~KEY_0);
}

static inline void executive_in(struct entry_cpu *e, struct guest *g, const struct thread *t)
{
	g->hal.space = cr3_read() | entry_cr3_keep;
	if (entry_keys)
		keys_allow(g);
	idt_load(&entry_idt_ours);
	e->inside = INSIDE_GUEST;
	hal_page_table_load(t->component->space);
}

void entry_guest_in(struct entry_cpu *e)
{
	executive_in(e, e->guest, e->guest->thread);
}

/*
 * Restores the guest's protection keys, and its debug register after exceptions of the executive.
 */
static __attribute__((__noinline__, __cold__)) void rare_restore(struct guest *g)
{
	if (g->hal.keys)
		keys_write((u32)g->hal.keys);
	if (g->hal.debug)
		asm volatile("mov %0, %%db7" : : "r"(g->hal.debug & ~SET));
	g->hal.keys = g->hal.debug = 0;
}

static inline void executive_out(struct entry_cpu *e, struct guest *g)
{
	hal_page_table_load(g->hal.space);
	e->inside = 0;
	idt_load(&entry_idt_guest);
	if (unlikely(g->hal.keys | g->hal.debug))
		rare_restore(g);
}

void entry_guest_out(struct entry_cpu *e)
{
	executive_out(e, e->guest);
}

static inline struct user_return call_begin(struct entry_cpu *e, struct guest *g)
{
	struct thread *t = guest_take(g);

	if (unlikely(!t))
		return (struct user_return){ 0, 0 };
	guest_count(g, LIMPET_GUEST_CALL, &g->regs.status);
	executive_in(e, g, t);
	return (struct user_return){ g->executive->entry, t->stack };
}

/* Handles a call if the guest is stacked, or not on its CPU. */
static __attribute__((__noinline__)) struct user_return call_rare(struct entry_cpu *e,
								  struct guest *g)
{
	if (g->stacked)
		guest_call_first(g);
	return e->cpu == g->cpu ? call_begin(e, g) : (struct user_return){ 0, 0 };
}

/*
 * Handles a system call of the guest. Returns the place at which its executive starts. If ip is 0,
 * the entry code must enter process context first.
 */
struct user_return entry_guest_call(struct entry_cpu *e, struct guest *g)
{
	return likely(e->cpu == g->direct) ? call_begin(e, g) : call_rare(e, g);
}

static inline struct user_return result_begin(struct entry_cpu *e, struct guest *g)
{
	struct thread *t;

	g->resulting = true;
	t = e->cpu == g->cpu ? guest_take(g) : NULL;
	if (unlikely(!t))
		return (struct user_return){ 0, ENTRY_TO_TASK };
	guest_count(g, LIMPET_GUEST_RESULT, &g->regs.status);
	executive_in(e, g, t);
	return (struct user_return){ g->executive->entry, t->stack };
}

/* Handles a result if registers for the call were changed, or the guest is stacked. */
static __attribute__((__noinline__)) struct user_return result_rare(struct entry_cpu *e,
								    struct guest *g)
{
	guest_own_arguments(g);
	if (g->stacked ? guest_result_next(g) : g->result_wanted)
		return result_begin(e, g);
	g->regs.ax = g->result;
	return (struct user_return){ 0, ENTRY_TO_GUEST };
}

/*
 * Handles the end of a call. If no registers were changed, an executive needs the result, because
 * the end is not awaited otherwise.
 */
struct user_return entry_guest_result(struct entry_cpu *e, struct guest *g)
{
	return likely(!g->unusual) ? result_begin(e, g) : result_rare(e, g);
}

/*
 * Passes the call to the host. Awaits its end if an executive needs the result, or registers were
 * changed.
 */
static inline word call_expect(struct entry_cpu *e, struct guest *g)
{
	if (g->result_wanted || g->changed) {
		g->expected = entry_guest_expect(g);
		if (g->expected)
			e->inside = INSIDE_RESULT;
	}
	return ENTRY_TO_HOST;
}

static inline word call_pass(struct entry_cpu *e, struct guest *g)
{
	g->result_wanted = g->operation == LIMPET_GUEST_PASS_RESULT &&
			   g->executive->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT);
	g->replaced = g->changed && g->own.ax != g->regs.ax;
	return call_expect(e, g);
}

word entry_guest_pass(struct entry_cpu *e, struct guest *g)
{
	if (!g->stacked)
		return call_pass(e, g);
	guest_level_set(g, 0);
	return call_expect(e, g);
}

/* --- the next event of a stacked guest, if its executive has an idle handler thread */

/*
 * Sets the handler thread's registers and enters the executive. The thread's words are set already.
 */
static inline word event_begin(struct entry_cpu *e, struct guest *g, word kind)
{
	struct thread *t = g->thread;

	hal_regs_enter(&t->regs, g->executive->entry, t->stack, LIMPET_GUEST_EVENT(kind, g->id));
	executive_in(e, g, t);
	return ENTRY_TO_EXECUTIVE;
}

/* Passes the result to the next executive that needs it, or to the guest. */
static word result_stacked(struct entry_cpu *e, struct guest *g)
{
	struct thread *t;

	if (!guest_result_next(g)) {
		g->regs.ax = g->result;
		g->resulting = false;
		return ENTRY_TO_GUEST;
	}
	g->resulting = true;
	t = guest_take(g);
	if (!t)
		return ENTRY_TO_NEW;
	t->regs.bx = (word)(int)g->regs.ax;
	t->regs.bp = g->result;
	t->regs.r12 = t->regs.r13 = t->regs.r14 = t->regs.r15 = 0;
	g->others++;
	return event_begin(e, g, LIMPET_GUEST_RESULT);
}

static word pass_stacked(struct entry_cpu *e, struct guest *g)
{
	const struct hal_regs *r = &g->regs;
	const unsigned int level = guest_call_passed(g);
	struct thread *t;

	if (!level)
		return entry_guest_pass(e, g);
	guest_call_next(g, level);
	t = guest_take(g);
	if (!t)
		return ENTRY_TO_NEW;
	t->regs.bx = (word)(int)r->ax;
	t->regs.bp = r->di;
	t->regs.r12 = r->si;
	t->regs.r13 = r->dx;
	t->regs.r14 = r->r10;
	t->regs.r15 = r->r8;
	g->calls++;
	return event_begin(e, g, LIMPET_GUEST_CALL);
}

static __attribute__((__noinline__)) word answer_stacked(struct entry_cpu *e, struct guest *g,
							 word operation, word value)
{
	if (g->resulting) {
		if (operation == LIMPET_GUEST_SERVE)
			g->result = value;
		return result_stacked(e, g);
	}
	if (operation != LIMPET_GUEST_SERVE)
		return pass_stacked(e, g);
	guest_call_served(g, value);
	return result_stacked(e, g);
}

/* Handles rare answers to an event that started in entry_guest_call() or entry_guest_result(). */
static __attribute__((__noinline__)) word answer_rare(struct entry_cpu *e, struct guest *g,
						      word operation, word value)
{
	g->operation = operation;
	g->value = value;
	if (operation > LIMPET_GUEST_PASS_RESULT)
		return ENTRY_TO_TASK;
	if (g->unusual >= GUEST_RESULTING) {
		if (unlikely(g->stacked))
			return answer_stacked(e, g, operation, value);
		g->resulting = false;
		if (operation == LIMPET_GUEST_PASS_RESULT && g->changed)
			return call_pass(e, g);
		if (operation != LIMPET_GUEST_SERVE)
			g->regs.ax = g->result;
		g->changed = false;
		return ENTRY_TO_GUEST;
	}
	if (operation != LIMPET_GUEST_SERVE)
		return call_pass(e, g);
	g->changed = false;
	return ENTRY_TO_GUEST;
}

word entry_guest_answer(struct entry_cpu *e, word operation, word value)
{
	struct guest *g = e->guest;

	executive_out(e, g);
	guest_give(g);
	if (unlikely(g->executive->queued))
		entry_guest_idle(g);
	if (g->hal.frame) {
		g->operation = operation;
		g->value = value;
		return ENTRY_TO_FRAME;
	}
	if (operation == LIMPET_GUEST_SERVE)
		g->regs.ax = value;
	if (likely(operation <= LIMPET_GUEST_PASS && !g->unusual))
		return operation; /* SERVE: ENTRY_TO_GUEST; PASS: ENTRY_TO_HOST */
	return answer_rare(e, g, operation, value);
}

_Static_assert(LIMPET_GUEST_SERVE == (int)ENTRY_TO_GUEST, "for entry_guest_answer()");
_Static_assert(LIMPET_GUEST_PASS == (int)ENTRY_TO_HOST, "for entry_guest_answer()");

/* Makes the thread execute the call instruction again after the move. */
static void call_again(struct hal_regs *r, word call)
{
	r->ax = call;
	r->ip -= SYSCALL_SIZE;
}

word entry_guest_other(struct entry_cpu *e, word call)
{
	struct guest *g = e->guest;
	struct hal_regs *r = &g->thread->regs;
	long status = guest_call(g, (word)(LIMPET_CALL(0) - (long)call));

	if (status != GUEST_TASK && status != GUEST_MOVE) {
		if (status != CALL_DONE)
			hal_regs_status(r, status);
		return ENTRY_TO_EXECUTIVE;
	}
	if (status == GUEST_MOVE)
		call_again(r, call);
	entry_guest_out(e);
	return status == GUEST_TASK ? ENTRY_TASK : ENTRY_MOVE;
}

/*
 * Handles an exception of the executive. A breakpoint of the guest can be at an address of the
 * executive. Then the guest's breakpoints are disabled until the executive stops. All other
 * exceptions occur again after the thread has moved.
 */
word entry_guest_exception(struct entry_cpu *e, word vector)
{
	struct guest *g = e->guest;
	word debug;

	if (vector != VECTOR_DB)
		return ENTRY_TO_FRAME;
	asm volatile("mov %%db7, %0" : "=r"(debug));
	asm volatile("mov %0, %%db6" : : "r"(DR6_RESET));
	if (debug == DR7_NONE) {
		g->thread->regs.flags |= FLAG_RESUME;
		return ENTRY_TO_EXECUTIVE;
	}
	asm volatile("mov %0, %%db7" : : "r"(DR7_NONE));
	g->hal.debug = debug | SET;
	return ENTRY_TO_EXECUTIVE;
}
