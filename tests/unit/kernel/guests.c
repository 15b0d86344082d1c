// SPDX-License-Identifier: GPL-2.0
#include <kernel/guest_event.h>

#include "guests.h"

struct guest guests_all[GUESTS];
unsigned int guests_notified[GUESTS];

static struct guest *table[LIMPET_GUESTS_MAX];
struct limpet_image_component guests_records[LIMPET_COMPONENTS_MAX];

void guests_enable(void)
{
	memset(guests_all, 0, sizeof(guests_all));
	memset(guests_notified, 0, sizeof(guests_notified));
	memset(table, 0, sizeof(table));
	memset(guests_records, 0, sizeof(guests_records));
	for (unsigned int i = 0; i < LIMPET_COMPONENTS_MAX; i++)
		guests_records[i].flags = LIMPET_COMPONENT_EXECUTIVE;
	for (unsigned int n = 0; n < machine.cpus; n++) {
		machine.all[n]->guests = table;
		machine.all[n]->record = guests_records;
		machine.all[n]->records = LIMPET_COMPONENTS_MAX;
	}
}

word guests_start(void)
{
	word scheduler = object_new(LIMPET_ENDPOINT, 1);

	guests_enable();
	assert_ok(call(ENDPOINT_BIND, scheduler, LIMPET_BOOT_THREAD));
	return scheduler;
}

void run(word thread)
{
	for (unsigned int i = 0; i < 16 && cpu->thread != thread_of(thread); i++) {
		assert_current(LIMPET_BOOT_THREAD);
		assert_ok(call(THREAD_DISPATCH, thread));
	}
	assert_current(thread);
}

word handler_new(const struct built *in, word id, word scheduler)
{
	word thread = thread_new(in, id, scheduler);

	run(thread);
	call(GUEST_SERVE, EVENT_ENTRY, ~0ul);
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_WAITING);
	return thread;
}

struct executive *executive_of(const struct built *b)
{
	return executive_find(cpu, (u32)b->index, NULL);
}

struct guest *guest_begin(unsigned int id, struct executive *x)
{
	struct guest *g = &guests_all[id];

	assert_null(g->cpu);
	assert_non_null(x);
	*g = (struct guest){
		.cpu = cpu,
		.executive = x,
		.event = LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, id),
		.id = id,
		.process = 1000 + id,
		.number = 2000 + id,
	};
	table[id] = g;
	return g;
}

void guest_remove(struct guest *g)
{
	if (g->thread)
		guest_orphan(g);
	list_remove(&g->update);
	table[g->id] = NULL;
	g->cpu = NULL;
}

bool guest_event(struct guest *g, unsigned int kind, const word words[6])
{
	g->hal.fixed = kind != LIMPET_GUEST_CALL;
	g->resulting = kind == LIMPET_GUEST_RESULT;
	g->changed = g->changed && (g->hal.fixed || g->level);
	if (!guest_take(g))
		return false;
	guest_start(g, LIMPET_GUEST_EVENT(kind, g->id), words);
	return true;
}

long guest_inside(struct guest *g, word op, const word words[6])
{
	struct thread *t = g->thread;
	long status;

	memcpy(t->regs.words, words, 6 * sizeof(word));
	t->regs.status = CALL_PENDING;
	status = guest_call(g, op);
	if (machine.checks)
		invariants();
	return status;
}

void guest_answers(struct guest *g, word operation, word value)
{
	guest_give(g);
	g->operation = operation;
	g->value = value;
	if (machine.checks)
		invariants();
}

void guest_moves(struct guest *g)
{
	guest_move(g);
	interrupt();
}

void guests_updated(struct cpu *c)
{
	struct list *item;

	while ((item = list_first(&c->updates))) {
		struct guest *g = list_object(item, struct guest, update);

		list_remove(item);
		guests_notified[g->id]++;
	}
}
