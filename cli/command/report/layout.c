// SPDX-License-Identifier: GPL-2.0
/* Places the nodes of the wiring in layers. The middle of each row is at x = 0. */
#include <math.h>
#include <stdlib.h>

#include <cli/command/report/wiring.h>

#define CPU_TOP 34  /* height of the line with the CPU's name */
#define GAP 24	    /* distance of two nodes of a row */
#define LAYER 92    /* distance of two rows */
#define BEND 12	    /* width of an invisible node */
#define ROW_MAX 980 /* a layer that is wider gets several rows */
#define SWEEPS 8

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
 * Replaces each arrow that crosses other layers by arrows from layer to layer, through an invisible node in each
 * crossed layer. Returns false without memory.
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

/* Returns the mean position of a node's clients and servers, or the node's position if it has neither. */
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

/* A node of a layer, and the position that it should have. */
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

/* Collects the nodes of a layer of a CPU in the order of their wanted positions. */
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

/* Places as many nodes from `first` on as fit in one row at `y`. Returns the index after the last one. */
static unsigned int row_place(struct wiring *wiring, const struct place *places, unsigned int first,
			      unsigned int count, double y)
{
	double width = 0, x;
	unsigned int end = first;

	while (end < count) {
		const double more = wiring->node[places[end].node].width + GAP;

		if (end > first && width + more - GAP > ROW_MAX)
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
	return fmax(y - LAYER + WIRING_BOX + WIRING_MARGIN - top, CPU_TOP);
}

bool wiring_place(struct wiring *wiring, unsigned int cpus, double *heights)
{
	struct place *places;

	for (unsigned int i = 1; i < wiring->nodes; i++)
		layer_find(wiring, i);
	if (!arrows_split(wiring))
		return false;
	places = calloc(wiring->nodes, sizeof(*places));
	if (!places)
		return false;
	wiring->row = WIRING_ROW_MIN;
	for (unsigned int sweep = 0; sweep < SWEEPS; sweep++) {
		double top = WIRING_MARGIN;

		for (unsigned int cpu = 0; cpu < cpus; cpu++) {
			heights[cpu] = cpu_place(wiring, cpu, top, places);
			top += heights[cpu] + WIRING_MARGIN;
		}
		wiring->height = top;
	}
	free(places);
	return true;
}
