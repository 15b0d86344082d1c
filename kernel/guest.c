// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/guest_event.h>

/* --- executives */

struct executive *executive_find(struct cpu *cpu, u32 component, struct executive *after)
{
	struct executive *executive = after ? after + 1 : cpu->executive;

	for (; executive < cpu->executive + LIMPET_EXECUTIVES_MAX; executive++)
		if (executive->component &&
		    (component == LIMPET_GUEST_ANY || executive->component->index == component))
			return executive;
	return NULL;
}

/* Returns the record of a component, or a free one. Another component never gets it, because guests can refer to it. */
static struct executive *executive_make(struct cpu *cpu, struct component *comp)
{
	for (struct executive *executive = cpu->executive;
	     executive < cpu->executive + LIMPET_EXECUTIVES_MAX; executive++) {
		if (executive->name && executive->name != comp->index + 1)
			continue;
		executive->component = comp;
		executive->name = comp->index + 1;
		return executive;
	}
	return NULL;
}

void executive_forget(struct cpu *cpu, const struct component *comp)
{
	/* No thread is in it, so no handler thread is idle. */
	for (struct executive *executive = cpu->executive;
	     executive < cpu->executive + LIMPET_EXECUTIVES_MAX; executive++)
		if (executive->component == comp)
			executive->component = NULL;
}

/* --- events */

void guest_start(struct guest *guest, word event, const word words[6])
{
	struct thread *thread = guest->thread;

	hal_regs_enter(&thread->regs, guest->executive->entry, thread->stack, event);
	for (unsigned int i = 0; i < 6; i++)
		hal_regs_set_word(&thread->regs, i, words[i]);
	guest_count(guest, LIMPET_GUEST_KIND(event), words);
}

static void thread_move(struct cpu *cpu, struct thread *thread)
{
	thread->moved = true;
	list_append(&cpu->moved, &thread->idle);
	hal_or(&cpu->inbox.requests, INBOX_GUEST);
}

void guest_move(struct guest *guest)
{
	guest->moved++;
	guest->answered = false; /* an earlier answer may be unread */
	thread_move(guest->cpu, guest->thread);
}

void guest_orphan(struct guest *guest)
{
	struct thread *thread = guest->thread;

	thread->executive->orphans++;
	guest->thread = NULL;
	thread->guest = NULL;
	if (guest->wanted) /* the host does not carry out its call */
		hal_regs_status(&thread->regs, LIMPET_EINTR);
	if (!thread->moved || guest->wanted)
		thread_move(guest->cpu, thread);
	guest->wanted = guest->answered = false;
	list_remove(&guest->update);
}

void guest_carried_out(struct guest *guest, long status)
{
	hal_regs_status(&guest->thread->regs, status);
	guest->wanted = false;
	if (guest->thread->moved)
		thread_move(guest->cpu, guest->thread);
}

/* One thread per turn, because its scheduler may switch to it. */
void guests_ready(struct cpu *cpu)
{
	struct list *first = list_first(&cpu->moved);
	struct thread *thread = first ? list_object(first, struct thread, idle) : NULL;

	if (!thread)
		return;
	list_remove(first);
	if (list_first(&cpu->moved))
		cpu_again(cpu, INBOX_GUEST);
	thread->state = LIMPET_THREAD_READY;
	endpoint_notice(cpu, thread, LIMPET_NOTICE_READY);
	/* An idle CPU does not switch by itself to a thread without a scheduler, or to the idle thread. */
	if (cpu->idle && (!thread->scheduler || thread == cpu->thread))
		thread_switch(cpu, thread);
}

/* The guest's host thread waits for the next request of a moved thread. */
static void guest_notify(struct cpu *cpu, struct guest *guest)
{
	if (!guest->update.next)
		list_append(&cpu->updates, &guest->update);
	host_guest(&cpu->host);
}

/* The current thread waits: for an event, or for the host. */
static void thread_wait(struct cpu *cpu)
{
	struct thread *thread = cpu->thread;

	thread->component = cpu->component; /* elsewhere it is stored when the thread is switched */
	thread->state = LIMPET_THREAD_WAITING;
	endpoint_notice(cpu, thread, LIMPET_NOTICE_WAITING);
	endpoint_yield(cpu);
}

