// SPDX-License-Identifier: BSD-2-Clause
/* The memory manager: what it maps where, for whom, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/lock.h>
#include <runtime/window.h>

#include <export/mem.h>

#define OWN 3 /* index of the manager */
#define FRAMES 600
#define COMPONENTS 5
#define PAGES 400 /* of a window, as far as the tests look */

const struct limpet_info __limpet_info = {
	.index = OWN,
	.args = 1,
	.arg = { { .name = "quota-pages", .number = 300 } },
};

/* What is mapped: 1 + frame, for each component and page of its window. */
static unsigned int mapped[COMPONENTS][PAGES];
static unsigned int uses[FRAMES]; /* mappings of a frame outside the manager */
static bool dirty[FRAMES];	  /* was written since it was zeroed */
static long map_failure;	  /* what the next mapping for a client ends with */

void lock_take(struct lock *lock)
{
	assert_int_equal(lock->mutex.owner++, 0);
}

void lock_drop(struct lock *lock)
{
	assert_int_equal(--lock->mutex.owner, 0);
}

static unsigned int page_of(unsigned int component, word address)
{
	word page = (address - limpet_window(component)) / LIMPET_PAGE;

	assert_true(address % LIMPET_PAGE == 0 && page < PAGES);
	return (unsigned int)page;
}

static long map_pages(const word *in)
{
	unsigned int component = (unsigned int)(in[0] - LIMPET_SLOT_PAGE_TABLES);
	unsigned int page = page_of(component, in[3]);

	assert_int_equal(in[1], LIMPET_SLOT_FRAMES);
	assert_int_equal(in[5], LIMPET_READ | LIMPET_WRITE);
	assert_true(in[4] && in[4] <= LIMPET_MAP_MAX && in[2] + in[4] <= FRAMES);
	if (map_failure && component != OWN && page >= 64)
		return map_failure;
	for (unsigned int i = 0; i < in[4]; i++) {
		unsigned int frame = (unsigned int)in[2] + i;

		assert_int_equal(mapped[component][page + i], 0);
		mapped[component][page + i] = frame + 1;
		if (component == OWN) {
			memset((void *)(in[3] + i * LIMPET_PAGE), dirty[frame], LIMPET_PAGE);
		} else {
			assert_int_equal(uses[frame]++, 0);
			assert_false(dirty[frame]);
			dirty[frame] = true;
		}
	}
	return LIMPET_OK;
}

static long unmap_pages(const word *in)
{
	unsigned int component = (unsigned int)(in[0] - LIMPET_SLOT_PAGE_TABLES);
	unsigned int page = page_of(component, in[1]);

	for (unsigned int i = 0; i < in[2]; i++) {
		unsigned int frame = mapped[component][page + i] - 1;
		const char *memory = (const char *)in[1] + i * LIMPET_PAGE;

		assert_true(frame < FRAMES);
		if (component == OWN)
			dirty[frame] = memory[0] || memcmp(memory, memory + 1, LIMPET_PAGE - 1);
		else
			uses[frame]--;
		mapped[component][page + i] = 0;
	}
	return LIMPET_OK;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	if (op == LIMPET_CALL(LIMPET_CALL_PT_MAP))
		return map_pages(in);
	if (op == LIMPET_CALL(LIMPET_CALL_PT_UNMAP))
		return unmap_pages(in);
	assert_int_equal(op, LIMPET_CALL(LIMPET_CALL_CAP_INFO));
	*out = (struct limpet_out){ LIMPET_FRAMES, LIMPET_ALL, FRAMES };
	return LIMPET_OK;
}

