// SPDX-License-Identifier: GPL-2.0
/* Tests the check of `limpet run` for executives, which cannot have guests in beneath mode. */
#include "guest_image.h"
#include "said.h"

#include <limpet/device.h>

#include <cli/command/run/guests.h>

static const struct image image = { (unsigned char *)&guest_image, sizeof(guest_image) };

/* Gives the flags to components 1 and 2, and returns the check's result. Stores the report in `said`. */
static bool possible(unsigned int mode, uint32_t first, uint32_t second, char *said, size_t size)
{
	struct said captured;
	bool result;

	guest_image.component[0].flags = LIMPET_COMPONENT_BOOTER;
	guest_image.component[1].flags = first;
	guest_image.component[2].flags = second;
	said_begin(&captured);
	result = guests_possible(&image, mode);
	snprintf(said, size, "%s", said_end(&captured));
	return result;
}

static void test_possible(void **state)
{
	char said[400];

	(void)state;
	assert_true(possible(LIMPET_MODE_BESIDE, LIMPET_COMPONENT_EXECUTIVE,
			     LIMPET_COMPONENT_EXECUTIVE, said, sizeof(said)));
	assert_string_equal(said, "");
	assert_true(possible(LIMPET_MODE_BENEATH, LIMPET_COMPONENT_SCHEDULER,
			     LIMPET_COMPONENT_BARRIER, said, sizeof(said)));
	assert_string_equal(said, "");
}

static void test_refused(void **state)
{
	char said[400];

	(void)state;
	assert_false(possible(LIMPET_MODE_BENEATH, LIMPET_COMPONENT_EXECUTIVE,
			      LIMPET_COMPONENT_EXECUTIVE, said, sizeof(said)));
	assert_string_equal(
		said,
		"limpet: demo: Component tracer is an executive. Linux programs can be its guests "
		"only in beside mode. Run `limpet detach`, then `limpet attach`.\n");
	assert_false(possible(LIMPET_MODE_BENEATH, 0,
			      LIMPET_COMPONENT_EXECUTIVE | LIMPET_COMPONENT_GUESTS_OPEN, said,
			      sizeof(said)));
	assert_string_equal(
		said,
		"limpet: demo: Component guard is an executive. Linux programs can be its guests "
		"only in beside mode. Run `limpet detach`, then `limpet attach`.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_possible),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("executives", tests, NULL, NULL);
}
