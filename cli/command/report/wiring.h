/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wiring of the system as a graph. graph.c makes it from the image, layout.c places its nodes, and wiring.c draws
 * it. Components are boxes in layers, with clients above their servers. An arrow goes from each client to its server.
 * The colours are those of limpet-compose's picture. As in that picture, the booter is missing.
 */
#ifndef CLI_REPORT_WIRING_H
#define CLI_REPORT_WIRING_H

#include <stdbool.h>
#include <stdio.h>

#include <cli/common/snapshot.h>

#define WIRING_MARGIN 20
#define WIRING_BOX 46	   /* height */
#define WIRING_ROW_MIN 460 /* width of a row */

/*
 * A component, a channel to Linux, which is a client of its owner, or an invisible node where an arrow crosses a layer.
 */
struct node {
	const struct limpet_image_component *component;
	const char *name, *second, *class; /* name: NULL if the node is invisible */
	unsigned int cpu, layer;
	enum { NODE_NEW, NODE_OPEN, NODE_DONE } state;
	double x, y,
		width; /* x: of the middle, where the middle of the row is 0; width: 0 if the node is not placed */
};

/* An arrow from a client to a server. An arrow that crosses layers is split. Only the last part has a head. */
struct arrow {
	unsigned int client, server, from; /* from: the node where the whole arrow starts */
	const char *word;
	bool head;
};

struct wiring {
	struct node *node;
	struct arrow *arrow;
	unsigned int nodes, arrows, arrows_max, layers; /* arrows_max: capacity for arrows */
	double row, height;				/* row: width of the widest row */
};

/* wiring.c. Draws the wiring of the system of a snapshot. `alone`: as in svg_begin(). */
void wiring_print(FILE *out, const struct snapshot *snapshot, const char *title, bool alone);

/* graph.c. Fills in the nodes and arrows. Returns false without memory. */
bool wiring_fill(struct wiring *wiring, const struct image *image);
/* layout.c. Splits arrows and places the nodes. Sets the height of each CPU. Returns false without memory. */
bool wiring_place(struct wiring *wiring, unsigned int cpus, double *heights);

#endif
