// SPDX-License-Identifier: GPL-2.0
/* Channels: memory and events shared with a process of the host. */
#include "objects.h"

static void test_create_errors(void **state)
{
	word frames = frames_new(2), ep = object_new(LIMPET_ENDPOINT, 1), cpu_cap = LIMPET_BOOT_CPU;
	word few = weaker(cpu_cap, 31 & ~LIMPET_MANAGE), read = weaker(frames, 31 & ~LIMPET_WRITE);
	word weak = weaker(ep, LIMPET_READ);

	(void)state;
	assert_status(call(CHANNEL_CREATE, EMPTY, frames, ep, 0, T, EMPTY), ESLOT);
	assert_status(call(CHANNEL_CREATE, ep, frames, ep, 0, T, EMPTY), ETYPE);
	assert_status(call(CHANNEL_CREATE, few, frames, ep, 0, T, EMPTY), ERIGHTS);
	assert_status(call(CHANNEL_CREATE, cpu_cap, EMPTY, ep, 0, T, EMPTY), ESLOT);
	assert_status(call(CHANNEL_CREATE, cpu_cap, ep, ep, 0, T, EMPTY), ETYPE);
	assert_status(call(CHANNEL_CREATE, cpu_cap, read, ep, 0, T, EMPTY), ERIGHTS);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, EMPTY, 0, T, EMPTY), ESLOT);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, frames, 0, T, EMPTY), ETYPE);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, weak, 0, T, EMPTY), ERIGHTS);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, ep, 0, EMPTY, EMPTY), ESLOT);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, ep, 0, ep, EMPTY), ETYPE);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, ep, 0, T, T), EFULL);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, ep, CHANNELS_MAX, T, EMPTY), ERANGE);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, ep, ~0ul, T, EMPTY), ERANGE);
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames_new(65), ep, 0, T, EMPTY), ERANGE);
	assert_ok(call(CHANNEL_CREATE, cpu_cap, frames, ep, 0, T, EMPTY));
	assert_status(call(CHANNEL_CREATE, cpu_cap, frames, ep, 0, T, EMPTY - 1), EFULL);
}

static void test_create_busy(void **state)
{
	word frames = frames_new(2), copy = weaker(frames, LIMPET_ALL), part = slot_new();

	(void)state;
	assert_ok(call(FRAME_SPLIT, copy, 1, T, part));
	assert_ok(call(FRAME_RETYPE, copy, LIMPET_ENDPOINT, T, EMPTY));
	assert_status(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames, 0, 0, T, EMPTY - 1), EBUSY);
}

static void test_events(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1), frames = frames_new(3), channel = slot_new();

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames, ep, 2, T, channel));
	assert_int_equal(cpu->channel[2].frame, cap_at(frames)->a);
	assert_int_equal(cpu->channel[2].frames, 3);
	assert_status(call(CHANNEL_NOTIFY, EMPTY), ESLOT);
	assert_status(call(CHANNEL_NOTIFY, ep), ETYPE);
	assert_status(call(CHANNEL_NOTIFY, weaker(channel, LIMPET_READ)), ERIGHTS);
	assert_ok(call(CHANNEL_NOTIFY, channel));
	assert_true(cpu->host.pending & HOST_NOTIFY);
	host_serve();
	assert_int_equal(host->notify, 4);
	hal_or(&cpu->inbox.channels, 4);
	call(ENDPOINT_RECEIVE, ep, 0, 0); /* no wait: taken at the next resume */
	host_serve();
	assert_false(cpu->idle);
	assert_int_equal(user->words[0], 1);
	hal_or(&cpu->inbox.channels, ~4ul); /* others: there are none */
	interrupt();
}

/* Its memory stays the host's, too, when the channel goes; the number can be used again. */
static void test_destroy(void **state)
{
	word frames = frames_new(2), first = cap_at(frames)->a;

	(void)state;
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames, 0, 1, T, EMPTY));
	assert_ok(call(CAP_COPY, T, EMPTY, T, EMPTY - 1, LIMPET_WRITE));
	assert_ok(call(CAP_DELETE, T, EMPTY));
	assert_int_equal(cpu->channel[1].frames, 0);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_THREAD, T, EMPTY), EBUSY);
	assert_int_equal(machine.pool->state[first], 1);
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), 0, 1, T, EMPTY));
	hal_or(&cpu->inbox.channels, 2);
	interrupt(); /* to nobody */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create_errors),
		TEST(test_create_busy),
		TEST(test_events),
		TEST(test_destroy),
	};

	return RUN("channel", tests);
}
