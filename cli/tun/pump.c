// SPDX-License-Identifier: GPL-2.0
/*
 * A thread for each direction, so that each waits in one system call for one thing. A frame is read from the
 * TAP device into the ring, and written to it from the ring, without the lock; after that each thread looks
 * whether one of the sides has begun anew meanwhile: then what was there belongs to nobody.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cli/report.h>
#include <cli/tun/tun.h>

struct pump {
	struct limpet_channel *channel; /* with the lock */
	pthread_mutex_t lock;
	int tap;
	size_t longest; /* message to the component */
};

/* Which lives of both sides something was begun in. */
struct lives {
	uint32_t own, other;
};

static struct lives lives_of(const struct limpet_channel *c)
{
	return (struct lives){ c->end.generation, c->end.peer_generation };
}

/* Called with the lock. */
static bool is_same(struct limpet_channel *c, struct lives lives)
{
	return limpet_channel_connected(c) && c->end.generation == lives.own &&
	       c->end.peer_generation == lives.other;
}

/* What is wrong with the TAP device ends all. */
static noreturn void tap_failed(int error)
{
	exit(report("the TAP device: %s", strerror(-error)));
}

/* --- to the component */

static struct limpet_frame *room_get(struct pump *p, struct lives *lives)
{
	struct limpet_frame *room;

	pthread_mutex_lock(&p->lock);
	room = limpet_channel_reserve(p->channel, p->longest);
	*lives = lives_of(p->channel);
	pthread_mutex_unlock(&p->lock);
	return room;
}

static void frame_read(struct pump *p, struct limpet_frame *room, struct lives lives)
{
	ssize_t length;

	*room = (struct limpet_frame){ 0 };
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	length = read(p->tap, room + 1, p->longest - sizeof(*room));
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	if (length < 0 && errno == EINTR)
		return;
	if (length < 0)
		tap_failed(-errno);
	pthread_mutex_lock(&p->lock);
	if (is_same(p->channel, lives))
		limpet_channel_commit(p->channel, sizeof(*room) + (size_t)length);
	pthread_mutex_unlock(&p->lock);
}

/* Ends as pump() does, or cancelled in read(), and nowhere else: it has the lock now and then. */
static void *to_component(void *argument)
{
	struct pump *p = argument;
	int error = 0;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	while (!error || error == -EINTR) {
		struct lives lives;
		struct limpet_frame *room = room_get(p, &lives);

		if (room)
			frame_read(p, room, lives);
		else
			error = limpet_channel_wait(p->channel, LIMPET_SLEEP_SPACE, -1);
	}
	return NULL; /* the other thread has the same error */
}

/* --- from the component */

static const struct limpet_frame *frame_peek(struct pump *p, uint64_t *length, struct lives *lives)
{
	const struct limpet_frame *frame;

	pthread_mutex_lock(&p->lock);
	frame = limpet_channel_peek(p->channel, length);
	*lives = lives_of(p->channel);
	pthread_mutex_unlock(&p->lock);
	return frame;
}

/* What is no frame, or comes while the interface is down, is lost, as on any network. */
static bool frame_write(struct pump *p)
{
	uint64_t length;
	struct lives lives;
	const struct limpet_frame *frame = frame_peek(p, &length, &lives);

	if (!frame)
		return false;
	if (length > sizeof(*frame))
		(void)!write(p->tap, frame + 1, length - sizeof(*frame));
	pthread_mutex_lock(&p->lock);
	if (is_same(p->channel, lives))
		limpet_channel_release(p->channel);
	pthread_mutex_unlock(&p->lock);
	return true;
}

static bool carrier_look(struct pump *p, bool was)
{
	bool now;
	int error = 0;

	pthread_mutex_lock(&p->lock);
	now = limpet_channel_connected(p->channel);
	pthread_mutex_unlock(&p->lock);
	if (now != was)
		error = tap_carrier(p->tap, now);
	if (error)
		tap_failed(error);
	return now;
}

/* What a component that was stopped has left can look like something to read, for ever. */
static bool is_gone(const struct pump *p)
{
	struct limpet_node_info info;

	return ioctl(p->channel->fd, LIMPET_NODE_INFO, &info) || info.gone;
}

/* While the link is down it is room that says that it has come up: there may be no data for long. */
static int from_component(struct pump *p)
{
	bool up = false;
	int error;

	do {
		up = carrier_look(p, up);
		while (frame_write(p))
			;
		if (!up && is_gone(p))
			return -EPIPE;
		error = limpet_channel_wait(p->channel,
					    LIMPET_SLEEP_DATA | (up ? 0 : LIMPET_SLEEP_SPACE), -1);
	} while (!error || error == -EINTR);
	return error;
}

int pump(struct limpet_channel *channel, int tap)
{
	struct pump p = { .channel = channel, .tap = tap };
	pthread_t thread;
	int error;

	p.longest = LIMPET_FRAME_MAX(TUN_MTU);
	if (p.longest > limpet_channel_most(channel))
		p.longest = limpet_channel_most(channel);
	pthread_mutex_init(&p.lock, NULL);
	error = -pthread_create(&thread, NULL, to_component, &p);
	if (error)
		return error;
	error = from_component(&p);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&p.lock);
	(void)tap_carrier(tap, false);
	return error == -EPIPE ? 0 : error;
}
