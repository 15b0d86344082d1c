// SPDX-License-Identifier: BSD-2-Clause
/* Initialises the component: frames of a parent, the view of all frames, the clients. It has no thread of its own. */
#include <runtime/component.h>

#include "frames.h"
#include "mem.h"

long component_init(const struct limpet_info *info)
{
	long status = parent_ask(client_quota(info, info->index));

	if (!status)
		status = frames_setup();
	return status ? status : clients_setup(info);
}
