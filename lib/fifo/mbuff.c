// SPDX-License-Identifier: BSD-2-Clause
#include <channel/end.h>
#include <fifo/fifo.h>
#include <runtime/component.h>

/* Names of system files have no upper case and no '_'. */
static char letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c + ('a' - 'A'));
	return c == '_' ? '-' : c;
}

static bool is_name(const char *own, const char *name)
{
	while (*own && *own == letter(*name))
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
