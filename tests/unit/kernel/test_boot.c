// SPDX-License-Identifier: GPL-2.0
/* Tests the booter's environment, and that too few frames are an error. */
#include <shared/image/check.h>

#include "objects.h"

static void test_image(void **state)
{
	struct limpet_image_error error = { 0 };

	(void)state;
	assert_int_equal(limpet_image_check(frame_memory(machine.pool, machine.image),
					    machine.image_frames * LIMPET_PAGE, &error),
			 0);
}

static void test_slots(void **state)
{
	static const word types[LIMPET_BOOT_FREE] = {
		[LIMPET_BOOT_TABLE] = LIMPET_TABLE,
		[LIMPET_BOOT_PAGE_TABLE] = LIMPET_PAGE_TABLE,
		[LIMPET_BOOT_COMPONENT] = LIMPET_COMPONENT,
		[LIMPET_BOOT_THREAD] = LIMPET_THREAD,
		[LIMPET_BOOT_FRAMES] = LIMPET_FRAMES,
		[LIMPET_BOOT_CPU] = LIMPET_CPU,
		[LIMPET_BOOT_IMAGE] = LIMPET_FRAMES,
	};

	(void)state;
	for (unsigned int i = 1; i < LIMPET_BOOT_FREE; i++) {
		assert_ok(call(CAP_INFO, T, i));
		assert_int_equal(user->words[0], types[i]);
		assert_int_equal(user->words[1], i == LIMPET_BOOT_IMAGE
							 ? LIMPET_READ | LIMPET_EXEC | LIMPET_GRANT
							 : LIMPET_ALL);
	}
	for (unsigned int i = LIMPET_BOOT_FREE; i < 64; i++)
		assert_status(call(CAP_INFO, T, i), ESLOT);
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(user->ip, BOOT_ENTRY);
	assert_int_equal(user->sp, BOOT_STACKS + (1ul << STACK_SHIFT));
	assert_int_equal(user->status, 1);
	assert_int_equal(user->words[0], BOOT_IMAGE_ADDRESS);
	assert_int_equal(user->words[1], machine.image_frames * LIMPET_PAGE);
	assert_int_equal(user->words[2], 0);
	assert_int_equal(user->words[3], 1);
	assert_int_equal(user->words[4], 1000);
	assert_int_equal(user->words[5], cap_at(LIMPET_BOOT_FRAMES)->b);
}

/*
 * The code is that of the image, heap and stack are zero, a guard page is below the stack, and the
 * image is read-only.
 */
static void test_memory(void **state)
{
	const struct hal_page_table *pt = &cpu->component->page_table->hal;
	word stack = BOOT_STACKS + LIMPET_PAGE;
	unsigned int rights;

	(void)state;
	assert_non_null(fake_lookup(pt, BOOT_ENTRY, &rights));
	assert_int_equal(rights, LIMPET_READ | LIMPET_EXEC);
	assert_null(fake_lookup(pt, BOOT_ENTRY + LIMPET_PAGE, NULL));
	assert_null(fake_lookup(pt, BOOT_STACKS, NULL));
	for (; stack < BOOT_STACKS + (1ul << STACK_SHIFT); stack += LIMPET_PAGE) {
		assert_non_null(fake_lookup(pt, stack, &rights));
		assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
	}
	assert_ptr_equal(fake_lookup(pt, BOOT_IMAGE_ADDRESS + LIMPET_PAGE, &rights),
			 frame_memory(machine.pool, machine.image + 1));
	assert_int_equal(rights, LIMPET_READ);
}

/* Each CPU has its own booter and frames. */
static void test_two(void **state)
{
	word frames = cap_at(LIMPET_BOOT_FRAMES)->a, count = cap_at(LIMPET_BOOT_FRAMES)->b;

	(void)state;
	machine_play(1);
	assert_int_equal(user->words[2], 1);
	assert_int_equal(user->words[3], 2);
	assert_true(cap_at(LIMPET_BOOT_FRAMES)->a > frames + count);
	assert_int_equal(cap_at(LIMPET_BOOT_FRAMES)->b, count - 1); /* slots for a component more */
}

/* Any number of frames either boots or is refused. */
static void test_too_few_frames(void **state)
{
	bool booted = false;

	(void)state;
	for (word frames = 0; frames < 60; frames++) {
		bool now = machine_boot(1, frames);

		assert_true(now >= booted);
		booted = now;
	}
	assert_true(booted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_image),  TEST(test_slots),   TEST(test_registers),
		TEST(test_memory), TEST_TWO(test_two), TEST(test_too_few_frames),
	};

	return RUN("boot", tests);
}
