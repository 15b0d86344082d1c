// SPDX-License-Identifier: GPL-2.0
/*
 * Tests components that share no branch predictions: barriers of each kind of switch, which the fake processor
 * counts.
 */
#include "objects.h"

#define PAGE_FAULT 14

static struct limpet_image_component records[4];
static struct built guarded, plain, other;

/* Makes three components, of which the first requests barriers. */
static void build(void)
{
	records[1].flags = LIMPET_COMPONENT_BARRIER;
	cpu->record = records;
	cpu->records = 4;
	guarded = component_new(1);
	plain = component_new(2);
	other = component_new(3);
	fake_processor->barriers = 0;
}

static void assert_barriers(u64 count)
{
	assert_int_equal(fake_processor->barriers, count);
	fake_processor->barriers = 0;
}

static void test_invocation(void **state)
{
	word gate, next;

	(void)state;
	build();
	gate = gate_new(&guarded, 1);
	next = gate_new(&plain, 1);
	assert_int_equal(invoke(next), 1);
	give_back(0);
	assert_barriers(0);
	assert_int_equal(invoke(gate), 1);
	assert_barriers(1);
	give_back(0);
	assert_barriers(1);
}

/*
 * A component without the request shares predictions with other components, also as caller or callee of one with the
 * request.
 */
static void test_chain(void **state)
{
	(void)state;
	build();
	gate_give(&plain, 1, guarded.table, 1);
	gate_give(&other, 1, plain.table, 1);
	assert_int_equal(invoke(gate_new(&guarded, 1)), 1);
	assert_barriers(1);
	assert_int_equal(invoke(1), 1);
	assert_barriers(1);
	assert_int_equal(invoke(1), 1);
	assert_barriers(0);
	give_back(0);
	assert_barriers(0);
	give_back(0);
	assert_barriers(1);
}

static void test_dispatch(void **state)
{
	word first, second;

	(void)state;
	build();
	first = thread_new(&guarded, 1, 0);
	second = thread_new(&guarded, 2, 0);
	assert_ok(call(CAP_COPY, T, second, guarded.table, 1, LIMPET_ALL));
	call(THREAD_DISPATCH, first);
	assert_current(first);
	assert_barriers(1);
	call(THREAD_DISPATCH, 1); /* another thread of the same component */
	assert_current(second);
	assert_barriers(0);
}

static void test_fault(void **state)
{
	(void)state;
	build();
	assert_ok(call(COMPONENT_HANDLER, plain.component, gate_new(&guarded, 7)));
	assert_int_equal(invoke(gate_new(&plain, 1)), 1);
	assert_barriers(0);
	fault(PAGE_FAULT, 8, 0);
	assert_barriers(1);
	give_back(0);
	assert_barriers(1);
	fault(PAGE_FAULT, 8, 0);
	give_back(-1); /* not repaired: the thread leaves the component */
	assert_barriers(2);
}

/* A crash returns the thread to its caller. */
static void test_crash(void **state)
{
	(void)state;
	build();
	assert_int_equal(invoke(gate_new(&guarded, 1)), 1);
	assert_barriers(1);
	fault(PAGE_FAULT, 8, 0);
	assert_barriers(1);
}

/* The host's own page table requests no barrier, so a barrier follows if the component was in the CPU. */
static void test_host(void **state)
{
	(void)state;
	build();
	assert_int_equal(invoke(gate_new(&guarded, 1)), 1);
	assert_barriers(1);
	hal_page_table_load(component_of(&plain)->space); /* like the host */
	assert_barriers(1);
	kernel_resume(cpu);
	assert_barriers(1);
	kernel_resume(cpu);
	assert_barriers(0);
}

/* An index without a record in the image requests nothing. */
static void test_no_record(void **state)
{
	(void)state;
	records[1].flags = LIMPET_COMPONENT_BARRIER;
	cpu->record = records;
	cpu->records = 1;
	guarded = component_new(1);
	fake_processor->barriers = 0;
	assert_int_equal(invoke(gate_new(&guarded, 1)), 1);
	assert_barriers(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_invocation), TEST(test_chain), TEST(test_dispatch),  TEST(test_fault),
		TEST(test_crash),      TEST(test_host),	 TEST(test_no_record),
	};

	return RUN("barrier", tests);
}
