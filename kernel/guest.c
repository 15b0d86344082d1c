// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/guest_event.h>

/* --- executives */

struct executive *executive_find(struct cpu *cpu, u32 component, struct executive *after)
{
	struct executive *x = after ? after + 1 : cpu->executive;

	for (; x < cpu->executive + LIMPET_EXECUTIVES_MAX; x++)
		if (x->component &&
		    (component == LIMPET_GUEST_ANY || x->component->index == component))
			return x;
	return NULL;
}

/* Returns the record of a component, or a free one. Another component never gets it, because guests can refer to it. */
static struct executive *executive_make(struct cpu *cpu, struct component *c)
{
	for (struct executive *x = cpu->executive; x < cpu->executive + LIMPET_EXECUTIVES_MAX;
	     x++) {
		if (x->name && x->name != c->index + 1)
			continue;
		x->component = c;
		x->name = c->index + 1;
		return x;
	}
	return NULL;
}

void executive_forget(struct cpu *cpu, const struct component *c)
{
	for (struct executive *x = cpu->executive; x < cpu->executive + LIMPET_EXECUTIVES_MAX; x++)
		if (x->component == c)
			x->component = NULL; /* no thread is in it, so no handler thread is idle */
}

/* --- events */

void guest_start(struct guest *g, word event, const word words[6])
{
	struct thread *t = g->thread;

	hal_regs_enter(&t->regs, g->executive->entry, t->stack, event);
	for (unsigned int i = 0; i < 6; i++)
		hal_regs_set_word(&t->regs, i, words[i]);
	guest_count(g, LIMPET_GUEST_KIND(event), words);
}

static void thread_move(struct cpu *cpu, struct thread *t)
{
	t->moved = true;
	list_append(&cpu->moved, &t->idle);
	hal_or(&cpu->inbox.requests, INBOX_GUEST);
}

void guest_move(struct guest *g)
{
	g->moved++;
	thread_move(g->cpu, g->thread);
}

void guest_orphan(struct guest *g)
{
	struct thread *t = g->thread;

	t->executive->orphans++;
	g->thread = NULL;
	t->guest = NULL;
	if (!t->moved)
		thread_move(g->cpu, t);
	else if (g->wanted) { /* the host does not carry out its call */
		hal_regs_status(&t->regs, LIMPET_EINTR);
		thread_move(g->cpu, t);
	}
	g->wanted = g->answered = false;
	list_remove(&g->update);
}

void guest_carried_out(struct guest *g, long status)
{
	hal_regs_status(&g->thread->regs, status);
	g->wanted = false;
	if (g->thread->moved)
		thread_move(g->cpu, g->thread);
}

/* One thread per turn, because its scheduler may switch to it. */
void guests_ready(struct cpu *cpu)
{
	struct list *first = list_first(&cpu->moved);
	struct thread *t = first ? list_object(first, struct thread, idle) : NULL;

	if (!t)
		return;
	list_remove(first);
	if (list_first(&cpu->moved))
		cpu_again(cpu, INBOX_GUEST);
	t->state = LIMPET_THREAD_READY;
	endpoint_notice(cpu, t, LIMPET_NOTICE_READY);
	/* An idle CPU does not switch by itself to a thread without a scheduler, or to the idle thread. */
	if (cpu->idle && (!t->scheduler || t == cpu->thread))
		thread_switch(cpu, t);
}

/* The guest's host thread waits for the next request of a moved thread. */
static void guest_notify(struct cpu *cpu, struct guest *g)
{
	if (!g->update.next)
		list_append(&cpu->updates, &g->update);
	host_guest(&cpu->host);
}

/* The current thread waits: for an event, or for the host. */
static void thread_wait(struct cpu *cpu)
{
	struct thread *t = cpu->thread;

	t->component = cpu->component; /* elsewhere it is stored when the thread is switched */
	t->state = LIMPET_THREAD_WAITING;
	endpoint_notice(cpu, t, LIMPET_NOTICE_WAITING);
	endpoint_yield(cpu);
}

