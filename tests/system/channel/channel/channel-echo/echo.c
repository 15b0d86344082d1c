// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include "../stamps.h"

void component_main(const struct limpet_info *info)
{
	static struct limpet_channel channel;
	volatile struct stamps *stamps;
	struct limpet_out out;
	uint64_t size;

	(void)info;
	channel_open(&channel, "echo");
	stamps = channel_memory(&channel, &size);
	for (;;) {
		limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
		stamps->arrived = limpet_time();
		stamps->round++;
		stamps->replied = limpet_time();
		channel_connected(&channel);
		channel_event(&channel);
	}
}
