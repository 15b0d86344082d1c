// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include "files.h"

static struct limpet_channel channel;

static void look_for_proxy(struct limpet_channel *own)
{
	uint32_t now = channel_peer(own);

	now = channel_opened(own) ? now : 0;
	if (now == files.peer)
		return;
	files.peer = now;
	requests_renew();
}

void files_turn(struct limpet_channel *own)
{
	look_for_proxy(own);
	for (uint32_t i = 0; i < 2 * REQUESTS_MAX && requests_answer(own); i++)
		;
	requests_send(own);
}

long component_init(const struct limpet_info *info)
{
	long status = serve_begin(info);

	return status ? status : offers_begin(info);
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	if (channel_open_argument(&channel))
		return;
	for (;;) {
		mutex_lock(&files.lock, LIMPET_NEVER);
		files_turn(&channel);
		mutex_unlock(&files.lock);
		channel_wait(channel.bit);
	}
}
