// SPDX-License-Identifier: BSD-2-Clause
/*
 * Serves pages by path: "" is the page, then picture.svg and figures.json. Each slot has a buffer
 * of its own.
 */
#include <runtime/component.h>
#include <runtime/memory.h>

#include <export/http_figures.h>
#include <http/store.h>

#include "figures.h"
#include "picture.h"

#define BODY_SIZE (PICTURE_SIZE + 2 * 4096) /* bytes of a page, including its picture */

static struct http_store store;

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

static void json(struct text *to, const struct figures *figures)
{
	text_add(
		to,
		"{\"seconds\": %lu, \"connections\": %lu, \"open\": %lu, \"open_max\": %lu, "
		"\"answers\": %lu, \"bytes\": %lu, \"good\": %lu, \"refused\": %lu, \"failed\": %lu, "
		"\"median_ns\": %lu, \"p99_ns\": %lu, \"max_ns\": %lu, \"per_second\": [",
		figures->seconds, figures->connections, figures->open, figures->open_max,
		figures->answers, figures->bytes, figures->of_class[FIGURES_GOOD],
		figures->of_class[FIGURES_CLIENT_WRONG], figures->of_class[FIGURES_SERVER_WRONG],
		figures->median, figures->p99, figures->max);
	for (unsigned int i = 0; i < FIGURES_SECONDS; i++)
		text_add(to, "%s%u", i ? ", " : "", figures->per_second[i]);
	text_add(to, "]}\n");
}

static const struct {
	const char *path;
	void (*write)(struct text *to, const struct figures *figures);
} pages[] = { { "", page }, { "picture.svg", picture }, { "figures.json", json } };

long content_serve_open(word badge, word reader, word wanted, struct content_open_results *out)
{
	return http_store_open(&store, badge, reader, wanted, wanted * BODY_SIZE, out);
}

long content_serve_find(word badge, word slot, word length, struct content_find_results *out)
{
	long status = http_store_check(&store, badge, slot, length);
	char *body = (char *)store.bodies + slot * BODY_SIZE;

	if (status)
		return status;
	for (unsigned int i = 0; i < array_size(pages); i++) {
		struct figures now;
		struct text text;

		if (strlen(pages[i].path) != length ||
		    memcmp(store.paths[slot], pages[i].path, length))
			continue;
		text = text_in(body, BODY_SIZE);
		figures_copy(&now);
		pages[i].write(&text, &now);
		out->body = (word)body;
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
