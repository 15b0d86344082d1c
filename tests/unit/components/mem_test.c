// SPDX-License-Identifier: BSD-2-Clause
/* Tests the memory manager: its mappings for each client, and its refusals. */
#include <string.h>

#include "mem_fake.h"

#include <export/faults.h>
#include <export/mem.h>
#include <export/mem_keeper.h>

#define PAGE 4096ul
#define QUOTA 300
#define RW (LIMPET_READ | LIMPET_WRITE)
#define BADGE(component) ((component) + 1ul)

static int setup(void **state)
{
	(void)state;
	return (int)fake_boot(QUOTA);
}

static int teardown(void **state)
{
	(void)state;
	fake_end();
	return 0;
}

static long allocate(unsigned int component, word pages, word *address)
{
	struct mem_allocate_results out = { 0 };
	long status = mem_serve_allocate(BADGE(component), pages, &out);

	*address = out.address;
	return status;
}

static long reserve(unsigned int component, word pages, word rights, word *address)
{
	struct mem_reserve_results out = { 0 };
	long status = mem_serve_reserve(BADGE(component), pages, rights, &out);

	*address = out.address;
	return status;
}

static word allocated(unsigned int component, word pages)
{
	word address;

	assert_int_equal(allocate(component, pages, &address), LIMPET_OK);
	for (word i = 0; i < pages; i++) {
		const char *memory = fake_memory(component, address + i * PAGE);

		assert_int_equal(fake_rights(component, address + i * PAGE), RW);
		assert_false(memory[0] || memcmp(memory, memory + 1, PAGE - 1));
	}
	return address;
}

static word reserved(unsigned int component, word pages, word rights)
{
	word address;

	assert_int_equal(reserve(component, pages, rights, &address), LIMPET_OK);
	for (word i = 0; i < pages; i++)
		assert_int_equal(fake_rights(component, address + i * PAGE), 0);
	return address;
}

static word used_by(unsigned int component)
{
	struct mem_available_results out = { 0 };

	mem_serve_available(BADGE(component), &out);
	return out.used;
}

static word frames_left(void)
{
	struct mem_available_results out = { 0 };

	mem_serve_available(BADGE(1), &out);
	return out.frames;
}

static long available(unsigned int component)
{
	struct mem_available_results out = { 0 };

	return mem_serve_available(BADGE(component), &out);
}

static char *at(unsigned int component, word address)
{
	char *memory = fake_memory(component, address);

	assert_non_null(memory);
	return memory;
}

static void test_allocate_free(void **state)
{
	word a = allocated(2, 5), b = allocated(2, 100), c = allocated(1, 1);

	(void)state;
	assert_int_equal(a, limpet_window(2));
	assert_int_equal(b, a + 5 * PAGE);
	assert_int_equal(c, limpet_window(1));
	assert_int_equal(limpet_window_owner(b), 2);
	assert_int_equal(available(2), 195);
	assert_int_equal(used_by(2), 105);
	strcpy(at(2, a), "dirt");
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(fake_rights(2, a), 0);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_ENOENT);
	assert_int_equal(mem_serve_free(BADGE(1), b), LIMPET_ENOENT); /* another client's */
	assert_int_equal(mem_serve_free(BADGE(2), b + PAGE), LIMPET_ENOENT);
	assert_int_equal(mem_serve_free(BADGE(2), b + 1), LIMPET_ENOENT);
	assert_int_equal(mem_serve_free(BADGE(2), ~0ul), LIMPET_ENOENT);
	assert_int_equal(allocated(2, 6), b + 100 * PAGE);
	assert_int_equal(allocated(2, 3), a); /* in the gap */
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(mem_serve_free(BADGE(2), b), LIMPET_OK);
	assert_int_equal(mem_serve_free(BADGE(2), b + 100 * PAGE), LIMPET_OK);
	assert_int_equal(mem_serve_free(BADGE(1), c), LIMPET_OK);
	assert_int_equal(available(2), QUOTA);
	assert_int_equal(fake_frames_used(), 0);
}

