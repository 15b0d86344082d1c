// SPDX-License-Identifier: BSD-2-Clause
/* Tests that the booter makes the channels to Linux that the image declares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>

#include "booter_check.h"

#define KIB 1024u

/*
 * Checks that the header, mapped for both sides, and then the rings are in the channel's frames, in
 * order, and that nothing is mapped after them.
 */
static void check_memory(const struct fake_object *c, const struct fake_capability *cap,
			 const struct limpet_info_channel *info)
{
	word pages = 1 + (info->to_linux + info->to_component) / LIMPET_PAGE, rights;
	const struct limpet_channel_header *header =
		(const void *)fake_byte(c, info->address, &rights);

	assert_int_equal(cap->count, pages);
	for (word i = 0; i < pages; i++) {
		const struct fake_mapping *m = fake_mapped(c, info->address + i * LIMPET_PAGE);

		assert_non_null(m);
		assert_int_equal(m->frame, cap->entry + i);
		assert_int_equal(m->rights, LIMPET_READ | LIMPET_WRITE);
	}
	assert_int_equal(header->magic, LIMPET_CHANNEL_MAGIC);
	assert_int_equal(header->version, LIMPET_CHANNEL_VERSION);
	assert_int_equal(header->mode, info->mode);
	assert_int_equal(header->to_linux, info->to_linux);
	assert_int_equal(header->to_component, info->to_component);
	assert_int_equal(header->component.generation | header->host.generation, 0);
	for (word at = sizeof(*header); at < pages * LIMPET_PAGE; at += 8)
		assert_int_equal(*(const word *)fake_byte(c, info->address + at, &rights), 0);
}

/*
 * Checks that a component has exactly the channels of the image in its info page and capabilities,
 * in the same order.
 */
static void check_channels(uint32_t index)
{
	const struct limpet_image_channel *ch =
		(const struct limpet_image_channel *)(image + header()->channels_at);
	const struct fake_object *c = fake_component(index);
	const struct limpet_info *info = check_info(c, record_of(index));
	uint32_t n = 0;

	assert_int_equal(info->channel_slot, LIMPET_SLOT_FIRST + record_of(index)->wires);
	for (uint32_t i = 0; i < header()->channels; i++) {
		const struct limpet_info_channel *reported;
		const struct fake_capability *cap =
			&boot.object[c->table].slot[info->channel_slot + n];
		word rights;

		if (ch[i].component != index)
			continue;
		reported = (const void *)fake_byte(c, info->channel_info + n * sizeof(*reported),
						   &rights);
		assert_int_equal(rights, LIMPET_READ);
		assert_string_equal(reported->name, image + header()->strings_at + ch[i].name);
		assert_int_equal(reported->mode, ch[i].mode);
		assert_int_equal(reported->to_linux, ch[i].to_linux);
		assert_int_equal(reported->to_component, ch[i].to_component);
		assert_int_equal(reported->mtu, ch[i].mtu);
		assert_int_equal(reported->mac, ch[i].mac);
		assert_int_equal(reported->bit, LIMPET_CHANNEL_BIT + n);
		assert_int_equal(cap->type, LIMPET_CHANNEL);
		assert_int_equal(cap->first, LIMPET_CHANNEL_WORD(ch[i].number, reported->bit));
		assert_int_equal(boot.object[cap->object].type, LIMPET_ENDPOINT);
		assert_int_equal(cap->object,
				 boot.object[c->table].slot[LIMPET_SLOT_ENDPOINT].object);
		check_memory(c, cap, reported);
		n++;
	}
	assert_int_equal(info->channels, n);
	assert_int_equal(info->channel_info != 0, n != 0);
	for (; n < LIMPET_INFO_CHANNELS; n++)
		assert_false(has(c, info->channel_slot + n));
}

/* Uses names of components as names of channels, because the image has these strings. */
static struct limpet_image_channel channel(const char *owner, const char *name, uint32_t number,
					   uint32_t mode, uint32_t to_linux, uint32_t to_component)
{
	bool network = mode == LIMPET_CHANNEL_NETWORK;

	return (struct limpet_image_channel){
		.component = index_of(owner),
		.number = number,
		.name = record_of(index_of(name))->name,
		.mode = mode,
		.to_linux = to_linux * KIB,
		.to_component = to_component * KIB,
		.mtu = network ? 1500 : 0,
		.mac = network ? 0x060504030202 : 0,
	};
}

static void test_channels(void **state)
{
	(void)state;
	load("build/systems/two-cpus.limpet");
	{
		struct limpet_image_channel ch[] = {
			channel("sched", "bounce", 2, LIMPET_CHANNEL_MESSAGES, 4, 0),
			channel("bounce", "sched", 3, LIMPET_CHANNEL_MESSAGES, 64, 64),
			channel("bounce", "log", 4, LIMPET_CHANNEL_SHARED, 252, 0),
			channel("bounce", "bounce-1", 5, LIMPET_CHANNEL_NETWORK, 16, 16),
			channel("bounce-1", "sched-1", 2, LIMPET_CHANNEL_BYTES, 0, 8),
		};

		records_put(NULL, 0, ch, sizeof(ch));
	}
	check_boots(check_channels);
}

/* The plan counts the frames of channels exactly. */
static void test_frames(void **state)
{
	word missing, needed = 0, without = 0;
	struct limpet_image_channel ch[2];

	(void)state;
	for (unsigned int channels = 0; channels < 2; channels++) {
		load("build/systems/two-cpus.limpet");
		ch[0] = channel("bounce", "sched", 2, LIMPET_CHANNEL_MESSAGES, 64, 64);
		ch[1] = channel("bounce", "log", 3, LIMPET_CHANNEL_SHARED, 252, 0);
		records_put(NULL, 0, ch, channels ? sizeof(ch) : 0);
		boot_with(0, 10);
		without = needed;
		assert_int_equal(sscanf(boot.printed,
					"booter: CPU 0: %lu frames are missing: the components "
					"need %lu of 4096 bytes, 10 are free",
					&missing, &needed),
				 2);
		boot_with(0, needed - 1);
		assert_int_equal(boot.end, STOPPED);
		boot_with(0, needed);
		assert_int_equal(boot.end, DISPATCHED);
	}
	assert_in_range(needed - without, 33 + 64 + 1, 33 + 64 + 1 + 2); /* and page tables */
}

/* Tests a component whose number of channels fills its page of channels. */
static void test_many(void **state)
{
	struct limpet_image_channel ch[LIMPET_INFO_CHANNELS];
	static char name[] = "qabcdefghijklmnop";

	(void)state;
	load("build/systems/two-cpus.limpet");
	for (unsigned int i = 0; i < array_size(ch); i++)
		ch[i] = channel("bounce", "sched", 2 + i, LIMPET_CHANNEL_BYTES, 4, 4);
	records_put(NULL, 0, ch, sizeof(ch));
	/* Names, at the end of the strings, in the unused space. */
	for (unsigned int i = 0; i < array_size(ch); i++) {
		struct limpet_image_channel *at =
			(struct limpet_image_channel *)(image + header()->channels_at) + i;

		at->name = header()->strings - sizeof(name) + i;
	}
	memcpy(image + header()->strings_at + header()->strings - sizeof(name), name, sizeof(name));
	changed();
	boot_with(0, 3000);
	assert_string_equal(boot.printed, "");
	check_channels(index_of("bounce"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_channels),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
