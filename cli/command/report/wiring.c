// SPDX-License-Identifier: GPL-2.0
/*
 * The wiring of the system: a box for each component, and an arrow from each client to its server, in layers with clients above
 * their servers. It has the colours of limpet-compose's picture. The booter is left out, as it is there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <limpet/channel.h>

#include <cli/command/report/survey.h>
#include <cli/common/svg.h>

#define MARGIN 20
#define CPU_TOP 34    /* height of the line with the CPU's name */
#define BOX 46	      /* height */
#define GAP 24	      /* between two boxes */
#define LAYER 92      /* from one layer to the next one */
#define LETTER 7.6    /* width of a letter of a name */
#define LEAST 96      /* width of a box */
#define BEND 12	      /* width of a place through which an arrow passes a layer */
#define ROW_LEAST 460 /* width of a row */
#define ROW_MOST 980  /* a layer that is wider gets several rows */
#define SPREAD 0.7    /* part of a box's width over which its arrows are spread */
#define SWEEPS 8
#define LABELS_MOST 40 /* arrows with words */

/* A component; a channel of Linux, which is a client of its owner; or a place through which an arrow passes a layer. */
struct node {
	const struct limpet_image_component *component;
	const char *name, *second, *class; /* name: NULL: nothing is drawn */
	unsigned int cpu, layer;
	enum { NODE_NEW, NODE_OPEN, NODE_DONE } state;
	double x, y, width; /* x: of the middle; width: 0: it has no place */
};

/* An arrow from a client to a server. If it passes layers, it is several arrows, and only the last one has a head. */
struct arrow {
	unsigned int client, server, from; /* from: the component where it starts */
	const char *word;
	bool head;
};

struct wiring {
	struct node *node;
	struct arrow *arrow;
	unsigned int nodes, arrows, most, layers; /* most: arrows that there is memory for */
	double row, height;			  /* row: width of the widest one */
};

static const char *class_of(const struct limpet_image_component *component)
{
	if (component->flags & LIMPET_COMPONENT_SCHEDULER)
		return "box scheduler";
	if (component->flags & LIMPET_COMPONENT_MEMORY)
		return "box memory";
	return component->flags & LIMPET_COMPONENT_CONSOLE ? "box console" : "box";
}

/* --- What is drawn */

static void arrow_add(struct wiring *wiring, unsigned int client, unsigned int server,
		      const char *word)
{
	for (unsigned int i = wiring->arrows; i--;)
		if (wiring->arrow[i].client == client && wiring->arrow[i].server == server &&
		    !strcmp(wiring->arrow[i].word, word))
			return;
	if (wiring->arrows < wiring->most) /* records of two components can be the same ones */
		wiring->arrow[wiring->arrows++] =
			(struct arrow){ client, server, client, word, true };
}

/* An import that has the name of its server gets no word. */
static void import_add(struct wiring *wiring, unsigned int client, unsigned int server,
		       const char *word)
{
	arrow_add(wiring, client, server, strcmp(word, wiring->node[server].name) ? word : "");
}

static void arrows_fill(struct wiring *wiring, const struct image *image)
{
	const unsigned int components = image_header(image)->components;
	const struct limpet_image_channel *channel;

	for (unsigned int client = 1; client < components; client++) {
		const struct limpet_image_component *component = image_component(image, client);

		for (uint32_t i = 0; i < component->wires; i++) {
			const struct limpet_image_wire *wire =
				image_wire(image, component->wire + i);

			if (wire && wire->server && wire->server < components)
				import_add(wiring, client, wire->server,
					   image_string(image, wire->import));
		}
	}
	for (unsigned int i = 0; (channel = image_channel(image, i)); i++)
		if (wiring->node[components + i].name)
			arrow_add(wiring, components + i, channel->component, "");
}

static double width_of(const struct node *node)
{
	const size_t name = strlen(node->name), second = node->second ? strlen(node->second) : 0;

	return fmax(LETTER * (double)(name > second ? name : second) + 20, LEAST);
}

static const char *channel_word(unsigned int mode)
{
	static const char *const words[] = {
		[LIMPET_CHANNEL_MESSAGES] = "messages",
		[LIMPET_CHANNEL_BYTES] = "bytes",
		[LIMPET_CHANNEL_SHARED] = "shared memory",
		[LIMPET_CHANNEL_NETWORK] = "network",
		[LIMPET_CHANNEL_FIFO] = "FIFO",
	};

	return mode < sizeof(words) / sizeof(*words) && words[mode] ? words[mode] : "channel";
}