static void test_refusals(void **state)
{
	static const unsigned int invalid[] = { ~0u, 0, OWN, COMPONENTS, 127, 128, 100000 };
	word address;

	(void)state;
	assert_int_equal(allocate(2, 0, &address), LIMPET_ERANGE);
	assert_int_equal(allocate(2, 257, &address), LIMPET_ERANGE);
	assert_int_equal(allocate(2, ~0ul, &address), LIMPET_ERANGE);
	assert_int_equal(reserve(2, 0, RW, &address), LIMPET_ERANGE);
	assert_int_equal(reserve(2, 4097, RW, &address), LIMPET_ERANGE);
	assert_int_equal(reserve(2, 1, LIMPET_WRITE, &address), LIMPET_ERANGE);
	assert_int_equal(reserve(2, 1, RW | LIMPET_EXEC, &address), LIMPET_ERANGE);
	for (unsigned int i = 0; i < 7; i++) {
		assert_int_equal(allocate(invalid[i], 1, &address), LIMPET_ERANGE);
		assert_int_equal(reserve(invalid[i], 1, RW, &address), LIMPET_ERANGE);
		assert_int_equal(available(invalid[i]), 0);
	}
	assert_int_equal(fake_frames_used(), 0);
}

/*
 * Each exhausted resource has its own error: quota, frames, addresses, page tables. A refused call allocates
 * nothing.
 */
static void test_exhaustion(void **state)
{
	word a, address, left;

	(void)state;
	allocated(1, 200);
	assert_int_equal(allocate(1, 101, &address), LIMPET_EQUOTA);
	allocated(2, 256);
	allocated(4, 256);
	left = frames_left();
	assert_in_range(left, 100, 255);
	assert_int_equal(allocate(5, left + 1, &address), LIMPET_ENOMEM);
	assert_int_equal(available(5), (long)left);
	assert_int_equal(used_by(5), 0);
	a = allocated(5, left);
	assert_int_equal(allocate(5, 1, &address), LIMPET_ENOMEM);
	assert_int_equal(reserve(5, 1, RW, &address), LIMPET_OK);
	assert_false(fake_touch(5, address, true)); /* only the thread that accesses it fails */
	assert_int_equal(fake.next_calls, 1);
	assert_int_equal(mem_serve_free(BADGE(5), a), LIMPET_OK);
	assert_true(fake_touch(5, address, true));
}

static void test_addresses(void **state)
{
	word address, a = reserved(2, 4 * QUOTA - 1, RW);

	(void)state;
	assert_int_equal(reserve(2, 2, RW, &address), LIMPET_EQUOTA);
	assert_int_equal(allocate(2, 2, &address), LIMPET_EQUOTA);
	allocated(2, 1);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(used_by(2), 2); /* and a page for its page table */
}

static void test_page_tables(void **state)
{
	word address, left = frames_left();

	(void)state;
	reserved(2, 500, RW);
	fake.no_extension = true;
	assert_int_equal(allocate(2, 100, &address), LIMPET_ENOMEM);
	assert_int_equal(used_by(2), 0);
	assert_int_equal(frames_left(), left);
	assert_int_equal(fake_frames_used(), 0);
	assert_int_equal(fake_slots_used(), 0);
	address = reserved(2, 20, RW);
	assert_true(fake_touch(2, address, true));
	assert_false(fake_touch(2, address + 19 * PAGE, true)); /* beyond its page table */
	fake.no_extension = false;
	assert_true(fake_touch(2, address + 19 * PAGE, true));
	assert_int_equal(fake.extensions[2], 1);
	assert_int_equal(used_by(2), 3);
	assert_int_equal(frames_left(), left - 3);
	assert_int_equal(fake_slots_used(), 0);
}

/* The frame that becomes a page table is the first, the last, or one between. */
static void test_page_table_of_quota(void **state)
{
	word address, a;

	(void)state;
	a = allocated(2, 256);
	reserved(2, 256, RW);
	address = allocated(2, 43);
	assert_int_equal(used_by(2), QUOTA);
	assert_int_equal(reserve(2, 1, RW, &address), LIMPET_OK);
	assert_false(fake_touch(2, address, false));
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_true(fake_touch(2, address, false));
}

