// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>

#include "serve.h"

static struct limpet_channel channel;

static long open_channel(const struct limpet_info *info)
{
	const char *name = limpet_arg_text(info, "channel", NULL);

	return name ? channel_open(&channel, name) : channel_open_index(&channel, 0);
}

void component_main(const struct limpet_info *info)
{
	if (open_channel(info)) {
		limpet_print("there is no such channel: give it this component as owner, in the "
			     "system file\n");
		return;
	}
	serve_begin();
	for (;;) {
		while (serve_one(&channel))
			;
		channel_wait(channel.bit);
	}
}
