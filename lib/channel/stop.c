// SPDX-License-Identifier: BSD-2-Clause
#include <channel/end.h>
#include <channel/stop.h>
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

static struct limpet_stop *words; /* NULL: the component does not take part */
static word slot;		  /* of the channel */

static bool is_stop(const struct limpet_info_channel *info)
{
	return info->mode == LIMPET_CHANNEL_SHARED &&
	       memcmp(info->name, LIMPET_STOP_PREFIX, sizeof(LIMPET_STOP_PREFIX) - 1) == 0;
}

bool stop_begin(void)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info = (const void *)own->channel_info;

	for (unsigned int i = 0; i < own->channels && !words; i++)
		if (is_stop(&info[i])) {
			words = (struct limpet_stop *)(info[i].address + LIMPET_CHANNEL_PAGE);
			slot = own->channel_slot + i;
		}
	if (!words)
		return false;
	LIMPET_SAY(words->asked, 0u);
	LIMPET_SAY(words->ready, 1u);
	return true;
}

bool stop_requested(void)
{
	return words && LIMPET_CLAIM(words->asked);
}

void stop_end(void)
{
	if (!words)
		return;
	LIMPET_SAY(words->ready, 0u);
	limpet_call_channel_notify(slot);
}
