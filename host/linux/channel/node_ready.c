// SPDX-License-Identifier: GPL-2.0
/* The conditions of waits at a node, and the handling of the other side's starts, see node.h. */
#include <host/linux/channel/node.h>

/* A process that has mapped the channel keeps its place in the shared header. */
static u64 place(const struct node_session *session, const u64 *shared, u64 own)
{
	return READ_ONCE(session->node->mapped) ? LIMPET_CLAIM(*shared) : own;
}

/* Returns whether the component was not stopped since open. */
bool node_is_alive(const struct node_session *session)
{
	return host_channel_alive(session->channel, session->stops);
}

bool node_connect(const struct node_session *session)
{
	struct host_channel *channel = session->channel;
	bool both = node_is_alive(session) && limpet_end_connected(&channel->end);

	if (unlikely(channel->end.must_notify) && limpet_end_wanted(&channel->end, 0))
		channel->ops->notify(channel);
	return both;
}

/* The other side's generation is the one that this side has seen. */
static bool is_seen(const struct node_session *session)
{
	const struct limpet_end *end = &session->channel->end;
	const u32 seen = READ_ONCE(session->node->mapped) ? LIMPET_CLAIM(end->self->seen)
							  : READ_ONCE(end->peer_generation);

	return LIMPET_CLAIM(end->peer->generation) == seen;
}

bool node_peer_started(const struct node_session *session)
{
	return node_is_alive(session) && !is_seen(session);
}

bool node_is_connected(const struct node_session *session)
{
	const struct limpet_end *end = &session->channel->end;
	const u32 own = READ_ONCE(session->node->mapped) ? LIMPET_CLAIM(end->self->generation)
							 : READ_ONCE(end->generation);

	return node_is_alive(session) && is_seen(session) && LIMPET_CLAIM(end->peer->seen) == own;
}

static bool has_events(const struct node_session *session)
{
	const struct limpet_end *end = &session->channel->end;

	return node_is_connected(session) &&
	       LIMPET_CLAIM(end->peer->events) != READ_ONCE(end->events);
}

bool node_has_data(const struct node_session *session)
{
	const struct limpet_end *end = &session->channel->end;

	if (session->channel->mode == LIMPET_CHANNEL_SHARED)
		return has_events(session);
	return node_is_connected(session) &&
	       LIMPET_CLAIM(end->peer->head) !=
		       place(session, &end->self->tail, READ_ONCE(end->tail));
}

/* Returns true if the ring has space for a message of any length. */
static bool has_space(const struct node_session *session)
{
	const struct limpet_end *end = &session->channel->end;
	u64 head, used, rest, needed;

	if (!end->out_size || !node_is_connected(session))
		return false;
	head = place(session, &end->self->head, READ_ONCE(end->head));
	used = head - LIMPET_CLAIM(end->peer->tail);
	if (session->channel->mode == LIMPET_CHANNEL_BYTES)
		return used < end->out_size;
	rest = end->out_size - (head & (end->out_size - 1));
	needed = end->out_size / 2 + (rest < end->out_size / 2 ? rest : 0);
	return used <= end->out_size - needed;
}

static bool fifo_is_ready(const struct node_session *session, u32 what)
{
	const struct host_channel *channel = session->channel;
	const struct limpet_end *end = &channel->end;

	return (what & LIMPET_SLEEP_DATA && fifo_bytes_to_read(end)) || !fifo_exists(channel) ||
	       (what & LIMPET_SLEEP_SPACE &&
		fifo_bytes_free(end) >= fifo_bytes_needed(end, READ_ONCE(session->needs)));
}

static __poll_t fifo_readiness(const struct node_session *session)
{
	const struct host_channel *channel = session->channel;
	__poll_t is = fifo_exists(channel) ? 0 : EPOLLHUP;

	if (channel->to_linux && (fifo_bytes_to_read(&channel->end) || is))
		is |= EPOLLIN | EPOLLRDNORM;
	if (channel->to_component && (fifo_bytes_free(&channel->end) || is))
		is |= EPOLLOUT | EPOLLWRNORM;
	return is;
}

bool node_is_ready(const struct node_session *session, u32 what)
{
	const struct host_channel *channel = session->channel;

	if (channel->mode == LIMPET_CHANNEL_FIFO)
		return fifo_is_ready(session, what);
	return (what & LIMPET_SLEEP_DATA && node_has_data(session)) ||
	       (what & LIMPET_SLEEP_SPACE && has_space(session)) || node_peer_started(session) ||
	       host_channel_stops(channel) != session->stops;
}

__poll_t node_readiness(const struct node_session *session)
{
	const struct host_channel *channel = session->channel;
	const bool started = session->node->mapped && node_peer_started(session);
	__poll_t is = 0;

	if (channel->mode == LIMPET_CHANNEL_FIFO)
		return fifo_readiness(session);
	if (channel->to_linux && (node_has_data(session) || started))
		is |= EPOLLIN | EPOLLRDNORM;
	if (channel->to_component && (has_space(session) || started))
		is |= EPOLLOUT | EPOLLWRNORM;
	if (has_events(session))
		is |= EPOLLPRI;
	return is;
}

void fifo_notice(struct limpet_end *end)
{
	const u32 generation = LIMPET_CLAIM(end->peer->generation);

	if (likely(generation == end->peer_generation))
		return;
	limpet_end_zero(end);
	end->must_notify = false;
	WRITE_ONCE(end->peer_generation, generation);
	LIMPET_SAY(end->self->seen, generation);
}
