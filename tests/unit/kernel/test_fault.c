// SPDX-License-Identifier: GPL-2.0
/* Tests faults: handled, refused, nested, and with a missing or crashing handler. */
#include "objects.h"

#define PAGE_FAULT 14

/* Makes a component whose thread runs, with another component that handles its faults. */
static struct built victim, handler;

/* Builds both. The handler can read faults with slot 1. */
static void fault_build(void)
{
	victim = component_new(1);
	handler = component_new(2);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&handler, 7)));
	assert_ok(call(CAP_COPY, T, victim.component, handler.table, 1, LIMPET_MANAGE));
}

static void fault_setup(void)
{
	fault_build();
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

/* The fault was repaired: the thread continues unchanged. */
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
	assert_int_equal(component_of(&victim)->faults, 0);
	assert_int_equal(cpu->faults, 1);
}

static void test_refused(void **state)
{
	(void)state;
	fault_setup();
	user->ip = 0x401234;
	fault(PAGE_FAULT, 8, 6);
	assert_int_equal(component_of(&victim)->faults, 0);
	give_back(LIMPET_ENOENT);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(cpu->thread->faults, 0);
	assert_int_equal(component_of(&victim)->faults, 1);
	assert_int_equal(component_of(&victim)->fault.kind, PAGE_FAULT);
	assert_int_equal(component_of(&victim)->fault.address, 8);
	assert_int_equal(component_of(&victim)->fault.error, 6);
	assert_int_equal(component_of(&victim)->fault_ip, 0x401234);
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

/* The handler faults without a handler of its own: the thread leaves both components. */
static void test_handler_crashes(void **state)
{
	(void)state;
	fault_setup();
	fault(PAGE_FAULT, 8, 0);
	fault(6, 0, 0);
	assert_int_equal(component_of(&victim)->faults, 1);
	assert_int_equal(component_of(&victim)->fault.kind, PAGE_FAULT);
	assert_int_equal(component_of(&handler)->faults, 1);
	assert_int_equal(component_of(&handler)->fault.kind, 6);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(component_of(&victim)->left, 1);
	assert_int_equal(component_of(&handler)->left, 1);
}

/* A handler that handles its own faults can have two nested faults, and no more. */
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
	fault(PAGE_FAULT, 4, 0); /* too deep: the component crashes */
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(cpu->thread->faults, 0);
	assert_int_equal(component_of(&victim)->entered, component_of(&victim)->left);
}

/* A component's own handler does not start on the part of the stack that is in use. */
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

/* The handler also does not overwrite a stack that an earlier invocation of its component uses. */
static void test_handler_came_before(void **state)
{
	struct built helper = component_new(4);

	(void)state;
	fault_build();
	assert_ok(call(GATE_CREATE, victim.component, ENTRY, 9, handler.table, 2));
	assert_ok(call(COMPONENT_HANDLER, handler.component, gate_new(&helper, 8)));
	assert_ok(call(COMPONENT_HANDLER, helper.component, gate_new(&handler, 7)));
	assert_int_equal(invoke(gate_new(&handler, 1)), 1);
	user->sp = 0x30005008;
	assert_int_equal(invoke(2), 9);
	fault(PAGE_FAULT, 1, 0);
	assert_true(in(&handler));
	assert_int_equal(user->sp, (0x30005008 - 128) & ~15ul);
	user->sp = 0x30004000;
	fault(PAGE_FAULT, 2, 0); /* the handler faults: its handler starts on an unused stack */
	assert_true(in(&helper));
	assert_int_equal(user->sp, STACKS + (1ul << STACK_SHIFT));
	give_back(0);
	assert_int_equal(user->sp, 0x30004000);
	give_back(0);
	assert_true(in(&victim));
	give_back(0);
	assert_true(in(&handler));
	assert_int_equal(user->sp, 0x30005008);
}

/* The invocation stack has no frame for the handler. */
static void test_stack_full(void **state)
{
	(void)state;
	fault_setup();
	while (cpu->thread->top != cpu->thread->last) {
		*++cpu->thread->top = (struct invocation){ .component = cpu->component };
		cpu->component->entered++;
	}
	fault(PAGE_FAULT, 1, 0);
	assert_true(in(&victim));
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_ptr_equal(cpu->thread->top, cpu->thread->last - 1);
}

