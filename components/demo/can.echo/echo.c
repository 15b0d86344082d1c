// SPDX-License-Identifier: BSD-2-Clause
#include <import/can.h>
#include <limpet/can.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#define RANGE 16

/*
 * Sends the frame back, with an identifier that is not in the range. The bus may be absent: can
 * counts and logs the loss.
 */
static void answer(word head, word data)
{
	can_send((head & 0xffffffff) + RANGE, head >> 32, data);
}

void component_main(const struct limpet_info *info)
{
	const uint64_t period = limpet_us_to_ticks(
		1000 * (uint64_t)limpet_arg_within(info, "period-ms", 100, 1, 60000));
	const word base = (word)limpet_arg_within(info, "base", 0x100, 0, 0x7e0) &
			  ~(word)(RANGE - 1);
	uint64_t next = limpet_time() + period;
	word head, data, time, count = 0;
	long status;

	can_ignore(); /* filters of this component before it restarted */
	status = can_listen(base, ~(word)(RANGE - 1) & 0xffffffff);
	while (status >= 0 || status == LIMPET_ETIME || status == LIMPET_EAGAIN) {
		status = can_receive(next, &head, &data, &time);
		if (status >= 0)
			answer(head, data);
		if (limpet_time() < next)
			continue;
		can_send(base + 2 * RANGE, sizeof(count), count++);
		next += period;
	}
	limpet_print("<3>component can fails: %s\n", limpet_error_text(status));
}
