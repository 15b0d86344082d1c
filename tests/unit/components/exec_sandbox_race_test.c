// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests exec.sandbox when the kernel abandons a handler thread at any access. The guest repeats its
 * call, or dies and another guest gets its id, while the abandoned thread continues. Linux must
 * read only what was checked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>

#include "guest_fake.h"
#include "points.h"
#include "sandbox.h"

#define IDS 3
#define DEPTH 3
#define AT 0x5000ul
#define POLICY "default allow\nwrite /tmp\nread /usr\n"

static bool on;
static unsigned int depth, chance, abandoned, passed, threads;
static word thread_of_guest[IDS]; /* Linux's ids; 0: no guest */

/*
 * For each guest, the text that Linux is about to read: the copy with which the last call was
 * passed.
 */
static struct {
	bool valid;
	word address;
	char text[32];
} reads[IDS];

static unsigned int next(unsigned int limit)
{
	chance = chance * 1103515245 + 12345;
	return (chance >> 8) % limit;
}

static const char *page_text(unsigned int id, word address)
{
	struct executive_answer a = page_answer(id, address & ~4095ul);

	assert_answer(a, SERVE);
	return (const char *)a.value + address % LIMPET_PAGE;
}

static void reads_check(void)
{
	for (unsigned int id = 0; id < IDS; id++)
		if (reads[id].valid)
			assert_string_equal(page_text(id, reads[id].address), reads[id].text);
}

/*
 * Makes a call of a guest. Half of the calls are refused, so that confusing two paths is detected.
 */
static void call_random(unsigned int id)
{
	static unsigned int count;
	char text[32];
	struct executive_answer a;

	reads[id].valid = false;
	snprintf(text, sizeof(text), "%s/%u", next(2) ? "/usr" : "/tmp", ++count);
	fake_put_text(AT, text);
	a = fake_call(id, GUEST_CALL_open, AT, next(2), 0, 0, 0, 0);
	if (a.operation != LIMPET_GUEST_PASS || fake_orphan)
		return;
	passed++;
	reads[id].valid = true;
	reads[id].address = fake_register[LIMPET_GUEST_RDI];
	strcpy(reads[id].text, text);
}

/* Starts another guest. Linux's ids of threads are new. */
static void guest_begin(unsigned int id)
{
	thread_of_guest[id] = 1000 + ++threads;
	fake_event(LIMPET_GUEST_BEGIN, id, thread_of_guest[id], 200 + id, 0, LIMPET_GUEST_BY_FORK);
}

/* Ends the guest, if it exists. Then starts another one, unless one started while the end was handled. */
static void guest_change(unsigned int id)
{
	word thread = thread_of_guest[id];

	reads[id].valid = false;
	thread_of_guest[id] = 0;
	if (thread)
		fake_event(LIMPET_GUEST_END, id, thread, 200 + id, 0, 0);
	if (!thread_of_guest[id])
		guest_begin(id);
}

static void event_random(void)
{
	unsigned int id = next(IDS);

	depth++;
	if (!thread_of_guest[id] || !next(4))
		guest_change(id);
	if (!fake_orphan)
		call_random(id);
	depth--;
}

/* At any access, other events can arrive, and the interrupted handler thread is abandoned. */
void fake_point(void)
{
	if (!on || depth == DEPTH || next(40))
		return;
	if (!fake_orphan)
		abandoned++;
	fake_orphan = false;
	event_random();
	fake_orphan = true;
}

static void test_abandoned(void **state)
{
	const char *why;

	(void)state;
	fake_reset();
	checks_init();
	access_init();
	assert_int_equal(policy_read(POLICY, strlen(POLICY), &why), 0);
	for (unsigned int id = 0; id < IDS; id++)
		guest_change(id);
	for (unsigned int i = 0; i < 100000; i++) {
		on = true;
		event_random();
		on = false;
		fake_orphan = false;
		reads_check();
	}
	assert_true(abandoned > 10000 && passed > 10000);
}

/* No page is lost: as many guests as there are pages get one. */
static void test_pages_left(void **state)
{
	struct copy copy;

	(void)state;
	for (unsigned int id = 0; id < PAGES; id++) {
		fake_event(LIMPET_GUEST_BEGIN, id, 1, 1, 0, LIMPET_GUEST_BY_FORK);
		assert_true(copy_begin(&copy, id));
		copy_end(&copy);
	}
	fake_event(LIMPET_GUEST_BEGIN, PAGES, 1, 1, 0, LIMPET_GUEST_BY_FORK);
	assert_false(copy_begin(&copy, PAGES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_abandoned),
		cmocka_unit_test(test_pages_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