static void nodes_fill(struct wiring *wiring, const struct image *image)
{
	const unsigned int components = image_header(image)->components;
	const struct limpet_image_channel *channel;

	for (unsigned int i = 0; i < components; i++) {
		const struct limpet_image_component *component = image_component(image, i);

		wiring->node[i] = (struct node){ .component = component,
						 .name = image_component_name(image, i),
						 .second = image_component_image(image, i),
						 .class = class_of(component),
						 .cpu = component->cpu };
	}
	for (unsigned int i = 0; (channel = image_channel(image, i)); i++) {
		struct node *node = &wiring->node[components + i];

		*node = (struct node){ .class = "box channel" };
		if (channel->mode == LIMPET_CHANNEL_ATTACHED || channel->component >= components)
			continue;
		node->name = image_string(image, channel->name);
		node->second = channel_word(channel->mode);
		node->cpu = wiring->node[channel->component].cpu;
	}
	wiring->nodes = components + image_header(image)->channels;
	for (unsigned int i = 1; i < wiring->nodes; i++)
		if (wiring->node[i].name)
			wiring->node[i].width = width_of(&wiring->node[i]);
}

/* --- Layout */

/* Returns the length of the longest path to a server. Arrows that close a cycle do not count. */
static unsigned int layer_find(struct wiring *wiring, unsigned int index)
{
	struct node *node = &wiring->node[index];

	if (node->state == NODE_DONE)
		return node->layer;
	node->state = NODE_OPEN;
	for (unsigned int i = 0; i < wiring->arrows; i++) {
		const unsigned int server = wiring->arrow[i].server;

		if (wiring->arrow[i].client != index || wiring->node[server].state == NODE_OPEN)
			continue;
		if (layer_find(wiring, server) + 1 > node->layer)
			node->layer = wiring->node[server].layer + 1;
	}
	node->state = NODE_DONE;
	wiring->layers = node->layer + 1 > wiring->layers ? node->layer + 1 : wiring->layers;
	return node->layer;
}

/*
 * Replaces each arrow that passes layers by arrows from layer to layer, through places of their own. Returns false if there is no
 * memory.
 */
static bool arrows_split(struct wiring *wiring)
{
	const unsigned int arrows = wiring->arrows;
	unsigned int more = 0;
	struct node *nodes;
	struct arrow *all;

	for (unsigned int i = 0; i < arrows; i++) {
		const struct arrow *arrow = &wiring->arrow[i];
		const unsigned int client = wiring->node[arrow->client].layer;
		const unsigned int server = wiring->node[arrow->server].layer;

		more += client > server ? client - server - 1 : 0;
	}
	nodes = realloc(wiring->node, (wiring->nodes + more) * sizeof(*nodes));
	wiring->node = nodes ? nodes : wiring->node;
	all = realloc(wiring->arrow, (arrows + more + 1) * sizeof(*all));
	wiring->arrow = all ? all : wiring->arrow;
	if (!nodes || !all)
		return false;
	for (unsigned int i = 0; i < arrows; i++)
		while (nodes[all[i].client].layer > nodes[all[i].server].layer + 1) {
			const struct node *server = &nodes[all[i].server];

			nodes[wiring->nodes] =
				(struct node){ .cpu = server->cpu,
					       .layer = nodes[all[i].client].layer - 1,
					       .width = BEND };
			all[wiring->arrows] = all[i];
			all[wiring->arrows].server = wiring->nodes;
			all[wiring->arrows++].head = false;
			all[i].client = wiring->nodes++;
			all[i].word = "";
		}
	return true;
}

/* Returns the mean place of a node's clients and servers, or its own place if it has none. */
static double neighbours_mean(const struct wiring *wiring, unsigned int index)
{
	double sum = 0;
	unsigned int count = 0;

	for (unsigned int i = 0; i < wiring->arrows; i++) {
		const struct arrow *arrow = &wiring->arrow[i];

		if (arrow->client != index && arrow->server != index)
			continue;
		sum += wiring->node[arrow->client == index ? arrow->server : arrow->client].x;
		count++;
	}
	return count ? sum / count : wiring->node[index].x;
}

struct place {
	unsigned int node;
	double wanted;
};