void guest_lost(struct cpu *cpu, struct thread *t)
{
	struct guest *g = t->guest;

	list_remove(&t->idle);
	t->executive->orphans -= t->moved && !g;
	host_guest(&cpu->host); /* an event END can wait for an orphaned thread */
	t->executive = NULL;
	t->guest = NULL;
	t->moved = false;
	if (!g)
		return;
	g->thread = NULL;
	g->wanted = g->answered = false;
	guest_notify(cpu, g);
}

void guest_stopped(struct cpu *cpu, struct thread *t)
{
	if (t->executive && !t->moved)
		guest_lost(cpu, t);
}

/* --- registers */

void guest_own_restore(struct guest *g)
{
	if (g->changed)
		g->regs = g->own;
	g->changed = false;
}

void guest_own_arguments(struct guest *g)
{
	static const u8 argument[] = {
		LIMPET_GUEST_RAX, LIMPET_GUEST_RDI, LIMPET_GUEST_RSI, LIMPET_GUEST_RDX,
		LIMPET_GUEST_R10, LIMPET_GUEST_R8,  LIMPET_GUEST_R9,
	};

	for (unsigned int i = 0; g->changed && i < countof(argument); i++)
		hal_regs_all_set(&g->regs, argument[i], hal_regs_all(&g->own, argument[i]));
	g->changed = false;
}

static bool register_valid(word n, word value)
{
	bool address = n == LIMPET_GUEST_RIP || n == LIMPET_GUEST_RSP;

	return n <= LIMPET_GUEST_RIP && !(address && value >= LIMPET_USER_END);
}

static void registers_set(struct guest *g, word first, word change, const word value[3])
{
	if (!g->changed)
		g->own = g->regs;
	g->changed = true;
	for (unsigned int i = 0; i < 3; i++)
		if (change >> i & 1)
			hal_regs_all_set(&g->regs, (unsigned int)first + i, value[i]);
}

/*
 * GUEST_REGISTERS(first, change, up to three values): reads registers first to first + 2 of the guest whose event the
 * calling thread handles, and changes those in `change` (see <limpet/guest.h>). ERANGE: `first`, or bits of `change`
 * other than 0 to 3, or a register that it may not change: rflags, or rip or rsp outside user addresses. ESTATE: it
 * does not handle an event, or would change registers in an event other than CALL, BEGIN, EXEC, EXCEPTION and most
 * RESULT.
 */
static long registers(struct guest *g, struct hal_regs *r)
{
	word first = hal_regs_word(r, 0), how = hal_regs_word(r, 1), value[3], old[3];
	word change = how & 7;

	if (!g)
		return LIMPET_ESTATE;
	if (first >= HAL_REGS || how & ~(7ul | LIMPET_GUEST_COMMIT))
		return LIMPET_ERANGE;
	if (change && (g->hal.fixed || (g->resulting && g->stacked)))
		return LIMPET_ESTATE;
	for (unsigned int i = 0; i < 3; i++) {
		word n = first + i;

		value[i] = hal_regs_word(r, 2 + i);
		old[i] = n < HAL_REGS ? hal_regs_all(&g->regs, (unsigned int)n) : 0;
		if (change >> i & 1 && !register_valid(n, value[i]))
			return LIMPET_ERANGE;
	}
	if (change)
		registers_set(g, first, change, value);
	if (how & LIMPET_GUEST_COMMIT)
		g->committed = g->calls + g->others;
	hal_regs_result(r, LIMPET_OK, old[0], old[1], old[2]);
	return CALL_DONE;
}

/* --- about other guests */

/* Returns the level of a component in the guest's chain, or -1. */
static int executive_level(const struct guest *g, const struct component *c)
{
	if (likely(g->executive->component == c && !g->released))
		return g->level;
	for (unsigned int i = 0; g->stacked && i < g->levels; i++)
		if (g->chain[i]->component == c)
			return guest_level_of(g, g->chain[i]);
	return -1;
}

