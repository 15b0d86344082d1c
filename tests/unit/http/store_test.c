// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the memory of a content server: its grants, and that a refusal leaves no memory allocated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <http/store.h>

#include <import/mem.h>

#define CLIENT 5u /* a badge: component 4 */
#define READER 7u /* a component */
#define BODIES 10000u

static struct {
	word pages, component, rights; /* pages 0: not in use */
} memory[2];
static unsigned int calls, refused; /* number of the call that is refused; 0: no call */

static struct http_store store;
static char bytes[2][4 * LIMPET_PAGE]; /* the memory of each */

static long allowed(void)
{
	return ++calls == refused ? LIMPET_ENOMEM : LIMPET_OK;
}

static unsigned int index_of(word address)
{
	return address != (word)bytes[0];
}

long mem_allocate(word pages, word *address)
{
	unsigned int i = memory[0].pages != 0;

	assert_int_equal(memory[i].pages, 0);
	assert_in_range(pages, 1, 4);
	if (allowed())
		return LIMPET_ENOMEM;
	memory[i].pages = pages;
	*address = (word)bytes[i];
	return LIMPET_OK;
}

long mem_grant(word address, word component, word rights)
{
	memory[index_of(address)].component = component;
	memory[index_of(address)].rights = rights;
	return allowed();
}

long mem_free(word address)
{
	assert_int_not_equal(memory[index_of(address)].pages, 0);
	memset(&memory[index_of(address)], 0, sizeof(memory[0]));
	return LIMPET_OK;
}

static int setup(void **state)
{
	(void)state;
	memset(&store, 0, sizeof(store));
	memset(memory, 0, sizeof(memory));
	calls = refused = 0;
	return 0;
}

static void paths_are_the_clients_and_bodies_the_readers(void **state)
{
	struct content_open_results out;

	(void)state;
	assert_int_equal(http_store_open(&store, CLIENT, READER, 32, BODIES, &out), 0);
	assert_int_equal(memory[0].pages, 2);
	assert_int_equal(memory[0].component, CLIENT - 1);
	assert_int_equal(memory[0].rights, LIMPET_READ | LIMPET_WRITE);
	assert_int_equal(memory[1].pages, 3);
	assert_int_equal(memory[1].component, READER);
	assert_int_equal(memory[1].rights, LIMPET_READ);
	assert_ptr_equal(store.paths, out.paths);
	assert_ptr_equal(store.bodies, out.bodies);
}

static void what_is_refused_leaves_nothing(void **state)
{
	struct content_open_results out;

	(void)state;
	assert_int_equal(http_store_open(&store, CLIENT, READER, 0, 1, &out), LIMPET_ERANGE);
	assert_int_equal(http_store_open(&store, CLIENT, READER, 33, 1, &out), LIMPET_ERANGE);
	assert_int_equal(http_store_check(&store, CLIENT, 0, 1), LIMPET_ESTATE);
	for (refused = 1; refused <= 4; refused++) {
		calls = 0;
		assert_int_equal(http_store_open(&store, CLIENT, READER, 1, 1, &out),
				 LIMPET_ENOMEM);
		assert_int_equal(memory[0].pages + memory[1].pages, 0);
		assert_int_equal(http_store_check(&store, CLIENT, 0, 1), LIMPET_ESTATE);
	}
	refused = 0;
	assert_int_equal(http_store_open(&store, CLIENT, READER, 1, 1, &out), 0);
	assert_int_equal(http_store_open(&store, CLIENT, READER, 1, 1, &out), LIMPET_ESTATE);
	assert_int_equal(http_store_open(&store, CLIENT + 1, READER, 1, 1, &out), LIMPET_ESTATE);
}

static void only_the_client_has_something_found(void **state)
{
	struct content_open_results out;

	(void)state;
	assert_int_equal(http_store_open(&store, CLIENT, READER, 3, BODIES, &out), 0);
	assert_int_equal(http_store_check(&store, CLIENT, 2, HTTP_PATH_SIZE - 1), 0);
	assert_int_equal(http_store_check(&store, CLIENT, 3, 1), LIMPET_ERANGE);
	assert_int_equal(http_store_check(&store, CLIENT, ~0ul, 1), LIMPET_ERANGE);
	assert_int_equal(http_store_check(&store, CLIENT, 2, HTTP_PATH_SIZE), LIMPET_ERANGE);
	assert_int_equal(http_store_check(&store, CLIENT, 2, ~0ul), LIMPET_ERANGE);
	assert_int_equal(http_store_check(&store, CLIENT + 1, 2, 1), LIMPET_ESTATE);
	assert_int_equal(http_store_check(&store, 0, 2, 1), LIMPET_ESTATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(paths_are_the_clients_and_bodies_the_readers, setup),
		cmocka_unit_test_setup(what_is_refused_leaves_nothing, setup),
		cmocka_unit_test_setup(only_the_client_has_something_found, setup),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
