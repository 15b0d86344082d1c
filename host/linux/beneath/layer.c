// SPDX-License-Identifier: GPL-2.0
/* Calls of processes to the layer: see device.h. */
#include <host/linux/beneath/device.h>

struct bare_events *layer_events;
static DEFINE_MUTEX(lock);

long layer_call(enum bare_call call, void *argument, u64 size)
{
	long result;

	mutex_lock(&lock);
	result = beneath_call(call, argument, size);
	mutex_unlock(&lock);
	return result;
}

long layer_info(struct bare_info *info)
{
	return layer_call(BARE_CALL_INFO, info, sizeof(*info));
}

long layer_running(struct bare_info *info)
{
	long error = layer_info(info);

	return !error && info->info.state != LIMPET_STATE_RUNNING ? -ENODEV : error;
}
