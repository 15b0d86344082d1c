// SPDX-License-Identifier: GPL-2.0
/*
 * Tests what attach writes into the layer's image against speculation, with the image of the build and each combination
 * of Linux's features. A small interpreter follows the code after VMRUN.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <asm/cpufeature.h>
#include <linux/mm.h>
#include <host/linux/beneath/guard.h>

#include <cmocka.h>

#define CALL 0xe8
#define JUMP 0xe9
#define NEAR 5	 /* bytes of a call or jump */
#define FILLS 32 /* as in Linux */
#define STEPS 1000

#define FEATURE(name) (1u << X86_FEATURE_##name)

extern const u8 bare_image[], bare_image_end[];

static const u8 nop[NEAR] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static unsigned int features;
static u8 *image;
static const struct bare_header *header;

/* The forms of returns, and the features that need them. */
static const struct {
	unsigned int features;
	enum bare_returns kind;
} forms[] = {
	{ 0, BARE_RETURNS_PLAIN },
	{ FEATURE(UNRET), BARE_RETURNS_RETBLEED },
	{ FEATURE(SRSO), BARE_RETURNS_SRSO },
	{ FEATURE(SRSO) | FEATURE(SRSO_ALIAS), BARE_RETURNS_ALIAS },
};

bool boot_cpu_has(enum feature feature)
{
	return features >> feature & 1;
}

static int begin(void **state)
{
	const size_t size = (size_t)(bare_image_end - bare_image);

	(void)state;
	image = malloc(size);
	if (!image)
		return -1;
	memcpy(image, bare_image, size);
	header = (const struct bare_header *)image;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(image);
	return 0;
}

static const u8 *code(word address)
{
	assert_true(address >= BARE_TEXT &&
		    address - BARE_TEXT < (word)(bare_image_end - bare_image));
	return image + (address - BARE_TEXT);
}

/* Returns the target of the call or jump at an address. */
static word target(word address)
{
	s32 distance;

	memcpy(&distance, code(address) + 1, sizeof(distance));
	return address + NEAR + (word)(long)distance;
}

static void assert_branch(word from, u8 opcode, word to)
{
	assert_int_equal(*code(from), opcode);
	assert_int_equal(target(from), to);
}

/* The state of the interpreter. */
struct run {
	word at;
	u32 count;	       /* eax */
	unsigned int fills;    /* calls to the next line */
	unsigned int depth;    /* of the stack, in bytes */
	bool fenced;	       /* LFENCE since the last of these calls */
	unsigned int untrains; /* calls of the function that untrains returns */
};

/* Executes an instruction that fill_returns may contain, or a guard. Fails on any other. */
static void step(struct run *r, enum bare_returns kind)
{
	const u8 *c = code(r->at);

	if (!memcmp(c, nop, sizeof(nop))) {
		r->at += sizeof(nop);
	} else if (*c == JUMP) {
		r->at = target(r->at);
	} else if (*c == 0xeb) {
		r->at += 2 + (word)(long)(int8_t)c[1];
	} else if (*c == CALL && c[NEAR] == 0xcc && target(r->at) == r->at + NEAR + 1) {
		r->at = target(r->at);
		r->fills++;
		r->depth += 8;
		r->fenced = false;
	} else if (*c == CALL) {
		assert_int_equal(target(r->at), header->untrain[kind]);
		r->untrains++;
		r->at += NEAR;
	} else if (*c == 0xb8) { /* mov $count, %eax */
		memcpy(&r->count, c + 1, sizeof(r->count));
		r->at += 5;
	} else if (!memcmp(c, "\x48\x83\xc4", 3)) { /* add $size, %rsp */
		r->depth -= c[3];
		r->at += 4;
	} else if (!memcmp(c, "\xff\xc8", 2)) { /* dec %eax */
		r->count--;
		r->at += 2;
	} else if (*c == 0x75) { /* jnz, after dec */
		r->at += 2 + (r->count ? (word)(long)(int8_t)c[1] : 0);
	} else if (!memcmp(c, "\x0f\xae\xe8", 3)) {
		r->fenced = true;
		r->at += 3;
	} else {
		fail_msg("unexpected code %02x after VMRUN", *c);
	}
}

/* Executes the code from the guard after VMRUN to the instruction that follows it. */
static struct run run_exit(enum bare_returns kind)
{
	struct run r = { .at = header->exit_guard };

	for (unsigned int i = 0; i < STEPS && r.at != header->exit_guard + NEAR; i++)
		step(&r, kind);
	assert_int_equal(r.at, header->exit_guard + NEAR);
	assert_int_equal(r.depth, 0);
	return r;
}

/* Checks everything but the guard after VMRUN. */
static void assert_form(enum bare_returns kind)
{
	const u64 *guard = (const u64 *)code(header->guards);
	const u64 *end = (const u64 *)code(header->guards_end);

	assert_true(&bare_returns[0] < &bare_returns_end[0] && guard < end);
	for (const s32 *site = bare_returns; site < bare_returns_end; site++)
		if (kind == BARE_RETURNS_PLAIN)
			assert_int_equal(image[*site], 0xc3);
		else
			assert_branch(BARE_TEXT + (word)*site, JUMP, header->thunk[kind]);
	for (; guard < end; guard++)
		if (*guard == header->exit_guard)
			continue;
		else if (kind == BARE_RETURNS_PLAIN)
			assert_memory_equal(code(*guard), nop, sizeof(nop));
		else
			assert_branch(*guard, CALL, header->untrain[kind]);
}

/* Without the features that fill the buffer, the guard after VMRUN is as all others, and costs one instruction. */
static void test_untrain(void **state)
{
	for (unsigned int i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const enum bare_returns kind = forms[i].kind;
		struct run r;

		features = forms[i].features;
		assert_int_equal(guard_write(image), kind != BARE_RETURNS_PLAIN);
		assert_form(kind);
		r = run_exit(kind);
		assert_int_equal(r.fills, 0);
		assert_int_equal(r.untrains, kind != BARE_RETURNS_PLAIN);
		if (kind == BARE_RETURNS_PLAIN)
			assert_memory_equal(code(header->exit_guard), nop, sizeof(nop));
		end(state);
		begin(state);
	}
}

/* Either feature of Linux fills the return stack buffer after VMRUN, before returns are untrained. */
static void test_fill(void **state)
{
	static const unsigned int either[] = { FEATURE(RETPOLINE), FEATURE(RSB_VMEXIT),
					       FEATURE(RETPOLINE) | FEATURE(RSB_VMEXIT) };

	for (unsigned int i = 0; i < 3 * sizeof(forms) / sizeof(*forms); i++) {
		const enum bare_returns kind = forms[i / 3].kind;
		struct run r;

		features = forms[i / 3].features | either[i % 3];
		assert_int_equal(guard_write(image), kind != BARE_RETURNS_PLAIN);
		assert_form(kind);
		assert_branch(header->exit_guard, JUMP, header->exit_fill);
		r = run_exit(kind);
		assert_int_equal(r.fills, FILLS);
		assert_true(r.fenced);
		assert_int_equal(r.untrains, kind != BARE_RETURNS_PLAIN);
		end(state);
		begin(state);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_untrain), TEST(test_fill) };

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
