// SPDX-License-Identifier: BSD-2-Clause
/* Messages of Linux are not trusted: each is copied once, and the copy is checked. An invalid message is ignored. */
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include "can.h"

#define TURN 32 /* messages from Linux until the queue to the bus is checked */
#define AGE_MAX_US 4000000

/* Error classes of a frame, and bits of its byte 1, from <linux/can/error.h>. */
#define ERROR_CONTROLLER 0x004u
#define ERROR_BUS_OFF 0x040u
#define ERROR_RESTARTED 0x100u
#define CONTROLLER_WARNING 0x0c
#define CONTROLLER_PASSIVE 0x30
#define CONTROLLER_ACTIVE 0x40

static const char *const state_text[] = {
	[LIMPET_CAN_ABSENT] = "<4>no proxy: frames are dropped until limpet proxy uses the channel",
	[LIMPET_CAN_DOWN] = "<4>the interface is down or absent: frames are dropped until it is up",
	[LIMPET_CAN_ACTIVE] = "the interface is up",
	[LIMPET_CAN_WARNING] = "<4>the controller has counted many errors on the bus",
	[LIMPET_CAN_PASSIVE] = "<4>the controller is error-passive: check the bus",
	[LIMPET_CAN_BUS_OFF] =
		"<3>the controller is bus-off: check the bus and restart the interface",
};

static enum limpet_can_state state_logged;
static uint64_t losses_logged;

/* --- the queue to the bus */

long bus_queue(const struct limpet_can_frame *frame)
{
	long status = LIMPET_OK;

	if (can.state == LIMPET_CAN_ABSENT)
		status = LIMPET_ECRASH;
	else if (can.state == LIMPET_CAN_DOWN || can.state == LIMPET_CAN_BUS_OFF)
		status = LIMPET_ESTATE;
	else if (can.count == QUEUE)
		status = LIMPET_EFULL;
	if (status)
		can.unsent++;
	else
		can.queue[(can.first + can.count++) % QUEUE] = *frame;
	return status;
}

static void queue_drop(void)
{
	can.unsent += can.count;
	can.count = 0;
}

/* Copies the oldest frame into the channel. Returns false without a frame or without space. */
static bool queue_send(struct limpet_channel *channel)
{
	struct limpet_can_frame *frame = can.count ? channel_reserve(channel, sizeof(*frame))
						   : NULL;

	if (!frame)
		return false;
	memcpy(frame, &can.queue[can.first], sizeof(*frame));
	channel_commit(channel, sizeof(*frame));
	can.first = (can.first + 1) % QUEUE;
	can.count--;
	can.sent++;
	return true;
}

/* --- from Linux */

static void state_set(enum limpet_can_state state)
{
	can.state = state;
	if (state == LIMPET_CAN_ABSENT || state == LIMPET_CAN_DOWN || state == LIMPET_CAN_BUS_OFF)
		queue_drop();
}

static void proxy_forget(void)
{
	can.status = (struct limpet_can_status){ 0 };
	state_set(LIMPET_CAN_ABSENT);
}

/* A status only changes whether the interface is up. Error frames have the controller's state. */
static void status_use(const struct limpet_can_status *status)
{
	if (status->flags & LIMPET_CAN_FIRST)
		proxy_forget();
	can.failed += status->unsent - can.status.unsent;
	can.missed += status->missed - can.status.missed;
	can.status = *status;
	if (!(status->flags & LIMPET_CAN_UP))
		state_set(LIMPET_CAN_DOWN);
	else if (can.state <= LIMPET_CAN_DOWN)
		state_set(LIMPET_CAN_ACTIVE);
}

static void error_use(const struct limpet_can_frame *frame)
{
	uint8_t controller = frame->id & ERROR_CONTROLLER ? frame->data[1] : 0;

	can.errors++;
	if (can.state <= LIMPET_CAN_DOWN)
		return;
	if (frame->id & ERROR_BUS_OFF)
		state_set(LIMPET_CAN_BUS_OFF);
	else if (controller & CONTROLLER_PASSIVE)
		state_set(LIMPET_CAN_PASSIVE);
	else if (controller & CONTROLLER_WARNING)
		state_set(LIMPET_CAN_WARNING);
	else if (frame->id & ERROR_RESTARTED || controller & CONTROLLER_ACTIVE)
		state_set(LIMPET_CAN_ACTIVE);
}

