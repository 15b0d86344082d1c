// SPDX-License-Identifier: BSD-2-Clause
/* Tests that the booter passes parts of the machine to components. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>
#include <runtime/window.h>

#include "booter_check.h"

static void check_device(const struct fake_object *c, const struct limpet_info_resource *r)
{
	assert_int_equal(r->address % LIMPET_PAGE, 0);
	assert_null(fake_mapped(c, r->address - LIMPET_PAGE));
	for (word at = 0; at < r->count; at += LIMPET_PAGE) {
		const struct fake_mapping *m = fake_mapped(c, r->address + at);

		assert_non_null(m);
		assert_int_equal(m->frame, (r->first + at) / LIMPET_PAGE);
		assert_int_equal(m->rights, LIMPET_READ | LIMPET_WRITE);
	}
	assert_null(fake_mapped(c, r->address + r->count));
}

/* Checks that a component has exactly the resources that the host reports for it, in the same order. */
static void check_resources(uint32_t index)
{
	static const enum limpet_type types[] = { 0, LIMPET_IO_PORTS, LIMPET_DEVICE_MEMORY,
						  LIMPET_INTERRUPT };
	const struct fake_object *c = fake_component(index);
	const struct limpet_info *info = check_info(c, record_of(index));
	uint32_t n = 0;

	assert_int_equal(info->resource_slot, info->channel_slot + info->channels);
	for (unsigned int i = 0; i < fake_resources; i++) {
		const struct fake_resource *wanted = &fake_resource[i];
		const struct limpet_info_resource *r = &info->resource[n];
		const struct fake_capability *cap;

		if (wanted->component != index)
			continue;
		cap = &boot.object[c->table].slot[info->resource_slot + n++];
		assert_int_equal(cap->type, types[wanted->kind]);
		assert_int_equal(r->kind, wanted->kind);
		assert_int_equal(r->flags, wanted->flags);
		assert_int_equal(r->first, wanted->first);
		assert_int_equal(r->count, wanted->count);
		if (r->kind == LIMPET_RESOURCE_MEMORY)
			check_device(c, r);
		else
			assert_int_equal(r->address, 0);
	}
	assert_int_equal(info->resources, n);
	check_endpoint(c, record_of(index)->flags, info);
	for (; n < LIMPET_INFO_RESOURCES; n++)
		assert_false(has(c, info->resource_slot + n));
}

static void resources_of(const struct fake_resource *resource, unsigned int count)
{
	memcpy(fake_resource, resource, count * sizeof(*resource));
	fake_resources = count;
}

/* The image only states that resources exist. The kernel reports which. */
static void load_with_resource(void)
{
	struct limpet_image_resource one = { .kind = LIMPET_RESOURCE_PCI, .first = 24, .count = 1 };

	load("build/systems/two-cpus.limpet");
	one.component = index_of("bounce");
	records_put(&one, sizeof(one), NULL, 0);
}

static void test_resources(void **state)
{
	const uint32_t page = LIMPET_PAGE;

	(void)state;
	load_with_resource();
	{
		const uint32_t bounce = index_of("bounce"), bounce_1 = index_of("bounce-1");
		const struct fake_resource resource[] = {
			{ bounce, LIMPET_RESOURCE_PORTS, 0, 0x2f8, 8 },
			{ bounce, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_CONFIG, 0xb0018000,
			  page },
			{ bounce, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_BAR(0), 0xfebc0000,
			  40 * page },
			{ bounce, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_BAR(5), 0x380000000000,
			  600 * page },
			{ bounce, LIMPET_RESOURCE_INTERRUPT, 0, LIMPET_LINE_MESSAGE, 1 },
			{ bounce_1, LIMPET_RESOURCE_INTERRUPT, LIMPET_RESOURCE_LEVEL, 20, 1 },
			{ bounce_1, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_SHOWN, 0xfed00000,
			  page },
		};

		resources_of(resource, array_size(resource));
	}
	check_boots(check_resources);
	fake_resources = 0;
}

static void test_resources_many(void **state)
{
	(void)state;
	load_with_resource();
	for (unsigned int i = 0; i <= LIMPET_INFO_RESOURCES; i++)
		fake_resource[i] = (struct fake_resource){ index_of("bounce"),
							   LIMPET_RESOURCE_INTERRUPT, 0, i, 1 };
	fake_resources = LIMPET_INFO_RESOURCES;
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	check_resources(index_of("bounce"));
	fake_resources++;
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed,
			       "booter: CPU 0: bounce: with all parts of PCI functions "
			       "it has more than 16 resources"));
	assert_int_equal(boot.objects, 5); /* nothing was started */
	fake_resources = 0;
}

/* Tests a device with more memory than the addresses below the windows, and an image without resources. */
static void test_resources_odd(void **state)
{
	const struct limpet_info *bounce;

	(void)state;
	load_with_resource();
	resources_of(&(struct fake_resource){ index_of("bounce"), LIMPET_RESOURCE_MEMORY, 0, 0,
					      1ul << 47 },
		     1);
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed, "bounce: a device's memory of 34359738368 pages"));
	fake_resource[0].count = LIMPET_PAGE;
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	bounce = check_info(fake_component(index_of("bounce")), record_of(index_of("bounce")));
	fake_resource[1] = fake_resource[0]; /* directly after the used addresses */
	fake_resource[0].count = limpet_window(0) - bounce->resource[0].address;
	fake_resources = 2;
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed, "bounce: a device's memory of 1 pages is too large"));
	load("build/systems/two-cpus.limpet");
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	assert_int_equal(fake_resource_asked, 0);
	check_component(index_of("bounce"));
	bounce = check_info(fake_component(index_of("bounce")), record_of(index_of("bounce")));
	assert_false(has(fake_component(index_of("bounce")), bounce->resource_slot));
	fake_resources = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resources),
		cmocka_unit_test(test_resources_many),
		cmocka_unit_test(test_resources_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