/* The faulting component is stopped while its fault is handled, and is not resumed. */
static void test_stopped_meanwhile(void **state)
{
	(void)state;
	victim = component_new(1);
	handler = component_new(2);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&handler, 7)));
	assert_ok(call(CAP_COPY, T, victim.component, handler.table, 1, LIMPET_WRITE));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	fault(PAGE_FAULT, 8, 0);
	assert_ok(call(COMPONENT_STOP, 1));
	assert_true(in(&handler));
	give_back(0);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_int_equal(cpu->thread->faults, 0);
}

/* The handler is stopped before it repairs the fault. */
static void test_handler_stopped(void **state)
{
	(void)state;
	victim = component_new(1);
	handler = component_new(2);
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&handler, 7)));
	assert_ok(call(CAP_COPY, T, handler.component, handler.table, 1, LIMPET_WRITE));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	fault(PAGE_FAULT, 8, 0);
	call(COMPONENT_STOP, 1);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

/* A state that the processor would refuse is not resumed, and is a fault itself. */
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

/* A foreign system call is a fault. The kind and address of the last fault can be read from outside. */
static void test_foreign_call(void **state)
{
	(void)state;
	fault_setup();
	user->ip = 0x400777;
	fault(LIMPET_FAULT_SYSCALL, 39, 0);
	assert_int_equal(user->words[0], LIMPET_FAULT_SYSCALL);
	assert_int_equal(user->words[1], 39);
	give_back(LIMPET_ENOENT);
	assert_int_equal(component_of(&victim)->faults, 1);
	assert_int_equal(component_of(&victim)->fault.kind, LIMPET_FAULT_SYSCALL);
	assert_int_equal(component_of(&victim)->fault_ip, 0x400777);
}

/* With SYSCALL_ENTRY, a foreign call is a jump. It causes no fault, and the other registers stay the same. */
static void test_syscall_entry(void **state)
{
	(void)state;
	fault_setup();
	assert_status(call(SYSCALL_ENTRY, LIMPET_USER_END), ERANGE);
	assert_ok(call(SYSCALL_ENTRY, 0x405000));
	user->ip = 0x400777;
	user->sp = 0x30001008;
	user->status = 39;
	user->words[5] = 55;
	fault(LIMPET_FAULT_SYSCALL, 39, 0);
	assert_true(in(&victim));
	assert_int_equal(user->ip, 0x405000);
	assert_int_equal(user->sp, 0x30001008);
	assert_int_equal(user->status, 39);
	assert_int_equal(user->words[5], 55);
	assert_int_equal(cpu->thread->regs.scratch, 0x400777);
	assert_int_equal(cpu->thread->faults, 0);
	assert_int_equal(component_of(&victim)->faults, 0);
	fault(PAGE_FAULT, 8, 0); /* other faults are still handled */
	assert_true(in(&handler));
	give_back(0);
	assert_ok(call(SYSCALL_ENTRY, 0));
	fault(LIMPET_FAULT_SYSCALL, 39, 0);
	assert_true(in(&handler));
}

/*
 * A thread in the same component continues at another address, also while its fault is handled. Its other state does
 * not change.
 */
static void test_divert(void **state)
{
	word thread, at, caller;

	(void)state;
	fault_build();
	thread = thread_new(&victim, 7, 0);
	assert_ok(call(CAP_COPY, T, thread, handler.table, 5, LIMPET_MANAGE));
	caller = cpu->thread->id;
	assert_status(call(THREAD_DIVERT, 7, 0, 0x405000), ESTATE); /* it is in another component */
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	assert_status(call(THREAD_DIVERT, LIMPET_THREADS_MAX, 0, 0x405000), ERANGE);
	assert_status(call(THREAD_DIVERT, 7, 0, LIMPET_USER_END), ERANGE);
	assert_status(call(THREAD_DIVERT, 8, 0, 0x405000), ENOENT);
	assert_status(call(THREAD_DIVERT, caller, 0, 0x405000), ESTATE);
	assert_status(call(THREAD_DIVERT, 7, 1, 0x405000), EAGAIN);
	at = user->words[0];
	assert_int_equal(thread_of(thread)->regs.ip, at);
	assert_ok(call(THREAD_DIVERT, 7, at, 0x405000));
	assert_int_equal(thread_of(thread)->regs.ip, 0x405000);
	user->ip = 0x401234;
	fault(PAGE_FAULT, 8, 0);
	assert_true(in(&handler));
	assert_ok(call(THREAD_DISPATCH, 5, 0));
	assert_true(in(&victim));
	assert_status(call(THREAD_DIVERT, caller, 0, 0x406000), EAGAIN);
	assert_int_equal(user->words[0], 0x401234);
	assert_ok(call(THREAD_DIVERT, caller, 0x401234, 0x406000));
	assert_int_equal(cpu->threads[caller]->fault_regs[0].ip, 0x406000);
}