static int place_compare(const void *one, const void *other)
{
	const struct place *a = one, *b = other;

	if (a->wanted != b->wanted)
		return a->wanted < b->wanted ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Collects the nodes of a layer of a CPU in the order of the places that they want. */
static unsigned int layer_collect(const struct wiring *wiring, unsigned int cpu, unsigned int layer,
				  struct place *places)
{
	unsigned int count = 0;

	for (unsigned int i = 1; i < wiring->nodes; i++)
		if (wiring->node[i].width > 0 && wiring->node[i].cpu == cpu &&
		    wiring->node[i].layer == layer)
			places[count++] = (struct place){ i, neighbours_mean(wiring, i) };
	qsort(places, count, sizeof(*places), place_compare);
	return count;
}

/* Places nodes from `first` on in one row at `y`, as many as there is space for. Returns the index behind the last one. */
static unsigned int row_place(struct wiring *wiring, const struct place *places, unsigned int first,
			      unsigned int count, double y)
{
	double width = 0, x;
	unsigned int end = first;

	while (end < count) {
		const double more = wiring->node[places[end].node].width + GAP;

		if (end > first && width + more - GAP > ROW_MOST)
			break;
		width += more;
		end++;
	}
	wiring->row = fmax(wiring->row, width - GAP);
	x = GAP - width / 2;
	for (unsigned int i = first; i < end; i++) {
		struct node *node = &wiring->node[places[i].node];

		node->x = x + (node->width - GAP) / 2;
		node->y = y;
		x += node->width + GAP;
	}
	return end;
}

/* Places the nodes of a CPU from `top` on. Returns the height that they need. */
static double cpu_place(struct wiring *wiring, unsigned int cpu, double top, struct place *places)
{
	double y = top + CPU_TOP;

	for (unsigned int layer = wiring->layers; layer--;) {
		const unsigned int count = layer_collect(wiring, cpu, layer, places);

		for (unsigned int first = 0; first < count; y += LAYER)
			first = row_place(wiring, places, first, count, y);
	}
	return fmax(y - LAYER + BOX + MARGIN - top, CPU_TOP);
}

/* --- Drawing. The middle of the rows is at x = 0 until here. */

static double x_of(const struct wiring *wiring, const struct node *node)
{
	return MARGIN + wiring->row / 2 + node->x;
}

/* Returns where an arrow touches its client or its server: arrows are next to each other in the order of their other ends. */
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
	const double y1 = client->y + (client->name && down ? BOX : client->name ? 0 : BOX);
	const double y2 = server->y + (down ? 0 : BOX);
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
	if (wiring->arrows <= LABELS_MOST && *arrow->word)
		svg_text(out, (x1 + x2) / 2 + 4, (y1 + y2) / 2, "small pale", "%s", arrow->word);
}

static void node_draw(FILE *out, const struct wiring *wiring, const struct node *node)
{
	const double x = x_of(wiring, node);
	const struct svg_box box = { x - node->width / 2, node->y, node->width, BOX };
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

static void wiring_paint(FILE *out, const struct wiring *wiring, const struct survey *survey,
			 const double *heights)
{
	const struct limpet_ioc_info *info = &survey->check.snapshot.info;
	double top = MARGIN;

	for (unsigned int cpu = 0; cpu < info->cpus; top += heights[cpu++] + MARGIN) {
		svg_rect(out,
			 (struct svg_box){ MARGIN / 2.0, top, wiring->row + MARGIN, heights[cpu] },
			 "cpu", NULL);
		svg_text(out, MARGIN, top + 20, "head pale", "CPU %u (Linux CPU %u)", cpu,
			 info->cpu[cpu]);
	}
	for (unsigned int i = 0; i < wiring->arrows; i++)
		arrow_draw(out, wiring, &wiring->arrow[i]);
	for (unsigned int i = 1; i < wiring->nodes; i++)
		if (wiring->node[i].name && wiring->node[i].width > 0)
			node_draw(out, wiring, &wiring->node[i]);
}

static void wiring_place(struct wiring *wiring, const struct limpet_ioc_info *info, double *heights,
			 struct place *places)
{
	wiring->row = ROW_LEAST;
	for (unsigned int sweep = 0; sweep < SWEEPS; sweep++) {
		double top = MARGIN;

		for (unsigned int cpu = 0; cpu < info->cpus; cpu++) {
			heights[cpu] = cpu_place(wiring, cpu, top, places);
			top += heights[cpu] + MARGIN;
		}
		wiring->height = top;
	}
}

/* Fills in what is drawn, without places. Returns false if there is no memory. */
static bool wiring_fill(struct wiring *wiring, const struct image *image)
{
	const struct limpet_image *header = image_header(image);

	wiring->most = header->wires + header->channels;
	wiring->node = calloc(header->components + header->channels, sizeof(*wiring->node));
	wiring->arrow = calloc(wiring->most + 1, sizeof(*wiring->arrow));
	if (!wiring->node || !wiring->arrow)
		return false;
	nodes_fill(wiring, image);
	arrows_fill(wiring, image);
	for (unsigned int i = 1; i < wiring->nodes; i++)
		layer_find(wiring, i);
	return arrows_split(wiring);
}

void wiring_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		 bool alone)
{
	const struct image *image = &survey->check.snapshot.image;
	struct wiring wiring = { 0 };
	struct place *places = NULL;
	double heights[LIMPET_CPUS_MAX];

	(void)thread;
	if (image_header(image) && wiring_fill(&wiring, image))
		places = calloc(wiring.nodes, sizeof(*places));
	if (places) {
		wiring_place(&wiring, &survey->check.snapshot.info, heights, places);
		svg_begin(out, wiring.row + 2 * MARGIN, wiring.height, title, alone);
		wiring_paint(out, &wiring, survey, heights);
	} else {
		svg_begin(out, ROW_LEAST, BOX, title, alone);
		svg_text(out, MARGIN, BOX / 2.0, "pale", "The image of the system cannot be read.");
	}
	svg_end(out);
	free(places);
	free(wiring.node);
	free(wiring.arrow);
}
