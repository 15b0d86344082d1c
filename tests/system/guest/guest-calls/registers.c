// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that all registers keep their values over a system call, with each answer of the executive. These are general
 * registers, flags, xmm and ymm, FS and GS base. rcx and r11 have the values that SYSCALL sets. Another thread shares
 * the CPU, so that the calls are interrupted. Arguments: plain or guest, and the number of calls of each kind.
 */
#include "tests/system/lib/guest.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <pthread.h>

/* The registers in the order of call_all. */
struct values {
	uint64_t rbx, rbp, r8, r9, r10, r12, r13, r14, r15, rdi, rsi, rdx, flags, rcx, r11, rax;
	uint8_t vector[16][32] __attribute__((aligned(32)));
};

void call_all(long number, const struct values *in, struct values *out, long ymm);
extern char call_all_return[];

#define EACH_VECTOR(what)                                                                          \
	what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10)   \
		what(11) what(12) what(13) what(14) what(15)
#define XMM_LOAD(n) "movdqa 128+32*" #n "(%rsi), %xmm" #n "\n"
#define XMM_STORE(n) "movdqa %xmm" #n ", 128+32*" #n "(%rcx)\n"
#define YMM_LOAD(n) "vmovdqa 128+32*" #n "(%rsi), %ymm" #n "\n"
#define YMM_STORE(n) "vmovdqa %ymm" #n ", 128+32*" #n "(%rcx)\n"

__asm__(".text\n"
	"call_all:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	sub $40, %rsp\n"
	"	mov %rdx, (%rsp); mov %rcx, 8(%rsp); mov %rdi, %rax\n"
	"	test %rcx, %rcx; jz 1f\n" EACH_VECTOR(
		YMM_LOAD) "	jmp 2f\n"
			  "1:\n" EACH_VECTOR(
				  XMM_LOAD) "2:	mov (%rsi), %rbx; mov 8(%rsi), %rbp; mov 16(%rsi), %r8; mov 24(%rsi), %r9\n"
					    "	mov 32(%rsi), %r10; mov 40(%rsi), %r12; mov 48(%rsi), %r13; mov 56(%rsi), %r14\n"
					    "	mov 64(%rsi), %r15; mov 72(%rsi), %rdi; mov 88(%rsi), %rdx\n"
					    "	push 96(%rsi); mov 80(%rsi), %rsi; popfq\n"
					    "	syscall\n"
					    "call_all_return:\n"
					    "	pushfq; pop 32(%rsp); mov %rcx, 16(%rsp); mov %r11, 24(%rsp)\n"
					    "	cld; mov (%rsp), %rcx\n"
					    "	mov %rbx, (%rcx); mov %rbp, 8(%rcx); mov %r8, 16(%rcx); mov %r9, 24(%rcx)\n"
					    "	mov %r10, 32(%rcx); mov %r12, 40(%rcx); mov %r13, 48(%rcx); mov %r14, 56(%rcx)\n"
					    "	mov %r15, 64(%rcx); mov %rdi, 72(%rcx); mov %rsi, 80(%rcx); mov %rdx, 88(%rcx)\n"
					    "	mov %rax, 120(%rcx)\n"
					    "	mov 32(%rsp), %rax; mov %rax, 96(%rcx); mov 16(%rsp), %rax; mov %rax, 104(%rcx)\n"
					    "	mov 24(%rsp), %rax; mov %rax, 112(%rcx)\n"
					    "	cmpq $0, 8(%rsp); je 1f\n" EACH_VECTOR(
						    YMM_STORE) "	vzeroupper; jmp 2f\n"
							       "1:\n" EACH_VECTOR(
								       XMM_STORE) "2:	push $0x202; popfq\n"
										  "	add $40, %rsp\n"
										  "	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
										  "	ret\n");

static long has_avx(void)
{
	unsigned int a, b, c, d, low, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (low & 6) == 6;
}

/* CF PF AF ZF SF DF OF NT ID. IF and the bit that is always set are added. */
#define FLAGS 0x204cd5ull
#define FLAGS_FIXED 0x202ull

static uint64_t seed = 1;

static void values_make(struct values *in, long ymm)
{
	uint64_t *word = &in->rbx;

	for (unsigned int i = 0; i < 12; i++)
		word[i] = random_next(&seed);
	in->flags = (random_next(&seed) & FLAGS) | FLAGS_FIXED;
	memset(in->vector, 0, sizeof(in->vector));
	for (unsigned int i = 0; i < 16; i++)
		for (unsigned int k = 0; k < (ymm ? 32 : 16); k++)
			in->vector[i][k] = (uint8_t)random_next(&seed);
}

static const char *const names[] = { "rbx", "rbp", "r8",  "r9",	 "r10", "r12",	"r13",
				     "r14", "r15", "rdi", "rsi", "rdx", "flags" };

static void values_compare(const struct values *in, const struct values *out)
{
	const uint64_t *a = &in->rbx, *b = &out->rbx;

	for (unsigned int i = 0; i < 13; i++)
		if (a[i] != b[i])
			failed("%s was %lx and is %lx", names[i], a[i], b[i]);
	for (unsigned int i = 0; i < 16; i++)
		if (memcmp(in->vector[i], out->vector[i], 32))
			failed("vector register %u is another one", i);
	if (out->rcx != (uint64_t)call_all_return)
		failed("rcx is %lx after the call", out->rcx);
	if (out->r11 != in->flags)
		failed("r11 is %lx after the call, not %lx", out->r11, in->flags);
}

