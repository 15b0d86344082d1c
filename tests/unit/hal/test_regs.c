// SPDX-License-Identifier: GPL-2.0
/* Tests the numbers of registers in hal/x86, and the registers with which a thread starts, without privileges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <hal.h>
#include <limpet/guest.h>

#define COUNT 17 /* the last one is rflags */

/* Returns the fields in the order of FAULT_READ. */
static word *const *fields(struct hal_regs *r)
{
	static word *at[HAL_REGS];
	word *const all[HAL_REGS] = { &r->ax,  &r->bx,	&r->cx,	 &r->dx,  &r->si,  &r->di,
				      &r->bp,  &r->sp,	&r->r8,	 &r->r9,  &r->r10, &r->r11,
				      &r->r12, &r->r13, &r->r14, &r->r15, &r->ip,  &r->flags };

	memcpy(at, all, sizeof(at));
	return at;
}

static void test_numbers(void **state)
{
	struct hal_regs r, before;

	(void)state;
	memset(&r, 0xa5, sizeof(r));
	for (unsigned int n = 0; n < HAL_REGS - 1; n++) {
		before = r;
		hal_regs_all_set(&r, n, 1000 + n);
		assert_int_equal(hal_regs_all(&r, n), 1000 + n);
		assert_int_equal(*fields(&r)[n], 1000 + n);
		*fields(&r)[n] = *fields(&before)[n]; /* no other field has changed */
		assert_memory_equal(&r, &before, sizeof(r));
	}
	assert_int_equal(HAL_REGS, COUNT + 1);
	/* A number that a processor speculates with reads no other memory. */
	assert_int_equal(hal_regs_all(&r, HAL_REGS + 5), hal_regs_all(&r, 0));
}

/* Only the arithmetic, trap and direction flags of rflags can be set. Other flags, such as the one for interrupts, stay. */
static void test_flags(void **state)
{
	struct hal_regs r = { .flags = 0x202 };

	(void)state;
	hal_regs_all_set(&r, HAL_REGS - 1, ~0ul);
	assert_int_equal(r.flags, 0xfd7);
	hal_regs_all_set(&r, HAL_REGS - 1, 0);
	assert_int_equal(r.flags, 0x202);
	assert_int_equal(hal_regs_all(&r, HAL_REGS - 1), 0x202);
}

/* Checks the numbers that executives use. */
static void test_names(void **state)
{
	struct hal_regs r = { .ax = 1, .di = 2, .si = 3, .dx = 4, .r10 = 5, .r8 = 6, .r9 = 7 };
	static const unsigned int order[] = { LIMPET_GUEST_RAX, LIMPET_GUEST_RDI, LIMPET_GUEST_RSI,
					      LIMPET_GUEST_RDX, LIMPET_GUEST_R10, LIMPET_GUEST_R8,
					      LIMPET_GUEST_R9,	LIMPET_GUEST_RSP, LIMPET_GUEST_RIP };

	(void)state;
	r.sp = 8;
	r.ip = 9;
	for (unsigned int i = 0; i < 9; i++)
		assert_int_equal(hal_regs_all(&r, order[i]), i + 1);
}

/*
 * An event keeps the words that were written before, and does not restore registers of the previous
 * event.
 */
static void test_enter(void **state)
{
	struct hal_regs r;

	(void)state;
	memset(&r, 0xa5, sizeof(r));
	hal_regs_enter(&r, 0x401000, 0x7000, 99);
	assert_int_equal(r.ip, 0x401000);
	assert_int_equal(r.sp, 0x7000);
	assert_int_equal(r.status, 99);
	assert_int_equal(r.full, 0);
	hal_regs_start(&r, 0x401000, 0x7000, 99);
	assert_int_equal(r.words[0] | r.words[5] | r.cx | r.r11 | r.full, 0);
	assert_true(hal_regs_valid(&r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_enter),
	};

	return cmocka_run_group_tests_name("hal_regs", tests, NULL, NULL);
}
