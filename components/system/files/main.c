// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include "files.h"

struct mutex files_lock;
static struct limpet_channel channel;
static uint32_t peer; /* generation of Linux's side of the channel; 0: no proxy has it open */

bool files_proxied(void)
{
	return peer;
}

void files_renew(void)
{
	handles_drop();
	requests_drop();
}

static void look_for_proxy(struct limpet_channel *c)
{
	uint32_t now = channel_peer(c);

	now = channel_opened(c) ? now : 0;
	if (now == peer)
		return;
	peer = now;
	files_renew();
}

void files_turn(struct limpet_channel *c)
{
	look_for_proxy(c);
	for (uint32_t i = 0; i < 2 * REQUESTS_MOST && requests_answer(c); i++)
		;
	requests_send(c);
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
		mutex_lock(&files_lock, LIMPET_NEVER);
		files_turn(&channel);
		mutex_unlock(&files_lock);
		channel_wait(channel.bit);
	}
}
