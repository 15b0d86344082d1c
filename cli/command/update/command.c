// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <client/call.h>
#include <limpet/update.h>

#include <cli/command/update/update.h>
#include <cli/common/command.h>
#include <cli/common/component.h>
#include <cli/common/holder.h>
#include <cli/common/json.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/snapshot.h>
#include <client/device.h>

#define TIMEOUT 10 /* seconds */

/* Arguments and options of the command. */
struct request {
	const char *path, *component;
	bool fresh, json;
	long timeout; /* seconds */
};

static int report_supervisor(const struct request *request)
{
	return report(
		"Component '%s' has no supervisor, which must replace it. Add faults, restart and update "
		"to the component in the system file, and start the system again.",
		request->component);
}

static int report_channel(const char *channel, int error)
{
	char path[sizeof(LIMPET_NODES) + LIMPET_NAME_MAX], named[REPORT_LINE / 2];
	const struct holder_files files = { .root = "", .file = path };
	struct holder holder;

	snprintf(path, sizeof(path), LIMPET_NODES "%s", channel);
	if (error != -EBUSY || !holders_find(&files, &holder, 1))
		return report("%s: %s", path, strerror(-error));
	holders_name(&holder, 1, named, sizeof(named));
	return report("%s open. End that process, then run the command again.", named);
}

/* Reports an update that was not made. `status` is that of update_send(). */
static int report_status(const struct request *request, long status, long error)
{
	const char *name = request->component;

	switch (status) {
	case LIMPET_UPDATE_DAMAGED:
		return report(
			"The new build of '%s' was damaged on the way. The old build runs. Run the command again.",
			name);
	case LIMPET_UPDATE_INTERFACES:
		return report(
			"%s: '%s' exports or imports other interfaces than the running build. The old build "
			"runs. To change interfaces, start the system again.",
			request->path, name);
	case LIMPET_UPDATE_STATE:
		return report(
			"%s: '%s' has state of another version or size than the running build. The old build "
			"runs. --fresh starts the new build without the state.",
			request->path, name);
	case LIMPET_UPDATE_BUSY:
	case LIMPET_EBUSY:
		return report(
			"A crash of '%s' or another update is being handled, or gdb debugs the component. The "
			"old build runs. Run the command again.",
			name);
	case LIMPET_UPDATE_FAILED:
		return report(
			"The new build of '%s' could not be initialised: %s. The old build was restarted.",
			name, limpet_call_text(error));
	case LIMPET_UPDATE_STOPPED:
		return report(
			"Neither the new nor the old build of '%s' could be initialised: %s. The component is "
			"stopped. Update it again.",
			name, limpet_call_text(error));
	case LIMPET_CALL_TIME:
		return report(
			"'%s': The system has not answered within %ld s, because more important threads use the "
			"CPU. `limpet log` shows whether the component was updated.",
			name, request->timeout);
	default:
		return report("'%s': %s", name, limpet_call_text(status));
	}
}

void update_print_json(FILE *out, const char *component, const struct update *update, double us)
{
	struct json json;

	json_begin(&json, out);
	json_text(&json, "component", component);
	json_real(&json, "closed_us", us);
	json_number(&json, "state_bytes", update->kept);
	json_end(&json);
}

static int print_done(const struct request *request, const struct snapshot *snapshot,
		      const struct update *update)
{
	double us = snapshot_us(snapshot, update->closed);

	if (request->json)
		update_print_json(stdout, request->component, update, us);
	else
		printf("updated %s: it served no calls for %.1f µs, %" PRIu64
		       " bytes of state kept\n",
		       request->component, us, update->kept);
	return COMMAND_OK;
}

/* Checks and makes the update. The component must exist in the running system. */
static int replace(const struct request *request, const struct snapshot *snapshot,
		   const struct image *next, unsigned int index)
{
	const struct limpet_image_component *component = image_component(&snapshot->image, index);
	struct update update = { .image = next,
				 .index = index,
				 .fresh = request->fresh,
				 .timeout = (unsigned int)request->timeout * 1000 };
	const char *channel;
	char why[REPORT_LINE / 2];
	int error;
	long status;

	if (!component->supervisor)
		return report_supervisor(request);
	if (!(component->flags & LIMPET_COMPONENT_UPDATE))
		return report(
			"Component '%s' has no memory for another build. Add update = \"SIZE\" to the component "
			"in the system file, and start the system again.",
			request->component);
	if (!images_match(&snapshot->image, next, index, why, sizeof(why)))
		return report(
			"%s: %s. Compose it from the system file of the running system, with a new "
			"build of '%s' only.",
			request->path, why, request->component);
	channel = update_channel(&snapshot->image, index);
	if (!channel)
		return report(
			"System '%s' has no component that calls interface update of '%s' for Linux. Add an "
			"instance of calls with a channel to the system file.",
			image_system_name(&snapshot->image),
			image_component_name(&snapshot->image, component->supervisor));
	status = update_send(&update, channel, &error);
	if (error)
		return report_channel(channel, error);
	return status == LIMPET_UPDATE_DONE ? print_done(request, snapshot, &update)
					    : report_status(request, status, update.error);
}

static int update(const struct request *request, const struct snapshot *snapshot)
{
	struct image next;
	int index, code;

	if (!image_header(&snapshot->image))
		return report(
			"The records of the running system cannot be read, because this limpet and the module "
			"have different versions. Install both from the same build.");
	index = component_find(&snapshot->image, request->component);
	if (index < 0 || !image_open(&next, request->path))
		return COMMAND_REFUSED;
	code = replace(request, snapshot, &next, (unsigned int)index);
	image_close(&next);
	return code;
}

static int update_main(const struct command *command, int argc, char **argv)
{
	struct request request = { .timeout = TIMEOUT };
	const struct command_option options[] = {
		OPTION_FLAG("fresh", &request.fresh),
		OPTION_NUMBER("timeout", &request.timeout, 1, 3600, " seconds"),
		OPTION_FLAG("json", &request.json),
		OPTION_END,
	};
	struct snapshot snapshot;
	int code = COMMAND_REFUSED;

	if (!options_take(command, argc, argv, options,
			  (struct command_arguments){ 2, 2, "IMAGE or COMPONENT" }, &code))
		return code;
	request.path = argv[optind];
	request.component = argv[optind + 1];
	code = snapshot_take(&snapshot) ? update(&request, &snapshot) : COMMAND_REFUSED;
	snapshot_release(&snapshot);
	return code;
}

const struct command update_command = {
	.name = "update",
	.summary = "replaces a component of the running system by a new build",
	.arguments = "IMAGE COMPONENT [--fresh] [--timeout S] [--json]",
	.help = "\n"
		"IMAGE is composed from the system file of the running system, with a new build of COMPONENT.\n"
		"The component is restarted from it with its state. Other components keep running. If the new\n"
		"build crashes within 10 seconds, the supervisor restarts the previous build.\n"
		"docs/guide/update.md describes the requirements on the system file and the component.\n\n"
		"  --fresh       start the new build without the state of the old one\n"
		"  --timeout 10  seconds to wait for each answer of the system\n"
		"  --json        print the result as JSON\n",
	.run = update_main,
};
