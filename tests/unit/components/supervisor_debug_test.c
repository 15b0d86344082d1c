// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the supervisor's debugger, with a component that has one page of code, and whose thread faults. While the
 * thread waits in its handler, the test calls the interface, like `calls`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <export/debug.h>

#include "../../../components/system/supervisor/debug.h"

#define MS 1000000ul
#define CLIENT 9 /* badge of the instance of `calls` */
#define COMPONENT 2
#define THREAD 3
#define CODE 0x20000ul
#define CODE_SIZE 64ul
#define IP (CODE + 0x10)
#define FETCH 0x15
#define INT3 0xcc

static struct {
	struct limpet_image head;
	struct limpet_image_component component[COMPONENT + 1];
	struct limpet_image_segment segment[1];
} image;
static struct limpet_info_supervised given;
static unsigned char code[CODE_SIZE];
static uint64_t now, registers[DEBUG_REGISTERS], life;
static bool held;
static unsigned int waits, resumed;
/* Actions of the test, one for each wait of the thread. */
static void (*meanwhile[4])(void);

static bool unwritable; /* the kernel refuses to write memory */
static bool updating;	/* a thread calls interface update */

bool update_lock(void)
{
	return !updating;
}

long update_unlock(long status)
{
	return status;
}

unsigned int limpet_thread_id(void)
{
	return THREAD;
}

uint64_t limpet_time(void)
{
	return now;
}

const struct limpet_info __limpet_info = { .thread = 1 };

static long registers_read(word what, struct limpet_out *out)
{
	*out = (struct limpet_out){ registers[what * 3], registers[what * 3 + 1],
				    registers[what * 3 + 2] };
	return LIMPET_OK;
}

static long memory_read(word address, struct limpet_out *out)
{
	unsigned char words[sizeof(*out)] = { 0 };

	assert_int_equal(address % 8, 0);
	if (address - CODE >= CODE_SIZE)
		return LIMPET_ENOENT;
	for (word i = 0; i < sizeof(words) && address + i < CODE + CODE_SIZE; i++)
		words[i] = code[address - CODE + i];
	memcpy(out, words, sizeof(words));
	return LIMPET_OK;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_FAULT_READ:
		return registers_read(in[1], out);
	case LIMPET_CALL_FAULT_WRITE:
		registers[in[1]] = in[2];
		return LIMPET_OK;
	case LIMPET_CALL_PT_HOLD:
		assert_int_equal(in[0], LIMPET_SLOT_SPACES + COMPONENT);
		held = in[1];
		return LIMPET_OK;
	case LIMPET_CALL_MEMORY_READ:
		return memory_read(in[1], out);
	case LIMPET_CALL_MEMORY_WRITE:
		if (in[1] - CODE >= CODE_SIZE || unwritable)
			return LIMPET_ENOENT;
		code[in[1] - CODE] = (unsigned char)in[2];
		assert_int_equal(in[3], 1);
		return LIMPET_OK;
	case LIMPET_CALL_CAP_INFO:
		out->w2 = life;
		return LIMPET_OK;
	case LIMPET_CALL_THREAD_INFO:
		out->w2 = LIMPET_THREAD_WAITING;
		return LIMPET_OK;
	}
	fail();
	return LIMPET_ECALL;
}

long sched_suspend_on(word object, word since, word owner, word deadline)
{
	assert_int_equal(object, (word)&debug);
	assert_int_equal(since, now);
	assert_int_equal(owner, 0);
	assert_true(deadline == LIMPET_NEVER);
	assert_non_null(meanwhile[waits]);
	meanwhile[waits++]();
	return LIMPET_OK;
}

long sched_resume_all(word object)
{
	assert_int_equal(object, (word)&debug);
	resumed++;
	return LIMPET_ENOENT;
}

long sched_wake(word thread)
{
	(void)thread;
	return LIMPET_OK;
}