/* The view is at a real address: the manager writes there. */
static int group_setup(void **state)
{
	void *view = (void *)limpet_window(OWN);

	(void)state;
	if (mmap(view, LIMPET_MAP_MAX * LIMPET_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != view)
		return -1;
	for (unsigned int i = 0; i < FRAMES; i++)
		dirty[i] = true;
	return (int)component_init(limpet_info());
}

static word allocate(word badge, word pages)
{
	struct mem_allocate_results out = { 0 };

	assert_int_equal(mem_serve_allocate(badge, pages, &out), LIMPET_OK);
	for (word i = 0; i < pages; i++)
		assert_true(mapped[badge - 1][page_of((unsigned int)badge - 1, out.address) + i]);
	return out.address;
}

static long allocate_status(word badge, word pages)
{
	struct mem_allocate_results out = { 0 };

	return mem_serve_allocate(badge, pages, &out);
}

static long available(word badge, word *used)
{
	struct mem_available_results out = { 0 };
	long status = mem_serve_available(badge, &out);

	*used = out.used;
	return status;
}

static void test_allocate_free(void **state)
{
	word used, a = allocate(2, 5), b = allocate(2, 100), c = allocate(1, 1);

	(void)state;
	assert_int_equal(a, limpet_window(1));
	assert_int_equal(b, a + 5 * LIMPET_PAGE);
	assert_int_equal(c, limpet_window(0));
	assert_int_equal(available(2, &used), 195);
	assert_int_equal(used, 105);
	assert_int_equal(mem_serve_free(2, a), LIMPET_OK);
	assert_int_equal(mem_serve_free(2, a), LIMPET_ENOENT);
	assert_int_equal(mem_serve_free(1, b), LIMPET_ENOENT); /* another's */
	assert_int_equal(mem_serve_free(2, b + LIMPET_PAGE), LIMPET_ENOENT);
	assert_int_equal(allocate(2, 6), b + 100 * LIMPET_PAGE);
	assert_int_equal(allocate(2, 3), a); /* the gap */
	assert_int_equal(mem_serve_free(2, a), LIMPET_OK);
	assert_int_equal(mem_serve_free(2, b), LIMPET_OK);
	assert_int_equal(mem_serve_free(2, b + 100 * LIMPET_PAGE), LIMPET_OK);
	assert_int_equal(mem_serve_free(1, c), LIMPET_OK);
	assert_int_equal(available(2, &used), 300);
	assert_int_equal(used, 0);
}

static void test_refusals(void **state)
{
	word a, b, used;

	(void)state;
	assert_int_equal(allocate_status(2, 0), LIMPET_ERANGE);
	assert_int_equal(allocate_status(2, 257), LIMPET_ERANGE);
	assert_int_equal(allocate_status(2, ~0ul), LIMPET_ERANGE);
	assert_int_equal(allocate_status(0, 1), LIMPET_ERANGE);
	assert_int_equal(allocate_status(129, 1), LIMPET_ERANGE);
	a = allocate(2, 200);
	assert_int_equal(allocate_status(2, 101), LIMPET_EQUOTA);
	b = allocate(1, 256);
	assert_int_equal(allocate_status(5, 145), LIMPET_ENOMEM); /* 144 are left */
	assert_int_equal(available(5, &used), 144);
	assert_int_equal(used, 0);
	mem_serve_free(2, a);
	mem_serve_free(1, b);
}

/* A page table that has no room in the middle: nothing stays mapped. */
static void test_map_failure(void **state)
{
	word used;

	(void)state;
	map_failure = LIMPET_ENOMEM;
	assert_int_equal(allocate_status(2, 100), LIMPET_ENOMEM);
	map_failure = 0;
	for (unsigned int i = 0; i < PAGES; i++)
		assert_int_equal(mapped[1][i], 0);
	assert_int_equal(available(2, &used), 300);
	mem_serve_free(2, allocate(2, 100));
}

static void test_too_many_records(void **state)
{
	word address[64];

	(void)state;
	for (unsigned int i = 0; i < 64; i++)
		address[i] = allocate(5, 1);
	assert_int_equal(allocate_status(5, 1), LIMPET_EQUOTA);
	for (unsigned int i = 0; i < 64; i++)
		assert_int_equal(mem_serve_free(5, address[i]), LIMPET_OK);
}

/* Whatever comes, no frame has two users and each is zero when it is given. */
static void test_random(void **state)
{
	static const word badges[] = { 1, 2, 3, 5 };
	word address[200], owner[200];
	unsigned int count = 0;

	(void)state;
	srandom(3);
	for (unsigned int i = 0; i < 20000; i++) {
		struct mem_allocate_results out = { 0 };
		word badge = badges[(unsigned int)random() % 4];

		if (count < 200 && random() % 2 &&
		    !mem_serve_allocate(badge, 1 + (word)random() % 40, &out)) {
			address[count] = out.address;
			owner[count++] = badge;
		} else if (count) {
			unsigned int which = (unsigned int)random() % count--;

			assert_int_equal(mem_serve_free(owner[which], address[which]), LIMPET_OK);
			address[which] = address[count];
			owner[which] = owner[count];
		}
	}
	while (count--)
		mem_serve_free(owner[count], address[count]);
	for (unsigned int i = 0; i < FRAMES; i++)
		assert_int_equal(uses[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allocate_free),	 cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_map_failure),	 cmocka_unit_test(test_random),
		cmocka_unit_test(test_too_many_records),
	};

	return cmocka_run_group_tests(tests, group_setup, NULL);
}
