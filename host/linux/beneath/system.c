// SPDX-License-Identifier: GPL-2.0
/* Loads and ends systems in the layer. Follows the system that runs: its text, its channels and its end. */
#include <linux/vmalloc.h>

#include <host/linux/compat.h>
#include <host/linux/beneath/device.h>
#include <host/linux/channel/channel.h>
#include <shared/image/check.h>

#define LOG_PART 256
/*
 * Interval between two checks of the console, of the state of the system and, without an interrupt, of notifications.
 */
#define LOOK_EVERY msecs_to_jiffies(100)
#define LOOK_OFTEN msecs_to_jiffies(10)

static DEFINE_MUTEX(change); /* serialises loads and ends of systems, with their channels */

static void log_take(void)
{
	char text[LOG_PART];
	long got;

	while ((got = layer_call(BARE_CALL_LOG, text, sizeof(text))) > 0)
		system_print(text, got);
}

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(looking, look);

static void look(struct work_struct *work)
{
	struct bare_info layer;

	mutex_lock(&change);
	log_take();
	if (!layer_running(&layer))
		schedule_delayed_work(&looking, interrupt_found() ? LOOK_EVERY : LOOK_OFTEN);
	else
		beneath_channels_end();
	mutex_unlock(&change);
	beneath_channels_look();
}

/* Makes the channels of a system that runs already when this Linux starts, from its image. */
static void channels_find(void)
{
	struct limpet_image_error wrong;
	struct bare_info layer;
	char error[80] = "its image cannot be read, or is invalid";
	u64 size;
	void *image;

	if (layer_running(&layer))
		return;
	size = layer.info.image_size;
	image = vmalloc(size);
	if (!image || layer_call(BARE_CALL_IMAGE, image, size) != size ||
	    limpet_image_check(image, size, &wrong) ||
	    beneath_channels(image, error, sizeof(error)))
		pr_err("limpet: the channels of the running system cannot be created: %s\n", error);
	vfree(image);
}

void beneath_device_init(void)
{
	bool found = interrupt_find();

	channels_find();
	mod_delayed_work(system_dfl_wq, &looking, 0);
	layer_call(BARE_CALL_TRACE, NULL, 0); /* stops a trace of the previous Linux */
	if (!found)
		pr_notice(
			"limpet: No interrupt is free. Notifications to Linux are up to 10 ms late.\n");
}

void beneath_device_exit(void)
{
	cancel_delayed_work_sync(&looking);
	beneath_channels_destroy();
	interrupt_release();
}

/* Called with `change`. */
static long system_stop(void)
{
	struct bare_info layer;
	long error = layer_info(&layer);

	if (error)
		return error;
	return layer.info.state == LIMPET_STATE_EMPTY ? -ENODEV
						      : layer_call(BARE_CALL_STOP, NULL, 0);
}

/* Returns a line that explains a refusal of the layer, or NULL if the error is not the layer's. */
static const char *refusal(long error)
{
	switch (error) {
	case BARE_ENOMEM:
		return "The system's frames do not fit into the memory that is hidden for systems. Lower [system] frames, or attach with more --memory.";
	case BARE_ENOSPC:
		return "The frames are too few for the booter. Raise [system] frames.";
	case BARE_EOPNOTSUPP:
		return "A component has branch-barrier, but this processor has no branch predictor barrier (IBPB). Remove it from the system file.";
	case BARE_EBUSY:
		return "A system is loaded already. Stop it first.";
	case BARE_ENXIO:
		return "A component has an interrupt line, PCI function or memory that this machine lacks. Compare [[component]] with lspci and /proc/interrupts.";
	case BARE_E2BIG:
		return "The components have more than 64 parts of the machine, or more than 64 MiB of a PCI function. Assign fewer or smaller parts.";
	case BARE_EEXIST:
		return "Two components have the same ports or registers, or one has PCI configuration space as memory. Find the parts of a PCI function with lspci -v.";
	}
	return NULL;
}

/*
 * Destroys the channels of the last system first, because the layer gives their memory to the new one. A system that
 * runs is not loaded over, even if it ends before the layer could refuse: its channels still exist then.
 */
static long load_with_channels(struct limpet_ioc_load *load, const void *image)
{
	struct limpet_ioc_load call = *load;
	struct bare_info layer;
	long error = BARE_EBUSY;

	mutex_lock(&change);
	if (layer_running(&layer)) {
		beneath_channels_destroy();
		call.image = (word)image;
		error = layer_call(BARE_CALL_LOAD, &call, 0);
	}
	if (error && refusal(error)) {
		strscpy(load->error, refusal(error), sizeof(load->error));
	} else if (!error) {
		error = beneath_channels(image, load->error, sizeof(load->error));
		if (error)
			system_stop();
	}
	mutex_unlock(&change);
	return error;
}

long beneath_load(struct control_session *session, struct limpet_ioc_load *load, const void *image)
{
	long error = machine_allows(load, image) ?: load_with_channels(load, image);

	if (!error)
		mod_delayed_work(system_dfl_wq, &looking, 0);
	return error;
}

long beneath_image(const struct control_session *session, void *to, u64 size)
{
	struct bare_info layer;
	long got;

	mutex_lock(&change);
	got = layer_running(&layer)
		      ?: layer_call(BARE_CALL_IMAGE, to, min(size, layer.info.image_size));
	mutex_unlock(&change);
	return got;
}

long beneath_stop(const struct control_session *session)
{
	long error;

	mutex_lock(&change);
	error = system_stop();
	if (!error)
		beneath_channels_end();
	mutex_unlock(&change);
	return error;
}