/* Returns the guest with an id if it is one of the component's, or NULL. */
static struct guest *guest_of(struct cpu *cpu, const struct component *c, word id)
{
	struct guest *g = NULL;

	if (cpu->guests && id < LIMPET_GUESTS_MAX)
		g = cpu->guests[index_clamp(id, LIMPET_GUESTS_MAX)];
	return g && g->cpu == cpu && executive_level(g, c) >= 0 ? g : NULL;
}

/*
 * GUEST_INFO(guest, what): returns the words of enum limpet_guest_what. ENOENT: the component has no guest with this
 * id. ERANGE: another `what`. ESTATE: LIMPET_GUEST_CLOCKS, and the thread does not handle an event.
 */
static long info(const struct guest *g, struct hal_regs *r)
{
	word what = hal_regs_word(r, 1);

	if (!g)
		return LIMPET_ENOENT;
	if (what == LIMPET_GUEST_CLOCKS)
		return GUEST_TASK;
	if (what > LIMPET_GUEST_USE)
		return LIMPET_ERANGE;
	if (what == LIMPET_GUEST_NAMES)
		hal_regs_result(r, LIMPET_OK, g->number, g->process, 0);
	else
		hal_regs_result(r, LIMPET_OK, g->ran + (g->since ? hal_time() - g->since : 0),
				g->asleep, 0);
	return CALL_DONE;
}

/*
 * GUEST_BREAK(guest, time, heir): requests the event BREAK on the guest's first way to user level at or after the time
 * stamp. 0 means immediately, LIMPET_NEVER never. If the guest sleeps in the host before, the GUEST_WAIT of guest
 * `heir` - 1 ends, unless `heir` is 0, and the event follows the sleep. Replaces an earlier request. ENOENT: the
 * component has no guest with this id, or no such heir. ESTATE: another executive of the guest gets BREAK. The host
 * reads the request when the guest's thread next gets the CPU. GUEST_TASK: the thread has the CPU now.
 */
static long break_set(struct cpu *cpu, const struct component *c, const struct hal_regs *r)
{
	struct guest *g = guest_of(cpu, c, hal_regs_word(r, 0));
	word heir = hal_regs_word(r, 2);

	if (!g || (heir && !guest_of(cpu, c, heir - 1)))
		return LIMPET_ENOENT;
	if (g->stacked && guest_scheduler(g) >= 0 && g->chain[guest_scheduler(g)]->component != c)
		return LIMPET_ESTATE;
	g->heir = (u32)heir;
	g->break_time = hal_regs_word(r, 1);
	return g->since ? GUEST_TASK : LIMPET_OK;
}

/* --- kernel calls */

/* Calls about guests of the executive that only rarely need the host. */
static long about_other(struct guest *g, word op, struct hal_regs *r)
{
	const struct component *c = g->executive->component;
	long status = op == LIMPET_CALL_GUEST_BREAK
			      ? break_set(g->cpu, c, r)
			      : info(guest_of(g->cpu, c, hal_regs_word(r, 0)), r);

	if (status == GUEST_TASK)
		g->request = op;
	return status;
}

long guest_call(struct guest *g, word op)
{
	switch (op) {
	case LIMPET_CALL_NOP:
		return LIMPET_OK;
	case LIMPET_CALL_GUEST_REGISTERS:
		return registers(g, &g->thread->regs);
	case LIMPET_CALL_GUEST_COPY:
	case LIMPET_CALL_GUEST_WAIT:
	case LIMPET_CALL_GUEST_WAKE:
	case LIMPET_CALL_GUEST_FILTER:
	case LIMPET_CALL_GUEST_MAP:
	case LIMPET_CALL_GUEST_REVOKE:
		g->request = op;
		return GUEST_TASK;
	case LIMPET_CALL_GUEST_INFO:
	case LIMPET_CALL_GUEST_BREAK:
		return about_other(g, op, &g->thread->regs);
	}
	return GUEST_MOVE;
}

/*
 * Returns whether the current thread handles an event, and executes in its executive, not in a
 * component that the executive invoked.
 */