static struct supervised *supervised(void)
{
	return &supervisor.supervised[0];
}

static int setup(void **state)
{
	(void)state;
	memset(&debug, 0, sizeof(debug));
	memset(&supervisor, 0, sizeof(supervisor));
	memset(meanwhile, 0, sizeof(meanwhile));
	now = 1000 * MS, life = 0, held = false, waits = resumed = 0;
	for (unsigned int i = 0; i < CODE_SIZE; i++)
		code[i] = (unsigned char)i;
	for (unsigned int n = 0; n < DEBUG_REGISTERS; n++)
		registers[n] = 100 + n;
	registers[DEBUG_IP] = IP;
	registers[DEBUG_FLAGS] = 0x202;
	image.head = (struct limpet_image){
		.segments_at = offsetof(typeof(image), segment),
	};
	image.segment[0] = (struct limpet_image_segment){
		CODE, CODE_SIZE, CODE_SIZE, 0, LIMPET_READ | LIMPET_EXEC, 0
	};
	image.component[COMPONENT] = (struct limpet_image_component){ .segments = 1 };
	given = (struct limpet_info_supervised){ .component = COMPONENT, .thread = THREAD };
	supervisor.image = &image.head;
	supervisor.component = image.component;
	supervisor.ms = MS;
	supervisor.supervised_count = 1;
	supervisor.supervised[0] =
		(struct supervised){ .info = &given, .record = &image.component[COMPONENT] };
	return 0;
}

static long fault_at(word kind, word error, word ip, word address)
{
	const struct crash crash = { now, kind, address, error, ip, THREAD };

	registers[DEBUG_IP] = ip;
	return debug_fault(supervised(), &crash);
}

static long fault(word kind, word error, word ip)
{
	return fault_at(kind, error, ip, ip);
}

static void attach(void)
{
	assert_int_equal(debug_serve_attach(CLIENT, COMPONENT), LIMPET_OK);
	assert_true(held);
	assert_true(debug_has(supervised()));
}

static struct debug_next_results stopped(void)
{
	struct debug_next_results out;

	assert_int_equal(debug_serve_next(CLIENT, 0, &out), THREAD);
	assert_int_equal(debug_serve_next(CLIENT, THREAD, &out), LIMPET_ENOENT);
	assert_int_equal(debug_serve_next(CLIENT, 0, &out), THREAD);
	return out;
}

static long state_now(word *thread)
{
	struct debug_state_results out;
	long status = debug_serve_state(CLIENT, &out);

	*thread = out.thread;
	return status;
}

static void go(word thread, word how)
{
	assert_int_equal(debug_serve_go(CLIENT, thread, how), LIMPET_OK);
	assert_true(resumed);
}