static void test_reserve(void **state)
{
	word a = reserved(2, 200, RW), b = reserved(2, 3, LIMPET_READ), c = reserved(2, 3, 0);

	(void)state;
	assert_int_equal(used_by(2), 0);
	assert_true(fake_touch(2, a + 7 * PAGE + 123, false));
	assert_int_equal(used_by(2), 1);
	assert_int_equal(*at(2, a + 7 * PAGE), 0);
	assert_int_equal(fake_rights(2, a + 7 * PAGE), RW);
	assert_true(fake_touch(2, b, false));
	assert_int_equal(fake_rights(2, b), LIMPET_READ);
	assert_false(fake_touch(2, b, true));
	assert_false(fake_touch(2, b + PAGE, true));
	assert_false(fake_touch(2, c, false));
	assert_int_equal(used_by(2), 2);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(used_by(2), 1);
	assert_false(fake_touch(2, a + 7 * PAGE, false));
}

static void test_faults_of_others(void **state)
{
	word a = reserved(2, 4, RW);

	(void)state;
	assert_int_equal(faults_serve_handle(3, 13, 0, 0, 0, 1, 2), LIMPET_ECRASH);
	assert_int_equal(faults_serve_handle(3, 14, 0, 6, 0, 1, 2), LIMPET_ECRASH);
	assert_int_equal(faults_serve_handle(3, 14, a - 1, 6, 0, 1, 2), LIMPET_ECRASH);
	assert_int_equal(faults_serve_handle(2, 14, a, 6, 0, 1, 1), LIMPET_ECRASH); /* not 1's */
	assert_int_equal(faults_serve_handle(1, 14, a, 6, 0, 1, 0), LIMPET_ECRASH);
	assert_int_equal(faults_serve_handle(1, 14, a, 6, 0, 1, ~0ul), LIMPET_ECRASH);
	assert_int_equal(faults_serve_handle(3, 14, a, 6 + 16, 0, 1, 2), LIMPET_ECRASH);
	assert_int_equal(faults_serve_handle(3, 14, a, 6 + 8, 0, 1, 2), LIMPET_ECRASH);
	assert_int_equal(
		faults_serve_handle(3, 14, limpet_window(2) + 4 * QUOTA * PAGE, 6, 0, 1, 2),
		LIMPET_ECRASH);
	assert_int_equal(fake.next_calls, 9);
	assert_int_equal(used_by(2), 0);
	fake.next_status = LIMPET_OK;
	assert_int_equal(faults_serve_handle(3, 6, 0, 0, 0, 1, 2), LIMPET_OK);
	/* The second of two threads finds the existing page. */
	assert_int_equal(faults_serve_handle(3, 14, a, 6, 0, 1, 2), LIMPET_OK);
	assert_int_equal(faults_serve_handle(3, 14, a, 6, 0, 2, 2), LIMPET_OK);
	assert_int_equal(fake.next_calls, 10);
	assert_int_equal(used_by(2), 1);
}

static void test_unmap(void **state)
{
	word a = allocated(2, 8), b = allocated(2, 2);

	(void)state;
	strcpy(at(2, a + 3 * PAGE), "here");
	assert_int_equal(mem_serve_unmap(BADGE(2), a + 2 * PAGE, 2), LIMPET_OK);
	assert_int_equal(used_by(2), 8);
	assert_false(fake_touch(2, a + 2 * PAGE, false)); /* a guard page */
	assert_false(fake_touch(2, a + 3 * PAGE, true));
	assert_true(fake_touch(2, a + PAGE, true));
	assert_int_equal(allocated(2, 2), b + 2 * PAGE); /* its address is not free */
	assert_int_equal(mem_serve_protect(BADGE(2), a + 3 * PAGE, 1, RW), LIMPET_OK);
	assert_true(fake_touch(2, a + 3 * PAGE, true));
	assert_int_equal(*at(2, a + 3 * PAGE), 0);
	assert_int_equal(mem_serve_unmap(BADGE(2), a, 0), LIMPET_ERANGE);
	assert_int_equal(mem_serve_unmap(BADGE(2), a, 4097), LIMPET_ERANGE);
	assert_int_equal(mem_serve_unmap(BADGE(2), a, 9), LIMPET_ENOENT); /* into the next one */
	assert_int_equal(mem_serve_unmap(BADGE(2), a + 1, 1), LIMPET_ENOENT);
	assert_int_equal(mem_serve_unmap(BADGE(1), a, 1), LIMPET_ENOENT);
	assert_int_equal(mem_serve_unmap(BADGE(0), a, 1), LIMPET_ERANGE);
	assert_int_equal(mem_serve_unmap(BADGE(2), a - PAGE, 1), LIMPET_ENOENT);
	assert_int_equal(mem_serve_unmap(BADGE(2), limpet_window(2) + 1199 * PAGE, 2),
			 LIMPET_ENOENT);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(mem_serve_free(BADGE(2), b), LIMPET_OK);
	assert_int_equal(used_by(2), 2);
}

