// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include "can.h"

static struct limpet_channel channel;

void component_main(const struct limpet_info *info)
{
	(void)info;
	if (channel_open_argument(&channel))
		return;
	for (;;) {
		bus_turn(&channel);
		channel_wait(channel.bit);
	}
}
