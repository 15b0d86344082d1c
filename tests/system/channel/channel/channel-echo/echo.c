// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include "../stamps.h"

void component_main(const struct limpet_info *info)
{
	volatile struct stamps *stamps = (struct stamps *)(info->channel + STAMPS_AT);
	struct limpet_out out;

	for (;;) {
		limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
		stamps->arrived = limpet_time();
		stamps->round++;
		stamps->replied = limpet_time();
		limpet_call_channel_notify(LIMPET_SLOT_CHANNEL);
	}
}