static void test_protect(void **state)
{
	word a = allocated(2, 40);

	(void)state;
	strcpy(at(2, a + 5 * PAGE), "here");
	assert_int_equal(mem_serve_protect(BADGE(2), a + 4 * PAGE, 36, LIMPET_READ), LIMPET_OK);
	assert_false(fake_touch(2, a + 5 * PAGE, true));
	assert_true(fake_touch(2, a + 5 * PAGE, false));
	assert_true(fake_touch(2, a + 3 * PAGE, true));
	assert_int_equal(mem_serve_protect(BADGE(2), a + 5 * PAGE, 2, 0), LIMPET_OK);
	assert_false(fake_touch(2, a + 5 * PAGE, false));
	assert_int_equal(used_by(2), 40);
	assert_int_equal(mem_serve_protect(BADGE(2), a, 40, RW), LIMPET_OK);
	assert_true(fake_touch(2, a + 5 * PAGE, true));
	assert_string_equal(at(2, a + 5 * PAGE), "here");
	assert_int_equal(mem_serve_protect(BADGE(2), a, 40, LIMPET_WRITE), LIMPET_ERANGE);
	assert_int_equal(mem_serve_protect(BADGE(2), a, 0, RW), LIMPET_ERANGE);
	assert_int_equal(mem_serve_protect(BADGE(2), a, 41, RW), LIMPET_ENOENT);
	assert_int_equal(mem_serve_protect(BADGE(0), a, 1, RW), LIMPET_ERANGE);
	assert_int_equal(mem_serve_grant(BADGE(2), a, 1, RW), LIMPET_OK);
	assert_int_equal(mem_serve_protect(BADGE(2), a, 1, 0), LIMPET_EBUSY);
	assert_int_equal(mem_serve_unmap(BADGE(2), a, 1), LIMPET_EBUSY);
	assert_int_equal(mem_serve_revoke(BADGE(2), a, 0), LIMPET_OK);
	assert_int_equal(mem_serve_protect(BADGE(2), a, 1, 0), LIMPET_OK);
}

static void test_share(void **state)
{
	word a = allocated(2, 70), b = allocated(2, 2), left;

	(void)state;
	assert_int_equal(mem_serve_attach(BADGE(4), a), LIMPET_ENOENT);
	assert_int_equal(mem_serve_grant(BADGE(2), a, 4, LIMPET_READ), LIMPET_OK);
	assert_int_equal(mem_serve_grant(BADGE(2), a, 5, RW), LIMPET_OK);
	assert_int_equal(mem_serve_attach(BADGE(1), a), LIMPET_ENOENT); /* not granted to it */
	assert_int_equal(mem_serve_attach(BADGE(4), b), LIMPET_ENOENT);
	assert_int_equal(mem_serve_attach(BADGE(4), a + PAGE), LIMPET_ENOENT);
	assert_int_equal(mem_serve_attach(BADGE(4), a + 8), LIMPET_ENOENT);
	left = frames_left();
	assert_int_equal(mem_serve_attach(BADGE(4), a), 70);
	assert_int_equal(mem_serve_attach(BADGE(4), a), LIMPET_EBUSY);
	assert_int_equal(mem_serve_attach(BADGE(5), a), 70);
	assert_int_equal(fake_rights(4, a + 69 * PAGE), LIMPET_READ);
	assert_int_equal(fake_rights(5, a + 69 * PAGE), RW);
	assert_ptr_equal(at(4, a + 33 * PAGE), at(2, a + 33 * PAGE));
	assert_false(fake_touch(4, a, true));
	/*
	 * Two frames for page tables each count against the quota of the component that attaches.
	 */
	assert_int_equal(used_by(4), 2);
	assert_int_equal(frames_left(), left - 4);
	assert_int_equal(mem_serve_detach(BADGE(4), a), LIMPET_OK);
	assert_int_equal(mem_serve_detach(BADGE(4), a), LIMPET_ENOENT);
	assert_int_equal(fake_rights(4, a), 0);
	assert_int_equal(mem_serve_attach(BADGE(4), a), 70);
	assert_int_equal(mem_serve_revoke(BADGE(2), a, 4), LIMPET_OK);
	assert_int_equal(fake_rights(4, a), 0);
	assert_int_equal(mem_serve_revoke(BADGE(2), a, 4), LIMPET_ENOENT);
	assert_int_equal(mem_serve_attach(BADGE(4), a), LIMPET_ENOENT);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(fake_rights(5, a), 0);
	assert_int_equal(mem_serve_detach(BADGE(5), a), LIMPET_ENOENT);
	assert_int_equal(mem_serve_free(BADGE(2), b), LIMPET_OK);
	assert_int_equal(fake_frames_used(), 4);
}

