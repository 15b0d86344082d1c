// SPDX-License-Identifier: GPL-2.0
/* A turn of a side: the loop that end.h documents. */
#include <string.h>

#include "channel.h"

enum { HOSTILE_TURNS = 4 };

int self;
struct side *side;

static void notify(void)
{
	if (!scenario->hostile)
		tso_store(pending(!self), 8, 1);
}

static void begin(struct side *s)
{
	struct limpet_end *e = &s->end;

	memset(e, 0, sizeof(*e));
	e->self = line(self);
	e->peer = line(!self);
	e->out = (char *)ring(self);
	e->in = (char *)ring(!self);
	e->out_size = e->in_size = RING;
	limpet_end_begin(e, 1 + 16 * s->lives++);
	s->asleep = false;
}

/* Another connection: all that was under way is void. */
static void connection(struct side *s)
{
	if (s->generation == s->end.generation && s->peer_generation == s->end.peer_generation)
		return;
	s->generation = s->end.generation;
	s->peer_generation = s->end.peer_generation;
	s->sent = s->received = s->events_sent = s->events_received = 0;
}

/* Lengths that make the ring end within, at and before a message. */
static uint64_t message_length(uint32_t n)
{
	static const uint8_t length[] = { 0, 8, 8, 0, 5, 8 };

	return length[n % sizeof(length)];
}

/* Returns the content of the n-th message, or byte, of this connection from `from` to `to`. */
static uint64_t content(uint32_t from, uint32_t to, uint32_t n)
{
	return (uint64_t)from << 32 | (uint64_t)to << 16 | (n + 1);
}

static bool send_message(struct side *s)
{
	uint64_t length = message_length(s->sent);
	uint64_t *to = limpet_end_reserve(&s->end, length);

	if (!to)
		return false;
	if (length)
		side_store(to, 8, content(s->generation, s->peer_generation, s->sent));
	limpet_end_commit(&s->end, length);
	s->sent++;
	return true;
}

/* The words of the other side are valid. */
static bool trusted(void)
{
	return !scenario->scribbles && !scenario->hostile;
}

static bool receive_message(struct side *s)
{
	uint64_t length, found;
	const uint64_t *from = limpet_end_peek(&s->end, &length);

	if (!from)
		return false;
	tso_assert(length <= RING && within(from, (uint32_t)length, ring(!self), RING),
		   "a message outside of the ring");
	tso_assert(!trusted() || length == message_length(s->received), "a message's length");
	if (trusted() && length) {
		found = side_load(from, 8);
		tso_assert(found == content(s->peer_generation, s->generation, s->received),
			   "a message out of order, twice, lost, or of another connection");
	}
	limpet_end_release(&s->end);
	s->received++;
	return true;
}

/* Sends as many as there is space for, at most 3. */
static bool send_bytes(struct side *s)
{
	uint64_t space, i, left = scenario->sends[self] - s->sent;
	char *to = limpet_end_space(&s->end, &space);

	tso_assert(space <= RING, "too much space");
	space = space < 3 ? space : 3;
	space = space < left ? space : left;
	for (i = 0; i < space; i++)
		side_store(to + i, 1, s->sent + i + 1);
	limpet_end_put(&s->end, space);
	s->sent += (uint32_t)space;
	return space;
}

static bool receive_bytes(struct side *s)
{
	uint64_t length, i;
	const char *from = limpet_end_bytes(&s->end, &length);

	tso_assert(length <= RING, "too many bytes");
	length = length < 2 ? length : 2;
	tso_assert(within(from, (uint32_t)length, ring(!self), RING), "bytes outside of the ring");
	for (i = 0; i < length && trusted(); i++)
		tso_assert(side_load(from + i, 1) == s->received + i + 1, "a byte out of order");
	limpet_end_take(&s->end, length);
	s->received += (uint32_t)length;
	return length;
}

static bool side_send(struct side *s)
{
	if (s->sent >= scenario->sends[self] ||
	    !(scenario->bytes ? send_bytes(s) : send_message(s)))
		return false;
	if (limpet_end_wanted(&s->end, LIMPET_SLEEP_DATA))
		notify();
	return true;
}

static bool receive(struct side *s)
{
	if (!scenario->sends[!self] || !(scenario->bytes ? receive_bytes(s) : receive_message(s)))
		return false;
	if (limpet_end_wanted(&s->end, LIMPET_SLEEP_SPACE))
		notify();
	return true;
}

static bool events(struct side *s)
{
	uint64_t events;

	if (s->events_sent < scenario->events[self]) {
		limpet_end_event(&s->end);
		s->events_sent++;
		notify();
		return true;
	}
	if (!scenario->events[!self])
		return false;
	events = limpet_end_events(&s->end);
	tso_assert(events <= scenario->events[!self] - s->events_received || !trusted(),
		   "more events than were sent");
	s->events_received += (uint32_t)events;
	return events;
}

/* Looks at the channel, and does one thing each way, as far as there is something to do. */
static bool work(struct side *s)
{
	bool did;

	if (!limpet_end_connected(&s->end)) {
		connection(s);
		return false;
	}
	connection(s);
	did = side_send(s);
	did |= receive(s);
	return events(s) || did;
}

void side_turn(int who, void *kept)
{
	struct side *s = kept;

	self = who;
	side = s;
	if (scenario->hostile && (who == HOST || s->turns++ == HOSTILE_TURNS))
		tso_wait(pending(self)); /* without a limit */
	if (!s->end.self)
		begin(s);
	if (work(s)) {
		if (s->asleep)
			limpet_end_sleep(&s->end, 0);
		s->asleep = false;
	} else if (!s->asleep) {
		limpet_end_sleep(&s->end, LIMPET_SLEEP_DATA | (s->sent < scenario->sends[self]
								       ? LIMPET_SLEEP_SPACE
								       : 0));
		s->asleep = true;
	} else {
		if (limpet_end_wanted(&s->end, 0))
			notify();
		if (!scenario->hostile)
			tso_wait(pending(self));
		s->asleep = false;
	}
	tso_assert(!s->end.broken || scenario->scribbles || scenario->hostile,
		   "a side took the other one for broken");
}
