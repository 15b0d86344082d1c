// SPDX-License-Identifier: BSD-2-Clause
/* What is shown, by path: "" is the page, picture.svg, figures.json. Each slot has room of its own. */
#include <runtime/component.h>
#include <runtime/memory.h>

#include <export/content.h>
#include <export/http_figures.h>
#include <http/exchange.h>
#include <import/mem.h>

#include "figures.h"
#include "picture.h"

#define ROOM (PICTURE_ROOM + 2 * 4096) /* of a page, with its picture */

static char (*paths)[HTTP_PATH_ROOM];
static char (*bodies)[ROOM];
static word slots, client;

static void page(struct text *to, const struct figures *figures)
{
	text_add(to, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width\">\n"
		     "<meta http-equiv=\"refresh\" content=\"1\">\n<title>Limpet</title>\n"
		     "<style>body{margin:0;background:#060b15;color:#8ea3bf;"
		     "font:14px/1.5 system-ui,sans-serif}main{max-width:1100px;margin:3vmin auto;"
		     "padding:0 2vmin}a{color:#60a5fa}</style>\n<main>\n");
	picture_draw(to, figures);
	text_add(to, "<p><a href=\"/picture.svg\">The picture alone</a>, "
		     "<a href=\"/figures.json\">its figures</a></p>\n</main>\n</html>\n");
}

static void picture(struct text *to, const struct figures *figures)
{
	picture_draw(to, figures);
}

static void json(struct text *to, const struct figures *f)
{
	text_add(
		to,
		"{\"seconds\": %lu, \"connections\": %lu, \"open\": %lu, \"open_most\": %lu, "
		"\"answers\": %lu, \"bytes\": %lu, \"good\": %lu, \"refused\": %lu, \"failed\": %lu, "
		"\"median_ns\": %lu, \"p99_ns\": %lu, \"greatest_ns\": %lu, \"per_second\": [",
		f->seconds, f->connections, f->open, f->open_most, f->answers, f->bytes,
		f->of_class[FIGURES_GOOD], f->of_class[FIGURES_CLIENT_WRONG],
		f->of_class[FIGURES_SERVER_WRONG], f->median, f->p99, f->greatest);
	for (unsigned int i = 0; i < FIGURES_SECONDS; i++)
		text_add(to, "%s%u", i ? ", " : "", f->per_second[i]);
	text_add(to, "]}\n");
}

static const struct {
	const char *path;
	void (*write)(struct text *to, const struct figures *figures);
} pages[] = { { "", page }, { "picture.svg", picture }, { "figures.json", json } };

static long share(word size, word component, word rights, word *address)
{
	long status = mem_allocate((size + LIMPET_PAGE - 1) / LIMPET_PAGE, address);

	return status ? status : mem_grant(*address, component, rights);
}

long content_serve_open(word badge, word reader, word wanted, struct content_open_results *out)
{
	long status;

	if (!wanted || wanted > HTTP_SLOTS_MOST)
		return LIMPET_ERANGE;
	if (client)
		return LIMPET_ESTATE;
	client = badge;
	status = share(wanted * HTTP_PATH_ROOM, badge - 1, LIMPET_READ | LIMPET_WRITE, &out->paths);
	if (!status)
		status = share(wanted * ROOM, reader, LIMPET_READ, &out->bodies);
	if (status)
		return status;
	paths = (void *)out->paths;
	bodies = (void *)out->bodies;
	slots = wanted;
	return LIMPET_OK;
}

long content_serve_find(word badge, word slot, word length, struct content_find_results *out)
{
	if (!slots || badge != client)
		return LIMPET_ESTATE;
	if (slot >= slots || length >= HTTP_PATH_ROOM)
		return LIMPET_ERANGE;
	for (unsigned int i = 0; i < array_size(pages); i++) {
		struct figures now;
		struct text text;

		if (strlen(pages[i].path) != length || memcmp(paths[slot], pages[i].path, length))
			continue;
		text = text_in(bodies[slot], ROOM);
		figures_copy(&now);
		pages[i].write(&text, &now);
		out->body = (word)bodies[slot];
		out->size = text.length;
		out->live = 1;
		return LIMPET_OK;
	}
	return LIMPET_ENOENT;
}

long http_figures_serve_connected(word badge)
{
	(void)badge;
	figures_connected();
	return LIMPET_OK;
}

long http_figures_serve_left(word badge)
{
	(void)badge;
	figures_left();
	return LIMPET_OK;
}

long http_figures_serve_served(word badge, word code, word bytes, word ticks)
{
	(void)badge;
	figures_served(code, bytes, ticks);
	return LIMPET_OK;
}

long component_init(const struct limpet_info *info)
{
	(void)info;
	figures_begin();
	return LIMPET_OK;
}
