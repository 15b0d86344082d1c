// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/time.h>

#include "ethercat.h"

#define TRIES 3
#define FRAMES_MAX 32 /* maximum number of frames read in a cycle. Others wait */

struct line line;

static uint8_t frame[FRAME_MAX];
static struct exchange exchange;

/* Waits for the next period. A thread that is late skips the periods that have passed. */
static void period_wait(void)
{
	uint64_t now = limpet_time();

	if (now < line.next)
		port_sleep(line.next);
	else if (now - line.next > line.period)
		line.next = now;
	line.next += line.period;
}

/* Returns whether the frame that was sent last has come back before the next period. */
static bool frame_wait(struct datagram *datagram)
{
	for (unsigned int i = 0; i < FRAMES_MAX; i++) {
		long length = port_receive(frame, line.next);

		if (length < 0)
			return false;
		switch (frame_read(frame, (uint32_t)length, line.index, &exchange, datagram)) {
		case FRAME_ANSWER:
			return true;
		case FRAME_LATE:
			line.late += line.counting;
			break;
		case FRAME_INVALID:
			line.invalid++;
			break;
		case FRAME_OTHER:
			break;
		}
	}
	return false;
}

/* Ends the exchange of process data of this cycle. */
static void exchange_end(bool back)
{
	bool right = back && exchange.counter == line.expected;

	if (!exchange.length)
		return;
	line.wrong = back && !right;
	line.lost += line.counting && !back;
	line.wrongs += line.counting && line.wrong;
	image_end(right ? &exchange : NULL);
}

long line_cycle(struct datagram *datagram)
{
	bool back = false;

	period_wait();
	line.index++;
	exchange.length = 0;
	if (line.exchanging)
		image_send(&exchange);
	if (port_send(frame, frame_make(frame, line.index, &exchange, datagram)) == LIMPET_OK)
		back = frame_wait(datagram);
	exchange_end(back);
	return back ? LIMPET_OK : LIMPET_ETIME;
}

long line_transact(struct datagram *datagram)
{
	for (unsigned int i = 0; i < TRIES; i++)
		if (line_cycle(datagram) == LIMPET_OK)
			return datagram->counter;
	return LIMPET_ETIME;
}
