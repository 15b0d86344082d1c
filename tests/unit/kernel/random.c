// SPDX-License-Identifier: GPL-2.0
#include "random.h"

static unsigned long state_now;

void random_seed(unsigned long seed)
{
	state_now = seed * 2654435761ul + 1;
}

unsigned long random_next(void)
{
	state_now = state_now * 6364136223846793005ul + 1442695040888963407ul;
	return state_now >> 31;
}

unsigned long below(unsigned long end)
{
	return random_next() % end;
}

bool chance(unsigned int percent)
{
	return below(100) < percent;
}

/* Returns a slot that contains a capability of the type; 0: of any type. */
static word random_slot_of(word type)
{
	const struct table *table = cpu->component->table;
	word from = below(table->slots);

	for (unsigned int i = 0; i < table->slots && chance(99); i++) {
		const struct capability *cap = &table->slot[(from + i) % table->slots];

		if (cap->type && (!type || cap->type == type))
			return (from + i) % table->slots;
	}
	switch (below(4)) {
	case 0:
		return random_next() << below(40);
	case 1:
		return table->slots + below(3) - 1;
	default:
		return below(64);
	}
}

word random_slot(void)
{
	return random_slot_of(0);
}

static word random_address(void)
{
	static const word some[] = { 0, LIMPET_USER_BEGIN, LIMPET_USER_END, 1ul << 47, ~0xffful };

	if (chance(8))
		return some[below(countof(some))] + (below(3) - 1) * LIMPET_PAGE;
	return 0x10000000 + below(3) * (1ul << 21) + below(8) * LIMPET_PAGE + (chance(3) ? 8 : 0);
}

word random_word(void)
{
	switch (below(10)) {
	case 0:
		return random_address();
	case 1:
		return fake_processor->time + below(300);
	case 2:
		return ~0ul;
	case 3:
		return random_next() << below(34);
	case 4:
	case 5:
		return random_slot();
	default:
		return below(12);
	}
}

/*
 * The arguments that a call needs in most cases: a capability type is a slot that holds one.
 */
enum wish {
	ANY = 0x100,
	SLOT, /* of a table: filled */
	EMPTY_SLOT,
	ADDRESS,
	PAGES, /* a small count */
	RIGHTS,
	NUMBER, /* a small number */
	TYPE,	/* of an object */
	INDEX,	/* of a component or thread */
	CODE,
	TIME,
	EVENT,
	SHIFT,
	MEMORY, /* frames or device memory */
	WHAT,	/* part of a fault to read */
	PORT,
};