static void test_share_refusals(void **state)
{
	word a = allocated(2, 2), r = reserved(2, 2, RW), left;

	(void)state;
	assert_int_equal(mem_serve_grant(BADGE(2), a, 4, 0), LIMPET_ERANGE);
	assert_int_equal(mem_serve_grant(BADGE(2), a, 4, LIMPET_WRITE), LIMPET_ERANGE);
	assert_int_equal(mem_serve_grant(BADGE(0), a, 4, RW), LIMPET_ERANGE);
	assert_int_equal(mem_serve_grant(BADGE(2), a + PAGE, 4, RW), LIMPET_ENOENT);
	assert_int_equal(mem_serve_grant(BADGE(2), a, 2, RW), LIMPET_ENOENT); /* to itself */
	assert_int_equal(mem_serve_grant(BADGE(2), a, OWN, RW), LIMPET_ENOENT);
	assert_int_equal(mem_serve_grant(BADGE(2), a, ~0ul, RW), LIMPET_ENOENT);
	assert_int_equal(mem_serve_grant(BADGE(1), a, 4, RW), LIMPET_ENOENT); /* not its own */
	assert_int_equal(mem_serve_grant(BADGE(2), r, 4, RW), LIMPET_ESTATE);
	assert_true(fake_touch(2, r, true) && fake_touch(2, r + PAGE, true));
	assert_int_equal(mem_serve_protect(BADGE(2), r, 1, LIMPET_READ), LIMPET_OK);
	assert_int_equal(mem_serve_grant(BADGE(2), r, 4, RW), LIMPET_ESTATE);
	assert_int_equal(mem_serve_protect(BADGE(2), r, 1, RW), LIMPET_OK);
	assert_int_equal(mem_serve_grant(BADGE(2), r, 4, RW), LIMPET_OK);
	assert_int_equal(mem_serve_revoke(BADGE(2), a, 0), LIMPET_ENOENT);
	assert_int_equal(mem_serve_revoke(BADGE(2), r, 1), LIMPET_ENOENT);
	assert_int_equal(mem_serve_revoke(BADGE(2), r, ~0ul), LIMPET_ENOENT);
	assert_int_equal(mem_serve_revoke(BADGE(2), r + 8, 4), LIMPET_ENOENT);
	assert_int_equal(mem_serve_attach(BADGE(4), ~0ul), LIMPET_ENOENT);
	assert_int_equal(mem_serve_attach(BADGE(4), 0), LIMPET_ENOENT);
	assert_int_equal(mem_serve_attach(BADGE(0), r), LIMPET_ERANGE);
	assert_int_equal(mem_serve_detach(BADGE(0), r), LIMPET_ERANGE);
	assert_int_equal(mem_serve_revoke(BADGE(0), r, 0), LIMPET_ERANGE);
	left = frames_left();
	fake.no_extension = true;
	assert_int_equal(mem_serve_attach(BADGE(4), r), LIMPET_ENOMEM);
	assert_int_equal(frames_left(), left);
	fake.no_extension = false;
	allocated(4, 150);
	allocated(4, 150);
	assert_int_equal(mem_serve_attach(BADGE(4), r), LIMPET_EQUOTA);
}

