// SPDX-License-Identifier: BSD-2-Clause
#include "adversary.h"
#include "lab.h"

/* Meaning of a word of a call. */
enum role {
	ANY,
	TABLE,
	SOURCE, /* any slot of that table */
	EMPTY,	/* a slot that receives a capability */
	FRAMES,
	PART, /* frames, split off */
	PAGE_TABLE,
	COMPONENT,
	THREAD,
	ENDPOINT,
	GATE,
	CHANNEL,
	CPU,
	TYPE,
	COUNT,
	RIGHTS,
	ACCESS, /* rights of a mapping */
	ADDRESS,
	ENTRY,
	SHIFT,
	INDEX,
	ID,
	DEADLINE,
	FLAGS,
	BITS,
	PORT,
	NUMBER,
};

static const unsigned char roles[LIMPET_CALL_COUNT][6] = {
	[LIMPET_CALL_RETURN] = { ANY, ANY, ANY, NUMBER },
	[LIMPET_CALL_CAP_COPY] = { TABLE, SOURCE, TABLE, EMPTY, RIGHTS },
	[LIMPET_CALL_CAP_MOVE] = { TABLE, SOURCE, TABLE, EMPTY },
	[LIMPET_CALL_CAP_DELETE] = { TABLE, SOURCE },
	[LIMPET_CALL_CAP_REVOKE] = { TABLE, SOURCE },
	[LIMPET_CALL_CAP_INFO] = { TABLE, SOURCE },
	[LIMPET_CALL_FRAME_SPLIT] = { FRAMES, COUNT, TABLE, EMPTY },
	[LIMPET_CALL_FRAME_RETYPE] = { PART, TYPE, TABLE, EMPTY },
	[LIMPET_CALL_PT_MAP] = { PAGE_TABLE, FRAMES, COUNT, ADDRESS, COUNT, ACCESS },
	[LIMPET_CALL_PT_UNMAP] = { PAGE_TABLE, ADDRESS, COUNT },
	[LIMPET_CALL_PT_PROTECT] = { PAGE_TABLE, ADDRESS, COUNT, ACCESS },
	[LIMPET_CALL_COMPONENT_ACTIVATE] = { COMPONENT, PAGE_TABLE, TABLE, ADDRESS, SHIFT, INDEX },
	[LIMPET_CALL_COMPONENT_HANDLER] = { COMPONENT, GATE },
	[LIMPET_CALL_COMPONENT_STOP] = { COMPONENT, FLAGS },
	[LIMPET_CALL_GATE_CREATE] = { COMPONENT, ENTRY, ANY, TABLE, EMPTY },
	[LIMPET_CALL_THREAD_START] = { THREAD, COMPONENT, ENTRY, ANY, ID, ENDPOINT },
	[LIMPET_CALL_THREAD_DISPATCH] = { THREAD, DEADLINE },
	[LIMPET_CALL_THREAD_URGENCY] = { THREAD, NUMBER },
	[LIMPET_CALL_THREAD_INFO] = { THREAD },
	[LIMPET_CALL_ENDPOINT_BIND] = { ENDPOINT, THREAD },
	[LIMPET_CALL_ENDPOINT_SEND] = { ENDPOINT, BITS },
	[LIMPET_CALL_ENDPOINT_RECEIVE] = { ENDPOINT, DEADLINE, FLAGS },
	[LIMPET_CALL_PORT_EXPORT] = { CPU, ENDPOINT, PORT },
	[LIMPET_CALL_PORT_IMPORT] = { CPU, NUMBER, PORT, TABLE, EMPTY },
	[LIMPET_CALL_CHANNEL_CREATE] = { CPU, FRAMES, ENDPOINT, NUMBER, TABLE, EMPTY },
	[LIMPET_CALL_CHANNEL_NOTIFY] = { CHANNEL },
	[LIMPET_CALL_CHANNEL_STATE] = { CHANNEL, NUMBER },
	[LIMPET_CALL_CPU_INFO] = { CPU, NUMBER },
	[LIMPET_CALL_CPU_TIMER] = { CPU, ENDPOINT },
	[LIMPET_CALL_CPU_PRINT] = { CPU, ANY, ANY, ANY, ANY, ANY },
	[LIMPET_CALL_PT_EXTEND] = { PAGE_TABLE, PART },
	[LIMPET_CALL_RESOURCE_INFO] = { CPU, NUMBER },
	[LIMPET_CALL_RESOURCE_CREATE] = { CPU, NUMBER, TABLE, EMPTY },
	[LIMPET_CALL_GUEST_SERVE] = { ENTRY, BITS },
	[LIMPET_CALL_GUEST_ANSWER] = { NUMBER, ANY },
	[LIMPET_CALL_GUEST_REGISTERS] = { NUMBER, NUMBER, ANY, ANY, ANY },
	[LIMPET_CALL_GUEST_COPY] = { NUMBER, ADDRESS, ADDRESS, COUNT },
	[LIMPET_CALL_GUEST_WAIT] = { DEADLINE, DEADLINE, NUMBER },
	[LIMPET_CALL_GUEST_WAKE] = { NUMBER },
	[LIMPET_CALL_GUEST_FILTER] = { NUMBER, ANY, ANY, ANY, ANY },
	[LIMPET_CALL_GUEST_MAP] = { ADDRESS, COUNT, NUMBER },
	[LIMPET_CALL_GUEST_REVOKE] = { ADDRESS, COUNT },
	[LIMPET_CALL_GUEST_INFO] = { NUMBER, NUMBER },
	[LIMPET_CALL_GUEST_BREAK] = { NUMBER, DEADLINE, NUMBER },
	/* Slots of types that it never has. */
	[LIMPET_CALL_IO_READ] = { SOURCE, PORT, NUMBER },
	[LIMPET_CALL_IO_WRITE] = { SOURCE, PORT, NUMBER, ANY },
	[LIMPET_CALL_INTERRUPT_BIND] = { SOURCE, ENDPOINT, BITS },
	[LIMPET_CALL_INTERRUPT_ACK] = { SOURCE },
	[LIMPET_CALL_SYSCALL_ENTRY] = { ADDRESS },
	[LIMPET_CALL_COMPONENT_OPEN] = { COMPONENT },
	[LIMPET_CALL_FAULT_READ] = { COMPONENT, NUMBER },
	[LIMPET_CALL_MEMORY_READ] = { PAGE_TABLE, ADDRESS },
	[LIMPET_CALL_THREAD_DIVERT] = { NUMBER, ADDRESS, ADDRESS },
	[LIMPET_CALL_THREAD_MISSED] = { THREAD },
	[LIMPET_CALL_FAULT_WRITE] = { COMPONENT, NUMBER, ADDRESS },
	[LIMPET_CALL_MEMORY_WRITE] = { PAGE_TABLE, ADDRESS, ANY, NUMBER },
	[LIMPET_CALL_PT_HOLD] = { PAGE_TABLE, NUMBER },
	[LIMPET_CALL_THREAD_JOB] = { THREAD, NUMBER, ANY, DEADLINE, ANY },
};

