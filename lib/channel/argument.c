// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/print.h>

long channel_open_argument(struct limpet_channel *channel)
{
	const char *name = limpet_arg_text(limpet_info(), "channel", NULL);
	long status = name ? channel_open(channel, name) : channel_open_index(channel, 0);

	if (status && name)
		limpet_print("the component has no channel '%s'. Name it as owner in a [[channel]] "
			     "of the system file.\n",
			     name);
	else if (status)
		limpet_print("the component has no channel. Name it as owner in a [[channel]] of "
			     "the system file.\n");
	return status;
}
