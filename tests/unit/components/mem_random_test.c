// SPDX-License-Identifier: BSD-2-Clause
/* Compares the memory manager with a model, with random calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem_fake.h"

#include <export/mem.h>
#include <export/mem_keeper.h>

#define PAGE 4096ul
#define QUOTA 90
#define SPACE (4 * QUOTA)
#define RW (LIMPET_READ | LIMPET_WRITE)
#define STEPS 60000

/* The expected state of a page. `share`: allocation number, 0: not shared. */
struct page {
	bool taken, first, backed;
	unsigned int rights, value;
	bool shared;
};

static struct client {
	struct page now[SPACE], then[SPACE];
	bool kept[SPACE]; /* its frame is kept for the mark */
	bool marked;
	bool grant_marked[SPACE][COMPONENTS]; /* by first page: granted since before the mark */
	unsigned int granted[SPACE][COMPONENTS],
		attached[SPACE][COMPONENTS]; /* rights, by first page */
} model[COMPONENTS];

static const unsigned int served[] = { 1, 2, 4, 5 };

static unsigned int chance(unsigned int below)
{
	return (unsigned int)random() % below;
}

static word address_of(unsigned int c, unsigned int page)
{
	return limpet_window(c) + page * PAGE;
}

static unsigned int used(unsigned int c)
{
	unsigned int pages = fake.extensions[c];

	for (unsigned int i = 0; i < SPACE; i++)
		pages += model[c].now[i].backed || model[c].kept[i];
	return pages;
}

static unsigned int extent(unsigned int c, unsigned int first)
{
	unsigned int end = first + 1;

	while (end < SPACE && model[c].now[end].taken && !model[c].now[end].first)
		end++;
	return end - first;
}

static void write_value(unsigned int c, unsigned int page, unsigned int value)
{
	unsigned int *memory = fake_memory(c, address_of(c, page));

	memory[0] = memory[PAGE / sizeof(*memory) - 1] = model[c].now[page].value = value;
}

static void page_check(unsigned int c, unsigned int i)
{
	const struct page *page = &model[c].now[i];
	const unsigned int *memory = fake_memory(c, address_of(c, i));
	unsigned int rights = page->taken && page->backed ? page->rights : 0;

	assert_int_equal(fake_rights(c, address_of(c, i)), rights);
	if (rights) {
		assert_int_equal(memory[0], page->value);
		assert_int_equal(memory[PAGE / sizeof(*memory) - 1], page->value);
	}
}

static void attached_check(unsigned int c, unsigned int first, unsigned int by)
{
	unsigned int rights = model[c].attached[first][by];

	for (unsigned int i = first; i < first + (rights ? extent(c, first) : 1); i++) {
		assert_int_equal(fake_rights(by, address_of(c, i)), rights);
		assert_true(!rights ||
			    fake_memory(by, address_of(c, i)) == fake_memory(c, address_of(c, i)));
	}
}

static void check(unsigned int c)
{
	struct mem_available_results out = { 0 };

	for (unsigned int i = 0; i < SPACE; i++) {
		page_check(c, i);
		for (unsigned int k = 0; k < 4; k++)
			if (served[k] != c && (model[c].now[i].first || !model[c].now[i].shared))
				attached_check(c, i, served[k]);
	}
	mem_serve_available(c + 1, &out);
	assert_int_equal(out.used, used(c));
	assert_true(out.used <= QUOTA);
}

/* Returns the lowest gap, or SPACE. */
static unsigned int gap(unsigned int c, unsigned int pages)
{
	unsigned int run = 0;

	for (unsigned int i = 0; i < SPACE; i++) {
		run = model[c].now[i].taken ? 0 : run + 1;
		if (run == pages)
			return i + 1 - pages;
	}
	return SPACE;
}

static void take(unsigned int c, unsigned int first, unsigned int pages, unsigned int rights,
		 bool backed)
{
	for (unsigned int i = first; i < first + pages; i++)
		model[c].now[i] = (struct page){ true, i == first, backed, rights, 0, false };
}

static void do_allocate(unsigned int c)
{
	struct mem_allocate_results out = { 0 };
	unsigned int pages = 1 + chance(40), at = gap(c, pages), needed = 0;
	long status = mem_serve_allocate(c + 1, pages, &out);

	for (unsigned int i = at; i < at + pages && at < SPACE; i++)
		needed += !model[c].kept[i];
	if (at == SPACE || used(c) + needed > QUOTA) {
		assert_int_equal(status, LIMPET_EQUOTA);
	} else {
		assert_int_equal(status, LIMPET_OK); /* there are always enough frames here */
		assert_int_equal(out.address, address_of(c, at));
		take(c, at, pages, RW, true);
		write_value(c, at + chance(pages), (unsigned int)random());
	}
}

