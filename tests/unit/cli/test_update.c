// SPDX-License-Identifier: GPL-2.0
/* Tests the comparison of a running system with the image of an update. Each case changes one thing of an image. */
#include "json_check.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cli/command/update/update.h>
#include <cli/common/image.h>

#define IMAGE "build/systems/call.limpet"

static struct image running, next;
static char why[256];

static void *at(uint32_t offset)
{
	return next.bytes + offset;
}

static struct limpet_image *header(void)
{
	return at(0);
}

/* Returns the index of a component. */
static unsigned int component(const char *name)
{
	for (unsigned int i = 0; i < image_header(&next)->components; i++)
		if (!strcmp(image_component_name(&next, i), name))
			return i;
	fail_msg("no component %s in %s", name, IMAGE);
	return 0;
}

static struct limpet_image_component *record(const char *name)
{
	return (struct limpet_image_component *)image_component(&next, component(name));
}

static int images_open(void **state)
{
	(void)state;
	return image_open(&running, IMAGE) && image_open(&next, IMAGE) ? 0 : -1;
}

static int images_close(void **state)
{
	(void)state;
	image_close(&running);
	image_close(&next);
	return 0;
}

/* Checks that an update of a component is refused with this reason. */
static void refused(const char *name, const char *reason)
{
	assert_false(images_match(&running, &next, component(name), why, sizeof(why)));
	if (!strstr(why, reason))
		fail_msg("'%s' does not contain '%s'", why, reason);
}

static void test_same(void **state)
{
	(void)state;
	assert_true(images_match(&running, &next, component("calls"), why, sizeof(why)));
}

/* Offsets into tables of texts, symbols and unwind records differ between builds. */
static void test_other_code(void **state)
{
	struct limpet_image_component *calls = record("calls");
	struct limpet_image_segment *code =
		(struct limpet_image_segment *)image_segment(&next, calls->segment);

	(void)state;
	calls->symbol++;
	calls->unwind++;
	code->file_size--;
	assert_true(images_match(&running, &next, component("calls"), why, sizeof(why)));
	refused("pong", "Component 'calls' has another size or place in memory");
}

static void test_header(void **state)
{
	(void)state;
	header()->frames++;
	refused("calls", "Its CPUs, memory, imports, arguments, channels, devices or segments");
	header()->components--;
	refused("pong", "components, and the running system has");
	((char *)at(header()->strings_at))[header()->name] = 'x';
	refused("pong", "The image is of system 'x");
}

static void test_component(void **state)
{
	struct limpet_image_component *calls = record("calls");

	(void)state;
	calls->priority++;
	refused("pong", "Component 'calls' has another heap, stacks, priority");
	calls->image = record("pong")->image;
	refused("pong", "Component 'calls' is an instance of 'pong', and of 'calls'");
	calls->name = record("pong")->name;
	refused("pong", "'calls' in the running system");
}

static void test_segment(void **state)
{
	struct limpet_image_segment *code =
		(struct limpet_image_segment *)image_segment(&next, record("calls")->segment);

	(void)state;
	code->size += 4096;
	refused("calls", "Component 'calls' has another size or place in memory");
}

static void test_wire(void **state)
{
	struct limpet_image_wire *wire =
		(struct limpet_image_wire *)image_wire(&next, record("calls")->wire);

	(void)state;
	wire->badge++;
	refused("calls",
		"of component 'calls' is not that of the running system, because its server or an interface");
}

static void test_channel(void **state)
{
	struct limpet_image_channel *channel =
		(struct limpet_image_channel *)image_channel(&next, 0);

	(void)state;
	channel->to_linux *= 2;
	refused("calls", "Its channel 0 is not that of the running system");
}

static void test_json(void **state)
{
	const struct update update = { .kept = 8 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	update_print_json(out, "counter", &update, 12.5);
	fclose(out);
	if (!json_is_valid(text))
		fail_msg("not valid: %s", text);
	assert_string_equal(
		text, "{\"component\": \"counter\", \"closed_us\": 12.500, \"state_bytes\": 8}\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_same, images_open, images_close),
		cmocka_unit_test_setup_teardown(test_other_code, images_open, images_close),
		cmocka_unit_test_setup_teardown(test_header, images_open, images_close),
		cmocka_unit_test_setup_teardown(test_component, images_open, images_close),
		cmocka_unit_test_setup_teardown(test_segment, images_open, images_close),
		cmocka_unit_test_setup_teardown(test_wire, images_open, images_close),
		cmocka_unit_test_setup_teardown(test_channel, images_open, images_close),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