static void test_refused(void **state)
{
	struct debug_read_results out;

	(void)state;
	assert_int_equal(debug_serve_attach(CLIENT, 7), LIMPET_ENOENT);
	assert_int_equal(debug_serve_detach(CLIENT), LIMPET_ENOENT);
	assert_int_equal(debug_serve_read(CLIENT, CODE, &out), LIMPET_ENOENT);
	assert_int_equal(debug_serve_attach(COMPONENT + 1, COMPONENT), LIMPET_ESTATE);
	image.component[COMPONENT].flags = LIMPET_COMPONENT_SCHEDULER;
	assert_int_equal(debug_serve_attach(CLIENT, COMPONENT), LIMPET_ESTATE);
	image.component[COMPONENT].flags = 0;
	image.component[COMPONENT].faults = COMPONENT; /* a program */
	assert_int_equal(debug_serve_attach(CLIENT, COMPONENT), LIMPET_ESTATE);
	image.component[COMPONENT].faults = 1;
	supervisor.log = COMPONENT;
	assert_int_equal(debug_serve_attach(CLIENT, COMPONENT), LIMPET_ESTATE);
	supervisor.log = 0;
	supervised()->closed = true;
	assert_int_equal(debug_serve_attach(CLIENT, COMPONENT), LIMPET_ESTATE);
	supervised()->closed = false;
	supervised()->claimed = true; /* a crash is being handled */
	assert_int_equal(debug_serve_attach(CLIENT, COMPONENT), LIMPET_EBUSY);
	supervised()->claimed = false;
	updating = true;
	assert_int_equal(debug_serve_attach(CLIENT, COMPONENT), LIMPET_EBUSY);
	updating = false;
	assert_false(held);
	supervised()->trial_until = 1;
	attach();
	assert_int_equal(supervised()->trial_until, 0);
	assert_int_equal(debug_serve_attach(CLIENT + 1, COMPONENT), LIMPET_EBUSY);
	assert_int_equal(debug_serve_stop(CLIENT + 1), LIMPET_ENOENT);
	assert_int_equal(debug_serve_go(CLIENT, THREAD, HOW_CONTINUE), LIMPET_ENOENT);
	assert_int_equal(debug_serve_go(CLIENT, 0, HOW_STEP), LIMPET_ERANGE);
	assert_int_equal(debug_serve_go(CLIENT, 0, 3), LIMPET_ERANGE);
	assert_int_equal(debug_serve_insert(CLIENT, CODE + CODE_SIZE), LIMPET_ERANGE);
	assert_int_equal(debug_serve_remove(CLIENT, CODE), LIMPET_ENOENT);
	unwritable = true;
	assert_int_equal(debug_serve_insert(CLIENT, CODE), LIMPET_ENOENT);
	unwritable = false;
	assert_int_equal(debug_serve_remove(CLIENT, CODE), LIMPET_ENOENT); /* it was not inserted */
	attach(); /* attach by the same caller again */
	assert_int_equal(debug.busy, 0);
}

/* Registers of a thread of a held component are read and changed. The thread continues with them. */
static void held_looks(void)
{
	struct debug_registers_results out;
	word event;

	assert_int_equal(state_now(&event), 1);
	assert_int_equal(event, 0);
	assert_int_equal(stopped().stopped, 1);
	assert_int_equal(stopped().kind, DEBUG_HELD);
	assert_int_equal(debug_serve_registers(CLIENT, THREAD, 5, &out), LIMPET_OK);
	assert_int_equal(out.b, IP);
	assert_int_equal(debug_serve_registers(CLIENT, THREAD, 6, &out), LIMPET_ERANGE);
	assert_int_equal(debug_serve_registers(CLIENT, THREAD + 1, 0, &out), LIMPET_ENOENT);
	assert_int_equal(debug_serve_set(CLIENT, THREAD, 3, 4711), LIMPET_OK);
	assert_int_equal(debug_serve_set(CLIENT, THREAD, DEBUG_IP, LIMPET_USER_END), LIMPET_ERANGE);
	assert_int_equal(debug_serve_set(CLIENT, THREAD, DEBUG_REGISTERS, 0), LIMPET_ERANGE);
	go(0, HOW_CONTINUE);
	assert_false(held);
	assert_int_equal(state_now(&event), 0);
}

static void test_held(void **state)
{
	(void)state;
	attach();
	assert_int_equal(stopped().stopped, 0);
	meanwhile[0] = held_looks;
	assert_int_equal(fault(14, FETCH, IP), LIMPET_OK);
	assert_int_equal(registers[3], 4711);
	assert_int_equal(registers[4], 104);
	assert_int_equal(registers[DEBUG_FLAGS], 0x202);
	held = true; /* another thread faulted just before */
	assert_int_equal(fault(14, FETCH, IP), LIMPET_OK);
	assert_false(held);
	assert_int_equal(waits, 1);
	assert_int_equal(debug_serve_detach(CLIENT), LIMPET_OK);
	assert_int_equal(fault(14, FETCH, IP), LIMPET_OK);
	assert_int_equal(fault(14, FETCH, CODE + CODE_SIZE), DEBUG_NOT_OURS); /* not in the code */
	assert_int_equal(fault_at(14, FETCH, CODE + CODE_SIZE - 1, CODE + CODE_SIZE),
			 DEBUG_NOT_OURS); /* an instruction that extends past the code */
	assert_int_equal(fault(14, 6, IP), DEBUG_NOT_OURS);
	assert_false(held);
}