static void test_too_many_shares(void **state)
{
	word address[17];

	(void)state;
	for (unsigned int i = 0; i < 17; i++)
		address[i] = allocated(2, 1);
	for (unsigned int i = 0; i < 16; i++)
		assert_int_equal(mem_serve_grant(BADGE(2), address[i], 4, RW), LIMPET_OK);
	assert_int_equal(mem_serve_grant(BADGE(2), address[16], 4, RW), LIMPET_EQUOTA);
	assert_int_equal(mem_serve_grant(BADGE(2), address[3], 1, RW), LIMPET_OK);
	assert_int_equal(mem_serve_revoke(BADGE(2), address[3], 0), LIMPET_OK);
	assert_int_equal(mem_serve_grant(BADGE(2), address[16], 4, RW), LIMPET_OK);
	for (unsigned int i = 0; i < 17; i++)
		assert_int_equal(mem_serve_free(BADGE(2), address[i]), LIMPET_OK);
}

static void test_rollback(void **state)
{
	word a = allocated(2, 40), r = reserved(2, 10, RW), shared = allocated(2, 1), late, left;

	(void)state;
	strcpy(at(2, a), "at the mark");
	strcpy(at(2, a + 39 * PAGE), "last page");
	assert_true(fake_touch(2, r, true));
	strcpy(at(2, r), "touched");
	assert_int_equal(mem_serve_protect(BADGE(2), a + PAGE, 1, LIMPET_READ), LIMPET_OK);
	assert_int_equal(mem_serve_grant(BADGE(2), shared, 4, RW), LIMPET_OK);
	assert_int_equal(mem_serve_attach(BADGE(4), shared), 1);
	assert_int_equal(mem_keeper_serve_mark(9, 2), LIMPET_OK);
	assert_int_equal(used_by(2), 42);
	for (unsigned int round = 0; round < 3; round++) {
		strcpy(at(2, a), "later");
		strcpy(at(4, shared), "others use it");
		assert_true(fake_touch(2, r + PAGE, true));
		late = allocated(2, 30);
		assert_int_equal(mem_serve_grant(BADGE(2), late, 4, RW), LIMPET_OK);
		assert_int_equal(mem_serve_attach(BADGE(4), late), 30);
		assert_int_equal(mem_serve_grant(BADGE(2), shared, 5, RW), LIMPET_OK);
		assert_int_equal(mem_serve_attach(BADGE(5), shared), 1);
		assert_int_equal(mem_serve_protect(BADGE(2), a + PAGE, 2, RW), LIMPET_OK);
		if (round == 1) /* freed memory is restored, also where others got memory since */
			assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
		if (round == 2) {
			assert_int_equal(mem_serve_unmap(BADGE(2), a + 39 * PAGE, 1), LIMPET_OK);
			assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
			assert_int_equal(allocated(2, 30), a);
		}
		assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
		assert_string_equal(at(2, a), "at the mark");
		assert_string_equal(at(2, a + 39 * PAGE), "last page");
		assert_string_equal(at(2, r), "touched");
		assert_string_equal(at(2, shared), "others use it");
		assert_int_equal(fake_rights(2, a), RW);
		assert_int_equal(fake_rights(2, a + PAGE), LIMPET_READ);
		assert_int_equal(fake_rights(2, a + 2 * PAGE), RW);
		assert_int_equal(fake_rights(2, r + PAGE), 0);
		assert_int_equal(fake_rights(4, late), 0);
		assert_int_equal(fake_rights(4, shared), RW);
		assert_int_equal(fake_rights(5, shared), 0);
		assert_int_equal(mem_serve_attach(BADGE(5), shared), LIMPET_ENOENT);
		assert_int_equal(used_by(2), 42);
		assert_true(fake_touch(2, r + 2 * PAGE, true)); /* still a reserved page */
		assert_int_equal(mem_serve_free(BADGE(2), late), LIMPET_ENOENT);
	}
	/* A new mark replaces the old one. The page is then freed permanently. */
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(used_by(2), 43);
	left = frames_left();
	assert_int_equal(mem_keeper_serve_mark(9, 2), LIMPET_OK);
	assert_int_equal(used_by(2), 3);
	assert_int_equal(frames_left(), left + 80 - 1);
	assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
	assert_int_equal(fake_rights(2, a), 0);
}

