// SPDX-License-Identifier: BSD-2-Clause
/* Checks the two ways into a component: an invocation, and a fault of another one that it handles. */
#include <runtime/memory.h>

#include "../../lib/lab.h"

#define SERVER_INDEX 100u
#define CRASHER_INDEX 101u
#define HANDLER_INDEX 102u
#define FLAGS 0x202ul
#define SS 12
#define GP 13
#define COMPLAINTS 8

enum {
	RAX,
	RBX,
	RCX,
	RDX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	RFLAGS,
	COUNT
};

extern const unsigned char dump_code[], dump_code_end[], crash_code[], crash_code_end[];

static struct domain server, crasher, handler;
static unsigned int complaints;

static void expect(const char *where, unsigned int n, word value, word wanted)
{
	if (value != wanted && complaints++ < COMPLAINTS)
		lab_fail(where, "register %u: %lx, wanted %lx", n, value, wanted);
}

/* Only rax, rsp and the words carry data. */
static void check_entry(const char *where, const struct domain *d, word badge, const word words[6])
{
	static const unsigned int cleared[] = { RDX, RSI, RDI, R8, R9, R10 };
	static const unsigned int carried[] = { RBX, RBP, R12, R13, R14, R15 };

	for (unsigned int i = 0; i < array_size(cleared); i++)
		expect(where, cleared[i], d->data[cleared[i]], 0);
	for (unsigned int i = 0; i < array_size(carried); i++)
		expect(where, carried[i], d->data[carried[i]], words[i]);
	expect(where, RAX, d->data[RAX], badge);
	expect(where, RSP, d->data[RSP], domain_stack(limpet_info()->thread));
	expect(where, RCX, d->data[RCX], DOMAIN_CODE);
	expect(where, R11, d->data[R11], FLAGS);
	expect(where, RFLAGS, d->data[RFLAGS], FLAGS);
	memset(d->data, 0x77, COUNT * sizeof(word));
}

static void check_after(const char *where, const struct after *a)
{
	expect(where, RDX, a->rdx, 0);
	expect(where, RSI, a->rsi, 0);
	expect(where, RDI, a->rdi, 0);
	expect(where, R8, a->r8, 0);
	expect(where, R9, a->r9, 0);
	expect(where, R10, a->r10, 0);
	expect(where, R11, a->r11, FLAGS);
	expect(where, RFLAGS, a->flags, FLAGS);
}

static void look_invoke(word state)
{
	static const char where[] = "an invocation";
	word words[6];
	struct after after;

	for (unsigned int i = 0; i < 6; i++)
		words[i] = lab_random(&state);
	lab_syscall(LIMPET_INVOKE(server.gate), words, &after);
	check_entry(where, &server, 1 + SERVER_INDEX, words);
	check_after(where, &after);
	expect(where, RAX, after.rax, 5);
	expect(where, RBX, after.rbx, 6);
	expect(where, RBP, after.rbp, 7);
	expect(where, R12, after.r12, 8);
}

static void look_crash(void)
{
	static const char where[] = "a fault", after_where[] = "after a fault";
	static const word none[6];
	struct after after;
	word kind, ip;

	lab_syscall(LIMPET_INVOKE(crasher.gate), none, &after);
	kind = handler.data[RBX];
	ip = handler.data[R13];
	if ((kind != SS && kind != GP) || ip < DOMAIN_CODE || ip > DOMAIN_CODE + 100)
		expect(where, RBX, kind, SS);
	check_entry(where, &handler, 1 + HANDLER_INDEX,
		    (const word[]){ kind, 0, 0, ip, limpet_info()->thread, CRASHER_INDEX });
	check_after(after_where, &after);
	expect(after_where, RAX, after.rax, (word)LIMPET_ECRASH);
	for (unsigned int i = 0; i < 6; i++)
		expect(after_where, 100 + i, (&after.rbx)[i], 0);
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 3000);

	domain_make(&server, SERVER_INDEX);
	domain_make(&handler, HANDLER_INDEX);
	domain_make(&crasher, CRASHER_INDEX);
	domain_write(&server, 0, dump_code, (size_t)(dump_code_end - dump_code));
	domain_write(&handler, 0, dump_code, (size_t)(dump_code_end - dump_code));
	domain_write(&crasher, 0, crash_code, (size_t)(crash_code_end - crash_code));
	domain_handler(&crasher, &handler);
	for (word i = 1; i <= rounds; i++) {
		look_invoke(i);
		look_crash();
	}
	if (!complaints)
		lab_pass("only words cross into a server and a fault handler, and back");
	lab_done();
}
