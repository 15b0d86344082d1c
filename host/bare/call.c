// SPDX-License-Identifier: GPL-2.0
/* Calls of the guest's kernel: see call.h. One call at a time. */
#include <host/bare/system.h>
#include <kernel/stat.h>

#define FRAMES_STEP 64ul

/* Describes the running system. Adds nothing if the system has ended. */
static void info_system(struct limpet_ioc_info *info, const struct bare_layer *layer)
{
	if (layer->state != LIMPET_STATE_RUNNING)
		return;
	info->cpus = layer->setup.cpus;
	for (u32 n = 0; n < info->cpus; n++)
		info->cpu[n] = layer->on[n]->number;
	info->linux_share = layer->linux_share;
	info->image_size = layer->image_size;
	info->region_size = layer->setup.end * LIMPET_PAGE;
}

static long call_info(struct bare_cpu *cpu, word argument, word size)
{
	const struct bare_layer *layer = cpu->layer;
	const struct bare_again *again = &layer->again;
	struct bare_info info = {
		.version = BARE_VERSION,
		.uptime_ticks = hal_time() - layer->since,
		.record = again->record ? again->physical + again->size : 0,
		.info = {
			.state = layer->state,
			.end_reason = layer->end_reason,
			.hidden = layer->physical.hidden,
			.hidden_size = layer->physical.hidden_end - layer->physical.hidden,
			.room = again->size,
			.kept = again->kept,
			.restarts = again->restarts,
			.death = again->death,
		},
	};

	info_system(&info.info, layer);
	bare_yield(cpu);
	size = size < sizeof(info) ? size : sizeof(info);
	return memory_write(cpu, argument, &info, size) ? 0 : BARE_EFAULT;
}

/* Counts the CPU's free frames in pieces, so that components do not wait for it. */
static u64 frames_free(struct bare_cpu *cpu, u32 n)
{
	const struct setup *setup = &cpu->layer->setup;
	u64 free = 0;

	for (word at = 0; at < setup->share; at += FRAMES_STEP) {
		word rest = setup->share - at;

		free += stat_frames(cpu->layer->cpu[n], setup->frames + n * setup->share + at,
				    rest < FRAMES_STEP ? rest : FRAMES_STEP);
		bare_yield(cpu);
	}
	return free;
}

static long call_stat(struct bare_cpu *cpu, word argument)
{
	const struct bare_layer *layer = cpu->layer;
	struct limpet_ioc_stat *stat = &cpu->layer->stat;
	const struct bare_cpu *on;

	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (!memory_read(cpu, argument, stat, sizeof(*stat)))
		return BARE_EFAULT;
	if (stat->number >= layer->setup.cpus)
		return BARE_EINVAL;
	on = layer->on[stat->number];
	stat_begin(stat, layer->cpu[stat->number], layer->setup.share);
	for (u32 i = 0; i < LIMPET_STAT_PIECE; i++) {
		bare_yield(cpu);
		stat_add(stat, layer->cpu[stat->number], (word)stat->first + i);
	}
	stat->cpus = layer->setup.cpus;
	stat->cpu.linux_cpu = on->number;
	stat->cpu.shares = on->shares;
	if (!stat->first)
		stat->cpu.frames_free = frames_free(cpu, stat->number);
	return memory_write(cpu, argument, stat, sizeof(*stat)) ? 0 : BARE_EFAULT;
}

static long call_image(struct bare_cpu *cpu, word argument, word size)
{
	const struct bare_layer *layer = cpu->layer;

	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (size > layer->image_size)
		size = layer->image_size;
	if (!memory_write(cpu, argument, image_of(layer), size))
		return BARE_EFAULT;
	return (long)size;
}

static long call_keep(struct bare_cpu *cpu, word argument)
{
	struct bare_again *again = &cpu->layer->again;
	struct limpet_ioc_keep keep;

	if (!memory_read(cpu, argument, &keep, sizeof(keep)))
		return BARE_EFAULT;
	if (keep.at > again->size || keep.size > again->size - keep.at)
		return BARE_EINVAL;
	again->kept = LIMPET_KEPT_PART;
	return memory_read(cpu, keep.buffer, again->memory + keep.at, keep.size) ? 0 : BARE_EFAULT;
}

static long call_kept(struct bare_cpu *cpu, word kept)
{
	struct bare_again *again = &cpu->layer->again;

	if (kept > LIMPET_KEPT_RELOAD)
		return BARE_EINVAL;
	if (!again->size)
		return BARE_ENOENT;
	again->kept = (u32)kept;
	return 0;
}

static long call_alive(struct bare_cpu *cpu, word ms)
{
	struct bare_layer *layer = cpu->layer;

	if (ms > BARE_SILENCE_MAX)
		return BARE_EINVAL;
	layer->silent_at = ms ? hal_time() + ms * layer->ticks_per_ms : BARE_NEVER;
	bare_apic_timer(cpu);
	return 0;
}

static long call_save(struct bare_cpu *cpu, word argument)
{
	struct bare_again *again = &cpu->layer->again;
	const word limit = 1ul << cpu->layer->physical.bits;
	word left = LIMPET_RECORD_SIZE - sizeof(struct limpet_record);
	struct limpet_ioc_save save;

	if (!again->record)
		return BARE_ENOENT;
	if (!memory_read(cpu, argument, &save, sizeof(save)))
		return BARE_EFAULT;
	if (save.count > LIMPET_SAVES)
		return BARE_EINVAL;
	for (u64 i = 0; i < save.count; i++) {
		if (save.part[i].size > left || save.part[i].physical > limit - left)
			return BARE_EINVAL;
		left -= save.part[i].size;
	}
	again->save = save;
	return 0;
}

/* Serves a call, with one line for each. */
static long call_serve(struct bare_cpu *cpu, u64 call, word argument, word size)
{
	switch (call) {
		/* clang-format off */
	case BARE_CALL_LEAVE: return call_leave(cpu);
	case BARE_CALL_LOAD: return call_load(cpu, argument);
	case BARE_CALL_STOP: return call_stop(cpu);
	case BARE_CALL_INFO: return call_info(cpu, argument, size);
	case BARE_CALL_STAT: return call_stat(cpu, argument);
	case BARE_CALL_IMAGE: return call_image(cpu, argument, size);
	case BARE_CALL_CHANNEL: return call_channel(cpu, argument);
	case BARE_CALL_NOTIFY: return call_notify(cpu, argument, size);
	case BARE_CALL_VECTOR: return call_vector(cpu, argument, size);
	case BARE_CALL_LOG: return call_log(cpu, argument, size);
	case BARE_CALL_KEEP: return call_keep(cpu, argument);
	case BARE_CALL_KEPT: return call_kept(cpu, argument);
	case BARE_CALL_ALIVE: return call_alive(cpu, argument);
	case BARE_CALL_SAVE: return call_save(cpu, argument);
	case BARE_CALL_TRACE: return call_trace(cpu, argument);
	case BARE_CALL_TRACE_READ: return call_trace_read(cpu, argument);
	case BARE_CALL_RELEASE: return call_release(cpu, argument);
		/* clang-format on */
	}
	return BARE_EINVAL;
}

long bare_call(struct bare_cpu *cpu, u64 call, word argument, word size)
{
	u32 *lock = &cpu->layer->lock;
	long result;

	if (call == BARE_CALL_DIED) { /* does not wait for the lock */
		bare_death(cpu, LIMPET_DEATH_PANIC);
		return 0;
	}
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		moment_wait(cpu);
	result = call_serve(cpu, call, argument, size);
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	return result;
}
