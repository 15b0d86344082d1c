// SPDX-License-Identifier: BSD-2-Clause
#include <channel/end.h>
#include <channel/name.h>
#include <fifo/fifo.h>
#include <runtime/component.h>

static bool is_name(const char *own, const char *name)
{
	while (*own && *own == channel_name_letter(*name))
		own++, name++;
	return !*own && !*name;
}

void *mbuff_open(const char *name, unsigned long size)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info = (const void *)own->channel_info;

	for (unsigned int i = 0; i < own->channels; i++)
		if ((info[i].mode == LIMPET_CHANNEL_SHARED ||
		     info[i].mode == LIMPET_CHANNEL_ATTACHED) &&
		    is_name(info[i].name, name))
			return size <= info[i].to_linux
				       ? (char *)info[i].address + LIMPET_CHANNEL_PAGE
				       : NULL;
	return NULL;
}
