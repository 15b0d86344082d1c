// SPDX-License-Identifier: BSD-2-Clause
/* Tests that component mqtt reads its topics from the pieces of one argument. Fakes replace the network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/format.h>

#include <mqtt.h>

void core_wake(struct event *event)
{
	(void)event;
}

void core_setup(const struct limpet_info *info)
{
	(void)info;
}

long host_setup(const struct limpet_info *info)
{
	(void)info;
	return LIMPET_OK;
}

long session_setup(const struct limpet_info *info)
{
	(void)info;
	return LIMPET_OK;
}

/* Starts the component with these rows in pieces, as the composer passes them. */
static void setup(const char *rows)
{
	static struct limpet_info info;
	const size_t size = sizeof(info.arg[0].text) - 1, length = strlen(rows);
	char name[16];

	info = (struct limpet_info){ .args = 0 };
	memset(topics, 0, sizeof(topics));
	for (size_t at = 0; at < length; at += size) {
		assert_true(info.args < LIMPET_INFO_ARGS);
		limpet_format(name, sizeof(name), at ? "topics.%u" : "topics", info.args);
		strcpy(info.arg[info.args].name, name);
		strncpy(info.arg[info.args++].text, rows + at, size);
	}
	assert_int_equal(component_init(&info), LIMPET_OK);
}

static void test_no_topic(void **state)
{
	(void)state;
	setup("");
	assert_null(topics[0].path);
}

static void test_topics_are_longer_than_an_argument(void **state)
{
	(void)state;
	setup("12 1 1 0 value plant/line-3/station-12/temperature/value\n"
	      "3 0 0 1 in plant/line-3/station-12/temperature/setpoint");
	assert_string_equal(topics[0].path, "plant/line-3/station-12/temperature/value");
	assert_string_equal(topics[0].name, "value");
	assert_int_equal(topics[0].component, 12);
	assert_true(topics[0].publish && topics[0].qos == 1 && !topics[0].retain);
	assert_string_equal(topics[1].path, "plant/line-3/station-12/temperature/setpoint");
	assert_string_equal(topics[1].name, "in");
	assert_int_equal(topics[1].component, 3);
	assert_true(!topics[1].publish && topics[1].qos == 0 && topics[1].retain);
	assert_null(topics[2].path);
}

static void test_all_arguments_are_topics(void **state)
{
	char rows[LIMPET_INFO_ARGS * 39 + 1] = "";
	size_t length = 0;

	(void)state;
	for (unsigned int i = 0; i < TOPICS; i++)
		length += (size_t)limpet_format(rows + length, sizeof(rows) - length,
						"%s%u 1 0 0 t%u p", i ? "\n" : "", 1000 + i, i);
	memset(rows + length, 'x', sizeof(rows) - 1 - length);
	setup(rows);
	for (unsigned int i = 0; i < TOPICS; i++) {
		assert_int_equal(topics[i].component, 1000 + i);
		assert_int_equal(topics[i].path[0], 'p');
	}
	assert_int_equal(strlen(topics[TOPICS - 1].path), sizeof(rows) - length);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_topic),
		cmocka_unit_test(test_topics_are_longer_than_an_argument),
		cmocka_unit_test(test_all_arguments_are_topics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