/* Without a mark, a rollback frees all memory of a component, including memory that it shared at the mark. */
static void test_forget(void **state)
{
	word shared = allocated(2, 1), a, left;

	(void)state;
	assert_int_equal(mem_serve_grant(BADGE(2), shared, 4, RW), LIMPET_OK);
	assert_int_equal(mem_serve_attach(BADGE(4), shared), 1);
	left = frames_left();
	a = allocated(2, 5);
	assert_int_equal(mem_keeper_serve_mark(9, 2), LIMPET_OK);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	assert_int_equal(mem_keeper_serve_forget(9, 2), LIMPET_OK);
	assert_int_equal(mem_keeper_serve_forget(9, 2), LIMPET_OK);
	assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
	assert_int_equal(fake_rights(4, shared), 0);
	assert_int_equal(used_by(2), 0);
	assert_int_equal(frames_left(), left + 1);
	assert_int_equal(mem_keeper_serve_forget(9, 77), LIMPET_ENOENT);
}

/* Other clients cannot take the frames that a rollback needs. */
static void test_rollback_when_full(void **state)
{
	word a = allocated(2, 100), left;

	(void)state;
	memset(at(2, a + 99 * PAGE), 'm', PAGE);
	assert_int_equal(mem_keeper_serve_mark(9, 2), LIMPET_OK);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
	allocated(1, 256);
	allocated(4, 256);
	left = frames_left();
	if (left)
		allocated(5, left < QUOTA ? left : QUOTA);
	assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
	assert_int_equal(*at(2, a + 99 * PAGE), 'm');
	/* Without frames for another mark, there is no mark, and a rollback frees everything. */
	assert_int_equal(mem_keeper_serve_mark(9, 4), LIMPET_ENOMEM);
	assert_int_equal(mem_keeper_serve_rollback(9, 4), LIMPET_OK);
	assert_int_equal(used_by(4), 0);
}

/*
 * If the kernel refuses to map a page, the page has no rights. An access causes a fault, and a later rollback maps
 * it.
 */
static void test_rollback_not_mapped(void **state)
{
	word a = allocated(2, 2);

	(void)state;
	strcpy(at(2, a), "at the mark");
	assert_int_equal(mem_keeper_serve_mark(9, 2), LIMPET_OK);
	assert_int_equal(mem_serve_protect(BADGE(2), a, 1, LIMPET_READ), LIMPET_OK);
	fake.map_status = LIMPET_EBUSY;
	assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
	assert_int_equal(fake_rights(2, a), 0);
	assert_int_equal(fake_rights(2, a + PAGE), RW);
	assert_int_equal(used_by(2), 2);
	fake.map_status = LIMPET_OK;
	fake.next_status = LIMPET_ECRASH;
	assert_false(fake_touch(2, a, false));
	assert_int_equal(fake.next_calls, 1);
	assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
	assert_int_equal(fake_rights(2, a), RW);
	assert_string_equal(at(2, a), "at the mark");
}

static void test_rollback_without_mark(void **state)
{
	word a = allocated(2, 40), left = frames_left();

	(void)state;
	assert_int_equal(mem_serve_grant(BADGE(2), a, 4, RW), LIMPET_OK);
	assert_int_equal(mem_serve_attach(BADGE(4), a), 40);
	assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
	assert_int_equal(used_by(2), 0);
	assert_int_equal(fake_rights(4, a), 0);
	assert_int_equal(frames_left(), left + 40 - 2);
	assert_int_equal(allocated(2, 1), a);
	assert_int_equal(mem_keeper_serve_mark(9, OWN), LIMPET_ENOENT);
	assert_int_equal(mem_keeper_serve_rollback(9, 0), LIMPET_ENOENT);
	assert_int_equal(mem_keeper_serve_mark(9, ~0ul), LIMPET_ENOENT);
	assert_int_equal(mem_keeper_serve_rollback(9, 1000), LIMPET_ENOENT);
}

static void roll_back_2(void)
{
	assert_int_equal(mem_keeper_serve_rollback(9, 2), LIMPET_OK);
}

