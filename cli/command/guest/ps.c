// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include <cli/common/system.h>
#include <cli/command/guest/guest.h>
#include <client/device.h>

/* Reads the records of a system, for names. */
static int image_read(int fd, void *images)
{
	struct limpet_ioc_info info;
	unsigned char *bytes;
	size_t size;

	if (!limpet_info(fd, &info) && info.id < LIMPET_SYSTEMS_MAX &&
	    !limpet_image_records(fd, &bytes, &size))
		image_take((struct image *)images + info.id, bytes, size);
	return 0;
}

static int ps(bool json)
{
	struct guest_list list;
	struct image images[LIMPET_SYSTEMS_MAX] = { 0 };
	int code = guest_list_get(&list);

	if (code != COMMAND_OK)
		return code;
	systems_each(image_read, images); /* without the control device, the names are unknown */
	(json ? guest_print_json : guest_print)(stdout, &list, images, "");
	for (unsigned int id = 0; id < LIMPET_SYSTEMS_MAX; id++)
		image_close(&images[id]);
	guest_list_free(&list);
	return COMMAND_OK;
}

static int ps_main(const struct command *command, int argc, char **argv)
{
	bool json = false;
	const struct command_option options[] = {
		OPTION_FLAG("json", &json),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	return ps(json);
}

const struct command guest_ps_command = {
	.name = GUEST_PREFIX "ps",
	.summary = "lists the guests",
	.arguments = "[--json]",
	.help = "\n"
		"A line for each guest, which is a thread: its executive (a number without root), or its\n"
		"executives in the order in which they get its calls, as in sandbox>trace; its state, how\n"
		"many CALLS and OTHERS (other events) they got, how often an interrupt PARKED them, how\n"
		"many events MOVED to the host thread, and how many of 512 calls its FILTER has.\n\n"
		"  --json  one JSON object\n",
	.run = ps_main,
};
