// SPDX-License-Identifier: GPL-2.0
/* Tests gates: create, invoke, return. */
#include "objects.h"

static void test_create_errors(void **state)
{
	struct built b = component_new(1);
	word few = weaker(b.component, LIMPET_ALL & ~LIMPET_EXEC);

	(void)state;
	assert_status(call(GATE_CREATE, EMPTY, ENTRY, 0, T, EMPTY), ESLOT);
	assert_status(call(GATE_CREATE, T, ENTRY, 0, T, EMPTY), ETYPE);
	assert_status(call(GATE_CREATE, few, ENTRY, 0, T, EMPTY), ERIGHTS);
	assert_status(call(GATE_CREATE, b.component, ENTRY, 0, EMPTY, EMPTY), ESLOT);
	assert_status(call(GATE_CREATE, b.component, ENTRY, 0, b.component, EMPTY), ETYPE);
	assert_status(call(GATE_CREATE, b.component, ENTRY, 0, T, 0), ESLOT);
	assert_status(call(GATE_CREATE, b.component, ENTRY, 0, T, T), EFULL);
	assert_status(call(GATE_CREATE, b.component, LIMPET_USER_END, 0, T, EMPTY), ERANGE);
	assert_status(call(GATE_CREATE, b.component, 1ul << 63, 0, T, EMPTY), ERANGE);
}

/* A gate can be created in another table only with the right to grant the component. */
static void test_create_needs_grant(void **state)
{
	struct built a = component_new(1), b = component_new(2);
	word kept = weaker(a.component, LIMPET_ALL & ~LIMPET_GRANT);

	(void)state;
	assert_status(call(GATE_CREATE, kept, ENTRY, 0, b.table, 1), ERIGHTS);
	assert_ok(call(GATE_CREATE, kept, ENTRY, 0, T, EMPTY));
	assert_int_equal(cap_at(EMPTY)->rights, LIMPET_ALL & ~LIMPET_GRANT);
}

static void test_invoke_and_return(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 7), ip = user->ip, sp = user->sp;
	struct component *here = cpu->component;

	(void)state;
	for (unsigned int i = 0; i < 6; i++)
		user->words[i] = 100 + i;
	assert_int_equal(invoke(gate), 7);
	assert_ptr_equal(cpu->component, component_of(&b));
	assert_int_equal(fake_processor->root, component_of(&b)->root);
	assert_int_equal(user->ip, ENTRY + 7 * 16);
	assert_int_equal(user->sp, STACKS + (1ul << STACK_SHIFT)); /* thread 0 */
	assert_int_equal(user->words[5], 105);
	give_back(-3);
	assert_ptr_equal(cpu->component, here);
	assert_int_equal(fake_processor->root, here->root);
	assert_int_equal(user->ip, ip + INSTRUCTION);
	assert_int_equal(user->sp, sp);
	assert_int_equal((long)user->status, -3);
	assert_int_equal(component_of(&b)->entered, 1);
	assert_int_equal(component_of(&b)->left, 1);
}

static void refused(word slot, long error)
{
	const struct user before = *user;
	const struct component *here = cpu->component;

	assert_int_equal(invoke(slot), error);
	assert_int_equal(user->ip, before.ip + INSTRUCTION);
	assert_int_equal(user->sp, before.sp);
	assert_ptr_equal(cpu->component, here);
	assert_ptr_equal(cpu->thread->top, cpu->thread->frame);
}

static void test_invoke_errors(void **state)
{
	word empty = object_new(LIMPET_COMPONENT, 1), gate = slot_new();

	(void)state;
	assert_ok(call(GATE_CREATE, empty, ENTRY, 0, T, gate));
	refused(EMPTY, LIMPET_ESLOT);
	refused(0, LIMPET_ESLOT);
	refused(1023, LIMPET_ESLOT);
	refused(4094, LIMPET_ESLOT);
	refused(T, LIMPET_ETYPE);
	refused(empty, LIMPET_ETYPE);
	refused(gate, LIMPET_ECRASH); /* not activated */
}

/* Makes a stack for each thread in each component. */
static void test_stacks(void **state)
{
	struct built b = component_new(1);
	word thread = thread_new(&b, 5, 0);

	(void)state;
	assert_int_equal(thread_of(thread)->regs.sp, STACKS + (6ul << STACK_SHIFT));
}

/* The depth of the invocation stack depends on the thread's memory. A deeper invocation is refused. */
static void test_depth(void **state)
{
	struct built b = component_new(1);
	const word max = cpu->thread->last - cpu->thread->frame;
	unsigned int depth = 0;

	(void)state;
	assert_true(max >= LIMPET_DEPTH_DEFAULT);
	gate_give(&b, 1, b.table, 1);
	assert_int_equal(invoke(gate_new(&b, 1)), 1);
	for (depth = 1; depth < max; depth++)
		assert_int_equal(invoke(1), 1);
	assert_int_equal(invoke(1), LIMPET_EDEPTH);
	assert_int_equal(component_of(&b)->entered, max);
	for (; depth; depth--) {
		assert_ptr_equal(cpu->component, component_of(&b));
		give_back(0);
	}
	assert_ptr_equal(cpu->component, cpu->components[0]);
}

/* If a thread returns without a caller, it dies. The system ends with its last thread. */
static void test_return_at_the_end(void **state)
{
	(void)state;
	give_back(0);
	assert_int_equal(cpu->thread->state, LIMPET_THREAD_DEAD);
	assert_true(cpu->host.pending & HOST_END);
	assert_true(cpu->idle);
}

/* A gate keeps its component alive. The last gate is its last name. */
static void test_gate_keeps_component(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 1), frames = b.component - 1;

	(void)state;
	assert_ok(call(CAP_MOVE, T, gate, T, EMPTY));
	assert_int_equal(invoke(EMPTY), 1);
	give_back(0);
	assert_ok(delete_all(b.component)); /* including all objects that were derived from it */
	assert_int_equal(invoke(EMPTY), LIMPET_ESLOT);
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_ENDPOINT, T, b.component));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create_errors),
		TEST(test_create_needs_grant),
		TEST(test_invoke_and_return),
		TEST(test_invoke_errors),
		TEST(test_stacks),
		TEST(test_depth),
		TEST(test_return_at_the_end),
		TEST(test_gate_keeps_component),
	};

	return RUN("gate", tests);
}
