// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <channel/stop.h>
#include <runtime/component.h>
#include <runtime/print.h>

void component_main(const struct limpet_info *info)
{
	(void)info;
	if (stop_begin())
		limpet_print("takes part in a stop\n");
	while (!stop_requested())
		channel_wait(0);
	limpet_print("its wait has ended\n");
	stop_end();
}
