// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <string.h>

#include <cli/command/guest/guest.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/common/snapshot.h>
#include <cli/common/text.h>

bool guest_plan_take(struct guest_plan *plan, const struct command *command, int argc, char **argv,
		     struct command_arguments arguments, int *code)
{
	const char *calls = "all";
	bool alone = false, faults = false, open = false, closed = false;
	const struct command_option options[] = {
		OPTION_TEXT("executive", &plan->executive),
		OPTION_TEXT("calls", &calls),
		OPTION_FLAG("faults", &faults),
		OPTION_FLAG("alone", &alone),
		OPTION_FLAG("open", &open),
		OPTION_FLAG("closed", &closed),
		/* `attach` has no --slice, because it would have to change threads that run. */
		arguments.high == ARGUMENTS_PROGRAM
			? (struct command_option)OPTION_NUMBER("slice", &plan->slice, 100, 100000,
							       " microseconds")
			: (struct command_option)OPTION_END,
		OPTION_END,
	};

	*plan = (struct guest_plan){ .system = LIMPET_SYSTEM_ANY, .component = LIMPET_GUEST_ANY };
	if (!options_take(command, argc, argv, options, arguments, code))
		return false;
	plan->flags = (alone ? LIMPET_GUEST_ALONE : 0) | (open ? LIMPET_GUEST_OPEN : 0);
	plan->decided = open || closed;
	*code = COMMAND_USAGE;
	if (open && closed) {
		report_usage(command, "--open and --closed exclude each other");
		return false;
	}
	if (!guest_calls_take(command, calls, plan->filter))
		return false;
	guest_faults_take(faults, plan->filter);
	return true;
}

static bool component_find(const struct image *image, const char *name, uint32_t *component)
{
	for (uint32_t i = 0; image_component(image, i); i++) {
		*component = i;
		if (!strcmp(image_component_name(image, i), name))
			return true;
	}
	return false;
}

bool guest_image_open(const struct image *image, uint32_t component)
{
	uint32_t at = component == LIMPET_GUEST_ANY ? guest_first(image) : component;

	do {
		const struct limpet_image_component *record = image_component(image, at);

		if (!record || !(record->flags & LIMPET_COMPONENT_GUESTS_OPEN))
			return false;
		at = guest_next(image, at);
	} while (at);
	return true;
}

/*
 * Sets LIMPET_GUEST_OPEN from the system file, unless an option has decided. If the image cannot be read, because the
 * caller is not root or no single system is chosen, guests wait.
 */
static void flags_complete(struct guest_plan *plan, const struct image *image)
{
	if (!plan->decided && guest_image_open(image, plan->component))
		plan->flags |= LIMPET_GUEST_OPEN;
}

/* Finds the executive by its name. Returns false after it has printed an error. */
static bool executive_find(struct guest_plan *plan, const struct snapshot *snapshot)
{
	plan->system = snapshot->info.id;
	if (component_find(&snapshot->image, plan->executive, &plan->component))
		return true;
	report("--executive %s: System '%s' has no component of that name. `limpet ps` lists its "
	       "components.",
	       plan->executive, image_system_name(&snapshot->image));
	return false;
}

bool guest_find(struct guest_plan *plan)
{
	static struct snapshot snapshot;
	bool found;
	int error = system_id(&plan->system);

	if (error) {
		system_report(error);
		return false;
	}
	if (!plan->executive && (plan->decided || snapshot_read(&snapshot)))
		return true;
	if (plan->executive && !snapshot_take(&snapshot))
		return false;
	found = !plan->executive || executive_find(plan, &snapshot);
	flags_complete(plan, &snapshot.image);
	snapshot_release(&snapshot);
	return found;
}

bool guest_pid_take(const struct command *command, const char *text, pid_t *pid, int *code)
{
	long number;

	if (!text_number(text, 1, INT_MAX, &number)) {
		*code = report_usage(command, "PID %s: must be 1 to %d", text, INT_MAX);
		return false;
	}
	*pid = (pid_t)number;
	return true;
}
