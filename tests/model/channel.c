// SPDX-License-Identifier: GPL-2.0
/*
 * lib/channel/end.h itself, the very text that components, the module and liblimpet compile, run by two
 * sides in every order that two x86 processors allow. What is claimed of each scenario:
 *
 *	- every execution ends, and ends with both sides asleep, connected, nothing under way, and all
 *	  messages, bytes and events of this connection arrived: so no wake-up is ever lost;
 *	- they arrive in order, once each, whole, and none is of an earlier connection;
 *	- every access is to the side's own line and rings, and stores only to what is its own;
 *	- well-behaved sides, begun anew at any instruction, never take each other for broken.
 *
 * A side's turn is the loop that end.h documents. Usage: channel [SCENARIO]; exit code 1: a claim is wrong,
 * 2: there is no such scenario.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tso.h"

#define LIMPET_CLAIM(place) ((__typeof__(place))side_load(&(place), sizeof(place)))
#define LIMPET_SAY(place, value) side_store(&(place), sizeof(place), (uint64_t)(value))
#define LIMPET_FENCE() tso_fence()

static uint64_t side_load(const volatile void *place, uint32_t size);
static void side_store(volatile void *place, uint32_t size, uint64_t value);

#include "channel/end.h"

enum {
	RING = 32,
	HEADER = sizeof(struct limpet_channel_header),
	/* What notifications leave for the other side's kernel: one word a side. */
	PENDING = HEADER + 2 * RING,
	HOSTILE_TURNS = 4,
	COMPONENT = 0,
	HOST = 1,
};

_Static_assert(PENDING + 16 <= TSO_MEMORY, "the channel fits");

/* What a scenario has both sides do. */
static const struct scenario {
	const char *name;
	uint32_t sends[2];  /* messages, or bytes, that each side sends in each connection */
	uint32_t events[2]; /* that each side sends in each connection */
	uint32_t dies[2];   /* times that each side may die, anywhere, and begin anew */
	uint32_t scribbles; /* words that a third one may write over, any time */
	uint32_t buffer;    /* stores in a store buffer */
	bool long_;	    /* only if it is asked for by name */
	bool bytes;
	bool hostile; /* the host's words, and all that it can write, are anything at any time */
} scenarios[] = {
	{ .name = "messages", .sends = { 5, 0 } },
	{ .name = "both-ways", .sends = { 2, 2 } },
	{ .name = "bytes", .sends = { 7, 0 }, .bytes = true },
	{ .name = "events", .events = { 2, 2 } },
	{ .name = "sender-dies", .sends = { 2, 0 }, .dies = { 2, 0 } },
	{ .name = "receiver-dies", .sends = { 2, 0 }, .dies = { 0, 2 } },
	{ .name = "both-die", .sends = { 1, 0 }, .dies = { 1, 1 } },
	{ .name = "events-die", .events = { 1, 1 }, .dies = { 1, 0 } },
	{ .name = "scribbled", .scribbles = 1, .buffer = 1 },
	{ .name = "hostile-out", .sends = { 2, 0 }, .hostile = true },
	{ .name = "hostile-in", .sends = { 0, 2 }, .hostile = true },
	{ .name = "hostile-bytes-out", .sends = { 4, 0 }, .bytes = true, .hostile = true },
	{ .name = "hostile-bytes-in", .sends = { 0, 4 }, .bytes = true, .hostile = true },
	{ .name = "hostile-events", .events = { 1, 2 }, .hostile = true },
	{ .name = "scribbled-traffic",
	  .sends = { 1, 0 },
	  .scribbles = 1,
	  .buffer = 1,
	  .long_ = true },
};

static const struct scenario *scenario;
static int self; /* whose turn it is */

/* What a side keeps. */
struct side {
	struct limpet_end end;
	uint32_t lives;			      /* times that it began */
	uint32_t generation, peer_generation; /* of the connection that all this belongs to */
	uint32_t sent, received;	      /* messages or bytes */
	uint32_t events_sent, events_received;
	uint32_t turns;
	bool asleep; /* it said so */
};

_Static_assert(sizeof(struct side) <= TSO_KEPT, "it fits");

static struct limpet_channel_header *header(void)
{
	return (struct limpet_channel_header *)tso_memory;
}

/* The ring that side `who` writes. */
static unsigned char *ring(int who)
{
	return tso_memory + HEADER + (who == COMPONENT ? 0 : RING);
}

static struct limpet_side *line(int who)
{
	return who == COMPONENT ? &header()->component : &header()->host;
}

static uint64_t *pending(int who)
{
	return (uint64_t *)(tso_memory + PENDING) + who;
}

static bool within(const volatile void *place, uint32_t size, const void *region, uint32_t length)
{
	const volatile char *p = place, *r = region;

	return p >= r && p + size <= r + length;
}

/* --- what stands between end.h and the memory: the claims about accesses */

