// SPDX-License-Identifier: GPL-2.0
/* Tests channels: memory and events shared with a process of the host. */
#define _GNU_SOURCE /* REG_EFL */

#include <signal.h>
#include <ucontext.h>
#include <x86intrin.h>

#include "objects.h"

#define TRAP 0x100ul /* flag: a trap after each instruction */

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
	assert_status(
		call(CHANNEL_CREATE, cpu_cap, frames, ep, LIMPET_CHANNEL_WORD(0, 62), T, EMPTY),
		ERANGE);
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
	assert_int_equal(channel_area(&cpu->channel[2]).first, cap_at(frames)->a);
	assert_int_equal(channel_area(&cpu->channel[2]).frames, 3);
	assert_status(call(CHANNEL_NOTIFY, EMPTY), ESLOT);
	assert_status(call(CHANNEL_NOTIFY, ep), ETYPE);
	assert_status(call(CHANNEL_NOTIFY, weaker(channel, LIMPET_READ)), ERIGHTS);
	assert_ok(call(CHANNEL_NOTIFY, channel));
	assert_true(cpu->host.pending & HOST_NOTIFY);
	host_serve();
	assert_int_equal(host->notify, 4);
	channel_came(2);
	call(ENDPOINT_RECEIVE, ep, 0, 0); /* received at the next resume, without a wait */
	host_serve();
	assert_false(cpu->idle);
	assert_int_equal(user->words[0], 1);
	for (unsigned int i = 0; i < CHANNELS_MAX; i++)
		if (i != 2) /* other components have no channels */
			channel_came(i);
	interrupt();
}

/* Each channel has its own bit for notifications, also the last one. */
static void test_bits(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1), last = CHANNELS_MAX - 1;

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), ep,
		       LIMPET_CHANNEL_WORD(3, 32), T, slot_new()));
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), ep,
		       LIMPET_CHANNEL_WORD(last, 61), T, slot_new()));
	channel_came(3);
	channel_came(last);
	interrupt();
	assert_ok(call(ENDPOINT_RECEIVE, ep, 0, 0));
	assert_int_equal(user->words[0], 1ul << 32 | 1ul << 61);
	channel_came(last);
	interrupt();
	assert_ok(call(ENDPOINT_RECEIVE, ep, 0, 0));
	assert_int_equal(user->words[0], 1ul << 61);
}

static word stops_of(word channel)
{
	assert_ok(call(CHANNEL_STATE, channel, LIMPET_CHANNEL_STOPS));
	return user->words[0];
}

/* Returns the bits of channels of which the host was notified since the last call. */
static u64 notified(void)
{
	u64 channels = cpu->host.notify[0];

	host_serve();
	return channels;
}

static void test_state_errors(void **state)
{
	word channel = slot_new(), ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), ep, 2, T, channel));
	assert_status(call(CHANNEL_STATE, EMPTY, 0), ESLOT);
	assert_status(call(CHANNEL_STATE, ep, 0), ETYPE);
	assert_status(call(CHANNEL_STATE, channel, 1), ERANGE);
	assert_int_equal(stops_of(weaker(channel, 0)), 0);
}

static word scheduler; /* endpoint of the booter's thread */

/* Makes a component with a thread under the booter's, and with channels 5 and 6. */
static struct built owner_new(word *thread, word *channel)
{
	struct built b = component_new(1);
	word ep;

	scheduler = endpoint_new(LIMPET_BOOT_THREAD);
	*thread = thread_new(&b, 1, scheduler);
	*channel = slot_new();
	ep = endpoint_new(*thread);
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), ep, 5, T, *channel));
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), ep, 6, T, slot_new()));
	assert_ok(
		call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), scheduler, 7, T, slot_new()));
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), 0, 8, T, slot_new()));
	return b;
}

/* Dispatches the thread, after its scheduler has received all notices. */
static void run(word thread)
{
	while (call(ENDPOINT_RECEIVE, scheduler, 0, LIMPET_NOWAIT) == LIMPET_OK)
		;
	call(THREAD_DISPATCH, thread);
}

