// SPDX-License-Identifier: BSD-2-Clause
/* Simulates the wire and the time. */
#include <string.h>

#include <import/sched.h>

#include "parts.h"

#define STEP_MAX (10 * MS) /* period at which the wire is polled */

struct stack a, b;
struct world world;
uint64_t now;
unsigned int current;

static struct limpet_info_channel channels[2];

/* --- the wire */

bool world_put(struct stack *s, const void *message, uint64_t length)
{
	void *space;

	if (!limpet_end_connected(&s->host))
		return false;
	space = limpet_end_reserve(&s->host, length);
	if (!space)
		return false;
	memcpy(space, message, length);
	limpet_end_commit(&s->host, length);
	return true;
}

static bool wire_move(struct stack *from, struct stack *to)
{
	uint8_t message[FRAME_MAX];
	const void *at;
	uint64_t length;

	if (!from->library || !limpet_end_connected(&from->host))
		return false;
	at = limpet_end_peek(&from->host, &length);
	if (!at)
		return false;
	assert_true(length <= sizeof(message) && length >= sizeof(struct limpet_frame) + 14);
	memcpy(message, at, length);
	limpet_end_release(&from->host);
	world.frames++;
	if (world.judge && !world.judge(from, message, &length))
		return true;
	if (to->library)
		world_put(to, message, length);
	return true;
}

void world_turns(struct stack *s)
{
	while (s->link_turn())
		;
}

/* Returns the next time at which something is due. */
static uint64_t world_step(void)
{
	uint64_t next = now + STEP_MAX, at;
	bool moved;

	do {
		moved = false;
		if (!world.unplugged) {
			moved |= wire_move(&a, &b);
			moved |= wire_move(&b, &a);
		}
		for (struct stack *s = &a; s; s = s == &a ? &b : NULL)
			if (s->library)
				moved |= s->link_turn();
	} while (moved);
	for (struct stack *s = &a; s; s = s == &a ? &b : NULL) {
		if (!s->library)
			continue;
		at = s->core_timers();
		next = at < next ? at : next;
	}
	return next > now ? next : now + 1;
}

void world_run(uint64_t ticks)
{
	uint64_t end = now + ticks;

	while (now < end) {
		uint64_t next = world_step();

		now = next < end ? next : end;
	}
	world_step();
}

/* Other threads run until the thread is resumed. */
long sched_suspend_for(word owner, word deadline)
{
	unsigned int self = current;

	assert_int_equal(owner, 0);
	while (!(servers_resumed & 1ul << self)) {
		uint64_t next = world_step();

		if (world.interrupts) {
			world.interrupts--;
			return LIMPET_OK;
		}
		if (world.other && !(servers_resumed & 1ul << self)) {
			current = self + 1;
			world.other();
			current = self;
			next = next < now + MS ? next : now + MS;
		}
		if (servers_resumed & 1ul << self)
			break;
		if (next >= deadline) {
			now = deadline;
			return LIMPET_ETIME;
		}
		now = next;
	}
	servers_resumed &= ~(1ul << self);
	return LIMPET_OK;
}

long sched_suspend_on(word object, word since, word owner, word deadline)
{
	const unsigned int self = current;
	long status;

	assert_true(since <= now);
	servers_waits[self] = object;
	status = sched_suspend_for(owner, deadline);
	servers_waits[self] = 0;
	return status;
}

/* --- start and end */

static void reset(void)
{
	world = (struct world){ .allocations = 1000 };
	now = 1000 * MS;
	current = 1;
	servers_begin();
	a = b = (struct stack){ 0 };
}

void world_begin(void)
{
	reset();
	stack_load(&a, &channels[0], "left");
	stack_load(&b, &channels[1], "right");
	stack_begin(&a, "10.0.0.1/24");
	stack_begin(&b, "10.0.0.2/24");
	world_run(3000 * MS); /* IPv6 checks whether another host has its address */
}

void world_begin_alone(const char *address)
{
	reset();
	stack_load(&a, &channels[0], "left");
	stack_begin(&a, address);
	world_run(10 * MS);
}

void world_end(void)
{
	servers_end();
	stack_end(&a);
	stack_end(&b);
}