static const u16 wishes[LIMPET_CALL_COUNT][6] = {
	[LIMPET_CALL_CAP_COPY] = { LIMPET_TABLE, SLOT, LIMPET_TABLE, EMPTY_SLOT, RIGHTS },
	[LIMPET_CALL_CAP_MOVE] = { LIMPET_TABLE, SLOT, LIMPET_TABLE, EMPTY_SLOT },
	[LIMPET_CALL_CAP_DELETE] = { LIMPET_TABLE, SLOT },
	[LIMPET_CALL_CAP_REVOKE] = { LIMPET_TABLE, SLOT },
	[LIMPET_CALL_CAP_INFO] = { LIMPET_TABLE, SLOT },
	[LIMPET_CALL_FRAME_SPLIT] = { LIMPET_FRAMES, PAGES, LIMPET_TABLE, EMPTY_SLOT },
	[LIMPET_CALL_FRAME_RETYPE] = { LIMPET_FRAMES, TYPE, LIMPET_TABLE, EMPTY_SLOT, NUMBER },
	[LIMPET_CALL_PT_MAP] = { LIMPET_PAGE_TABLE, MEMORY, PAGES, ADDRESS, PAGES, RIGHTS },
	[LIMPET_CALL_PT_UNMAP] = { LIMPET_PAGE_TABLE, ADDRESS, PAGES },
	[LIMPET_CALL_PT_PROTECT] = { LIMPET_PAGE_TABLE, ADDRESS, PAGES, RIGHTS },
	[LIMPET_CALL_COMPONENT_ACTIVATE] = { LIMPET_COMPONENT, LIMPET_PAGE_TABLE, LIMPET_TABLE,
					     ADDRESS, SHIFT, INDEX },
	[LIMPET_CALL_COMPONENT_HANDLER] = { LIMPET_COMPONENT, LIMPET_GATE },
	[LIMPET_CALL_COMPONENT_STOP] = { LIMPET_COMPONENT, NUMBER },
	[LIMPET_CALL_GATE_CREATE] = { LIMPET_COMPONENT, CODE, ANY, LIMPET_TABLE, EMPTY_SLOT },
	[LIMPET_CALL_THREAD_START] = { LIMPET_THREAD, LIMPET_COMPONENT, CODE, ANY, INDEX,
				       LIMPET_ENDPOINT },
	[LIMPET_CALL_THREAD_DISPATCH] = { LIMPET_THREAD, TIME },
	[LIMPET_CALL_THREAD_URGENCY] = { LIMPET_THREAD, NUMBER },
	[LIMPET_CALL_THREAD_INFO] = { LIMPET_THREAD },
	[LIMPET_CALL_ENDPOINT_BIND] = { LIMPET_ENDPOINT, LIMPET_THREAD },
	[LIMPET_CALL_ENDPOINT_SEND] = { LIMPET_ENDPOINT, EVENT },
	[LIMPET_CALL_ENDPOINT_RECEIVE] = { LIMPET_ENDPOINT, TIME, NUMBER },
	[LIMPET_CALL_PORT_EXPORT] = { LIMPET_CPU, LIMPET_ENDPOINT, SLOT },
	[LIMPET_CALL_PORT_IMPORT] = { LIMPET_CPU, NUMBER, SLOT, LIMPET_TABLE, EMPTY_SLOT },
	[LIMPET_CALL_CHANNEL_CREATE] = { LIMPET_CPU, LIMPET_FRAMES, LIMPET_ENDPOINT, NUMBER,
					 LIMPET_TABLE, EMPTY_SLOT },
	[LIMPET_CALL_CHANNEL_NOTIFY] = { LIMPET_CHANNEL },
	[LIMPET_CALL_CHANNEL_STATE] = { LIMPET_CHANNEL, NUMBER },
	[LIMPET_CALL_CPU_INFO] = { LIMPET_CPU, NUMBER },
	[LIMPET_CALL_CPU_TIMER] = { LIMPET_CPU, LIMPET_ENDPOINT },
	[LIMPET_CALL_CPU_PRINT] = { LIMPET_CPU, ANY, ANY, ANY, ANY, ANY },
	[LIMPET_CALL_PT_EXTEND] = { LIMPET_PAGE_TABLE, LIMPET_FRAMES },
	[LIMPET_CALL_RESOURCE_INFO] = { LIMPET_CPU, NUMBER },
	[LIMPET_CALL_RESOURCE_CREATE] = { LIMPET_CPU, NUMBER, LIMPET_TABLE, EMPTY_SLOT },
	[LIMPET_CALL_IO_READ] = { LIMPET_IO_PORTS, PORT, NUMBER },
	[LIMPET_CALL_IO_WRITE] = { LIMPET_IO_PORTS, PORT, NUMBER, ANY },
	[LIMPET_CALL_INTERRUPT_BIND] = { LIMPET_INTERRUPT, LIMPET_ENDPOINT, EVENT },
	[LIMPET_CALL_INTERRUPT_ACK] = { LIMPET_INTERRUPT },
	[LIMPET_CALL_SYSCALL_ENTRY] = { CODE },
	[LIMPET_CALL_COMPONENT_OPEN] = { LIMPET_COMPONENT },
	[LIMPET_CALL_FAULT_READ] = { LIMPET_COMPONENT, WHAT },
	[LIMPET_CALL_MEMORY_READ] = { LIMPET_PAGE_TABLE, ADDRESS },
	[LIMPET_CALL_THREAD_DIVERT] = { INDEX, CODE, CODE },
	[LIMPET_CALL_THREAD_MISSED] = { LIMPET_THREAD },
	[LIMPET_CALL_FAULT_WRITE] = { LIMPET_COMPONENT, INDEX, CODE },
	[LIMPET_CALL_MEMORY_WRITE] = { LIMPET_PAGE_TABLE, ADDRESS, ANY, NUMBER },
	[LIMPET_CALL_PT_HOLD] = { LIMPET_PAGE_TABLE, NUMBER },
	[LIMPET_CALL_THREAD_JOB] = { LIMPET_THREAD, NUMBER, TIME, ANY, NUMBER },
	[LIMPET_CALL_GUEST_SERVE] = { CODE, ANY },
	[LIMPET_CALL_GUEST_ANSWER] = { NUMBER, ANY },
	[LIMPET_CALL_GUEST_REGISTERS] = { INDEX, NUMBER, ANY, CODE, ANY },
	[LIMPET_CALL_GUEST_COPY] = { NUMBER, ADDRESS, ADDRESS, PAGES },
	[LIMPET_CALL_GUEST_WAIT] = { TIME, ANY, NUMBER },
	[LIMPET_CALL_GUEST_WAKE] = { NUMBER },
	[LIMPET_CALL_GUEST_FILTER] = { NUMBER, ANY, ANY, ANY, ANY },
	[LIMPET_CALL_GUEST_MAP] = { ADDRESS, PAGES, NUMBER },
	[LIMPET_CALL_GUEST_REVOKE] = { ADDRESS, PAGES },
	[LIMPET_CALL_GUEST_INFO] = { NUMBER, NUMBER },
	[LIMPET_CALL_GUEST_BREAK] = { NUMBER, TIME, NUMBER },
};

