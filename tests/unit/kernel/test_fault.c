// SPDX-License-Identifier: GPL-2.0
/* Faults: handled, refused, within each other, with a handler that is missing or crashes. */
#include "objects.h"

#define PAGE_FAULT 14

/* A component whose thread runs, with another one that handles its faults. */
static struct built victim, handler;

static void fault_setup(void)
{
	victim = component_new(1);
	handler = component_new(2);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&handler, 7)));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
}

static bool in(const struct built *b)
{
	const struct component *c = cpu->component;

	return c->index == b->index;
}

static void test_words(void **state)
{
	(void)state;
	fault_setup();
	user->ip = 0x401234;
	fault(PAGE_FAULT, 0xdead000, 6);
	assert_true(in(&handler));
	assert_int_equal(user->ip, ENTRY + 7 * 16);
	assert_int_equal(user->sp, STACKS + (1ul << STACK_SHIFT));
	assert_int_equal(user->status, 7); /* the gate's badge */
	assert_int_equal(user->words[0], PAGE_FAULT);
	assert_int_equal(user->words[1], 0xdead000);
	assert_int_equal(user->words[2], 6);
	assert_int_equal(user->words[3], 0x401234);
	assert_int_equal(user->words[4], 0);
	assert_int_equal(user->words[5], 1);
	assert_int_equal(cpu->thread->regs.scratch, 0);
	assert_int_equal(cpu->faults, 1);
}

/* Mended: everything goes on as it was. */
static void test_resume(void **state)
{
	(void)state;
	fault_setup();
	user->ip = 0x401234;
	user->sp = 0x30001000;
	user->status = 99;
	user->words[5] = 55;
	cpu->thread->regs.scratch = 77;
	fault(PAGE_FAULT, 8, 0);
	give_back(0);
	assert_true(in(&victim));
	assert_int_equal(user->ip, 0x401234);
	assert_int_equal(user->sp, 0x30001000);
	assert_int_equal(user->status, 99);
	assert_int_equal(user->words[5], 55);
	assert_int_equal(cpu->thread->regs.scratch, 77);
	assert_int_equal(cpu->thread->regs.full, 1);
	assert_int_equal(cpu->thread->faults, 0);
}

static void test_refused(void **state)
{
	(void)state;
	fault_setup();
	fault(PAGE_FAULT, 8, 0);
	give_back(LIMPET_ENOENT);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(cpu->thread->faults, 0);
}

static void test_no_handler(void **state)
{
	struct built b = component_new(3);

	(void)state;
	assert_int_equal(invoke(gate_new(&b, 1)), 1);
	fault(6, 0, 0);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

/* The handler's component was never activated. */
static void test_handler_not_active(void **state)
{
	struct built b = component_new(3);
	word c = object_new(LIMPET_COMPONENT, 1), gate = slot_new();

	(void)state;
	assert_ok(call(GATE_CREATE, c, ENTRY, 0, T, gate));
	assert_ok(call(COMPONENT_HANDLER, b.component, gate));
	assert_int_equal(invoke(gate_new(&b, 1)), 1);
	fault(6, 0, 0);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

static void test_no_caller(void **state)
{
	(void)state;
	fault(13, 0, 0); /* the booter's thread, at its bottom */
	assert_int_equal(cpu->thread->state, LIMPET_THREAD_DEAD);
	assert_true(cpu->host.pending & HOST_END);
}

/* The handler faults without a handler of its own: both components are left. */
static void test_handler_crashes(void **state)
{
	(void)state;
	fault_setup();
	fault(PAGE_FAULT, 8, 0);
	fault(6, 0, 0);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(component_of(&victim)->left, 1);
	assert_int_equal(component_of(&handler)->left, 1);
}

/* A handler that handles its own faults: two within each other, no more. */
static void test_nested(void **state)
{
	(void)state;
	victim = component_new(1);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&victim, 3)));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	fault(PAGE_FAULT, 1, 0);
	fault(PAGE_FAULT, 2, 0);
	assert_int_equal(cpu->thread->faults, THREAD_FAULTS);
	give_back(0);
	assert_int_equal(cpu->thread->faults, 1);
	fault(PAGE_FAULT, 3, 0);
	fault(PAGE_FAULT, 4, 0); /* too deep: the whole of it has crashed */
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(cpu->thread->faults, 0);
	assert_int_equal(component_of(&victim)->entered, component_of(&victim)->left);
}