void guest_lost(struct cpu *cpu, struct thread *thread)
{
	struct guest *guest = thread->guest;

	list_remove(&thread->idle);
	thread->executive->orphans -= thread->moved && !guest;
	host_guest(&cpu->host); /* an event END can wait for an orphaned thread */
	thread->executive = NULL;
	thread->guest = NULL;
	thread->moved = false;
	if (!guest)
		return;
	guest->thread = NULL;
	guest->wanted = guest->answered = false;
	guest_notify(cpu, guest);
}

void guest_stopped(struct cpu *cpu, struct thread *thread)
{
	if (thread->executive && !thread->moved)
		guest_lost(cpu, thread);
}

/* --- registers */

void guest_own_restore(struct guest *guest)
{
	if (guest->changed)
		guest->regs = guest->own;
	guest->changed = false;
}

void guest_own_arguments(struct guest *guest)
{
	static const u8 argument[] = {
		LIMPET_GUEST_RAX, LIMPET_GUEST_RDI, LIMPET_GUEST_RSI, LIMPET_GUEST_RDX,
		LIMPET_GUEST_R10, LIMPET_GUEST_R8,  LIMPET_GUEST_R9,
	};

	for (unsigned int i = 0; guest->changed && i < countof(argument); i++)
		hal_regs_all_set(&guest->regs, argument[i], hal_regs_all(&guest->own, argument[i]));
	guest->changed = false;
}

static bool register_valid(word n, word value)
{
	bool address = n == LIMPET_GUEST_RIP || n == LIMPET_GUEST_RSP;

	return n <= LIMPET_GUEST_RIP && !(address && value >= LIMPET_USER_END);
}

static void registers_set(struct guest *guest, word first, word change, const word value[3])
{
	if (!guest->changed)
		guest->own = guest->regs;
	guest->changed = true;
	for (unsigned int i = 0; i < 3; i++)
		if (change >> i & 1)
			hal_regs_all_set(&guest->regs, (unsigned int)first + i, value[i]);
}

/*
 * GUEST_REGISTERS(first, change, up to three values): reads registers first to first + 2 of the guest whose event the
 * calling thread handles, and changes those in `change` (see <limpet/guest.h>). ERANGE: `first`, or bits of `change`
 * other than 0 to 3, or a register that it may not change: rflags, or rip or rsp outside user addresses. ESTATE: it
 * does not handle an event, or would change registers in an event other than CALL, BEGIN, EXEC, EXCEPTION and most
 * RESULT.
 */
static long registers(struct guest *guest, struct hal_regs *regs)
{
	word first = hal_regs_word(regs, 0), how = hal_regs_word(regs, 1), value[3], old[3];
	word change = how & 7;

	if (!guest)
		return LIMPET_ESTATE;
	if (first >= HAL_REGS || how & ~(7ul | LIMPET_GUEST_COMMIT))
		return LIMPET_ERANGE;
	if (change && (guest->hal.fixed || (guest->resulting && guest->stacked)))
		return LIMPET_ESTATE;
	for (unsigned int i = 0; i < 3; i++) {
		word n = first + i;

		value[i] = hal_regs_word(regs, 2 + i);
		old[i] = n < HAL_REGS ? hal_regs_all(&guest->regs, (unsigned int)n) : 0;
		if (change >> i & 1 && !register_valid(n, value[i]))
			return LIMPET_ERANGE;
	}
	if (change)
		registers_set(guest, first, change, value);
	if (how & LIMPET_GUEST_COMMIT)
		guest->committed = guest->calls + guest->others;
	hal_regs_result(regs, LIMPET_OK, old[0], old[1], old[2]);
	return CALL_DONE;
}

/* --- about other guests */

/* Returns the level of a component in the guest's chain, or -1. */
static int executive_level(const struct guest *guest, const struct component *comp)
{
	if (likely(guest->executive->component == comp && !guest->released))
		return guest->level;
	for (unsigned int i = 0; guest->stacked && i < guest->levels; i++)
		if (guest->chain[i]->component == comp)
			return guest_level_of(guest, guest->chain[i]);
	return -1;
}

/* Returns the guest with an id if it is one of the component's, or NULL. */
static struct guest *guest_of(struct cpu *cpu, const struct component *comp, word id)
{
	struct guest *guest = NULL;

