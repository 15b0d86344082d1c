// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <limpet/update.h>

#include <cli/command/update/update.h>

/* Two images, and a buffer for the description of their first difference. */
struct comparison {
	const struct image *running, *next;
	char *why;
	size_t size;
};

static bool __attribute__((format(printf, 2, 3))) differ(const struct comparison *both,
							 const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(both->why, both->size, format, values);
	va_end(values);
	return false;
}

static bool text_same(const struct comparison *both, uint32_t running, uint32_t next)
{
	return !strcmp(image_string(both->running, running), image_string(both->next, next));
}

static bool header_same(const struct comparison *both)
{
	const struct limpet_image *a = image_header(both->running), *b = image_header(both->next);

	if (!text_same(both, a->name, b->name))
		return differ(both, "The image is of system '%s', and '%s' runs",
			      image_system_name(both->next), image_system_name(both->running));
	if (a->components != b->components)
		return differ(both, "The image has %u components, and the running system has %u",
			      b->components, a->components);
	if (a->cpus != b->cpus || a->frames != b->frames || a->depth != b->depth ||
	    a->trace != b->trace || a->wires != b->wires || a->args != b->args ||
	    a->channels != b->channels || a->resources != b->resources ||
	    a->segments != b->segments)
		return differ(both,
			      "Its CPUs, memory, imports, arguments, channels, devices or segments "
			      "are not those of the running system");
	return true;
}

/* Clears the offsets of texts, symbols and unwind records, because they differ between builds. */
static struct limpet_image_component component_plain(const struct limpet_image_component *component)
{
	struct limpet_image_component plain = *component;

	plain.name = plain.image = 0;
	plain.symbol = plain.symbols = plain.unwind = plain.unwinds = 0;
	return plain;
}

static bool component_same(const struct comparison *both, unsigned int index)
{
	const struct limpet_image_component *a = image_component(both->running, index);
	const struct limpet_image_component *b = image_component(both->next, index);
	struct limpet_image_component running = component_plain(a), next = component_plain(b);

	if (!text_same(both, a->name, b->name))
		return differ(both, "Its component %u is '%s', and '%s' in the running system",
			      index, image_component_name(both->next, index),
			      image_component_name(both->running, index));
	if (!text_same(both, a->image, b->image))
		return differ(
			both,
			"Component '%s' is an instance of '%s', and of '%s' in the running system",
			image_component_name(both->next, index),
			image_component_image(both->next, index),
			image_component_image(both->running, index));
	if (memcmp(&running, &next, sizeof(next)))
		return differ(
			both,
			"Component '%s' has another heap, stacks, priority, restart policy or "
			"other settings than in the running system",
			image_component_name(both->next, index));
	return true;
}

/* Compares the addresses and sizes of segments in memory. The file sizes may differ if the component is replaced. */
static bool segments_same(const struct comparison *both, unsigned int index, bool replaced)
{
	const struct limpet_image_component *component = image_component(both->running, index);

	for (uint32_t i = 0; i < component->segments; i++) {
		const struct limpet_image_segment *a =
			image_segment(both->running, component->segment + i);
		const struct limpet_image_segment *b =
			image_segment(both->next, component->segment + i);

		if (a->address != b->address || a->size != b->size || a->rights != b->rights ||
		    (!replaced && a->file_size != b->file_size))
			return differ(
				both,
				"Component '%s' has another size or place in memory than in the "
				"running system",
				image_component_name(both->next, index));
	}
	return true;
}

static bool wires_same(const struct comparison *both, unsigned int index)
{
	const struct limpet_image_component *component = image_component(both->running, index);

	for (uint32_t i = 0; i < component->wires; i++) {
		const struct limpet_image_wire *a = image_wire(both->running, component->wire + i);
		const struct limpet_image_wire *b = image_wire(both->next, component->wire + i);

		if (a->server != b->server || a->slot != b->slot || a->badge != b->badge ||
		    a->entry != b->entry || !text_same(both, a->import, b->import) ||
		    !text_same(both, a->function, b->function))
			return differ(
				both,
				"Import '%s' of component '%s' is not that of the running system, because "
				"its server or an interface differs",
				image_string(both->next, b->import),
				image_component_name(both->next, index));
	}
	return true;
}

static bool arguments_same(const struct comparison *both, unsigned int index)
{
	const struct limpet_image_component *component = image_component(both->running, index);

	for (uint32_t i = 0; i < component->args; i++) {
		const struct limpet_image_arg *a = image_arg(both->running, component->arg + i);
		const struct limpet_image_arg *b = image_arg(both->next, component->arg + i);
		bool number = a->text == UINT32_MAX || b->text == UINT32_MAX;

		if (!text_same(both, a->name, b->name) || a->number != b->number ||
		    (number ? a->text != b->text : !text_same(both, a->text, b->text)))
			return differ(
				both,
				"Argument '%s' of component '%s' is not that of the running system",
				image_string(both->next, b->name),
				image_component_name(both->next, index));
	}
	return true;
}

static bool channels_same(const struct comparison *both)
{
	for (uint32_t i = 0; i < image_header(both->running)->channels; i++) {
		struct limpet_image_channel a = *image_channel(both->running, i);
		struct limpet_image_channel b = *image_channel(both->next, i);
		bool named = text_same(both, a.name, b.name);

		a.name = b.name = 0;
		if (!named || memcmp(&a, &b, sizeof(a)))
			return differ(both, "Its channel %u is not that of the running system", i);
	}
	return true;
}

static bool resources_same(const struct comparison *both)
{
	for (uint32_t i = 0; i < image_header(both->running)->resources; i++)
		if (memcmp(image_resource(both->running, i), image_resource(both->next, i),
			   sizeof(struct limpet_image_resource)))
			return differ(both, "Its devices are not those of the running system");
	return true;
}

bool images_match(const struct image *running, const struct image *next, unsigned int index,
		  char *why, size_t size)
{
	const struct comparison both = { running, next, why, size };

	if (!header_same(&both))
		return false;
	for (unsigned int i = 0; i < image_header(running)->components; i++)
		if (!component_same(&both, i) || !segments_same(&both, i, i == index) ||
		    !wires_same(&both, i) || !arguments_same(&both, i))
			return false;
	return channels_same(&both) && resources_same(&both);
}

const char *update_channel(const struct image *image, unsigned int index)
{
	uint32_t supervisor = image_component(image, index)->supervisor;

	for (unsigned int i = 0; i < image_header(image)->components; i++) {
		const struct limpet_image_component *component = image_component(image, i);
		bool found = false;

		for (uint32_t w = component->wire; w < component->wire + component->wires; w++) {
			const struct limpet_image_wire *wire = image_wire(image, w);

			found |= wire->server == supervisor &&
				 !strcmp(image_string(image, wire->function), "apply");
		}
		if (found && image_input_channel(image, i))
			return image_input_channel(image, i);
	}
	return NULL;
}
