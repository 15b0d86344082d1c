// SPDX-License-Identifier: GPL-2.0
/*
 * Tests MSR accesses of the layer that the processor refuses, with the layer's own instructions. In this process each
 * RDMSR and WRMSR is a general protection fault and does not reach an MSR. The signal handler replaces entry/trap.S. It
 * puts an exception frame on a stack like the layer's, and continues in trap_kernel.
 */
#define _GNU_SOURCE /* for the names of registers in <ucontext.h> */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <host/bare/bare.h>

#include <cmocka.h>

#define SS 0x2b

extern const u8 bare_msr_rdmsr[], bare_msr_wrmsr[];
void trap_kernel(void);

static struct bare_cpu cpu;
static word *stack;
static unsigned int faults;

/* Attach replaces jumps to this thunk with returns. */
asm(".globl __x86_return_thunk\n__x86_return_thunk: ret");

/* Other jump targets of switch.S, which these tests must not reach. */
struct entry_cpu entry_cpu;
void exit_slow(void);
void vm_halt_wait(void);

void exit_slow(void)
{
	abort();
}

void vm_halt_wait(void)
{
	abort();
}

void entry_resume(struct entry_cpu *e)
{
	(void)e;
	abort();
}

bool bare_serve(struct entry_cpu *e)
{
	(void)e;
	abort();
}

void bare_interrupted(struct entry_cpu *e, word vector)
{
	(void)e;
	(void)vector;
	abort();
}

static void refused(int number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	word *top = stack + BARE_STACK / sizeof(word);
	const word frame[] = { VECTOR_GP,
			       0,
			       (word)r[REG_RIP],
			       (word)r[REG_CSGSFS] & 0xffff,
			       (word)r[REG_EFL],
			       (word)r[REG_RSP],
			       SS };

	(void)number;
	(void)info;
	if ((word)r[REG_RIP] != (word)bare_msr_rdmsr && (word)r[REG_RIP] != (word)bare_msr_wrmsr)
		abort();
	faults++;
	memcpy(top - countof(frame), frame, sizeof(frame));
	r[REG_RSP] = (greg_t)(top - countof(frame));
	r[REG_RIP] = (greg_t)trap_kernel;
}

static int begin(void **state)
{
	(void)state;
	stack = aligned_alloc(BARE_STACK, BARE_STACK);
	stack[0] = (word)&cpu;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(stack);
	return 0;
}

/* Called by each test, because the test library installs its own handler before. */
static void watch(void)
{
	const struct sigaction action = { .sa_sigaction = refused, .sa_flags = SA_SIGINFO };

	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
	cpu.refused = false;
	faults = 0;
}

static void test_read(void **state)
{
	(void)state;
	watch();
	assert_int_equal(bare_msr_read(0xc0002001), 0);
	assert_true(cpu.refused);
	assert_int_equal(faults, 1);
}

static void test_write(void **state)
{
	(void)state;
	watch();
	bare_msr_write(0xc0002001, ~0ul);
	assert_true(cpu.refused);
	assert_int_equal(faults, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read, begin, end),
		cmocka_unit_test_setup_teardown(test_write, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
