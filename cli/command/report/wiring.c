// SPDX-License-Identifier: GPL-2.0
/* Draws the wiring of the system. */
#include <math.h>
#include <stdlib.h>

#include <cli/command/report/survey.h>
#include <cli/command/report/wiring.h>
#include <cli/common/svg.h>

#define SPREAD 0.7    /* part of a box's width over which its arrows are spread */
#define LABELS_MAX 40 /* maximum number of arrows that have words */

static double x_of(const struct wiring *wiring, const struct node *node)
{
	return WIRING_MARGIN + wiring->row / 2 + node->x;
}

/* Returns the end of an arrow at its client or server. The arrows of a box are in the order of their other ends. */
static double end_of(const struct wiring *wiring, const struct arrow *arrow, bool server)
{
	const unsigned int index = server ? arrow->server : arrow->client;
	const unsigned int far = server ? arrow->client : arrow->server;
	const struct node *node = &wiring->node[index];
	unsigned int before = 0, all = 0;

	for (const struct arrow *other = wiring->arrow; other < wiring->arrow + wiring->arrows;
	     other++) {
		const unsigned int end = server ? other->client : other->server;

		if ((server ? other->server : other->client) != index)
			continue;
		all++;
		before += wiring->node[end].x < wiring->node[far].x ||
			  (wiring->node[end].x == wiring->node[far].x && other < arrow);
	}
	return x_of(wiring, node) +
	       (node->name ? node->width * SPREAD * ((before + 0.5) / all - 0.5) : 0);
}

static void arrow_draw(FILE *out, const struct wiring *wiring, const struct arrow *arrow)
{
	const struct node *client = &wiring->node[arrow->client];
	const struct node *server = &wiring->node[arrow->server];
	const bool down = server->y > client->y;
	const double x1 = end_of(wiring, arrow, false), x2 = end_of(wiring, arrow, true);
	const double y1 = client->y + (client->name && down ? WIRING_BOX
				       : client->name	    ? 0
							    : WIRING_BOX);
	const double y2 = server->y + (down ? 0 : WIRING_BOX);
	const double bend = (down ? 1 : -1) * fmax(fabs(y2 - y1) / 2, 20);
	const double head = !arrow->head ? 0 : down ? -7 : 7;

	fprintf(out, "<path class=\"wire\" d=\"M%.1f %.1f", x1, client->name ? y1 : client->y);
	if (!client->name)
		fprintf(out, "L%.1f %.1f", x1, y1);
	fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f\"><title>", x1, y1 + bend, x2, y2 - bend, x2,
		y2 + head);
	svg_print(out, "from %s", wiring->node[arrow->from].name);
	if (arrow->head)
		svg_print(out, " to %s", server->name);
	fputs("</title></path>\n", out);
	if (arrow->head)
		fprintf(out, "<path class=\"tip\" d=\"M%.1f %.1fl-4 %.1fh8z\"/>\n", x2, y2, head);
	if (wiring->arrows <= LABELS_MAX && *arrow->word)
		svg_text(out, (x1 + x2) / 2 + 4, (y1 + y2) / 2, "small pale", "%s", arrow->word);
}

static void node_draw(FILE *out, const struct wiring *wiring, const struct node *node)
{
	const double x = x_of(wiring, node);
	const struct svg_box box = { x - node->width / 2, node->y, node->width, WIRING_BOX };
	const struct limpet_image_component *component = node->component;
	char tip[SURVEY_TEXT];

	if (component && component->priority)
		snprintf(tip, sizeof(tip), "%s: its thread has priority %u", node->name,
			 component->priority);
	else
		snprintf(tip, sizeof(tip), "%s", node->name);
	svg_rect(out, box, node->class, tip);
	svg_text(out, x, node->y + 20, "head middle", "%s", node->name);
	svg_text(out, x, node->y + 36, "small pale middle", "%s", node->second);
}

static void wiring_paint(FILE *out, const struct wiring *wiring, const struct limpet_ioc_info *info,
			 const double *heights)
{
	double top = WIRING_MARGIN;

	for (unsigned int cpu = 0; cpu < info->cpus; top += heights[cpu++] + WIRING_MARGIN) {
		svg_rect(out,
			 (struct svg_box){ WIRING_MARGIN / 2.0, top, wiring->row + WIRING_MARGIN,
					   heights[cpu] },
			 "cpu", NULL);
		svg_text(out, WIRING_MARGIN, top + 20, "head pale", "CPU %u (Linux CPU %u)", cpu,
			 info->cpu[cpu]);
	}
	for (unsigned int i = 0; i < wiring->arrows; i++)
		arrow_draw(out, wiring, &wiring->arrow[i]);
	for (unsigned int i = 1; i < wiring->nodes; i++)
		if (wiring->node[i].name && wiring->node[i].width > 0)
			node_draw(out, wiring, &wiring->node[i]);
}

void wiring_print(FILE *out, const struct snapshot *snapshot, const char *title, bool alone)
{
	const struct image *image = &snapshot->image;
	struct wiring wiring = { 0 };
	const unsigned int cpus = snapshot->info.cpus;
	double heights[LIMPET_CPUS_MAX];

	if (image_header(image) && wiring_fill(&wiring, image) &&
	    wiring_place(&wiring, cpus, heights)) {
		svg_begin(out, wiring.row + 2 * WIRING_MARGIN, wiring.height, title, alone);
		wiring_paint(out, &wiring, &snapshot->info, heights);
	} else {
		svg_begin(out, WIRING_ROW_MIN, WIRING_BOX, title, alone);
		svg_text(out, WIRING_MARGIN, WIRING_BOX / 2.0, "pale",
			 "The image of the system cannot be read.");
	}
	svg_end(out);
	free(wiring.node);
	free(wiring.arrow);
}

void wiring_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		 bool alone)
{
	(void)thread;
	wiring_print(out, &survey->check.snapshot, title, alone);
}
