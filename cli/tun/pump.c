// SPDX-License-Identifier: GPL-2.0
/*
 * A thread for each direction, so that each waits in one system call for one thing. A frame is read from the
 * TAP device into the ring, and written to it from the ring. Both threads look whether the other side has begun
 * anew meanwhile: then what they did belongs to nobody.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/report.h>
#include <cli/tun/tun.h>

struct pump {
	struct link *link;
	int tap;
	uint64_t longest; /* message to the component */
};

/* Which two lives of both sides something was begun in. */
struct lives {
	uint32_t own, other;
};

static struct lives lives_of(const struct link *link)
{
	return (struct lives){ link->end.generation, link->end.peer_generation };
}

/* Called with the lock. */
static bool is_same(struct link *link, struct lives lives)
{
	return link_connected(link) && link->end.generation == lives.own &&
	       link->end.peer_generation == lives.other;
}

/* --- to the component */

/* Room for the longest frame. */
static struct limpet_frame *room_get(const struct pump *p, struct lives *lives)
{
	struct link *link = p->link;
	struct limpet_frame *room = NULL;

	pthread_mutex_lock(&link->lock);
	if (link_connected(link))
		room = limpet_end_reserve(&link->end, p->longest);
	*lives = lives_of(link);
	pthread_mutex_unlock(&link->lock);
	return room;
}

static int frame_read(const struct pump *p, struct limpet_frame *room, struct lives lives)
{
	struct link *link = p->link;
	ssize_t length;
	bool same;

	*room = (struct limpet_frame){ 0 };
	length = read(p->tap, room + 1, p->longest - sizeof(*room));
	if (length < 0)
		return -errno;
	pthread_mutex_lock(&link->lock);
	same = is_same(link, lives);
	if (same)
		limpet_end_commit(&link->end, sizeof(*room) + (uint64_t)length);
	pthread_mutex_unlock(&link->lock);
	if (same)
		link_tell(link, LIMPET_SLEEP_DATA);
	return 0;
}

/* Ends as pump() does; what is wrong with the TAP device ends all. */
static void *to_component(void *argument)
{
	const struct pump *p = argument;
	int error = 0;

	while (!error || error == -EINTR) {
		struct lives lives;
		struct limpet_frame *room = room_get(p, &lives);

		error = room ? frame_read(p, room, lives) : link_wait(p->link, LIMPET_SLEEP_SPACE);
	}
	if (error != -EPIPE)
		exit(report("the TAP device: %s", strerror(-error)));
	return NULL;
}

/* --- from the component */

static const struct limpet_frame *frame_peek(struct link *link, uint64_t *length,
					     struct lives *lives)
{
	const struct limpet_frame *frame = NULL;

	pthread_mutex_lock(&link->lock);
	if (link_connected(link))
		frame = limpet_end_peek(&link->end, length);
	*lives = lives_of(link);
	pthread_mutex_unlock(&link->lock);
	return frame;
}

static void frame_release(struct link *link, struct lives lives)
{
	pthread_mutex_lock(&link->lock);
	if (is_same(link, lives))
		limpet_end_release(&link->end);
	pthread_mutex_unlock(&link->lock);
	link_tell(link, LIMPET_SLEEP_SPACE);
}

/* What is no frame, or comes while the interface is down, is lost, as on any network. */
static bool frame_write(const struct pump *p)
{
	uint64_t length;
	struct lives lives;
	const struct limpet_frame *frame = frame_peek(p->link, &length, &lives);

	if (!frame)
		return false;
	if (length > sizeof(*frame))
		(void)!write(p->tap, frame + 1, length - sizeof(*frame));
	frame_release(p->link, lives);
	return true;
}

static void carrier_look(const struct pump *p, bool *up)
{
	bool now;

	pthread_mutex_lock(&p->link->lock);
	now = link_connected(p->link);
	pthread_mutex_unlock(&p->link->lock);
	if (now != *up && !tap_carrier(p->tap, now))
		*up = now;
}

int pump(struct link *link, int tap)
{
	struct pump p = { .link = link, .tap = tap };
	bool up = false;
	pthread_t thread;
	int error;

	p.longest = LIMPET_FRAME_MAX(TUN_MTU);
	if (p.longest > LIMPET_MESSAGE_MAX(link->end.out_size))
		p.longest = LIMPET_MESSAGE_MAX(link->end.out_size);
	error = pthread_create(&thread, NULL, to_component, &p);
	if (error)
		return -error;
	do {
		carrier_look(&p, &up);
		while (frame_write(&p))
			;
		error = link_wait(link, LIMPET_SLEEP_DATA);
	} while (!error || error == -EINTR);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	tap_carrier(tap, false);
	return error == -EPIPE ? 0 : error;
}