/* A call that waited while its component was rolled back does not belong to the new life. */
static void test_rolled_back_while_waiting(void **state)
{
	word a = allocated(2, 3), address;

	(void)state;
	assert_int_equal(mem_keeper_serve_mark(9, 2), LIMPET_OK);
	fake.while_waiting = roll_back_2;
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_ECRASH);
	fake.while_waiting = roll_back_2;
	assert_int_equal(allocate(2, 1, &address), LIMPET_ECRASH);
	fake.while_waiting = roll_back_2;
	assert_int_equal(mem_serve_unmap(BADGE(2), a, 1), LIMPET_ECRASH);
	fake.while_waiting = roll_back_2;
	assert_int_equal(mem_serve_protect(BADGE(2), a, 1, 0), LIMPET_ECRASH);
	fake.while_waiting = roll_back_2;
	assert_int_equal(mem_serve_grant(BADGE(2), a, 1, RW), LIMPET_ECRASH);
	fake.while_waiting = roll_back_2;
	assert_int_equal(faults_serve_handle(3, 14, a, 6, 0, 1, 2), LIMPET_ECRASH);
	assert_int_equal(used_by(2), 3);
	assert_int_equal(mem_serve_free(BADGE(2), a), LIMPET_OK);
}

static unsigned int locks;

/* Rolls back at the third lock. */
static void roll_back_in_the_middle(void)
{
	if (++locks < 3)
		fake.while_waiting = roll_back_in_the_middle;
	else
		roll_back_2();
}

static void test_rolled_back_while_freeing(void **state)
{
	word a = allocated(2, 200);

	(void)state;
	assert_int_equal(mem_keeper_serve_mark(9, 2), LIMPET_OK);
	for (unsigned int i = 0; i < 2; i++) {
		locks = 0;
		fake.while_waiting = roll_back_in_the_middle;
		assert_int_equal(i ? mem_serve_free(BADGE(2), a)
				   : mem_serve_unmap(BADGE(2), a, 200),
				 LIMPET_ECRASH);
		for (word page = 0; page < 200; page++)
			assert_int_equal(fake_rights(2, a + page * PAGE), RW);
	}
}

static void test_delegate(void **state)
{
	word left = frames_left();

	(void)state;
	assert_int_equal(mem_serve_delegate(BADGE(CHILD), 0), LIMPET_ERANGE);
	assert_int_equal(mem_serve_delegate(BADGE(0), 1), LIMPET_ERANGE);
	assert_int_equal(mem_serve_delegate(BADGE(2), 10), LIMPET_ERIGHTS);
	assert_int_equal(mem_serve_delegate(BADGE(CHILD), QUOTA + 1), LIMPET_EQUOTA);
	allocated(1, 1);
	assert_int_equal(mem_serve_delegate(BADGE(CHILD), 100), LIMPET_OK);
	assert_int_equal(used_by(CHILD), 100);
	assert_int_equal(frames_left(), left - 101);
	assert_int_equal(fake_slots_used(), 0);
	assert_int_equal(mem_serve_delegate(BADGE(CHILD), 100), LIMPET_OK); /* a second time */
	assert_int_equal(mem_serve_delegate(BADGE(CHILD), 101), LIMPET_ESTATE);
	assert_int_equal(frames_left(), left - 101);
	/* The manager no longer maps them, and does not allocate them. */
	allocated(1, 255);
	allocated(2, 256);
	for (unsigned int i = 0, hidden = 0; i < FRAMES; i++) {
		hidden += !fake.view[i];
		assert_true(fake.view[i] || !fake.uses[i]);
		if (i == FRAMES - 1)
			assert_int_equal(hidden, 100);
	}
}

static void test_delegate_when_full(void **state)
{
	word address;

	(void)state;
	allocated(1, 256);
	allocated(2, 256);
	allocated(4, 256);
	assert_int_equal(mem_serve_delegate(BADGE(CHILD), 299), LIMPET_ENOMEM);
	assert_int_equal(used_by(CHILD), 0);
	assert_int_equal(allocate(5, 10, &address), LIMPET_OK);
}

/* Starts as a manager with a parent. */
static void test_parent(void **state)
{
	(void)state;
	assert_int_equal(fake.parent_pages, QUOTA); /* pages that fake_boot() requested */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_allocate_free, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exhaustion, setup, teardown),
		cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_page_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_page_table_of_quota, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reserve, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults_of_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unmap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_protect, setup, teardown),
		cmocka_unit_test_setup_teardown(test_share, setup, teardown),
		cmocka_unit_test_setup_teardown(test_share_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_many_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rollback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rollback_when_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forget, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rollback_not_mapped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rollback_without_mark, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rolled_back_while_waiting, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rolled_back_while_freeing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_delegate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_delegate_when_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parent, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
