// SPDX-License-Identifier: GPL-2.0
/*
 * Tests restartable sequences and signal stacks of guests. Two threads increment a counter of their CPU by restartable
 * sequences, while their calls are interrupted in the executive.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>
#include <sys/rseq.h>
#include <sys/time.h>

static volatile uint64_t counter[64];
static uint64_t second;

#define INCREMENTS 20000

static struct rseq *rseq_area(void)
{
	return (struct rseq *)((uint8_t *)__builtin_thread_pointer() + __rseq_offset);
}

/* Adds one to the counter of the CPU. Returns false if the sequence was aborted. */
static bool increment(void)
{
	struct rseq *area = rseq_area();
	const uint32_t cpu = *(volatile uint32_t *)&area->cpu_id_start;

	__asm__ goto(".pushsection .data.rseq, \"aw\"\n"
		     ".balign 32\n"
		     "3: .long 0, 0; .quad 1f, 2f - 1f, 4f\n"
		     ".popsection\n"
		     ".pushsection .text.rseq, \"ax\"\n"
		     ".long 0x53053053\n"
		     "4: jmp %l[aborted]\n"
		     ".popsection\n"
		     "lea 3b(%%rip), %%rax\n"
		     "mov %%rax, %c3(%0)\n"
		     "1: cmp %1, %c4(%0)\n"
		     "jne 4b\n"
		     "mov (%2), %%rax\n"
		     "pause; pause; pause\n"
		     "inc %%rax\n"
		     "mov %%rax, (%2)\n"
		     "2:\n"
		     :
		     : "r"(area), "r"(cpu), "r"(&counter[cpu & 63]),
		       "i"(__builtin_offsetof(struct rseq, rseq_cs)),
		       "i"(__builtin_offsetof(struct rseq, cpu_id))
		     : "rax", "memory", "cc"
		     : aborted);
	return true;
aborted:
	return false;
}

static void *thread_main(void *unused)
{
	for (long i = 0; i < INCREMENTS; i++) {
		while (!increment())
			;
		if (i % 16 == 0)
			raw_getppid();
		if (i % 2000 == 0)
			probe_run(second / 1000);
	}
	return unused;
}

static void check_sequences(void)
{
	pthread_t thread[2];
	uint64_t sum = 0;

	section("restartable sequences");
	EXPECT(__rseq_size > 0);
	for (int i = 0; i < 2; i++)
		EXPECT(!pthread_create(&thread[i], NULL, thread_main, NULL));
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 64; i++)
		sum += counter[i];
	EQUAL(sum, 2 * INCREMENTS);
}

static uint8_t stack[65536] __attribute__((aligned(16)));
static volatile sig_atomic_t handled, elsewhere, wrong;

static void handle(int signal)
{
	uint8_t here;

	(void)signal;
	handled++;
	if (&here < stack || &here >= stack + sizeof(stack))
		elsewhere = 1;
	if (raw_getppid() != PROBE_VALUE)
		wrong = 1;
}

static void check_stack(void)
{
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	const double end = seconds() + 10;

	section("handlers on a stack of their own");
	handled = elsewhere = 0;
	EQUAL(sigaltstack(&other, NULL), 0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 200 || (handled <= 5 && seconds() < end); i++)
		EQUAL(probe_run(second / 4000), 0);
	setitimer(ITIMER_REAL, &none, NULL);
	EXPECT(handled > 5);
	EQUAL(elsewhere, 0);
	EQUAL(wrong, 0);
}

/*
 * Tests that the handler of a signal runs after the answer, even after 100 ms, because the executive has committed to
 * it.
 */
static void check_committed(void)
{
	const struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	const struct itimerval once = { .it_value = { 0, 20000 } };
	const long before = probe_committed(0);

	section("an answer that counts");
	handled = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
	EQUAL(probe_committed(second * 3 / 10), before + 1);
	EQUAL(handled, 1);
	EQUAL(probe_committed(0), before + 2);
}

int main(void)
{
	second = ticks_second();
	check_committed();
	check_sequences();
	check_stack();
	probe_check();
	return sections_finish();
}