/* A component that handles its own faults changes where the faulted thread continues. Its other threads can do the same. */
static void test_divert_own(void **state)
{
	word thread, first;

	(void)state;
	fault_build();
	thread = thread_new(&victim, 7, 0);
	first = thread_new(&victim, 9, 0);
	assert_ok(call(CAP_COPY, T, thread, victim.table, 5, LIMPET_MANAGE));
	assert_ok(call(CAP_COPY, T, first, victim.table, 6, LIMPET_MANAGE));
	assert_ok(call(COMPONENT_HANDLER, victim.component, gate_new(&victim, 1)));
	assert_ok(call(THREAD_DISPATCH, first, 0));
	user->ip = 0x401234;
	fault(PAGE_FAULT, 8, 0);
	assert_true(in(&victim));
	assert_ok(call(THREAD_DISPATCH, 5, 0)); /* while the first thread executes the handler */
	assert_int_equal(cpu->thread->id, 7);
	assert_ok(call(THREAD_DIVERT, 9, 0x401234, 0x405000));
	assert_ok(call(THREAD_DISPATCH, 6, 0));
	assert_int_equal(cpu->thread->id, 9);
	assert_status(call(THREAD_DIVERT, 9, 0x401234, 0x406000), EAGAIN);
	give_back(LIMPET_OK);
	assert_int_equal(user->ip, 0x405000);
	user->ip = 0x401234;
	fault(PAGE_FAULT, 8, 0);
	assert_true(in(&victim));
	assert_status(call(THREAD_DIVERT, cpu->thread->id, 1, 0x406000), EAGAIN);
	assert_ok(call(THREAD_DIVERT, cpu->thread->id, 0x401234, 0x406000));
	give_back(LIMPET_OK);
	assert_true(in(&victim));
	assert_int_equal(user->ip, 0x406000);
	assert_status(call(THREAD_DIVERT, cpu->thread->id, 0x406000, 0x407000), ESTATE);
}

static void test_read_errors(void **state)
{
	struct built other = component_new(3);

	(void)state;
	fault_build();
	assert_ok(call(CAP_COPY, T, other.component, handler.table, 2, LIMPET_MANAGE));
	assert_ok(call(CAP_COPY, T, victim.component, handler.table, 3, LIMPET_READ));
	assert_ok(call(CAP_COPY, T, victim.table, handler.table, 4, LIMPET_ALL));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	fault(PAGE_FAULT, 8, 0);
	assert_status(call(FAULT_READ, EMPTY, 0), ESLOT);
	assert_status(call(FAULT_READ, 4, 0), ETYPE);
	assert_status(call(FAULT_READ, 3, 0), ERIGHTS);
	assert_status(call(FAULT_READ, 1, LIMPET_FAULT_REGISTERS), ERANGE);
	assert_status(call(FAULT_READ, 1, 15), ERANGE);
	assert_status(call(FAULT_READ, 2, 0), ESTATE);
	assert_status(call(FAULT_READ, 1, LIMPET_FAULT_CALLER(1)), ENOENT);
	assert_status(call(FAULT_READ, 1, ~0ul), ENOENT);
	assert_ok(call(FAULT_READ, 1, 0));
	give_back(LIMPET_ENOENT);
	assert_status(call(FAULT_READ, victim.component, 0), ESTATE);
}

static void test_write_errors(void **state)
{
	(void)state;
	fault_build();
	assert_ok(call(CAP_COPY, T, handler.component, handler.table, 2, LIMPET_ALL));
	assert_ok(
		call(CAP_COPY, T, victim.component, handler.table, 3, LIMPET_ALL & ~LIMPET_MANAGE));
	assert_ok(call(CAP_COPY, T, victim.table, handler.table, 4, LIMPET_ALL));
	assert_int_equal(invoke(gate_new(&victim, 1)), 1);
	fault(PAGE_FAULT, 8, 0);
	assert_status(call(FAULT_WRITE, EMPTY, 0, 0), ESLOT);
	assert_status(call(FAULT_WRITE, 4, 0, 0), ETYPE);
	assert_status(call(FAULT_WRITE, 3, 0, 0), ERIGHTS);
	assert_status(call(FAULT_WRITE, 1, HAL_REGS, 0), ERANGE);
	assert_status(call(FAULT_WRITE, 1, HAL_REG_IP, LIMPET_USER_END), ERANGE);
	assert_status(call(FAULT_WRITE, 2, 0, 0), ESTATE);
	assert_ok(call(FAULT_WRITE, 1, 0, 0));
	give_back(LIMPET_ENOENT);
	assert_status(call(FAULT_WRITE, victim.component, 0, 0), ESTATE);
}