/* Only a controller that is on the bus receives frames. In the state bus-off, an error frame was lost. */
static void data_count(void)
{
	can.received++;
	if (can.state == LIMPET_CAN_BUS_OFF)
		state_set(LIMPET_CAN_ACTIVE);
}

/* Returns the time stamp of the arrival, or the present time if Linux's value is not in the last 4 s. */
static uint64_t time_of(const struct limpet_can_frame *frame)
{
	uint64_t now = limpet_time(), max_age = limpet_us_to_ticks(AGE_MAX_US);
	uint64_t age = now - frame->time + limpet_us_to_ticks(frame->age) / 1000;

	return frame->time <= now && age <= max_age && age <= now ? now - age : now;
}

static bool frame_valid(const struct limpet_can_frame *frame)
{
	bool wide = frame->id & (LIMPET_CAN_EXTENDED | LIMPET_CAN_ERROR);

	return frame->length <= LIMPET_CAN_DATA &&
	       (frame->id & LIMPET_CAN_ID_EXTENDED) <=
		       (wide ? LIMPET_CAN_ID_EXTENDED : LIMPET_CAN_ID);
}

static void frame_use(struct limpet_can_frame *frame)
{
	if (!frame_valid(frame))
		return;
	frame->time = time_of(frame);
	memset(frame->data + frame->length, 0, LIMPET_CAN_DATA - frame->length);
	if (frame->id & LIMPET_CAN_ERROR)
		error_use(frame);
	else
		data_count();
	listeners_put(frame);
}

/* Handles the oldest message. Returns false without a message. */
static bool message_take(struct limpet_channel *channel)
{
	struct limpet_can_frame frame;
	struct limpet_can_status status;
	uint64_t length;
	const void *at = channel_peek(channel, &length);

	if (!at)
		return false;
	memcpy(&status, at, length < sizeof(status) ? length : sizeof(status));
	memcpy(&frame, at, length < sizeof(frame) ? length : sizeof(frame));
	channel_release(channel);
	mutex_lock(&can.lock, LIMPET_NEVER);
	if (length == sizeof(status) && status.what == LIMPET_CAN_STATUS)
		status_use(&status);
	else if (length == sizeof(frame) && frame.what == LIMPET_CAN_FRAME)
		frame_use(&frame);
	mutex_unlock(&can.lock);
	return true;
}

/* --- the own thread */

/* Handles a proxy that has started, ended or restarted. Its first message is a status. */
static void proxy_look(struct limpet_channel *channel)
{
	uint32_t now = channel_peer(channel);

	now = channel_opened(channel) ? now : 0;
	if (now == can.peer)
		return;
	mutex_lock(&can.lock, LIMPET_NEVER);
	can.peer = now;
	proxy_forget();
	mutex_unlock(&can.lock);
}

/* Writes a line after each change of the state, and each time that the number of lost frames has doubled. */
static void changes_log(void)
{
	uint64_t unsent, failed, missed;
	enum limpet_can_state state;

	mutex_lock(&can.lock, LIMPET_NEVER);
	unsent = can.unsent;
	failed = can.failed;
	missed = can.missed;
	state = can.state;
	mutex_unlock(&can.lock);
	if (state != state_logged)
		limpet_print("%s\n", state_text[state]);
	state_logged = state;
	if (unsent + failed + missed < 2 * losses_logged ||
	    unsent + failed + missed == losses_logged)
		return;
	losses_logged = unsent + failed + missed;
	limpet_print("<4>frames lost: %lu not sent, %lu not sent by Linux, %lu not received\n",
		     unsent, failed, missed);
}

void bus_turn(struct limpet_channel *channel)
{
	bool sent;

	proxy_look(channel);
	for (unsigned int i = 0; i < TURN && message_take(channel); i++)
		;
	do {
		mutex_lock(&can.lock, LIMPET_NEVER);
		sent = queue_send(channel);
		mutex_unlock(&can.lock);
	} while (sent);
	listeners_resume();
	changes_log();
}
