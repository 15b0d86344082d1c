// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <cli/command/debug/find.h>
#include <cli/common/component.h>
#include <cli/common/report.h>

/* Returns whether a component can invoke the function that starts a session with this supervisor. */
static bool can_attach(const struct image *image, const struct limpet_image_component *component,
		       unsigned int supervisor)
{
	for (unsigned int i = 0; i < component->wires; i++) {
		const struct limpet_image_wire *wire = image_wire(image, component->wire + i);

		if (wire && wire->server == supervisor &&
		    !strcmp(image_string(image, wire->function), "attach"))
			return true;
	}
	return false;
}

static bool channel_find(const struct image *image, unsigned int supervisor, const char **name)
{
	const struct limpet_image_channel *channel;

	for (unsigned int i = 0; (channel = image_channel(image, i)); i++) {
		const struct limpet_image_component *owner =
			image_component(image, channel->component);

		*name = image_string(image, channel->name);
		if (owner && can_attach(image, owner, supervisor))
			return true;
	}
	return false;
}

bool debug_find(const struct image *image, const char *name, struct debug_place *place)
{
	const char *channel = "";
	unsigned int supervisor;
	int index;

	if (!image_header(image)) {
		report("The image of the system cannot be read.");
		return false;
	}
	index = component_find(image, name);
	if (index < 0)
		return false;
	place->component = (unsigned int)index;
	supervisor = image_component(image, place->component)->supervisor;
	if (!supervisor) {
		report("Component '%s' has no supervisor, which must stop its threads. Add faults = "
		       "\"supervisor\" to the component in the system file.",
		       name);
		return false;
	}
	if (!channel_find(image, supervisor, &channel)) {
		report("No channel leads to the supervisor '%s' of component '%s'. Add an instance of calls "
		       "with the supervisor's interface debug to the system file. See limpet-debug(1).",
		       image_component_name(image, supervisor), name);
		return false;
	}
	snprintf(place->channel, sizeof(place->channel), "%s", channel);
	return true;
}
