// SPDX-License-Identifier: GPL-2.0
/* Makes the graph of the wiring from the image. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <limpet/channel.h>

#include <cli/command/report/wiring.h>

#define LETTER 7.6   /* width of a letter of a name */
#define WIDTH_MIN 96 /* width of a box */

static const char *class_of(const struct limpet_image_component *component)
{
	if (component->flags & LIMPET_COMPONENT_SCHEDULER)
		return "box scheduler";
	if (component->flags & LIMPET_COMPONENT_MEMORY)
		return "box memory";
	return component->flags & LIMPET_COMPONENT_CONSOLE ? "box console" : "box";
}

static void arrow_add(struct wiring *wiring, unsigned int client, unsigned int server,
		      const char *word)
{
	for (unsigned int i = wiring->arrows; i--;)
		if (wiring->arrow[i].client == client && wiring->arrow[i].server == server &&
		    !strcmp(wiring->arrow[i].word, word))
			return;
	if (wiring->arrows < wiring->arrows_max) /* the wires of two components can overlap */
		wiring->arrow[wiring->arrows++] =
			(struct arrow){ client, server, client, word, true };
}

/* Adds an arrow for an import, with its name unless that is the name of the server. */
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

	return fmax(LETTER * (double)(name > second ? name : second) + 20, WIDTH_MIN);
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

bool wiring_fill(struct wiring *wiring, const struct image *image)
{
	const struct limpet_image *header = image_header(image);

	wiring->arrows_max = header->wires + header->channels;
	wiring->node = calloc(header->components + header->channels, sizeof(*wiring->node));
	wiring->arrow = calloc(wiring->arrows_max + 1, sizeof(*wiring->arrow));
	if (!wiring->node || !wiring->arrow)
		return false;
	nodes_fill(wiring, image);
	arrows_fill(wiring, image);
	return true;
}