static uint64_t gs_base(void)
{
	uint64_t base = 0;

	raw(SYS_arch_prctl, ARCH_GET_GS, (long)&base, 0);
	return base;
}

static uint64_t gs_word = 0x123456789abcdef0;
static __thread uint64_t fs_word = 0xfedcba9876543210;

static void bases_check(void)
{
	uint64_t found;

	__asm__ volatile("mov %%gs:0, %0" : "=r"(found));
	EQUAL(found, gs_word);
	EQUAL(fs_word, 0xfedcba9876543210);
}

static volatile int busy = 1;

static void *disturb(void *unused)
{
	struct values in = { .vector = { { 9 } } }, out;

	while (busy) {
		for (unsigned int i = 0; i < 16; i++)
			memset(in.vector[i], 0xee, sizeof(in.vector[i]));
		call_all(SYS_sched_yield, &in, &out, (long)unused);
	}
	return NULL;
}

static void check_calls(const char *name, long number, const long *rdi, long wanted, long count,
			long ymm)
{
	struct values in, out;

	section(name);
	for (long i = 0; i < count; i++) {
		values_make(&in, ymm);
		if (rdi)
			in.rdi = (uint64_t)*rdi;
		memset(&out, 0x77, sizeof(out));
		memset(out.vector, 0, sizeof(out.vector));
		call_all(number, &in, &out, ymm);
		values_compare(&in, &out);
		if (out.rax != (uint64_t)wanted)
			failed("the result is %ld, not %ld", (long)out.rax, wanted);
		bases_check();
	}
}

static volatile int waker_count;
static long wakes;

/* Starts a guest that wakes the first one. */
static void *wake(void *id)
{
	probe_mode(SERVE);
	while (waker_count > 0)
		if (!probe_wake((long)id))
			__atomic_fetch_add(&wakes, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void check_waiting(long count, long ymm)
{
	pthread_t waker;

	waker_count = 1;
	probe_mode(SERVE);
	EXPECT(!pthread_create(&waker, NULL, wake, (void *)probe_id()));
	probe_mode(WAIT);
	check_calls("wait: getppid", SYS_getppid, NULL, PROBE_VALUE, count, ymm);
	waker_count = 0;
	probe_mode(SERVE);
	pthread_join(waker, NULL);
	EXPECT(wakes > 0);
}

static void check_guest(long count, long ymm)
{
	const long second = (long)ticks_second(), long_run = second / 100;
	const long pid = getpid(), ppid = getppid();

	section("the shell is the parent of a guest that starts with `serve`");
	EQUAL(ppid, PROBE_VALUE);
	EQUAL(probe_mode(PASS), SERVE);
	const long parent = raw_getppid();

	EXPECT(parent != PROBE_VALUE && parent > 0);
	check_calls("pass: getppid", SYS_getppid, NULL, parent, count, ymm);
	check_calls("pass: getpid", SYS_getpid, NULL, pid, count, ymm);
	probe_mode(SERVE);
	check_calls("serve: getppid", SYS_getppid, NULL, PROBE_VALUE, count, ymm);
	check_calls("serve: getpid is passed", SYS_getpid, NULL, pid, count, ymm);
	check_calls("serve: the executive runs for 10 ms", 502, &long_run, 0, count / 20 + 2, ymm);
	probe_mode(RESULT);
	check_calls("result: getppid", SYS_getppid, NULL, parent, count, ymm);
	check_calls("result: no such call", 1000, NULL, -ENOSYS, count, ymm);
	probe_mode(CHANGE);
	check_calls("change: getppid", SYS_getppid, NULL, pid, count, ymm);
	probe_mode(REPLACE);
	check_calls("replace: getppid", SYS_getppid, NULL, PROBE_VALUE, count, ymm);
	probe_mode(MOVE);
	check_calls("move: getppid", SYS_getppid, NULL, PROBE_VALUE, count / 4 + 2, ymm);
	check_waiting(count / 4 + 2, ymm);
	probe_mode(SERVE);
	probe_check();
}

/* Tests interrupts in the executive while the selectors are those of 32-bit code. */
static void check_selectors(void)
{
	const uint64_t ticks = ticks_second() / 50;
	uint16_t ds = 0x2b, es = 0x2b;

	section("selectors, and bases with them, when the executive is interrupted");
	for (int i = 0; i < 5; i++) {
		__asm__ volatile("mov %0, %%ds; mov %1, %%es" : : "r"(ds), "r"(es));
		EQUAL(probe_run(ticks), 0);
		__asm__ volatile("mov %%ds, %0; mov %%es, %1" : "=r"(ds), "=r"(es));
		EQUAL(ds, 0x2b);
		EQUAL(es, 0x2b);
		bases_check();
	}
}

int main(int argc, char **argv)
{
	const bool guest = argc > 2 && !strcmp(argv[1], "guest");
	const long count = argc > 2 ? atol(argv[2]) : 0, ymm = has_avx();
	pthread_t disturber;

	section("FS and GS base");
	EQUAL(raw(SYS_arch_prctl, ARCH_SET_GS, (long)&gs_word, 0), 0);
	EQUAL(gs_base(), (long)&gs_word);
	EXPECT(!pthread_create(&disturber, NULL, disturb, (void *)ymm));
	if (guest) {
		check_guest(count, ymm);
		check_selectors();
	} else {
		check_calls("getpid", SYS_getpid, NULL, getpid(), count, ymm);
	}
	busy = 0;
	pthread_join(disturber, NULL);
	return sections_finish();
}