static const unsigned char types[] = {
	[TABLE] = LIMPET_TABLE,
	[FRAMES] = LIMPET_FRAMES,
	[PAGE_TABLE] = LIMPET_PAGE_TABLE,
	[COMPONENT] = LIMPET_COMPONENT,
	[THREAD] = LIMPET_THREAD,
	[ENDPOINT] = LIMPET_ENDPOINT,
	[GATE] = LIMPET_GATE,
	[CHANNEL] = LIMPET_CHANNEL,
	[CPU] = LIMPET_CPU,
};

/* Returns a type that the object made by a call has, or LIMPET_NONE. */
static enum limpet_type made_by(long op, word type)
{
	switch (op) {
	case LIMPET_CALL_FRAME_SPLIT:
		return LIMPET_FRAMES;
	case LIMPET_CALL_FRAME_RETYPE:
		return type < LIMPET_TYPES ? (enum limpet_type)type : LIMPET_NONE;
	case LIMPET_CALL_GATE_CREATE:
		return LIMPET_GATE;
	case LIMPET_CALL_CHANNEL_CREATE:
		return LIMPET_CHANNEL;
	}
	return LIMPET_NONE;
}

static word below(struct adversary *a, word limit)
{
	return lab_random(&a->state) % limit;
}

static word extreme(struct adversary *a)
{
	static const word words[] = {
		0,
		1,
		2,
		31,
		32,
		33,
		62,
		63,
		64,
		65,
		127,
		128,
		447,
		448,
		1022,
		1023,
		1024,
		4094,
		4095,
		4096,
		4097,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		0x100000001,
		LIMPET_USER_END - 4096,
		LIMPET_USER_END - 1,
		LIMPET_USER_END,
		LIMPET_USER_END + 4096,
		0x7fffffffffff,
		0x800000000000,
		0x7ffffffffffff000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xffff7fffffffffff,
		0xffff800000000000,
		0xffff888000000000,
		0xffffffff81000000,
		0xfffffffffffff000,
		0xfffffffffffffffe,
		0xffffffffffffffff,
	};

	return words[below(a, array_size(words))];
}