static void do_reserve(unsigned int c)
{
	static const unsigned int rights_of[] = { 0, LIMPET_READ, RW };
	struct mem_reserve_results out = { 0 };
	unsigned int pages = 1 + chance(90), rights = rights_of[chance(3)], at = gap(c, pages);
	long status = mem_serve_reserve(c + 1, pages, rights, &out);

	assert_int_equal(status, at == SPACE ? LIMPET_EQUOTA : LIMPET_OK);
	if (status)
		return;
	assert_int_equal(out.address, address_of(c, at));
	take(c, at, pages, rights, false);
}

static void forget_share(unsigned int c, unsigned int first)
{
	memset(model[c].granted[first], 0, sizeof(model[c].granted[first]));
	memset(model[c].attached[first], 0, sizeof(model[c].attached[first]));
	memset(model[c].grant_marked[first], 0, sizeof(model[c].grant_marked[first]));
	for (unsigned int i = first; i < first + extent(c, first); i++)
		model[c].now[i].shared = false;
}

static void do_free(unsigned int c)
{
	unsigned int at = chance(SPACE);
	long status = mem_serve_free(c + 1, address_of(c, at));

	assert_int_equal(status, model[c].now[at].first ? LIMPET_OK : LIMPET_ENOENT);
	if (status)
		return;
	forget_share(c, at);
	for (unsigned int i = at, end = at + extent(c, at); i < end; i++)
		model[c].now[i] = (struct page){ 0 };
}

static void do_touch(unsigned int c)
{
	unsigned int at = chance(SPACE);
	struct page *page = &model[c].now[at];
	bool write = chance(2);
	unsigned int need = write ? RW : LIMPET_READ;
	bool may = page->taken && (page->rights & need) == need;
	bool space = page->backed || model[c].kept[at] || used(c) < QUOTA;

	assert_int_equal(fake_touch(c, address_of(c, at), write), may && space);
	if (!may || !space)
		return;
	if (!page->backed)
		page->value = 0;
	page->backed = true;
	if (write)
		write_value(c, at, (unsigned int)random());
}

/* Returns the expected status of a call about a range. */
static long range_status(unsigned int c, unsigned int at, unsigned int pages)
{
	for (unsigned int i = at; i < at + pages; i++)
		if (i >= SPACE || !model[c].now[i].taken || (i > at && model[c].now[i].first))
			return LIMPET_ENOENT;
	return model[c].now[at].shared ? LIMPET_EBUSY : LIMPET_OK;
}

static void do_unmap(unsigned int c)
{
	unsigned int at = chance(SPACE), pages = 1 + chance(6);
	long status = mem_serve_unmap(c + 1, address_of(c, at), pages);

	assert_int_equal(status, range_status(c, at, pages));
	for (unsigned int i = at; i < at + pages && !status; i++) {
		model[c].now[i].backed = false;
		model[c].now[i].rights = 0;
	}
}

static void do_protect(unsigned int c)
{
	static const unsigned int rights_of[] = { 0, LIMPET_READ, RW };
	unsigned int at = chance(SPACE), pages = 1 + chance(6), rights = rights_of[chance(3)];
	long status = mem_serve_protect(c + 1, address_of(c, at), pages, rights);

	assert_int_equal(status, range_status(c, at, pages));
	for (unsigned int i = at; i < at + pages && !status; i++)
		model[c].now[i].rights = rights;
}

static unsigned int shares(unsigned int c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < SPACE; i++)
		n += model[c].now[i].first && model[c].now[i].shared;
	return n;
}

static void do_grant(unsigned int c)
{
	unsigned int at = chance(SPACE), to = served[chance(4)],
		     rights = chance(2) ? RW : LIMPET_READ;
	long status = mem_serve_grant(c + 1, address_of(c, at), to, rights), expect = LIMPET_OK;

	if (!model[c].now[at].first || to == c) {
		assert_int_equal(status, LIMPET_ENOENT);
		return;
	}
	for (unsigned int i = at; i < at + extent(c, at); i++)
		if (!model[c].now[i].backed || model[c].now[i].rights != RW)
			expect = LIMPET_ESTATE;
	if (!expect && !model[c].now[at].shared && shares(c) == 16)
		expect = LIMPET_EQUOTA;
	assert_int_equal(status, expect);
	if (status)
		return;
	model[c].granted[at][to] = rights;
	for (unsigned int i = at; i < at + extent(c, at); i++)
		model[c].now[i].shared = true;
}

/* Ends the grant of a component, or all grants: `to` is 0. */
static void forget_grant(unsigned int c, unsigned int first, unsigned int to)
{
	unsigned int left = 0;

	model[c].granted[first][to] = model[c].attached[first][to] = 0;
	model[c].grant_marked[first][to] = false;
	for (unsigned int i = 1; i < COMPONENTS; i++)
		left += to ? model[c].granted[first][i] : 0;
	if (!left)
		forget_share(c, first);
}

static void do_revoke(unsigned int c)
{
	unsigned int at = chance(SPACE), from = chance(3) ? served[chance(4)] : 0;
	bool there = model[c].now[at].first && model[c].now[at].shared &&
		     (!from || model[c].granted[at][from]);

	assert_int_equal(mem_serve_revoke(c + 1, address_of(c, at), from),
			 there ? LIMPET_OK : LIMPET_ENOENT);
	if (there)
		forget_grant(c, at, from);
}