static word empty_slot(void)
{
	const struct table *table = cpu->component->table;
	word from = below(table->slots);

	for (unsigned int i = 0; i < table->slots; i++)
		if (!table->slot[(from + i) % table->slots].type)
			return (from + i) % table->slots;
	return from;
}

static word wish(u16 what)
{
	if (chance(3))
		return random_word();
	switch (what) {
	case SLOT:
		return random_slot();
	case EMPTY_SLOT:
		return empty_slot();
	case TYPE:
		return chance(90) ? LIMPET_TABLE + below(5) : below(LIMPET_TYPES + 1);
	case INDEX:
		return below(66);
	case ADDRESS:
		return random_address();
	case PAGES:
		return chance(95) ? below(3) : below(LIMPET_MAP_MAX + 3);
	case RIGHTS:
		return chance(60) ? 1 + 2 * below(2) : random_next() & 31;
	case NUMBER:
		return chance(30) ? 0 : below(10);
	case CODE: /* often ENTRY, the address where most threads are */
		return ENTRY + (chance(50) ? 0 : below(64));
	case TIME:
		return chance(70) ? 0 : fake_processor->time + below(300) - 30;
	case EVENT:
		return chance(80) ? 1 : 1ul << below(64);
	case WHAT:
		return chance(50) ? below(7) : LIMPET_FAULT_CALLER(below(4));
	case SHIFT:
		return 11 + below(11);
	case MEMORY:
		return random_slot_of(chance(80) ? LIMPET_FRAMES : LIMPET_DEVICE_MEMORY);
	case PORT:
		return PORT_FIRST + below(PORT_COUNT + 2) - 1;
	case 0:
	case ANY:
		return random_word();
	}
	return what == LIMPET_ENDPOINT && chance(15) ? 0 : random_slot_of(what);
}

void random_words(word op, word w[6])
{
	for (unsigned int i = 0; i < 6; i++)
		w[i] = op < LIMPET_CALL_COUNT ? wish(wishes[op][i]) : random_word();
	if (op == LIMPET_CALL_ENDPOINT_RECEIVE && chance(70)) { /* only its own capability works */
		const struct endpoint *ep = cpu->thread->endpoint;
		const struct table *table = cpu->component->table;

		for (word slot = 0; ep && slot < table->slots; slot++)
			if (table->slot[slot].object == &ep->object)
				w[0] = slot;
	}
}