static word slot_of(struct adversary *a, enum limpet_type type)
{
	if (a->slots[type].given && below(a, 4) < (type == LIMPET_TABLE ? 3 : 2))
		return a->slots[type].given;
	if (!a->slots[type].count || below(a, 16) == 0)
		return below(a, a->slots_end);
	return a->slots[type].first + below(a, a->slots[type].count);
}

static word address(struct adversary *a)
{
	static const word places[] = { DOMAIN_CODE,
				       DOMAIN_DATA,
				       DOMAIN_STACKS,
				       0x20000000,
				       0,
				       LIMPET_USER_END - 32 * LIMPET_PAGE,
				       LIMPET_USER_END - LIMPET_PAGE };
	word at = places[below(a, array_size(places))] + below(a, 40) * LIMPET_PAGE;

	switch (below(a, 8)) {
	case 0:
		return lab_random(&a->state);
	case 1:
		return at + 1 + below(a, 4095);
	case 2:
		return 0x20000000 + below(a, 1 << 20) * LIMPET_PAGE;
	}
	return at;
}

static word of_role(struct adversary *a, enum role role)
{
	static const word counts[] = { 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 5, 16, 31, 32, 33, 64, 65 };
	static const word accesses[] = { 0, 1, 3, 3, 5, 5, 7, 31 };
	static const word types_made[] = { LIMPET_TABLE,     LIMPET_PAGE_TABLE, LIMPET_COMPONENT,
					   LIMPET_COMPONENT, LIMPET_THREAD,	LIMPET_ENDPOINT };
	static const word entries[] = { DOMAIN_CODE, DOMAIN_CODE, DOMAIN_CODE + 1, DOMAIN_DATA };

	switch (role) {
	case ANY:
		return lab_random(&a->state);
	case SOURCE:
	case EMPTY:
		return below(a, a->slots_end);
	case TYPE:
		return below(a, 4) ? types_made[below(a, array_size(types_made))] : below(a, 14);
	case COUNT:
		return counts[below(a, array_size(counts))];
	case RIGHTS:
		return below(a, 3) ? LIMPET_ALL : below(a, 64);
	case PART:
		return below(a, 20) ? a->slots[LIMPET_FRAMES].first +
					      below(a, a->slots[LIMPET_FRAMES].count + 1)
				    : slot_of(a, LIMPET_FRAMES);
	case ACCESS:
		return accesses[below(a, array_size(accesses))];
	case ADDRESS:
		return address(a);
	case ENTRY:
		return below(a, 4) ? entries[below(a, array_size(entries))] : address(a);
	case SHIFT:
		return below(a, 4) ? DOMAIN_STACK_SHIFT : below(a, 70);
	case INDEX:
		return 60 + below(a, 70);
	case ID:
		return a->threads_first + below(a, 66 - a->threads_first);
	case DEADLINE:
		return below(a, 4) ? 0 : below(a, 2) ? LIMPET_NEVER : lab_random(&a->state);
	case FLAGS:
		return below(a, 8) ? LIMPET_NOWAIT : below(a, 4);
	case BITS:
		return 1ul << below(a, 64) | 1ul << below(a, 64);
	case PORT:
		return below(a, 66);
	case NUMBER:
		return below(a, 6);
	default:
		return slot_of(a, (enum limpet_type)types[role]);
	}
}