static bool handles_event(const struct cpu *cpu)
{
	const struct thread *t = cpu->thread;

	return t->moved && t->top == t->frame && !t->faults;
}

long call_guest_registers(struct cpu *cpu, struct hal_regs *r)
{
	return registers(handles_event(cpu) ? cpu->thread->guest : NULL, r);
}

/*
 * GUEST_SERVE(entry, kinds): the calling thread handles events of guests of its component from now on, and does not
 * return. Each event starts it at `entry`. `kinds`: LIMPET_GUEST_WANTS() of the events that the component gets besides
 * CALL. The last call counts. ERANGE: `entry` is not a user address. ENOENT: the host does not support guests. ESTATE:
 * the thread has invoked the component from another one, or already handles a fault or an event. EFULL: the CPU has
 * LIMPET_EXECUTIVES_MAX other executives.
 */
long call_guest_serve(struct cpu *cpu, struct hal_regs *r)
{
	word entry = hal_regs_word(r, 0), kinds = hal_regs_word(r, 1);
	struct thread *t = cpu->thread;
	struct executive *x;

	if (entry >= LIMPET_USER_END)
		return LIMPET_ERANGE;
	if (!cpu->guests)
		return LIMPET_ENOENT;
	if (t->top != t->frame || t->faults || t->moved || t->guest)
		return LIMPET_ESTATE;
	x = executive_make(cpu, cpu->component);
	if (!x)
		return LIMPET_EFULL;
	x->entry = entry;
	x->kinds = kinds;
	t->executive = x;
	t->stack = component_stack(cpu->component, t->id);
	hal_regs_status(r, LIMPET_ECRASH); /* read only if the thread is stopped */
	thread_idle(x, t);
	host_guest(&cpu->host);
	thread_wait(cpu);
	return CALL_DONE;
}

/*
 * GUEST_ANSWER(operation, value): ends the event that the calling thread handles; see enum
 * limpet_guest_answer. The thread waits for the next one. ESTATE: it does not handle an event.
 */
long call_guest_answer(struct cpu *cpu, struct hal_regs *r)
{
	struct thread *t = cpu->thread;
	struct guest *g = t->guest;

	if (!handles_event(cpu))
		return LIMPET_ESTATE;
	if (g) {
		g->operation = hal_regs_word(r, 0);
		g->value = hal_regs_word(r, 1);
		g->thread = NULL;
		g->answered = true;
		guest_notify(cpu, g);
	}
	t->executive->orphans -= !g; /* without a guest it was orphaned */
	t->moved = false;
	thread_idle(t->executive, t);
	host_guest(&cpu->host);
	thread_wait(cpu);
	return CALL_DONE;
}

long call_guest_task(struct cpu *cpu, word op)
{
	struct guest *g = handles_event(cpu) ? cpu->thread->guest : NULL;

	if (!g)
		return LIMPET_ESTATE;
	g->request = op;
	g->wanted = true;
	guest_notify(cpu, g);
	thread_wait(cpu);
	return CALL_DONE;
}

/* GUEST_WAKE(guest): ends the guest's GUEST_WAIT, or its next one. ENOENT: the component has no such guest. */
long call_guest_wake(struct cpu *cpu, struct hal_regs *r)
{
	struct guest *g = guest_of(cpu, cpu->component, hal_regs_word(r, 0));

	if (!g)
		return LIMPET_ENOENT;
	g->woken[executive_level(g, cpu->component)] = true;
	guest_notify(cpu, g);
	return LIMPET_OK;
}

long call_guest_info(struct cpu *cpu, struct hal_regs *r)
{
	long status = info(guest_of(cpu, cpu->component, hal_regs_word(r, 0)), r);

	return status == GUEST_TASK ? call_guest_task(cpu, LIMPET_CALL_GUEST_INFO) : status;
}

/* A guest's thread is not on this CPU now, so the host does not need a notification. */
long call_guest_break(struct cpu *cpu, struct hal_regs *r)
{
	long status = break_set(cpu, cpu->component, r);

	return status == GUEST_TASK ? LIMPET_OK : status;
}