/* Each life of the owner ends once, for each kind of stop. The host is notified immediately. */
static void test_stops(void **state)
{
	word thread, channel;
	struct built b = owner_new(&thread, &channel);

	(void)state;
	assert_int_equal(stops_of(channel), 0);
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_int_equal(notified(), 1ul << 5 | 1ul << 6);
	assert_int_equal(stops_of(channel), 1);
	assert_ok(call(COMPONENT_STOP, b.component, LIMPET_STOP_CLOSE));
	run(thread);
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_DEAD);
	assert_ok(call(COMPONENT_OPEN, b.component));
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_int_equal(notified(), 0);
	assert_int_equal(stops_of(channel), 1);
	for (unsigned int n = 5; n < 9; n++)
		assert_int_equal(cpu->channel[n].stops, n < 7);
}

/* A fault of the thread also ends a life. The end of another component is not reported. */
static void test_stops_by_faults(void **state)
{
	word thread, channel;
	struct built b = owner_new(&thread, &channel), other = component_new(2);

	(void)state;
	assert_ok(call(COMPONENT_STOP, other.component));
	for (word life = 1; life < 4; life++) {
		run(thread);
		assert_current(thread);
		fault(14, 0, 0);
		assert_current(LIMPET_BOOT_THREAD);
		assert_int_equal(notified(), 1ul << 5 | 1ul << 6);
		assert_int_equal(stops_of(channel), life);
		assert_ok(call(THREAD_START, thread, b.component, ENTRY, 1, 1, scheduler));
	}
}

/* The host keeps the memory after the channel is deleted. The number can be reused. */
static void test_destroy(void **state)
{
	word frames = frames_new(2), first = cap_at(frames)->a;

	(void)state;
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames, 0, 1, T, EMPTY));
	assert_ok(call(CAP_COPY, T, EMPTY, T, EMPTY - 1, LIMPET_WRITE));
	assert_ok(call(CAP_DELETE, T, EMPTY));
	assert_int_equal(channel_area(&cpu->channel[1]).frames, 0);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_THREAD, T, EMPTY), EBUSY);
	assert_int_equal(machine.pool->state[first], 1);
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), 0, 1, T, EMPTY));
	channel_came(1);
	interrupt(); /* not connected */
}

static word areas[2], instruction, replace_at; /* slots of frames */

/* Replaces the channel with one that has other memory. */
static void channel_replace(unsigned int with)
{
	assert_ok(delete_all(EMPTY));
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, areas[with], 0, 1, T, EMPTY));
}

/* Runs after each instruction of the host. */
static void trapped(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	if (instruction++ != replace_at)
		return;
	channel_replace(1);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(long)TRAP;
}

/* Returns false if the host finished before the instruction. */
static bool area_read(struct channel_area *area, word at)
{
	channel_replace(0);
	instruction = 0;
	replace_at = at;
	__writeeflags(__readeflags() | TRAP);
	*area = channel_area(&cpu->channel[1]);
	__writeeflags(__readeflags() & ~TRAP);
	return instruction > at;
}

/* The owner can replace the channel after any instruction of the host's lookup. */
static void test_replaced(void **state)
{
	const struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };
	struct sigaction before;
	struct channel_area area;
	word at = 0, seen[2] = { 0 };

	(void)state;
	areas[0] = frames_new(1);
	areas[1] = frames_new(3);
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, areas[0], 0, 1, T, EMPTY));
	assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
	for (; area_read(&area, at); at++) {
		const struct capability *frames = cap_at(areas[area.frames == 3]);

		assert_int_equal(area.frames, frames->b);
		assert_int_equal(area.first, frames->a);
		seen[area.frames == 3]++;
	}
	assert_true(seen[0] && seen[1]);
	assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create_errors),   TEST(test_create_busy),
		TEST(test_events),	    TEST(test_bits),
		TEST(test_state_errors),    TEST(test_stops),
		TEST(test_stops_by_faults), TEST(test_destroy),
		TEST(test_replaced),
	};

	return RUN("channel", tests);
}