	if (cpu->guests && id < LIMPET_GUESTS_MAX)
		guest = cpu->guests[index_clamp(id, LIMPET_GUESTS_MAX)];
	return guest && guest->cpu == cpu && executive_level(guest, comp) >= 0 ? guest : NULL;
}

/*
 * GUEST_INFO(guest, what): returns the words of enum limpet_guest_what. ENOENT: the component has no guest with this
 * id. ERANGE: another `what`. ESTATE: LIMPET_GUEST_CLOCKS, and the thread does not handle an event.
 */
static long info(const struct guest *guest, struct hal_regs *regs)
{
	word what = hal_regs_word(regs, 1);

	if (!guest)
		return LIMPET_ENOENT;
	if (what == LIMPET_GUEST_CLOCKS)
		return GUEST_TASK;
	if (what > LIMPET_GUEST_USE)
		return LIMPET_ERANGE;
	if (what == LIMPET_GUEST_NAMES)
		hal_regs_result(regs, LIMPET_OK, guest->number, guest->process, 0);
	else
		hal_regs_result(regs, LIMPET_OK,
				guest->ran + (guest->since ? hal_time() - guest->since : 0),
				guest->asleep, 0);
	return CALL_DONE;
}

/*
 * GUEST_BREAK(guest, time, heir): requests the event BREAK on the guest's first way to user level at or after the time
 * stamp. 0 means immediately, LIMPET_NEVER never. If the guest sleeps in the host before, the GUEST_WAIT of guest
 * `heir` - 1 ends, unless `heir` is 0, and the event follows the sleep. Replaces an earlier request. ENOENT: the
 * component has no guest with this id, or no such heir. ESTATE: another executive of the guest gets BREAK. The host
 * reads the request when the guest's thread next gets the CPU. GUEST_TASK: the thread has the CPU now.
 */
static long break_set(struct cpu *cpu, const struct component *comp, const struct hal_regs *regs)
{
	struct guest *guest = guest_of(cpu, comp, hal_regs_word(regs, 0));
	word heir = hal_regs_word(regs, 2);

	if (!guest || (heir && !guest_of(cpu, comp, heir - 1)))
		return LIMPET_ENOENT;
	if (guest->stacked && guest_scheduler(guest) >= 0 &&
	    guest->chain[guest_scheduler(guest)]->component != comp)
		return LIMPET_ESTATE;
	guest->heir = (u32)heir;
	guest->break_time = hal_regs_word(regs, 1);
	return guest->since ? GUEST_TASK : LIMPET_OK;
}

/* --- kernel calls */

/* Calls about guests of the executive that only rarely need the host. */
static long about_other(struct guest *guest, word op, struct hal_regs *regs)
{
	const struct component *comp = guest->executive->component;
	long status = op == LIMPET_CALL_GUEST_BREAK
			      ? break_set(guest->cpu, comp, regs)
			      : info(guest_of(guest->cpu, comp, hal_regs_word(regs, 0)), regs);

	if (status == GUEST_TASK)
		guest->request = op;
	return status;
}

long guest_call(struct guest *guest, word op)
{
	switch (op) {
	case LIMPET_CALL_NOP:
		return LIMPET_OK;
	case LIMPET_CALL_GUEST_REGISTERS:
		return registers(guest, &guest->thread->regs);
	case LIMPET_CALL_GUEST_COPY ... LIMPET_CALL_GUEST_REVOKE:
		guest->request = op;
		return GUEST_TASK;
	case LIMPET_CALL_GUEST_INFO:
	case LIMPET_CALL_GUEST_BREAK:
		return about_other(guest, op, &guest->thread->regs);
	}
	return GUEST_MOVE;
}

/*
 * Returns whether the current thread handles an event, and executes in its executive, not in a
 * component that the executive invoked.
 */
static bool handles_event(const struct cpu *cpu)
{
	const struct thread *thread = cpu->thread;

	return thread->moved && thread->top == thread->frame && !thread->faults;
}

long call_guest_registers(struct cpu *cpu, struct hal_regs *regs)
{
	return registers(handles_event(cpu) ? cpu->thread->guest : NULL, regs);
}

