// SPDX-License-Identifier: BSD-2-Clause
/* Tests the pages of exec.sandbox with checked arguments, and random calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "sandbox_guest.h"

/* --- the address range of the page */

static void test_ranges(void **state)
{
	static const word calls[] = { GUEST_CALL_munmap,	GUEST_CALL_mprotect,
				      GUEST_CALL_madvise,	GUEST_CALL_mremap,
				      GUEST_CALL_pkey_mprotect, GUEST_CALL_remap_file_pages };

	(void)state;
	for (unsigned int i = 0; i < array_size(calls); i++) {
		const struct {
			word address, bytes;
			bool refused;
		} cases[] = {
			{ RANGE, 4096, true },
			{ RANGE, 0, true },
			{ RANGE + 5, 1, true },
			{ RANGE - 4096, 4096, false },
			{ RANGE - 4096, 4097, true },
			{ RANGE + RANGE_BYTES - 1, 1, true },
			{ RANGE + RANGE_BYTES, 4096, false },
			{ 0, ~0ul, true },
			{ 4096, RANGE, true },
			{ RANGE + RANGE_BYTES, ~0ul, true },
			{ 0x1000, 4096, false },
		};

		for (unsigned int j = 0; j < array_size(cases); j++) {
			struct executive_answer a = fake_call(ID, calls[i], cases[j].address,
							      cases[j].bytes, 0, 0, 0, 0);

			assert_int_equal(a.operation == LIMPET_GUEST_SERVE, cases[j].refused);
		}
	}
}

/* Linux ignores the tag in bits 57 to 62 of an address if the guest has enabled linear address masking. */
static void test_tags(void **state)
{
	(void)state;
	assert_served(fake_call(ID, GUEST_CALL_munmap, RANGE | 1ul << 57, RANGE_BYTES, 0, 0, 0, 0),
		      REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_mremap, RANGE | 1ul << 62, 4096, 4096, 1, 0, 0),
		      REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_munmap, 0x1000 | 1ul << 57, 4096, 0, 0, 0, 0), PASS);
}

#define FIXED 0x10

static void test_mmap(void **state)
{
	(void)state;
	assert_served(fake_call(ID, GUEST_CALL_mmap, RANGE, 4096, 3, 0x22, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_mmap, RANGE - 4096, 8192, 3, 0x22, 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_mmap, RANGE - 4096, 4096, 3, 0x22, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_mmap, 0, RANGE + 4096, 3, 0x22, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_mmap, 0, RANGE + 4096, 3, 0x22 | FIXED, 0, 0),
		      REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_mmap, RANGE, 4096, 3, 0x22 | FIXED, 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_mmap, 0x10000, 4096, 3, 0x22 | FIXED, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, 4096, 3, RANGE, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, 4096, 1, RANGE, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, 4096, 5, RANGE, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_shmat, 1, RANGE, 040000, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_shmat, 1, RANGE + 1, 0, 0, 0, 0), REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_shmat, 1, 0, 0, 0, 0, 0), PASS);
}

/* If a page of a ring was moved, io_destroy() unmaps the size of the whole ring there. */
static void test_ring(void **state)
{
	static const word near[] = { RANGE - 4096, RANGE - 0x10001000, RANGE + RANGE_BYTES - 4096 };
	static const word far[] = { RANGE - 0x10002000, RANGE + RANGE_BYTES };

	(void)state;
	for (unsigned int i = 0; i < array_size(near); i++)
		assert_served(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, 4096, 3, near[i], 0),
			      REFUSED);
	for (unsigned int i = 0; i < array_size(far); i++)
		assert_answer(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, 4096, 3, far[i], 0),
			      PASS);
	assert_served(fake_call(ID, GUEST_CALL_mremap, 0x10000, 4096, ~0ul - 4096, 3, 0, 0),
		      REFUSED);
}

#define PR_SET_NAME 15
#define PR_SET_MM 35

/* With another start of the heap, brk() would unmap the range. */
static void test_prctl(void **state)
{
	(void)state;
	for (word field = 0; field < 20; field++)
		assert_served(fake_call(ID, GUEST_CALL_prctl, PR_SET_MM, field, AT, 0, 0, 0),
			      REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_prctl, 1ul << 32 | PR_SET_MM, 14, AT, 0, 0, 0),
		      REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_prctl, PR_SET_NAME, AT, 0, 0, 0, 0), PASS);
}

static struct executive_answer begin(unsigned int id, word process, word origin)
{
	return fake_event(LIMPET_GUEST_BEGIN, id, process, process, 0, origin);
}

