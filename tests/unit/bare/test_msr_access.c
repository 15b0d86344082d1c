// SPDX-License-Identifier: GPL-2.0
/*
 * An access of an MSR that the processor refuses, by the layer's own instructions. This process may access
 * none: RDMSR and WRMSR are a general protection fault in it, before they reach any MSR. The signal stands for
 * entry/trap.S: it leaves the frame of an exception on a stack as the layer's are, and goes on in trap_kernel.
 */
#define _GNU_SOURCE /* names of registers in <ucontext.h> */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <host/bare/bare.h>

#include <cmocka.h>

#define VECTOR_GP 13
#define SS 0x2b

extern const u8 bare_msr_rdmsr[], bare_msr_wrmsr[];
void trap_kernel(void);

static struct bare_cpu cpu;
static word *stack;
static unsigned int faults;

/* What passage.S goes to otherwise: not here. */
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

/* By the test itself: the library that runs it has a handler of its own. */
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
