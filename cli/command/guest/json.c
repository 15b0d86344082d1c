// SPDX-License-Identifier: GPL-2.0
#include <cli/command/guest/guest.h>
#include <cli/common/json.h>

/* The executives of a guest, in the order in which they get its calls. */
static void json_chain(struct json *json, uint32_t component, const struct image *image)
{
	json_array(json, "chain");
	for (; image_component(image, component) && component;
	     component = guest_next(image, component))
		json_text(json, NULL, image_component_name(image, component));
	json_array_end(json);
}

static void json_guest(struct json *json, const struct limpet_guest_info *guest,
		       const struct image *images, const char *root)
{
	const struct image *image = &images[guest->system % LIMPET_SYSTEMS_MAX];
	const bool named = image_component(image, guest->component);
	char program[64];
	bool known = guest_program_read(root, guest->tid, program, sizeof(program));

	json_object(json, NULL);
	json_number(json, "pid", guest->pid);
	json_number(json, "tid", guest->tid);
	json_number(json, "guest", guest->id);
	json_number(json, "system", guest->system);
	json_number(json, "cpu", guest->cpu);
	json_number(json, "component", guest->component);
	json_text(json, "executive", named ? image_component_name(image, guest->component) : NULL);
	json_chain(json, guest->component, image);
	json_bool(json, "alone", guest->flags & LIMPET_GUEST_ALONE);
	json_bool(json, "open", guest->flags & LIMPET_GUEST_OPEN);
	json_text(json, "state", guest_state_word(guest->state));
	json_number(json, "calls", guest->calls);
	json_number(json, "others", guest->others);
	json_number(json, "parked", guest->parked);
	json_number(json, "moved", guest->moved);
	json_number(json, "filter", guest_calls_count(guest->filter));
	json_bool(json, "faults", guest->filter[LIMPET_GUEST_FILTER_FAULTS] != 0);
	json_text(json, "program", known ? program : NULL);
	json_object_end(json);
}

void guest_print_json(FILE *out, const struct guest_list *list, const struct image *images,
		      const char *root)
{
	struct json json;

	json_begin(&json, out);
	json_array(&json, "guests");
	for (size_t i = 0; i < list->count; i++)
		json_guest(&json, &list->guest[i], images, root);
	json_array_end(&json);
	json_end(&json);
}