/* The faulted thread continues elsewhere, with other registers. The handler's registers do not change. */
static void test_write_registers(void **state)
{
	word sp;

	(void)state;
	fault_setup();
	*user = (struct user){ { 10, 11, 12, 13, 14, 15 }, 16, 0x401234, 0x30001000 };
	fault(PAGE_FAULT, 8, 0);
	sp = user->sp;
	assert_ok(call(FAULT_WRITE, 1, 0, 100));
	assert_ok(call(FAULT_WRITE, 1, 6, 106));
	assert_ok(call(FAULT_WRITE, 1, 15, 115));
	assert_ok(call(FAULT_WRITE, 1, HAL_REG_IP, 0x405678));
	assert_int_equal(user->sp, sp);
	give_back(0);
	assert_true(in(&victim));
	assert_int_equal(user->status, 100);
	assert_memory_equal(user->words, ((word[]){ 10, 106, 12, 13, 14, 115 }), 48);
	assert_int_equal(user->ip, 0x405678);
	assert_int_equal(user->sp, 0x30001000);
}

/* The handler reads all registers of the fault, although the thread has other values now. */
static void test_read_registers(void **state)
{
	(void)state;
	fault_setup();
	*user = (struct user){ { 10, 11, 12, 13, 14, 15 }, 16, 0x401234, 0x30001000 };
	cpu->thread->regs.scratch = 17;
	fault(PAGE_FAULT, 8, 0);
	assert_ok(call(FAULT_READ, 1, 0));
	assert_memory_equal(user->words, ((word[]){ 16, 10, 17 }), 24);
	assert_ok(call(FAULT_READ, 1, 2));
	assert_memory_equal(user->words, ((word[]){ 11, 0x30001000, 17 }), 24);
	assert_ok(call(FAULT_READ, 1, 4));
	assert_memory_equal(user->words, ((word[]){ 12, 13, 14 }), 24);
	assert_ok(call(FAULT_READ, 1, 5));
	assert_memory_equal(user->words, ((word[]){ 15, 0x401234, 0 }), 24);
}

/* Tests the callers of invocations during a fault that is not handled yet, and in its handler. */
static void test_read_callers(void **state)
{
	struct built helper = component_new(4);
	word ip, sp, gate;

	(void)state;
	fault_build();
	assert_ok(call(COMPONENT_HANDLER, handler.component, gate_new(&helper, 8)));
	assert_ok(call(CAP_COPY, T, handler.component, helper.table, 1, LIMPET_MANAGE));
	gate = gate_new(&victim, 1);
	ip = user->ip + INSTRUCTION, sp = user->sp;
	assert_int_equal(invoke(gate), 1); /* the booter invokes victim */
	user->ip = 0x401234;
	user->sp = 0x30001000;
	fault(PAGE_FAULT, 8, 0); /* victim faults, and so does the handler */
	user->ip = 0x404444;
	user->sp = 0x30002000;
	fault(PAGE_FAULT, 9, 0);
	assert_true(in(&helper));
	assert_ok(call(FAULT_READ, 1, LIMPET_FAULT_CALLER(0)));
	assert_memory_equal(user->words, ((word[]){ 1, 0x401234, 0x30001000 }), 24);
	assert_ok(call(FAULT_READ, 1, LIMPET_FAULT_CALLER(1)));
	assert_memory_equal(user->words, ((word[]){ 0, ip, sp }), 24);
	assert_status(call(FAULT_READ, 1, LIMPET_FAULT_CALLER(2)), ENOENT);
	assert_ok(call(FAULT_READ, 1, 5));
	assert_int_equal(user->words[1], 0x404444);
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
		TEST(test_handler_came_before),
		TEST(test_stack_full),
		TEST(test_stopped_meanwhile),
		TEST(test_handler_stopped),
		TEST(test_mode),
		TEST(test_bad_ip),
		TEST(test_foreign_call),
		TEST(test_syscall_entry),
		TEST(test_write_errors),
		TEST(test_write_registers),
		TEST(test_divert),
		TEST(test_divert_own),
		TEST(test_read_errors),
		TEST(test_read_registers),
		TEST(test_read_callers),
	};

	return RUN("fault", tests);
}