static void test_begin(void **state)
{
	(void)state;
	assert_int_equal(fake_maps, 1);
	assert_int_equal(fake_map_range[0], RANGE);
	assert_int_equal(fake_map_range[1], RANGE_BYTES);
	assert_int_equal(fake_map_range[2], 0);
	begin(6, 91, LIMPET_GUEST_BY_THREAD);
	begin(7, 92, LIMPET_GUEST_BY_FORK);
	assert_int_equal(fake_maps, 1);
	assert_answer(begin(8, 93, LIMPET_GUEST_BY_ATTACH), RELEASE);
	fake_main();
	assert_string_equal(fake_text(),
			    "process 93 is not confined, because it was attached while it ran\n");
	assert_int_equal(fake_maps, 1);
	fake_map_status = LIMPET_EFULL; /* the guest has memory of its own there */
	assert_answer(begin(8, 93, LIMPET_GUEST_BY_ENTER), KILL);
	assert_answer(fake_event(LIMPET_GUEST_EXEC, ID, 100, 90, 0, 0), KILL);
	fake_map_status = LIMPET_OK;
	assert_answer(fake_event(LIMPET_GUEST_EXEC, ID, 100, 90, 0, 0), PASS);
	fake_filter_status = LIMPET_ESTATE;
	assert_answer(begin(8, 93, LIMPET_GUEST_BY_ENTER), KILL);
}

/* Each guest has a page that other guests cannot access, until no page is free. */
static void test_pages(void **state)
{
	(void)state;
	assert_answer(fake_event(LIMPET_GUEST_FAULT, ID, RANGE + RANGE_BYTES, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_FAULT, ID, 0, 0, 0, 0), PASS);
	for (unsigned int i = 0; i < PAGES; i++)
		if (i != ID)
			begin(i, 1000 + i, LIMPET_GUEST_BY_FORK);
	begin(PAGES, 3000, LIMPET_GUEST_BY_FORK);
	fake_put_text(AT, "/usr/x");
	assert_served(fake_call(PAGES, GUEST_CALL_open, AT, 0, 0, 0, 0, 0), -LINUX_ENOMEM);
	assert_answer(fake_call(6, GUEST_CALL_open, AT, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_FAULT, ID, fake_register[LIMPET_GUEST_RDI] & ~4095ul,
				 0, 0, 0),
		      PASS);
	fake_event(LIMPET_GUEST_END, 6, 1006, 1006, 0, 0);
	begin(PAGES, 3000, LIMPET_GUEST_BY_FORK);
	assert_answer(fake_call(PAGES, GUEST_CALL_open, AT, 0, 0, 0, 0, 0), PASS);
}

/* Returns the page of the guest, which it can read. */
static const char *own_page(unsigned int id)
{
	struct copy copy;
	struct executive_answer a;

	assert_true(copy_begin(&copy, id));
	copy_end(&copy);
	a = fake_event(LIMPET_GUEST_FAULT, id, RANGE + copy.page * (word)LIMPET_PAGE, 0, 0, 0);
	assert_answer(a, SERVE);
	return (const char *)a.value;
}

/* A guest cannot read paths of an earlier guest that had its id, nor pages without a guest. */
static void test_leftover(void **state)
{
	static const char none[LIMPET_PAGE];
	const char *old = own_page(ID);

	(void)state;
	path_call(GUEST_CALL_open, "/usr/x", 0, 0);
	assert_string_equal(old, "/usr/x");
	fake_event(LIMPET_GUEST_END, ID, 100, 90, 0, 0);
	assert_answer(fake_event(LIMPET_GUEST_FAULT, ID, RANGE + ID * (word)LIMPET_PAGE, 0, 0, 0),
		      PASS);
	begin(ID, 95, LIMPET_GUEST_BY_FORK);
	assert_ptr_equal(own_page(ID), old);
	assert_memory_equal(old, none, sizeof(none));
	begin(0, 96, LIMPET_GUEST_BY_FORK);
	assert_answer(fake_event(LIMPET_GUEST_FAULT, 0, RANGE + 9 * (word)LIMPET_PAGE, 0, 0, 0),
		      PASS);
}

/*
 * The executive revokes a page that other guests can access: that of a new guest, and that of a parent from its
 * children.
 */
