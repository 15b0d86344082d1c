// SPDX-License-Identifier: BSD-2-Clause
#include <import/can.h>
#include <limpet/can.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#define WIDE (LIMPET_CAN_EXTENDED | 0x12345600u) /* the lowest 8 bits are free */
#define ANSWER 0x100u				 /* added to the identifier of the answer */
#define BURST (WIDE | 0xff)			 /* requests more frames than the queue can hold */
#define BURST_FRAMES 200
#define REMOTE (LIMPET_CAN_REMOTE | 0x300u)
#define PERIOD_US 20000

/* component can has a lower priority, so the queue is not emptied meanwhile. */
static void burst_send(void)
{
	unsigned int sent = 0, full = 0;

	for (word i = 0; i < BURST_FRAMES; i++) {
		word digits = (i / 100) | i / 10 % 10 << 8 | i % 10 << 16;
		long status = can_send(WIDE + ANSWER, 3, digits | 0x303030);

		sent += status == LIMPET_OK;
		full += status == LIMPET_EFULL;
	}
	limpet_print("burst: %u sent, %u refused\n", sent, full);
}

static void frame_use(uint32_t id, word length, word data)
{
	if (id & LIMPET_CAN_ERROR)
		limpet_print("error frame %x\n", id & ~LIMPET_CAN_ERROR);
	else if (id == BURST)
		burst_send();
	else if (id == REMOTE)
		can_send(id & ~LIMPET_CAN_REMOTE, length, 0x6465726577736e61 /* "answered" */);
	else
		can_send(id + ANSWER, length, data);
}

/* Prints the state when it has changed. Sends a frame then, which must be refused unless the interface is up. */
static void state_print(void)
{
	static long before = -1;
	word sent, received, errors;
	long state = can_state(&sent, &received, &errors);

	if (state == before)
		return;
	before = state;
	limpet_print("state %ld, send %ld\n", state, can_send(0x301, 0, 0));
}

static void refusals_print(void)
{
	word head, data, time;

	if (can_receive(0, &head, &data, &time) != LIMPET_ENOENT || can_ignore() != LIMPET_ENOENT)
		limpet_print("wrong: frames without a filter\n");
	if (can_send(0x800, 0, 0) != LIMPET_ERANGE || can_send(0x100, 9, 0) != LIMPET_ERANGE ||
	    can_send(LIMPET_CAN_ERROR, 8, 0) != LIMPET_ERANGE ||
	    can_send(1ul << 32, 0, 0) != LIMPET_ERANGE || can_listen(1ul << 32, 0) != LIMPET_ERANGE)
		limpet_print("wrong: arguments out of range\n");
}

void component_main(const struct limpet_info *info)
{
	word head, data, time;
	long status;

	(void)info;
	refusals_print();
	can_listen(WIDE, ~0xffu);
	can_listen(REMOTE, ~0u);
	can_listen(LIMPET_CAN_ERROR, 0);
	for (;;) {
		state_print();
		status = can_receive(limpet_time() + limpet_us_to_ticks(PERIOD_US), &head, &data,
				     &time);
		if (status == LIMPET_OK && time > limpet_time())
			limpet_print("wrong: a frame of the future\n");
		if (status == LIMPET_OK)
			frame_use((uint32_t)head, head >> 32, data);
		else if (status != LIMPET_ETIME && status != LIMPET_EAGAIN)
			break;
	}
	limpet_print("wrong: receive returns %ld\n", status);
}
