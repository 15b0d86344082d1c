// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that calls of a guest are answered as usual while it denies itself memory by protection
 * keys, traps itself, and sets alignment checks.
 */
#include "tests/system/lib/guest.h"

#include <cpuid.h>

static bool has_keys(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & bit_OSPKE;
}

/*
 * Makes a call while PKRU has a value, which must be the same after the call. Then restores PKRU.
 */
static long call_keys(long number, long argument, uint32_t keys)
{
	register long wanted __asm__("r13") = number;
	register long set __asm__("r14") = keys;
	register long found __asm__("r15");

	__asm__ volatile("xor %%ecx, %%ecx; rdpkru; mov %%eax, %%r12d\n"
			 "mov %%r14d, %%eax; xor %%ecx, %%ecx; xor %%edx, %%edx; wrpkru\n"
			 "mov %%r13, %%rax; syscall; mov %%rax, %%r13\n"
			 "xor %%ecx, %%ecx; rdpkru; mov %%eax, %%r15d\n"
			 "mov %%r12d, %%eax; xor %%ecx, %%ecx; xor %%edx, %%edx; wrpkru\n"
			 : "+r"(wanted), "+r"(set), "=r"(found)
			 : "D"(argument), "S"(0l)
			 : "rax", "rcx", "rdx", "r11", "r12", "memory");
	EQUAL(found, keys);
	return wanted;
}

static void check_keys(void)
{
	static const uint32_t keys[] = { 1, 2, 3, 0xffffffff, 0x55555555, 0xaaaaaaaa };
	const long second = (long)ticks_second();
	volatile uint64_t word = 0x0101010101010101;

	for (unsigned int i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		for (int k = 0; k < 50; k++)
			EQUAL(call_keys(SYS_getppid, 0, keys[i]), PROBE_VALUE);
	EQUAL(call_keys(502, second / 100, 3), 0); /* interrupted */
	EQUAL(call_keys(505, second / 100, 3), LIMPET_ETIME);
	EQUAL(call_keys(508, 0, 3), 0);
	EQUAL(call_keys(SYS_getpid, 0, 3), getpid());
	/* Tests that memory that the guest denies itself is also denied to copies for it. */
	const long sum = call_keys(503, (long)&word, 3);

	EXPECT(sum == 8 || sum == LIMPET_EFAULT);
	EQUAL(probe_sum(&word), 8);
}

static volatile sig_atomic_t traps;

static void handle(int unused)
{
	(void)unused;
	traps++;
}

/*
 * Tests a guest that sets its own trap flag. It gets a trap for each of its instructions, and no
 * trap for the executive's.
 */
static void check_trap_flag(void)
{
	long result;

	signal(SIGTRAP, handle);
	for (int i = 0; i < 20; i++) {
		traps = 0;
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq\n"
				 "nop; syscall; nop; nop\n"
				 "pushfq; andq $~0x100, (%%rsp); popfq\n"
				 : "=a"(result)
				 : "0"((long)SYS_getppid)
				 : "rcx", "r11", "memory", "cc");
		EQUAL(result, PROBE_VALUE);
		if (traps < 6 || traps > 8)
			failed("%d traps", traps);
	}
	signal(SIGTRAP, SIG_DFL);
}

/* With an argument the processor must have protection keys. */
int main(int argc, char **argv)
{
	(void)argv;
	if (has_keys() || argc > 1) {
		section("protection keys that deny all memory");
		if (has_keys())
			check_keys();
		else
			failed("Linux does not use them on a processor that has them");
	} else {
		section("protection keys are not tested, because Linux has none here");
	}
	section("the trap flag");
	check_trap_flag();
	section("stack pointers and segments that are not the program's");
	for (int i = 0; i < 8; i++) {
		static const uint64_t stacks[] = { 0,	      8,	 0x10c0000000,
						   1ul << 47, 1ul << 63, 0xffff888000000000,
						   -8ul,      -1ul };
		long result;

		__asm__ volatile("mov %%rsp, %%r12; mov %2, %%rsp; syscall; mov %%r12, %%rsp"
				 : "=a"(result)
				 : "0"((long)SYS_getppid), "r"(stacks[i])
				 : "rcx", "r11", "r12", "memory");
		EQUAL(result, PROBE_VALUE);
	}
	probe_check();
	return sections_finish();
}
