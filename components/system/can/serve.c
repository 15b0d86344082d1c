// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/time.h>

#include <export/can.h>
#include <import/sched.h>

#include "can.h"

/* Locks the mutex. ESTATE: the scheduler does not schedule the calling thread, which would have to wait. */
static long enter(void)
{
	return mutex_lock(&can.lock, LIMPET_NEVER);
}

static long leave(long status)
{
	mutex_unlock(&can.lock);
	return status;
}

/* Returns whether a component may send a frame with this identifier. */
static bool id_valid(word id)
{
	word max = id & LIMPET_CAN_EXTENDED ? LIMPET_CAN_ID_EXTENDED : LIMPET_CAN_ID;

	return (id & ~(word)(LIMPET_CAN_EXTENDED | LIMPET_CAN_REMOTE)) <= max;
}

/* Clears the bytes that the frame does not have. A remote request does not have any bytes. */
static void data_set(struct limpet_can_frame *frame, word data)
{
	word bytes = frame->id & LIMPET_CAN_REMOTE ? 0 : frame->length;

	memcpy(frame->data, &data, bytes);
}

long can_serve_send(word badge, word id, word length, word data)
{
	struct limpet_can_frame frame = { .what = LIMPET_CAN_FRAME };
	long status;

	(void)badge;
	if (!id_valid(id) || length > LIMPET_CAN_DATA)
		return LIMPET_ERANGE;
	frame.id = (uint32_t)id;
	frame.length = (uint32_t)length;
	data_set(&frame, data);
	status = enter();
	if (status)
		return status;
	status = leave(bus_queue(&frame));
	limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, CAN_KICK);
	return status;
}

long can_serve_listen(word badge, word id, word mask)
{
	const struct filter filter = { (uint32_t)id, (uint32_t)mask };
	long status = id > UINT32_MAX || mask > UINT32_MAX ? LIMPET_ERANGE : enter();

	return status ? status : leave(listener_add(badge, filter));
}

/* Keeps the record while threads of the caller wait in receive. They are resumed and find no filter. */
long can_serve_ignore(word badge)
{
	struct listener *listener;
	long status = enter();

	if (status)
		return status;
	listener = listener_find(badge);
	if (!listener)
		return leave(LIMPET_ENOENT);
	listener_clear(listener);
	leave(LIMPET_OK);
	sched_resume_all((word)listener);
	return LIMPET_OK;
}

/* Waits until a frame has arrived or a filter was removed. The mutex is unlocked meanwhile. */
static long listener_wait(struct listener *listener, uint64_t deadline)
{
	const uint64_t since = limpet_time();
	long status, locked;

	if (since >= deadline)
		return LIMPET_ETIME;
	listener->waiters++;
	leave(LIMPET_OK);
	status = sched_suspend_on((word)listener, since, 0, deadline);
	locked = enter();
	listener->waiters--;
	listener_free(listener);
	return locked ? locked : status < 0 ? status : LIMPET_EAGAIN;
}

static long frame_receive(word badge, word deadline, struct limpet_can_frame *frame)
{
	struct listener *listener = listener_find(badge);
	long status;

	if (!listener || !listener->filters)
		return LIMPET_ENOENT;
	if (listener_take(listener, frame))
		return LIMPET_OK;
	status = listener_wait(listener, deadline);
	return listener_take(listener, frame) ? LIMPET_OK : status;
}

long can_serve_receive(word badge, word deadline, struct can_receive_results *out)
{
	struct limpet_can_frame frame;
	long status = enter();

	if (!status)
		status = leave(frame_receive(badge, deadline, &frame));
	if (status)
		return status;
	out->head = frame.id | (word)frame.length << 32;
	memcpy(&out->data, frame.data, sizeof(out->data));
	out->time = frame.time;
	return LIMPET_OK;
}

long can_serve_state(word badge, struct can_state_results *out)
{
	long status = enter();

	(void)badge;
	if (status)
		return status;
	out->sent = can.sent;
	out->received = can.received;
	out->errors = can.errors;
	return leave(can.state);
}

long can_serve_losses(word badge, struct can_losses_results *out)
{
	const struct listener *listener;
	long status = enter();

	if (status)
		return status;
	listener = listener_find(badge);
	out->unsent = can.unsent;
	out->failed = can.failed;
	out->missed = can.missed;
	return leave(listener ? (long)listener->lost : 0);
}