static long operation(struct adversary *a)
{
	/* Calls that make objects and rights for later calls. */
	static const unsigned char more[] = {
		LIMPET_CALL_FRAME_SPLIT,
		LIMPET_CALL_FRAME_SPLIT,
		LIMPET_CALL_FRAME_RETYPE,
		LIMPET_CALL_FRAME_RETYPE,
		LIMPET_CALL_FRAME_RETYPE,
		LIMPET_CALL_FRAME_RETYPE,
		LIMPET_CALL_PT_MAP,
		LIMPET_CALL_PT_MAP,
		LIMPET_CALL_COMPONENT_ACTIVATE,
		LIMPET_CALL_COMPONENT_ACTIVATE,
		LIMPET_CALL_GATE_CREATE,
		LIMPET_CALL_THREAD_START,
		LIMPET_CALL_THREAD_DISPATCH,
		LIMPET_CALL_ENDPOINT_BIND,
		LIMPET_CALL_CAP_COPY,
	};

	if (below(a, 2))
		return more[below(a, array_size(more))];
	switch (below(a, 64)) {
	case 0:
		return (long)below(a, 100);
	case 1:
		return (long)(lab_random(&a->state) >> 13);
	case 2:
		return LIMPET_CALL_RETURN;
	}
	return 1 + (long)below(a, LIMPET_CALL_COUNT - 1);
}

static bool takes_away(long op)
{
	return op == LIMPET_CALL_CAP_MOVE || op == LIMPET_CALL_CAP_DELETE ||
	       op == LIMPET_CALL_CAP_REVOKE;
}

static struct call kernel_call(struct adversary *a)
{
	const long op = operation(a);
	struct call call = { .rax = LIMPET_CALL(op) };

	for (unsigned int n = 0; n < 6; n++) {
		enum role role = op < LIMPET_CALL_COUNT ? (enum role)roles[op][n] : ANY;
		enum limpet_type made = made_by(op, call.words[1]);

		if (below(a, 24) == 0)
			call.words[n] = extreme(a);
		else if (role == EMPTY && made && a->slots[made].count)
			call.words[n] = a->slots[made].first + below(a, a->slots[made].count);
		else if (role == SOURCE && takes_away(op) && below(a, 16))
			call.words[n] = a->given_end + below(a, a->slots_end - a->given_end);
		else
			call.words[n] = of_role(a, role);
	}
	return call;
}

/* Returns whether the call would only end the caller, and so its later attacks. */
static bool suicidal(const struct adversary *a, const struct call *call)
{
	const long op = -4096 - call->rax;

	if (op == LIMPET_CALL_SYSCALL_ENTRY)
		return true; /* its next foreign call would fail */
	return (op == LIMPET_CALL_COMPONENT_STOP || op == LIMPET_CALL_PT_UNMAP ||
		op == LIMPET_CALL_PT_PROTECT || op == LIMPET_CALL_RETURN) &&
	       call->words[0] < a->given_end;
}

static struct call kernel_call_mostly_useful(struct adversary *a)
{
	struct call call = kernel_call(a);

	for (unsigned int i = 0; i < 4 && suicidal(a, &call); i++)
		call = kernel_call(a);
	return call;
}

struct call adversary_call(struct adversary *a)
{
	struct call call;

	if (below(a, 1000) >= 60 + a->foreign)
		return kernel_call_mostly_useful(a);
	if (below(a, 60 + a->foreign) < a->foreign) {
		call.rax = (long)(lab_random(&a->state) >> 1);
	} else if (below(a, 3)) {
		call.rax = LIMPET_INVOKE(slot_of(a, LIMPET_GATE));
	} else {
		call.rax = LIMPET_INVOKE(below(a, 4095));
	}
	for (unsigned int n = 0; n < 6; n++)
		call.words[n] = below(a, 2) ? extreme(a) : lab_random(&a->state);
	return call;
}
