// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/print.h>
#include <runtime/time.h>
#include <topic/topic.h>

static void number_send(long topic)
{
	static uint64_t number;
	char text[24];

	topic_send(topic, text, limpet_format(text, sizeof(text), "%lu", number++));
}

void component_main(const struct limpet_info *info)
{
	const uint64_t period = limpet_us_to_ticks(
		1000 * (uint64_t)limpet_arg_within(info, "period-ms", 100, 1, 60000));
	const long in = topic_open("in"), out = topic_open("out"), count = topic_open("count");
	uint64_t next = limpet_time() + period;
	char message[TOPIC_MESSAGE_MAX];
	long length = LIMPET_ETIME;

	if (in < 0 || out < 0 || count < 0) {
		limpet_print(
			"<3>topic in, out or count is missing: add [[mqtt]] tables to the system file\n");
		return;
	}
	while (length >= 0 || length == LIMPET_ETIME) {
		length = topic_receive(in, message, sizeof(message), next);
		if (length >= 0)
			topic_send(out, message, (size_t)length);
		if (limpet_time() < next)
			continue;
		number_send(count);
		next += period;
	}
	limpet_print("<3>component mqtt fails: %s\n", limpet_error_text(length));
}
