// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs both stubs of interface echo on this machine. Seccomp turns each system call with a negative
 * number into SIGSYS, whose handler simulates the kernel of <limpet/call.h>.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <export/echo.h>
#include <import/echo.h>
#include <limpet/call.h>

#define BADGE 77
#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "line %d: %s\n", __LINE__, #what);                         \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

void __limpet_export_echo_none(void);
void __limpet_export_echo_four(void);
void __limpet_export_echo_six(void);

static void (*const entries[])(void) = {
	__limpet_export_echo_none,
	__limpet_export_echo_four,
	__limpet_export_echo_six,
};

static char stack[65536] __attribute__((aligned(16)));
static const int words[6] = { REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15 };
static greg_t seen_in[6], seen_out[6], client_ip, client_sp;
static unsigned int calls, returns;

/* Clears the registers that the kernel clears on entry and exit. */
static void clear(greg_t *r)
{
	r[REG_RDI] = r[REG_RSI] = r[REG_RDX] = r[REG_R8] = r[REG_R9] = r[REG_R10] = 0;
	r[REG_RCX] = r[REG_R11] = 0x5a5a;
}

static void invoke(greg_t *r)
{
	size_t slot = (size_t)(-1 - r[REG_RAX]) - LIMPET_SLOT_FIRST;

	CHECK(slot < array_size(entries));
	for (int i = 0; i < 6; i++)
		seen_in[i] = r[words[i]];
	client_ip = r[REG_RIP];
	client_sp = r[REG_RSP];
	r[REG_RIP] = (greg_t)entries[slot];
	r[REG_RSP] = (greg_t)(stack + sizeof(stack));
	r[REG_RAX] = BADGE;
	clear(r);
	calls++;
}

static void give_back(greg_t *r)
{
	for (int i = 0; i < 6; i++)
		seen_out[i] = r[words[i]];
	r[REG_RAX] = r[REG_R13];
	r[REG_RIP] = client_ip;
	r[REG_RSP] = client_sp;
	clear(r);
	returns++;
}

static void kernel(int number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (r[REG_RAX] == LIMPET_CALL(LIMPET_CALL_RETURN))
		give_back(r);
	else
		invoke(r);
}

static void hook(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x80000000u, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { array_size(code), code };
	struct sigaction action = { .sa_sigaction = kernel, .sa_flags = SA_SIGINFO };

	if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp is not possible here");
		exit(77);
	}
}

long echo_serve_none(word badge)
{
	CHECK(badge == BADGE);
	return -5;
}

long echo_serve_four(word badge, word a, word b, word c, word d, struct echo_four_results *out)
{
	CHECK(badge == BADGE && a == 11 && b == 12 && c == 13 && d == 14);
	CHECK(!out->x && !out->y && !out->z);
	*out = (struct echo_four_results){ 21, 22, 23 };
	return 4;
}

long echo_serve_six(word badge, word a, word b, word c, word d, word e, word f,
		    struct echo_six_results *out)
{
	double aligned[2] __attribute__((aligned(16))) = { 1, 2 };

	CHECK((word)aligned % 16 == 0);
	CHECK(badge == BADGE && a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6);
	CHECK(!out->low && !out->high);
	out->low = a + b + c;
	out->high = d + e + f;
	return 6;
}

static void test_none(void)
{
	CHECK(echo_none() == -5);
	for (int i = 0; i < 6; i++) {
		CHECK(seen_in[i] == 0);
		CHECK(seen_out[i] == (i == 3 ? -5 : 0));
	}
}

static void test_four(void)
{
	word x, y, z;

	CHECK(echo_four(11, 12, 13, 14, &x, &y, &z) == 4);
	CHECK(x == 21 && y == 22 && z == 23);
	CHECK(seen_in[0] == 11 && seen_in[3] == 14 && !seen_in[4] && !seen_in[5]);
	CHECK(!seen_out[4] && !seen_out[5]); /* still the caller's words */
}

static void test_six(void)
{
	word low, high;

	CHECK(echo_six(1, 2, 3, 4, 5, 6, &low, &high) == 6);
	CHECK(low == 6 && high == 15);
	/* A register without a result keeps the caller's word. */
	CHECK(seen_out[2] == 3 && seen_out[4] == 5 && seen_out[5] == 6);
}

#ifdef LIMPET_FPU
/* No vector registers are passed from the client to the server, or back. */
static void test_vector(void)
{
	unsigned int control = 0x1f80 ^ 0x6000, after; /* a different rounding mode */
	double kept = 2.5, x15;

	asm volatile("ldmxcsr %0" : : "m"(control));
	asm volatile("movsd %0, %%xmm15" : : "m"(kept) : "xmm15");
	CHECK(echo_none() == -5);
	asm volatile("stmxcsr %0\n\tmovsd %%xmm15, %1" : "=m"(after), "=m"(x15));
	CHECK((after & 0xffc0) == 0x1f80);
	CHECK(x15 == 0 && kept == 2.5);
}
#else
static void test_vector(void)
{
}
#endif

int main(void)
{
	hook();
	test_none();
	test_four();
	test_six();
	test_vector();
	CHECK(calls == returns && calls >= 3);
	puts("good");
	return 0;
}