/*
 * GUEST_SERVE(entry, kinds): the calling thread handles events of guests of its component from now on, and does not
 * return. Each event starts it at `entry`. `kinds`: LIMPET_GUEST_WANTS() of the events that the component gets besides
 * CALL. The last call counts. ERANGE: `entry` is not a user address. ENOENT: the host does not support guests. ERIGHTS:
 * the image does not mark the component as an executive of this CPU. ESTATE: the thread has invoked the component from
 * another one, or already handles a fault or an event. EFULL: the CPU has LIMPET_EXECUTIVES_MAX other executives.
 */
long call_guest_serve(struct cpu *cpu, struct hal_regs *regs)
{
	word entry = hal_regs_word(regs, 0), kinds = hal_regs_word(regs, 1);
	struct thread *thread = cpu->thread;
	struct executive *executive;

	if (entry >= LIMPET_USER_END)
		return LIMPET_ERANGE;
	if (!cpu->guests)
		return LIMPET_ENOENT;
	if (!component_marked(cpu, cpu->component->index, LIMPET_COMPONENT_EXECUTIVE) ||
	    cpu->record[cpu->component->index].cpu != cpu->number)
		return LIMPET_ERIGHTS;
	if (thread->top != thread->frame || thread->faults || thread->moved || thread->guest)
		return LIMPET_ESTATE;
	executive = executive_make(cpu, cpu->component);
	if (!executive)
		return LIMPET_EFULL;
	executive->entry = entry;
	executive->kinds = kinds;
	thread->executive = executive;
	thread->stack = component_stack(cpu->component, thread->id);
	hal_regs_status(regs, LIMPET_ECRASH); /* read only if the thread is stopped */
	thread_idle(executive, thread);
	host_guest(&cpu->host);
	thread_wait(cpu);
	return CALL_DONE;
}

/*
 * GUEST_ANSWER(operation, value): ends the event that the calling thread handles; see enum
 * limpet_guest_answer. The thread waits for the next one. ESTATE: it does not handle an event.
 */
long call_guest_answer(struct cpu *cpu, struct hal_regs *regs)
{
	struct thread *thread = cpu->thread;
	struct guest *guest = thread->guest;

	if (!handles_event(cpu))
		return LIMPET_ESTATE;
	if (guest) {
		guest->operation = hal_regs_word(regs, 0);
		guest->value = hal_regs_word(regs, 1);
		guest->answered = true;
		hal_barrier(); /* the host reads `thread` first */
		guest->thread = NULL;
		guest_notify(cpu, guest);
	}
	thread->executive->orphans -= !guest; /* without a guest it was orphaned */
	thread->moved = false;
	thread_idle(thread->executive, thread);
	host_guest(&cpu->host);
	thread_wait(cpu);
	return CALL_DONE;
}

long call_guest_task(struct cpu *cpu, word op)
{
	struct guest *guest = handles_event(cpu) ? cpu->thread->guest : NULL;

	if (!guest)
		return LIMPET_ESTATE;
	guest->request = op;
	guest->wanted = true;
	guest_notify(cpu, guest);
	thread_wait(cpu);
	return CALL_DONE;
}

/* GUEST_WAKE(guest): ends the guest's GUEST_WAIT, or its next one. ENOENT: the component has no such guest. */
long call_guest_wake(struct cpu *cpu, struct hal_regs *regs)
{
	struct guest *guest = guest_of(cpu, cpu->component, hal_regs_word(regs, 0));

	if (!guest)
		return LIMPET_ENOENT;
	guest->woken[executive_level(guest, cpu->component)] = true;
	guest_notify(cpu, guest);
	return LIMPET_OK;
}

long call_guest_info(struct cpu *cpu, struct hal_regs *regs)
{
	long status = info(guest_of(cpu, cpu->component, hal_regs_word(regs, 0)), regs);

	return status == GUEST_TASK ? call_guest_task(cpu, LIMPET_CALL_GUEST_INFO) : status;
}

/* A guest's thread is not on this CPU now, so the host does not need a notification. */
long call_guest_break(struct cpu *cpu, struct hal_regs *regs)
{
	long status = break_set(cpu, cpu->component, regs);

	return status == GUEST_TASK ? LIMPET_OK : status;
}
