// SPDX-License-Identifier: GPL-2.0
/* The conditions of waits at a node, and the handling of the other side's starts, see node.h. */
#include <host/linux/channel/node.h>

/* A process that has mapped the channel keeps its place in the shared header. */
static u64 place(const struct node_session *session, const u64 *shared, u64 own)
{
	return READ_ONCE(session->mapped) ? LIMPET_CLAIM(*shared) : own;
}

/* Returns whether the component was not stopped since open. */
bool node_is_alive(const struct node_session *session)
{
	return host_channel_alive(session->channel, session->stops);
}

bool node_connect(const struct node_session *session)
{
	struct host_channel *c = session->channel;
	bool both = node_is_alive(session) && limpet_end_connected(&c->end);

	if (unlikely(c->end.must_notify) && limpet_end_wanted(&c->end, 0))
		c->ops->notify(c);
	return both;
}

/* The other side's generation is the one that this side has seen. */
static bool is_seen(const struct node_session *session)
{
	const struct limpet_end *e = &session->channel->end;
	const u32 seen = READ_ONCE(session->mapped) ? LIMPET_CLAIM(e->self->seen)
						    : READ_ONCE(e->peer_generation);

	return LIMPET_CLAIM(e->peer->generation) == seen;
}

bool node_peer_started(const struct node_session *session)
{
	return node_is_alive(session) && !is_seen(session);
}

bool node_is_connected(const struct node_session *session)
{
	const struct limpet_end *e = &session->channel->end;
	const u32 own = READ_ONCE(session->mapped) ? LIMPET_CLAIM(e->self->generation)
						   : READ_ONCE(e->generation);

	return node_is_alive(session) && is_seen(session) && LIMPET_CLAIM(e->peer->seen) == own;
}

static bool has_events(const struct node_session *session)
{
	const struct limpet_end *e = &session->channel->end;

	return node_is_connected(session) && LIMPET_CLAIM(e->peer->events) != READ_ONCE(e->events);
}

bool node_has_data(const struct node_session *session)
{
	const struct limpet_end *e = &session->channel->end;

	if (session->channel->mode == LIMPET_CHANNEL_SHARED)
		return has_events(session);
	return node_is_connected(session) &&
	       LIMPET_CLAIM(e->peer->head) != place(session, &e->self->tail, READ_ONCE(e->tail));
}

/* Returns true if the ring has space for a message of any length. */
static bool has_space(const struct node_session *session)
{
	const struct limpet_end *e = &session->channel->end;
	u64 head, used, rest, needed;

	if (!e->out_size || !node_is_connected(session))
		return false;
	head = place(session, &e->self->head, READ_ONCE(e->head));
	used = head - LIMPET_CLAIM(e->peer->tail);
	if (session->channel->mode == LIMPET_CHANNEL_BYTES)
		return used < e->out_size;
	rest = e->out_size - (head & (e->out_size - 1));
	needed = e->out_size / 2 + (rest < e->out_size / 2 ? rest : 0);
	return used <= e->out_size - needed;
}

static bool fifo_is_ready(const struct node_session *session, u32 what)
{
	const struct host_channel *c = session->channel;
	const struct limpet_end *e = &c->end;

	return (what & LIMPET_SLEEP_DATA && fifo_bytes_to_read(e)) || !fifo_exists(c) ||
	       (what & LIMPET_SLEEP_SPACE &&
		fifo_bytes_free(e) >= fifo_bytes_needed(e, READ_ONCE(session->needs)));
}

static __poll_t fifo_readiness(const struct node_session *session)
{
	const struct host_channel *c = session->channel;
	__poll_t is = fifo_exists(c) ? 0 : EPOLLHUP;

	if (c->to_linux && (fifo_bytes_to_read(&c->end) || is))
		is |= EPOLLIN | EPOLLRDNORM;
	if (c->to_component && (fifo_bytes_free(&c->end) || is))
		is |= EPOLLOUT | EPOLLWRNORM;
	return is;
}

bool node_is_ready(const struct node_session *session, u32 what)
{
	const struct host_channel *c = session->channel;

	if (c->mode == LIMPET_CHANNEL_FIFO)
		return fifo_is_ready(session, what);
	return (what & LIMPET_SLEEP_DATA && node_has_data(session)) ||
	       (what & LIMPET_SLEEP_SPACE && has_space(session)) || node_peer_started(session) ||
	       host_channel_stops(c) != session->stops;
}

__poll_t node_readiness(const struct node_session *session)
{
	const struct host_channel *c = session->channel;
	const bool started = session->mapped && node_peer_started(session);
	__poll_t is = 0;

	if (c->mode == LIMPET_CHANNEL_FIFO)
		return fifo_readiness(session);
	if (c->to_linux && (node_has_data(session) || started))
		is |= EPOLLIN | EPOLLRDNORM;
	if (c->to_component && (has_space(session) || started))
		is |= EPOLLOUT | EPOLLWRNORM;
	if (has_events(session))
		is |= EPOLLPRI;
	return is;
}

void fifo_notice(struct limpet_end *e)
{
	const u32 generation = LIMPET_CLAIM(e->peer->generation);

	if (likely(generation == e->peer_generation))
		return;
	limpet_end_zero(e);
	e->must_notify = false;
	WRITE_ONCE(e->peer_generation, generation);
	LIMPET_SAY(e->self->seen, generation);
}