static void test_hidden(void **state)
{
	word page;

	(void)state;
	assert_int_equal(fake_revokes, 1);
	path_call(GUEST_CALL_open, "/usr/x", 0, 0);
	page = fake_register[LIMPET_GUEST_RDI] & ~4095ul;
	fake_event(LIMPET_GUEST_BEGIN, 6, 91, 91, 1 + ID, LIMPET_GUEST_BY_FORK);
	assert_int_equal(fake_revokes, 3);
	assert_int_equal(fake_range[0], page);
	assert_int_equal(fake_range[1], 4096);
	fake_event(LIMPET_GUEST_BEGIN, 7, 91, 91, 1 + ID, LIMPET_GUEST_BY_THREAD);
	assert_int_equal(fake_revokes, 4);
	assert_int_not_equal(fake_range[0], page);
	fake_event(LIMPET_GUEST_BEGIN, 8, 91, 91, 0, LIMPET_GUEST_BY_FORK);
	fake_event(LIMPET_GUEST_BEGIN, 8, 91, 91, ~0ul, LIMPET_GUEST_BY_FORK);
}

/* A guest is killed while its handler thread runs. Its page is not reused by the next guest until the handler ends. */
static void test_abandoned(void **state)
{
	struct copy old, new;

	(void)state;
	assert_true(copy_begin(&old, ID));
	fake_event(LIMPET_GUEST_END, ID, 100, 90, 0, 0);
	fake_orphan = true;
	assert_false(copy_begin(&new, ID));
	fake_orphan = false;
	begin(ID, 94, LIMPET_GUEST_BY_FORK);
	assert_true(copy_begin(&new, ID));
	assert_int_not_equal(old.page, new.page);
	copy_end(&new);
	copy_end(&old);
	fake_orphan = true; /* its copies fail, so it writes nothing */
	assert_served(path_call(GUEST_CALL_open, "/usr/x", 0, 0), -LINUX_EFAULT);
}

/* The kernel abandons a handler thread, and the guest continues. The guest gets another page, and keeps it. */
static void test_asked_again(void **state)
{
	struct copy old, new, third;

	(void)state;
	assert_true(copy_begin(&old, ID));
	assert_true(copy_begin(&new, ID));
	assert_int_not_equal(old.page, new.page);
	fake_orphan = true;
	assert_false(copy_begin(&third, ID)); /* abandoned before it started */
	fake_orphan = false;
	copy_end(&new);
	assert_true(copy_begin(&third, ID));
	assert_int_equal(third.page, new.page);
	copy_end(&third);
	copy_end(&old);
	for (unsigned int i = 0; i < 3 * PAGES; i++) { /* no reference is lost */
		assert_true(copy_begin(&old, ID));
		assert_true(copy_begin(&new, ID));
		copy_end(&old);
		copy_end(&new);
	}
	fake_event(LIMPET_GUEST_END, ID, 100, 90, 0, 0);
	for (unsigned int i = 0; i < PAGES; i++) {
		begin(i, 1000 + i, LIMPET_GUEST_BY_FORK);
		assert_true(copy_begin(&new, i));
		copy_end(&new);
	}
}

/* With random arguments, no call passes with a path in the guest's own memory. */
static void test_random(void **state)
{
	static const word interesting[] = { 0,	  1,	AT, AT2, AT + 4095, AT2 + 4000, RANGE,
					    ~0ul, HERE, 16, 24,	 128,	    O_CREAT,	3 };
	static const char *const paths[] = { "/usr/x", "/tmp/y", "/etc/shadow", "../x", "", "a" };
	word w[6];

	(void)state;
	srandom(7);
	for (unsigned int i = 0; i < 200000; i++) {
		word number = (word)random() % 470;
		struct executive_answer a;

		fake_put_text(AT, paths[random() % 6]);
		fake_put_text(AT2, paths[random() % 6]);
		for (unsigned int j = 0; j < 6; j++)
			w[j] = random() % 4 ? interesting[random() % 14] : (word)random();
		a = fake_call(ID, number, w[0], w[1], w[2], w[3], w[4], w[5]);
		if (a.operation == LIMPET_GUEST_PASS && check_of(number) == CHECK_PATHS)
			assert_true(number == GUEST_CALL_utimensat ||
				    number == GUEST_CALL_futimesat ||
				    number == GUEST_CALL_fanotify_mark ||
				    fake_register[LIMPET_GUEST_RDI] - RANGE < RANGE_BYTES ||
				    fake_register[LIMPET_GUEST_RSI] - RANGE < RANGE_BYTES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SANDBOX_TEST(test_ranges),	SANDBOX_TEST(test_tags),
		SANDBOX_TEST(test_mmap),	SANDBOX_TEST(test_ring),
		SANDBOX_TEST(test_prctl),	SANDBOX_TEST(test_begin),
		SANDBOX_TEST(test_pages),	SANDBOX_TEST(test_abandoned),
		SANDBOX_TEST(test_asked_again), SANDBOX_TEST(test_leftover),
		SANDBOX_TEST(test_hidden),	SANDBOX_TEST(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