/* One of `n` values, none twice. */
static uint64_t any_of(const uint64_t *value, uint32_t n)
{
	uint64_t distinct[TSO_CHOICES];
	uint32_t found = 0, i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < found && distinct[k] != value[i]; k++)
			;
		distinct[k] = value[i];
		found += k == found;
	}
	return distinct[tso_choose(found)];
}

#define ANY_OF(...)                                                                                \
	any_of((const uint64_t[]){ __VA_ARGS__ },                                                  \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* What a hostile side can have this one load: for each outcome of each comparison, values on its border. */
static uint64_t anything(const volatile void *place, const struct limpet_end *e)
{
	const struct limpet_side *l = line(self), *p = line(!self);
	uint64_t head = e->head, tail = e->tail;

	if (place == &l->head || place == &l->tail)
		return place == &l->head ? ANY_OF(head, ~head) : ANY_OF(tail, ~tail);
	if (place == &l->generation || place == &l->seen)
		return place == &l->seen ? ANY_OF(e->peer_generation, ~0u)
					 : ANY_OF(e->generation, 0);
	if (place == &p->head)
		return ANY_OF(tail, tail + 1, tail + 8, tail + RING - 8, tail + RING,
			      tail + RING + 1, tail - 1);
	if (place == &p->tail)
		return ANY_OF(head, head - 1, head - 8, head - RING + 8, head - RING,
			      head - RING - 1, head + 1);
	if (place == &p->events)
		return ANY_OF(0, 1, ~0ul);
	if (place == &p->generation || place == &p->seen)
		return ANY_OF(0, e->generation, e->peer_generation, ~0u);
	if (place == &p->sleeping)
		return ANY_OF(0, ~0u);
	return ANY_OF(0, 1, 8, 9, RING - 16, RING - 8, RING - 7, RING, ~0u - 8,
		      LIMPET_MESSAGE_SKIP);
}

static struct side *side; /* whose turn it is */

static uint64_t side_load(const volatile void *place, uint32_t size)
{
	tso_assert(within(place, size, line(COMPONENT), 2 * sizeof(struct limpet_side)) ||
			   within(place, size, ring(!self), RING),
		   "a load outside of the lines and the ring that this side reads");
	if (scenario->hostile)
		return anything(place, &side->end);
	return tso_load(place, size);
}

static void side_store(volatile void *place, uint32_t size, uint64_t value)
{
	tso_assert(within(place, size, line(self), sizeof(struct limpet_side)) ||
			   within(place, size, ring(self), RING),
		   "a store outside of this side's line and the ring that it writes");
	if (!scenario->hostile)
		tso_store(place, size, value);
}

/* --- what a side does */

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

/* What stands in the n-th message, or byte, of this connection from `from` to `to`. */
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

/* What the other side says is what it means. */
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

/* As many as there is room for, at most 3. */
static bool send_bytes(struct side *s)
{
	uint64_t room, i, left = scenario->sends[self] - s->sent;
	char *to = limpet_end_room(&s->end, &room);

	tso_assert(room <= RING, "too much room");
	room = room < 3 ? room : 3;
	room = room < left ? room : left;
	for (i = 0; i < room; i++)
		side_store(to + i, 1, s->sent + i + 1);
	limpet_end_put(&s->end, room);
	s->sent += (uint32_t)room;
	return room;
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

static bool send(struct side *s)
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
	uint64_t news;

	if (s->events_sent < scenario->events[self]) {
		limpet_end_event(&s->end);
		s->events_sent++;
		notify();
		return true;
	}
	if (!scenario->events[!self])
		return false;
	news = limpet_end_events(&s->end);
	tso_assert(news <= scenario->events[!self] - s->events_received || !trusted(),
		   "more events than were sent");
	s->events_received += (uint32_t)news;
	return news;
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
	did = send(s);
	did |= receive(s);
	return events(s) || did;
}

static void turn(int who, void *kept)
{
	struct side *s = kept;

	self = who;
	side = s;
	if (scenario->hostile && (who == HOST || s->turns++ == HOSTILE_TURNS))
		tso_wait(pending(self)); /* for ever */
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

/* --- what happens beside */

/* The numbers of what happens, and of how often it still may. */
enum {
	DIES, /* component, host */
	CLOSES = 2,
	SCRIBBLES = 3, /* and so on */
	SCRIBBLE_BUDGET = 3,
};

/* What is written over, and with what: ends of the numbers, and what could be true. */
static const struct scribble {
	uint32_t at, size;
	uint64_t value;
} scribble[] = {
#define WORD(side, word, value)                                                                    \
	{                                                                                          \
		offsetof(struct limpet_channel_header, side.word), sizeof(header()->side.word),    \
			value                                                                      \
	}
#define LINE(side)                                                                                 \
	WORD(side, head, 0), WORD(side, head, 8), WORD(side, head, ~0ul), WORD(side, tail, 0),     \
		WORD(side, tail, 8), WORD(side, tail, ~0ul), WORD(side, events, ~0ul),             \
		WORD(side, generation, 0), WORD(side, generation, 2), WORD(side, seen, 0),         \
		WORD(side, seen, 2), WORD(side, sleeping, 0)
	LINE(component),
	LINE(host),
	{ HEADER, 4, 16 },
	{ HEADER, 4, ~0u },
};

enum { PLACES = sizeof(scribble) / sizeof(scribble[0]) };

static bool dies(struct tso_world *w, int who)
{
	struct tso_actor *a = &w->actor[who];
	struct side *s = (struct side *)a->kept;
	uint32_t lives = s->lives;

	if (!w->budget[who] || !s->end.self)
		return false;
	w->budget[who]--;
	memset(a->kept, 0, sizeof(a->kept));
	s->lives = lives;
	memset(a->results, 0, sizeof(a->results));
	a->done = 0;
	return true;
}

/* Whether both sides have begun, and have seen each other: before, nothing can be lost. */
static bool met(const struct tso_world *w)
{
	const struct side *c = (const void *)w->actor[COMPONENT].kept;
	const struct side *h = (const void *)w->actor[HOST].kept;

	return c->end.peer_generation && h->end.peer_generation;
}

static bool happen(struct tso_world *w, int n)
{
	if (n < CLOSES)
		return dies(w, n);
	if (n == CLOSES) { /* who wrote over the channel is gone: both sides are told */
		if (!w->budget[2])
			return false;
		w->budget[2] = w->budget[3] = 0;
		memset(w->memory + PENDING, 1, 16);
		return true;
	}
	n -= SCRIBBLES;
	if (!w->budget[SCRIBBLE_BUDGET] || !met(w))
		return false;
	w->budget[SCRIBBLE_BUDGET]--;
	memcpy(w->memory + scribble[n].at, &scribble[n].value, scribble[n].size);
	return true;
}

static const char *ended(struct tso_world *w)
{
	const struct limpet_channel_header *h = (const void *)w->memory;
	int i;

	if (scenario->hostile)
		return NULL;

	for (i = 0; i < 2; i++) {
		const struct side *s = (const void *)w->actor[i].kept;
		const struct side *p = (const void *)w->actor[!i].kept;
		const struct limpet_side *l = i == COMPONENT ? &h->component : &h->host;

		if (!s->end.self || s->end.peer_generation != p->end.generation)
			return "both sleep, and are not connected";
		if (s->sent < scenario->sends[i] || s->end.head != p->end.tail ||
		    l->head != s->end.head || l->tail != s->end.tail)
			return "both sleep, and something is under way";
		if (!scenario->scribbles && p->received != scenario->sends[i])
			return "both sleep, and something was not received";
		if (p->events_received != scenario->events[i])
			return "both sleep, and an event was not received";
	}
	return NULL;
}

static void name(uint32_t at, char *text, int size)
{
	static const char *const word[] = { "head",	"head+4",     "tail", "tail+4",	 "events",
					    "events+4", "generation", "seen", "sleeping" };
	uint32_t first = offsetof(struct limpet_channel_header, component);

	if (at >= PENDING)
		snprintf(text, (size_t)size, "event for %d", (at - PENDING) / 8);
	else if (at >= HEADER)
		snprintf(text, (size_t)size, "ring of %d at %d", (at - HEADER) / RING,
			 (at - HEADER) % RING);
	else
		snprintf(text, (size_t)size, "%s of %d", word[(at - first) % 64 / 4 % 9],
			 (at - first) / 64);
}

/* Only a side itself writes its line; unless somebody may still write over everything. */
static bool own(const struct tso_world *w, int who, uint32_t at)
{
	uint32_t first = offsetof(struct limpet_channel_header, component) +
			 (uint32_t)who * (uint32_t)sizeof(struct limpet_side);

	return !w->budget[SCRIBBLE_BUDGET] && at >= first &&
	       at < first + sizeof(struct limpet_side);
}

static struct tso_model model = {
	.turn = turn,
	.happen = happen,
	.happenings = SCRIBBLES + PLACES,
	.ended = ended,
	.name = name,
	.own = own,
};

static bool run(const struct scenario *s)
{
	static struct tso_world first;
	struct tso_result result;
	bool right;

	scenario = s;
	model.buffer = s->buffer ? s->buffer : TSO_BUFFER;
	memset(&first, 0, sizeof(first));
	first.budget[0] = s->dies[0];
	first.budget[1] = s->dies[1];
	first.budget[2] = s->scribbles != 0;
	first.budget[3] = s->scribbles;
	right = tso_explore(&model, &first, &result);
	printf("%-14s %9lu states, %3u steps at most, %lu ends\n", s->name, result.states,
	       result.longest, result.ends);
	return right;
}

int main(int argc, char **argv)
{
	size_t i, ran = 0;

	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (argc < 2 ? !scenarios[i].long_ : !strcmp(argv[1], scenarios[i].name)) {
			if (!run(&scenarios[i]))
				return 1;
			ran++;
		}
	return ran ? 0 : 2;
}