static void breakpoint_steps(void)
{
	struct debug_read_results out;
	word event;

	assert_true(held);
	assert_int_equal(state_now(&event), 1);
	assert_int_equal(event, 1 + THREAD);
	assert_int_equal(stopped().kind, 3);
	assert_int_equal(code[IP - CODE], INT3);
	assert_int_equal(debug_serve_read(CLIENT, IP, &out), LIMPET_OK);
	assert_int_equal(out.a & 0xff, 0x10);
	assert_int_equal(debug_serve_write(CLIENT, IP, 0x90), LIMPET_OK);
	assert_int_equal(code[IP - CODE], INT3);
	assert_int_equal(debug_serve_remove(CLIENT, IP), LIMPET_OK);
	assert_int_equal(code[IP - CODE], 0x90);
	go(THREAD, HOW_STEP);
	assert_false(held);
	assert_int_equal(state_now(&event), 0);
}

static void step_ended(void)
{
	word event;

	assert_true(held);
	assert_int_equal(state_now(&event), 1);
	assert_int_equal(event, 1 + THREAD);
	assert_int_equal(stopped().kind, 1);
	go(0, HOW_CONTINUE);
}

static void test_breakpoint(void **state)
{
	(void)state;
	attach();
	assert_int_equal(debug_serve_insert(CLIENT, IP), LIMPET_OK);
	assert_int_equal(debug_serve_insert(CLIENT, IP), LIMPET_OK);
	go(0, HOW_CONTINUE);
	meanwhile[0] = breakpoint_steps;
	assert_int_equal(fault(3, 0, IP + 1), LIMPET_OK);
	assert_int_equal(registers[DEBUG_IP], IP);
	assert_int_equal(registers[DEBUG_FLAGS], 0x202 | DEBUG_TRAP);
	meanwhile[1] = step_ended;
	assert_int_equal(fault(1, 0, IP + 1), LIMPET_OK);
	assert_int_equal(registers[DEBUG_FLAGS], 0x202);
	assert_int_equal(fault(3, 0, IP + 1), LIMPET_OK); /* hit before it was removed */
	assert_int_equal(registers[DEBUG_IP], IP);
	code[0] = INT3; /* a breakpoint of the program itself */
	assert_int_equal(debug_serve_detach(CLIENT), LIMPET_OK);
	assert_int_equal(fault(3, 0, CODE + 1), DEBUG_NOT_OURS);
	assert_int_equal(registers[DEBUG_IP], CODE + 1);
}

/* SYSCALL clears the trap flag. */
static void syscall_steps(void)
{
	go(THREAD, HOW_STEP);
	assert_int_equal(code[IP + 2 - CODE], INT3);
}

static void test_step_syscall(void **state)
{
	(void)state;
	attach();
	code[IP - CODE] = 0x0f, code[IP + 1 - CODE] = 0x05;
	meanwhile[0] = syscall_steps;
	meanwhile[1] = step_ended;
	assert_int_equal(fault(14, FETCH, IP), LIMPET_OK);
	assert_int_equal(registers[DEBUG_FLAGS], 0x202);
	assert_int_equal(fault(3, 0, IP + 3), LIMPET_OK);
	assert_int_equal(registers[DEBUG_IP], IP + 2);
	assert_int_equal(code[IP + 2 - CODE], IP + 2 - CODE);
}

static void fault_passes(void)
{
	assert_int_equal(stopped().kind, 14);
	go(THREAD, HOW_CRASH);
}

