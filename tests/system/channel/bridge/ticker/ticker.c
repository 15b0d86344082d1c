// SPDX-License-Identifier: BSD-2-Clause
/* Messages are std_msgs/msg/Float64 in both directions. A received message is the count of numbers to send. */
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

struct number {
	double data;
};

static struct limpet_channel channel;

static uint64_t count_receive(void)
{
	const struct number *message;
	uint64_t length, count;

	while (!(message = channel_peek(&channel, &length)))
		channel_wait(channel.bit);
	count = length == sizeof(*message) ? (uint64_t)message->data : 0;
	channel_release(&channel);
	return count;
}

static void numbers_send(uint64_t count, uint64_t period)
{
	uint64_t full = 0, missed = 0;

	sched_periodic(period, 0);
	for (uint64_t i = 0; i < count; i++) {
		const struct number number = { (double)i };
		word due;
		long late = sched_periodic_wait(&due);

		missed += late > 0 ? (uint64_t)late : 0;
		full += channel_send(&channel, &number, sizeof(number)) != LIMPET_OK;
	}
	limpet_print("%lu numbers, %lu without space, %lu periods missed\n", count, full, missed);
}

void component_main(const struct limpet_info *info)
{
	const uint64_t us = (uint64_t)limpet_arg_number(info, "period-us", 1000);

	if (channel_open(&channel, "speed"))
		return;
	for (;;)
		numbers_send(count_receive(), limpet_us_to_ticks(us));
}
