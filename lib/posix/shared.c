// SPDX-License-Identifier: BSD-2-Clause
/*
 * Shared memory with Linux and with other components. Each channel of mode shared that the component owns, and each
 * buffer that it shares with the owner, is a file in /dev/shm, for shm_open(). The data of the file are the memory of
 * the channel. The other sides can write them at any time, so the library copies them and never depends on them.
 * POSIX.1-2017, shm_open(), shm_unlink().
 */
#include <limpet/channel.h>
#include <runtime/memory.h>

#include "file.h"

static bool shared_add(struct node *folder, const struct limpet_info_channel *info)
{
	const struct path path = { .folder = folder,
				   .name = info->name,
				   .length = strlen(info->name) };
	struct node *node;

	if (node_make(&path, NODE_FILE, 0600, &node))
		return false;
	node->shared = true;
	node->data = (uint8_t *)info->address + LIMPET_CHANNEL_PAGE;
	node->size = node->capacity = info->to_linux;
	return true;
}

bool shared_setup(const struct limpet_info *info)
{
	const struct limpet_info_channel *channel = (const void *)info->channel_info;
	struct path path;

	if (path_find(nodes, "/dev/shm", &path))
		return false;
	for (uint32_t i = 0; i < info->channels; i++)
		if ((channel[i].mode == LIMPET_CHANNEL_SHARED ||
		     channel[i].mode == LIMPET_CHANNEL_ATTACHED) &&
		    !shared_add(path.node, &channel[i]))
			return false;
	return true;
}