static void fault_retries(void)
{
	go(0, HOW_CONTINUE);
}

static void fault_detaches(void)
{
	assert_int_equal(debug_serve_detach(CLIENT), LIMPET_OK);
}

/* A fault first stops the thread. Then it becomes a crash, or the instruction is executed again. */
static void test_crash(void **state)
{
	(void)state;
	attach();
	meanwhile[0] = fault_retries;
	meanwhile[1] = fault_passes;
	meanwhile[2] = fault_detaches;
	assert_int_equal(fault(14, 6, IP), LIMPET_OK);
	assert_int_equal(fault(14, 6, IP), DEBUG_NOT_OURS);
	assert_int_equal(fault(14, 6, IP), DEBUG_NOT_OURS);
	assert_false(held);
	for (unsigned int i = 0; i < DEBUG_STOPS; i++)
		assert_int_equal(debug.stop[i].state, STOP_FREE);
}

static void component_stops(void)
{
	life++;
}

/* The thread leaves its handler if the component was stopped meanwhile. */
static void test_stopped(void **state)
{
	(void)state;
	attach();
	meanwhile[0] = component_stops;
	assert_int_equal(fault(14, 6, IP), LIMPET_ECRASH);
	assert_int_equal(debug.stop[0].state, STOP_FREE);
}

static void lease_ends(void)
{
	assert_int_equal(debug_check(now), debug.lease);
	now += DEBUG_LEASE_MS * MS;
	assert_true(debug_check(now) == LIMPET_NEVER);
}

/* After the caller's lease has ended, breakpoints are removed and the thread continues. */
static void test_lease(void **state)
{
	(void)state;
	assert_true(debug_check(now) == LIMPET_NEVER);
	attach();
	assert_int_equal(debug_serve_insert(CLIENT, IP), LIMPET_OK);
	assert_int_equal(code[IP - CODE], INT3);
	meanwhile[0] = lease_ends;
	assert_int_equal(fault(14, FETCH, IP), LIMPET_OK);
	assert_int_equal(code[IP - CODE], 0x10);
	assert_false(held);
	assert_false(debug_has(supervised()));
	assert_int_equal(supervised()->last_heartbeat, now);
	attach();
	debug.busy = 1; /* a call that does not return */
	now += DEBUG_LEASE_MS * MS;
	assert_int_equal(debug_check(now), now + DEBUG_LEASE_MS * MS);
	now += 10 * DEBUG_LEASE_MS * MS;
	assert_true(debug_check(now) == LIMPET_NEVER);
}

/* The table of breakpoints is full. */
static void test_full(void **state)
{
	(void)state;
	image.segment[0].file_size = 0x1000;
	attach();
	for (word i = 0; i < CODE_SIZE; i++)
		assert_int_equal(debug_serve_insert(CLIENT, CODE + i), LIMPET_OK);
	assert_int_equal(debug_serve_insert(CLIENT, CODE + CODE_SIZE), LIMPET_EFULL);
	assert_int_equal(debug_serve_remove(CLIENT, CODE), LIMPET_OK);
	assert_int_equal(debug_serve_insert(CLIENT, CODE + CODE_SIZE), LIMPET_ENOENT);
	assert_int_equal(debug_serve_detach(CLIENT), LIMPET_OK);
	for (unsigned int i = 0; i < CODE_SIZE; i++)
		assert_int_equal(code[i], i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_refused, setup),
		cmocka_unit_test_setup(test_held, setup),
		cmocka_unit_test_setup(test_breakpoint, setup),
		cmocka_unit_test_setup(test_step_syscall, setup),
		cmocka_unit_test_setup(test_crash, setup),
		cmocka_unit_test_setup(test_stopped, setup),
		cmocka_unit_test_setup(test_lease, setup),
		cmocka_unit_test_setup(test_full, setup),
	};

	return cmocka_run_group_tests_name("supervisor_debug", tests, NULL, NULL);
}
