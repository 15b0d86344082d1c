// SPDX-License-Identifier: GPL-2.0
/* The operations of /dev/limpet/control in beneath mode: see device.h. */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>

#include <host/linux/beneath/device.h>
#include <host/linux/control.h>

#define KEEP_PART 65536

static long operation_info(const struct control_session *session, struct limpet_ioc_info *info)
{
	struct bare_info layer;
	long error = layer_info(&layer);

	if (error)
		return error;
	*info = layer.info;
	info->version = LIMPET_DEVICE_VERSION;
	if (info->cpus)
		info->uptime_ns = mul_u64_u64_div_u64(layer.uptime_ticks, 1000000, tsc_khz);
	info->ticks_per_ms = tsc_khz;
	info->levels = pgtable_l5_enabled() ? 5 : 4;
	info->xsave_size = hal_xsave_size(check_xsave_mask());
	info->mode = LIMPET_MODE_BENEATH;
	return 0;
}

/* One system runs at a time. Its id is 0. */
static long operation_select(struct control_session *session, u32 id)
{
	struct bare_info layer;
	long error = id == LIMPET_SYSTEM_ANY ? 0 : layer_info(&layer);

	if (error || id == LIMPET_SYSTEM_ANY)
		return error;
	return id || layer.info.state == LIMPET_STATE_EMPTY ? -ENODEV : 0;
}

static long operation_stat(const struct control_session *session, struct limpet_ioc_stat *stat)
{
	return layer_call(BARE_CALL_STAT, stat, 0);
}

static long operation_trace(const struct control_session *session, u64 kinds)
{
	return layer_call(BARE_CALL_TRACE, (void *)kinds, 0);
}

static long operation_trace_read(const struct control_session *session,
				 struct limpet_ioc_trace *read, void *to)
{
	const u64 buffer = read->buffer;
	long error;

	read->buffer = (word)to;
	error = layer_call(BARE_CALL_TRACE_READ, read, 0);
	read->buffer = buffer;
	return error;
}

/*
 * Copies in parts, because the layer needs present memory, and the caller's must not be accessed
 * with the lock.
 */
static long ioc_keep(struct limpet_ioc_keep keep)
{
	struct limpet_ioc_keep call;
	void *copy = kvmalloc(KEEP_PART, GFP_KERNEL);
	long error = 0;

	if (!copy)
		return -ENOMEM;
	while (keep.size && !error) {
		call = (struct limpet_ioc_keep){ keep.at, (word)copy,
						 min_t(u64, keep.size, KEEP_PART) };
		if (signal_pending(current))
			error = -EINTR;
		else if (copy_from_user(copy, u64_to_user_ptr(keep.buffer), call.size))
			error = -EFAULT;
		else
			error = layer_call(BARE_CALL_KEEP, &call, 0);
		keep.at += call.size;
		keep.buffer += call.size;
		keep.size -= call.size;
		cond_resched();
	}
	kvfree(copy);
	return error;
}

/* Maps the record for the copy, because it is not in this Linux's memory map. */
static long ioc_record(const struct limpet_ioc_keep *want)
{
	struct bare_info layer;
	struct limpet_record *record;
	long error = layer_info(&layer);

	if (error || !layer.record || !layer.info.restarts)
		return error ?: -ENODATA;
	if (want->at > LIMPET_RECORD_SIZE || want->size > LIMPET_RECORD_SIZE - want->at)
		return -EINVAL;
	record = memremap(layer.record, LIMPET_RECORD_SIZE, MEMREMAP_WB);
	if (!record)
		return -ENOMEM;
	if (record->magic != LIMPET_RECORD_MAGIC)
		error = -ENODATA;
	else if (copy_to_user(u64_to_user_ptr(want->buffer), (u8 *)record + want->at, want->size))
		error = -EFAULT;
	memunmap(record);
	return error;
}

static long operation_other(const struct control_session *session, unsigned int command,
			    const union control_argument *argument)
{
	struct limpet_ioc_save save = argument->save;

	switch (command) {
		/* clang-format off */
	case LIMPET_IOC_KEEP: return ioc_keep(argument->keep);
	case LIMPET_IOC_SAVE: return layer_call(BARE_CALL_SAVE, &save, 0);
	case LIMPET_IOC_RECORD: return ioc_record(&argument->keep);
	case LIMPET_IOC_KEPT: return layer_call(BARE_CALL_KEPT, (void *)argument->value, 0);
		/* clang-format on */
	}
	return -ENOTTY;
}

const struct control_operations beneath_control = {
	.file = CONTROL_FILE,
	.info = operation_info,
	.load = beneath_load,
	.select = operation_select,
	.stop = beneath_stop,
	.stat = operation_stat,
	.image = beneath_image,
	.trace = operation_trace,
	.trace_read = operation_trace_read,
	.other = operation_other,
};
