// SPDX-License-Identifier: BSD-2-Clause
/*
 * The HTTP server's components as one program: server [NAME=VALUE]... An invocation is a function call here. A part
 * crashes at a request for /crash-files, /crash-live or /crash-parse, or at http_late() for /late-parse.
 */
#include <string.h>

#include <export/content.h>
#include <export/http.h>
#include <export/http_figures.h>
#include <http/exchange.h>
#include <import/count.h>
#include <import/files.h>
#include <import/http.h>
#include <import/live.h>

#include "machine.h"

#define SPARE 31
#define BADGE 2 /* 1 + index of the thread */

long accept_component_init(const struct limpet_info *info);
void accept_component_main(const struct limpet_info *info);
long files_component_init(const struct limpet_info *info);
long live_component_init(const struct limpet_info *info);
long files_content_serve_open(word badge, word reader, word slots,
			      struct content_open_results *out);
long files_content_serve_find(word badge, word slot, word length, struct content_find_results *out);
long live_content_serve_open(word badge, word reader, word slots, struct content_open_results *out);
long live_content_serve_find(word badge, word slot, word length, struct content_find_results *out);

static const struct http_slot *http_slots;

/* Returns whether the slot's first request is for this path. */
static bool asked(word slot, const char *path)
{
	return !strncmp(http_slots[slot].request, path, strlen(path));
}

long http_open(word slots, word *address, word *areas)
{
	struct http_open_results out = { 0 };
	long status = http_serve_open(BADGE, slots, &out);

	http_slots = (const struct http_slot *)out.address;
	*address = out.address;
	*areas = out.areas;
	return status;
}

long http_area(word index, word *address)
{
	struct http_area_results out = { 0 };
	long status = http_serve_area(BADGE, index, &out);

	*address = out.address;
	return status;
}

long http_answer(word slot, word length, word last)
{
	return asked(slot, "GET /crash-parse") ? LIMPET_ECRASH
					       : http_serve_answer(BADGE, slot, length, last);
}

long http_late(word slot)
{
	return asked(slot, "GET /late-parse") ? LIMPET_ECRASH : http_serve_late(BADGE, slot);
}

#define CONTENT(name)                                                                              \
	static const char(*name##_paths)[HTTP_PATH_SIZE];                                          \
                                                                                                   \
	long name##_open(word reader, word slots, word *paths, word *bodies)                       \
	{                                                                                          \
		struct content_open_results out = { 0 };                                           \
		long status = name##_content_serve_open(BADGE, reader, slots, &out);               \
                                                                                                   \
		name##_paths = (const void *)out.paths;                                            \
		*paths = out.paths;                                                                \
		*bodies = out.bodies;                                                              \
		return status;                                                                     \
	}                                                                                          \
                                                                                                   \
	long name##_find(word slot, word length, word *body, word *size, word *live)               \
	{                                                                                          \
		struct content_find_results out = { 0 };                                           \
		long status = LIMPET_ECRASH;                                                       \
                                                                                                   \
		if (length != strlen("crash-" #name) ||                                            \
		    memcmp(name##_paths[slot], "crash-" #name, length))                            \
			status = name##_content_serve_find(BADGE, slot, length, &out);             \
                                                                                                   \
		*body = out.body;                                                                  \
		*size = out.size;                                                                  \
		*live = out.live;                                                                  \
		return status;                                                                     \
	}

CONTENT(files)
CONTENT(live)

long count_connected(void)
{
	return http_figures_serve_connected(BADGE);
}

long count_left(void)
{
	return http_figures_serve_left(BADGE);
}

long count_served(word code, word bytes, word ticks)
{
	return http_figures_serve_served(BADGE, code, bytes, ticks);
}

int main(int argc, char **argv)
{
	const struct limpet_info *info = machine_begin(argc - 1, argv + 1, SPARE);

	if (files_component_init(info) || live_component_init(info) || accept_component_init(info))
		return 1;
	accept_component_main(info);
	return 0;
}
