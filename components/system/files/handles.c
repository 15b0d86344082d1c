// SPDX-License-Identifier: BSD-2-Clause
#include "files.h"

static struct handle handles[HANDLES_MAX];

long handle_available(word badge)
{
	uint32_t own = 0, free = 0;

	for (uint32_t i = 0; i < HANDLES_MAX; i++) {
		own += handles[i].badge == badge;
		free += !handles[i].badge;
	}
	return own < HANDLES_EACH && free ? LIMPET_OK : LIMPET_EFULL;
}

static word handle_name(const struct handle *handle)
{
	return (word)handle->turn << 8 | (word)(handle - handles);
}

word handle_make(word badge, uint32_t remote, uint32_t how)
{
	for (uint32_t i = 0; i < HANDLES_MAX; i++) {
		struct handle *handle = &handles[i];

		if (handle->badge)
			continue;
		*handle = (struct handle){ badge, remote, how, handle->turn + 1 };
		return handle_name(handle);
	}
	return 0;
}

struct handle *handle_find(word badge, word name)
{
	struct handle *handle;

	if ((name & 0xff) >= HANDLES_MAX)
		return NULL;
	handle = &handles[name & 0xff];
	return handle->badge != badge || handle_name(handle) != name ? NULL : handle;
}

struct handle *handle_first(word badge)
{
	for (uint32_t i = 0; i < HANDLES_MAX; i++)
		if (handles[i].badge == badge)
			return &handles[i];
	return NULL;
}

void handle_end(struct handle *handle)
{
	handle->badge = 0;
}

void handles_drop(void)
{
	for (uint32_t i = 0; i < HANDLES_MAX; i++)
		handle_end(&handles[i]);
}
