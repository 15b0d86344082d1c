// SPDX-License-Identifier: BSD-2-Clause
#include <fifo/fifo.h>
#include <runtime/component.h>
#include <runtime/time.h>

#include <import/sched.h>

void component_main(const struct limpet_info *info)
{
	volatile uint64_t *buffer = mbuff_open("shared_area", 8192);

	(void)info;
	while (buffer) {
		buffer[2] = buffer[0];
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(2000));
	}
}