/* Its own handler does not start on the stack that it was using. */
static void test_own_handler_stack(void **state)
{
	(void)state;
	victim = component_new(1);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&victim, 3)));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	user->sp = 0x30002008;
	fault(PAGE_FAULT, 1, 0);
	assert_true(user->sp <= 0x30002008 - 128);
	assert_int_equal(user->sp % 16, 0);
}

/* No frame left for the handler. */
static void test_stack_full(void **state)
{
	(void)state;
	fault_setup();
	while (cpu->thread->top != cpu->thread->frame + LIMPET_DEPTH_MAX) {
		*++cpu->thread->top = (struct invocation){ .component = cpu->component };
		cpu->component->entered++;
	}
	fault(PAGE_FAULT, 1, 0);
	assert_true(in(&victim));
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_ptr_equal(cpu->thread->top, cpu->thread->frame + LIMPET_DEPTH_MAX - 1);
}

/* The faulting component is stopped while its fault is handled: nothing is resumed. */
static void test_stopped_meanwhile(void **state)
{
	(void)state;
	victim = component_new(1);
	handler = component_new(2);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&handler, 7)));
	assert_ok(call(CAP_COPY, T, victim.component, handler.table, 1, LIMPET_MANAGE));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	fault(PAGE_FAULT, 8, 0);
	assert_ok(call(COMPONENT_STOP, 1));
	assert_true(in(&handler));
	give_back(0);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(cpu->thread->faults, 0);
}

/* The handler is stopped: the fault was not mended. */
static void test_handler_stopped(void **state)
{
	(void)state;
	victim = component_new(1);
	handler = component_new(2);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&handler, 7)));
	assert_ok(call(CAP_COPY, T, handler.component, handler.table, 1, LIMPET_MANAGE));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	fault(PAGE_FAULT, 8, 0);
	call(COMPONENT_STOP, 1);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

/* A state that cannot be given to the processor again is not resumed, and is a fault itself. */
static void test_mode(void **state)
{
	(void)state;
	fault_setup();
	cpu->thread->regs.mode = 1;
	interrupt();
	assert_true(in(&handler));
	assert_int_equal(user->words[0], LIMPET_FAULT_MODE);
	give_back(0);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

static void test_bad_ip(void **state)
{
	(void)state;
	fault_setup();
	user->ip = LIMPET_USER_END;
	fault(PAGE_FAULT, LIMPET_USER_END, 4);
	assert_true(in(&handler));
	give_back(0);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_ptr_equal(cpu->component, cpu->components[0]);
}

/* A system call of another system: what the last fault was can be seen from outside. */
static void test_foreign_call(void **state)
{
	(void)state;
	fault_setup();
	user->ip = 0x400777;
	fault(LIMPET_FAULT_SYSCALL, 39, 0);
	assert_int_equal(user->words[0], LIMPET_FAULT_SYSCALL);
	assert_int_equal(user->words[1], 39);
	assert_int_equal(component_of(&victim)->faults, 1);
	assert_int_equal(component_of(&victim)->fault.kind, LIMPET_FAULT_SYSCALL);
	assert_int_equal(component_of(&victim)->fault.ip, 0x400777);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_words),
		TEST(test_resume),
		TEST(test_refused),
		TEST(test_no_handler),
		TEST(test_handler_not_active),
		TEST(test_no_caller),
		TEST(test_handler_crashes),
		TEST(test_nested),
		TEST(test_own_handler_stack),
		TEST(test_stack_full),
		TEST(test_stopped_meanwhile),
		TEST(test_handler_stopped),
		TEST(test_mode),
		TEST(test_bad_ip),
		TEST(test_foreign_call),
	};

	return RUN("fault", tests);
}