/* Returns a random page, with a higher probability for the first page of a shared range. */
static unsigned int page_of_share(unsigned int owner)
{
	unsigned int at = chance(SPACE);

	for (unsigned int i = at; i < SPACE && at % 4; i++)
		if (model[owner].now[i].first && model[owner].now[i].shared)
			return i;
	return at;
}

static void do_attach(unsigned int c)
{
	unsigned int owner = served[chance(4)], at = page_of_share(owner);
	unsigned int rights = model[owner].granted[at][c];
	unsigned int *attached = &model[owner].attached[at][c];
	unsigned int before = used(c);
	long status = mem_serve_attach(c + 1, address_of(owner, at));

	if (!rights)
		assert_int_equal(status, LIMPET_ENOENT);
	else if (*attached)
		assert_int_equal(status, LIMPET_EBUSY);
	else if (status == LIMPET_EQUOTA)
		assert_true(before + 2 > QUOTA); /* for page tables */
	else
		assert_int_equal(status, extent(owner, at));
	if (status > 0)
		*attached = rights;
}

static void do_detach(unsigned int c)
{
	unsigned int owner = served[chance(4)], at = page_of_share(owner);
	unsigned int *attached = &model[owner].attached[at][c];

	assert_int_equal(mem_serve_detach(c + 1, address_of(owner, at)),
			 *attached ? LIMPET_OK : LIMPET_ENOENT);
	*attached = 0;
}

static void do_mark(unsigned int c)
{
	struct client *m = &model[c];

	assert_int_equal(mem_keeper_serve_mark(0, c), LIMPET_OK);
	m->marked = true;
	memcpy(m->then, m->now, sizeof(m->now));
	for (unsigned int i = 0; i < SPACE; i++) {
		m->kept[i] = m->now[i].backed;
		for (unsigned int k = 1; k < COMPONENTS; k++)
			m->grant_marked[i][k] = m->granted[i][k];
	}
}

static void do_rollback(unsigned int c)
{
	static const struct page none;
	struct client *m = &model[c];

	assert_int_equal(mem_keeper_serve_rollback(0, c), LIMPET_OK);
	for (unsigned int i = 0; i < SPACE; i++)
		for (unsigned int k = 1; k < COMPONENTS; k++)
			if (m->granted[i][k] && !m->grant_marked[i][k])
				forget_grant(c, i, k);
	for (unsigned int i = 0; i < SPACE; i++) {
		if (m->now[i].shared)
			continue;
		m->now[i] = m->marked ? m->then[i] : none;
		m->now[i].shared = false;
	}
}

static void (*const often[])(unsigned int) = {
	do_allocate, do_allocate, do_reserve, do_free,	  do_free,  do_touch, do_touch, do_touch,
	do_touch,    do_unmap,	  do_protect, do_protect, do_grant, do_grant, do_grant, do_revoke,
	do_attach,   do_attach,	  do_attach,  do_detach,  do_free,  do_free,
};

static void test_random(void **state)
{
	(void)state;
	assert_int_equal(fake_boot(QUOTA), LIMPET_OK);
	for (unsigned int i = 0; i < STEPS; i++) {
		unsigned int c = served[chance(4)], dice = chance(400);

		if (dice == 0)
			do_mark(c);
		else if (dice < 4)
			do_rollback(c);
		else
			often[chance(22)](c);
		if (i % 16 == 0)
			check(served[i / 16 % 4]);
	}
	for (unsigned int i = 0; i < 4; i++)
		check(served[i]);
	fake_end();
}

/* All frames are returned: after all memory is freed, as many frames are free as at first. */
static void test_nothing_is_lost(void **state)
{
	struct mem_available_results first = { 0 }, last = { 0 };
	unsigned int tables = 0;

	(void)state;
	memset(model, 0, sizeof(model));
	assert_int_equal(fake_boot(QUOTA), LIMPET_OK);
	mem_serve_available(2, &first);
	for (unsigned int i = 0; i < STEPS / 4; i++)
		chance(300) ? often[chance(22)](served[chance(4)]) : do_mark(served[chance(4)]);
	for (unsigned int k = 0; k < 4; k++) {
		unsigned int c = served[k];

		for (unsigned int i = 0; i < SPACE; i++)
			if (model[c].now[i].first)
				assert_int_equal(mem_serve_free(c + 1, address_of(c, i)),
						 LIMPET_OK);
		do_mark(c); /* an empty mark, which only needs its own frames */
		tables += fake.extensions[c] + 1;
	}
	mem_serve_available(2, &last);
	assert_int_equal(last.frames, first.frames - tables);
	assert_int_equal(fake_slots_used(), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_nothing_is_lost),
	};
	unsigned int seed = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 3;

	printf("seed %u\n", seed);
	srandom(seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
