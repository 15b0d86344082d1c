// SPDX-License-Identifier: GPL-2.0
/* Text that components printed, and events that kernels recorded. */
#include <host/bare/system.h>

/* Copies the text of one CPU after the other. */
long call_log(struct bare_cpu *cpu, word argument, word size)
{
	word count = 0;

	for (u32 n = 0; n < cpu->layer->count; n++) {
		struct bare_log *log = cpu->layer->cpus[n]->log;

		if (log->written - log->read > BARE_LOG)
			log->read = log->written - BARE_LOG;
		while (count < size && log->read < log->written) {
			word at = log->read % BARE_LOG, part = BARE_LOG - at;

			part = part < size - count ? part : size - count;
			part = part < log->written - log->read ? part : log->written - log->read;
			if (!memory_write(cpu, argument + count, &log->text[at], part))
				return BARE_EFAULT;
			count += part;
			log->read += part;
		}
	}
	return (long)count;
}

long call_trace(struct bare_cpu *cpu, word kinds)
{
	const struct bare_layer *layer = cpu->layer;

	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (!layer->setup.trace_size)
		return BARE_ENOENT;
	for (u32 n = 0; n < layer->setup.cpus; n++) {
		struct inbox *inbox = &layer->cpu[n]->inbox;

		inbox->trace = kinds;
		hal_or(&inbox->requests, INBOX_TRACE);
		bare_apic_kick_other(cpu, layer->on[n]);
	}
	return 0;
}

/* Copies in parts of COPY_STEP. Stops before a part that has lost events, which the next call returns. */
static bool trace_copy(struct bare_cpu *bare, const struct cpu *cpu, struct limpet_ioc_trace *call)
{
	struct limpet_trace_event part[COPY_STEP / sizeof(struct limpet_trace_event)];
	u32 done = 0, count;
	u64 position, lost;

	call->lost = 0;
	do {
		position = call->position;
		count = call->count - done;
		count = trace_read(cpu, &position, part,
				   count < countof(part) ? count : countof(part), &lost);
		if (done && lost)
			break;
		if (!memory_write(bare, call->buffer + done * sizeof(*part), part,
				  count * sizeof(*part)))
			return false;
		call->lost += lost;
		call->position = position;
		done += count;
	} while (count);
	call->count = done;
	return true;
}

long call_trace_read(struct bare_cpu *cpu, word argument)
{
	const struct bare_layer *layer = cpu->layer;
	struct limpet_ioc_trace call;

	if (!memory_read(cpu, argument, &call, sizeof(call)))
		return BARE_EFAULT;
	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (call.cpu >= layer->setup.cpus)
		return BARE_EINVAL;
	if (call.count > BARE_TRACE_MAX)
		call.count = BARE_TRACE_MAX;
	if (!trace_copy(cpu, layer->cpu[call.cpu], &call) ||
	    !memory_write(cpu, argument, &call, sizeof(call)))
		return BARE_EFAULT;
	return 0;
}
