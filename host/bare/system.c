// SPDX-License-Identifier: GPL-2.0
/* What the guest's kernel asks of the layer: to load a system, to end it, and to tell of it. */
#include <host/bare/bare.h>
#include <kernel/stat.h>
#include <shared/image/check.h>

#define COPY_STEP 512ul /* bytes between two looks at what has come */
#define FRAMES_STEP 64ul
#define MESSAGE 0xfee00000u /* to a physical destination, fixed (APM vol. 2 section 16.11) */
#define HIDE_STEP (16ul * LIMPET_PAGE) /* divides the region */

/* Waits a moment for another CPU. QEMU with one thread for all CPUs switches to the next one at PAUSE. */
static void moment_wait(struct bare_cpu *b)
{
	bare_yield(b);
	hal_relax();
}

static bool guest_read(struct bare_cpu *b, word address, void *to, word size)
{
	for (word at = 0, part; at < size; at += part) {
		part = size - at < COPY_STEP ? size - at : COPY_STEP;
		if (!bare_guest_read(b, address + at, (u8 *)to + at, part))
			return false;
		bare_yield(b);
	}
	return true;
}

static bool guest_write(struct bare_cpu *b, word address, const void *from, word size)
{
	for (word at = 0, part; at < size; at += part) {
		part = size - at < COPY_STEP ? size - at : COPY_STEP;
		if (!bare_guest_write(b, address + at, (const u8 *)from + at, part))
			return false;
		bare_yield(b);
	}
	return true;
}

/* What the guest has of the hidden region has changed: each CPU that it runs on forgets what it knew. */
void bare_translations_forget(struct bare_cpu *b)
{
	const struct bare_layer *layer = b->layer;

	for (u32 i = 0; i < layer->count; i++) {
		if (layer->cpus[i]->left)
			continue;
		layer->cpus[i]->flush = true;
		if (layer->cpus[i] != b)
			bare_apic_kick(layer->cpus[i]);
	}
	for (u32 i = 0; i < layer->count; i++)
		while (*(volatile bool *)&layer->cpus[i]->flush)
			moment_wait(b);
}

void bare_hidden_forget(struct bare_cpu *b)
{
	const struct bare_memory *m = &b->layer->physical;

	for (word at = m->hidden; at < m->hidden_end; at += HIDE_STEP) {
		bare_hidden_hide(m, at, at + HIDE_STEP);
		bare_yield(b);
	}
	bare_translations_forget(b);
}

static const struct limpet_image *image_of(const struct bare_layer *layer)
{
	return (const void *)(layer->memory + layer->setup.image * LIMPET_PAGE);
}

/* The image is checked where the guest cannot change it any more. */
static long image_take(struct bare_cpu *b, const struct bare_load *load)
{
	struct bare_layer *layer = b->layer;
	struct setup *s = &layer->setup;
	struct limpet_image_error error;
	struct limpet_image head;
	const struct limpet_image *image;

	if (load->size < sizeof(head) || load->size > LIMPET_IMAGE_MAX ||
	    load->size % LIMPET_PAGE || !load->cpus || load->cpus > LIMPET_CPUS_MAX ||
	    load->linux_share > BARE_SHARE_MOST)
		return BARE_EINVAL;
	if (!guest_read(b, load->image, &head, sizeof(head)))
		return BARE_EFAULT;
	if (head.frames < SETUP_FRAMES_LEAST || head.frames > SETUP_FRAMES_MOST)
		return BARE_EINVAL;
	*s = (struct setup){
		.cpus = load->cpus,
		.image_pages = load->size / LIMPET_PAGE,
		.share = head.frames,
		.trace_size = head.trace,
		.ticks_per_ms = layer->ticks_per_ms,
		.early = layer->ticks_per_ms *
			 (load->early_us < BARE_EARLY_US ? load->early_us : BARE_EARLY_US) / 1000,
	};
	setup_layout(s);
	if (s->end > layer->pages)
		return BARE_ENOMEM;
	__builtin_memset(layer->memory, 0, s->end * LIMPET_PAGE);
	image = image_of(layer);
	if (!guest_read(b, load->image, (void *)image, load->size))
		return BARE_EFAULT;
	if (limpet_image_check(image, load->size, &error) || image->cpus != load->cpus ||
	    image->frames != head.frames)
		return BARE_EINVAL;
	layer->again.limit = image->restarts;
	layer->again.deaths = 0;
	return 0;
}

static struct bare_cpu *cpu_of(const struct bare_layer *layer, u32 number)
{
	for (u32 i = 0; i < layer->count; i++)
		if (layer->cpus[i]->number == number)
			return layer->cpus[i];
	return NULL;
}

/* Finds the CPUs that the guest names; each at most once. */
static bool cpus_take(struct bare_layer *layer, const struct bare_load *load)
{
	for (u32 n = 0; n < load->cpus; n++) {
		layer->on[n] = cpu_of(layer, load->cpu[n]);
		for (u32 i = 0; i < n; i++)
			if (layer->on[i] == layer->on[n])
				return false;
		if (!layer->on[n])
			return false;
	}
	return true;
}

/* From now on components run on that CPU. */
static void cpu_start(struct bare_layer *layer, u32 n)
{
	struct bare_cpu *b = layer->on[n];

	b->entry = (struct entry_cpu){
		.inside = TRACE_PATH_PLAIN,
		.stack = setup_stack(&layer->setup, layer->memory, n),
		.self = &b->entry,
	};
	b->shares = 0;
	b->gravity =
		(struct gravity){ .value = layer->setup.early }; /* rather too early at first */
	b->tss.sp[0] = b->entry.stack;
	hal_barrier();
	b->entry.cpu = layer->cpu[n];
}

/* Where a device writes to interrupt that CPU; 0: its number is too great for that. */
static u64 message_of(const struct bare_cpu *on)
{
	return on->apic_id > BARE_IO_APIC_TO_MOST ? 0 : MESSAGE | on->apic_id << 12;
}

static long system_build(struct bare_cpu *b, const struct bare_load *load)
{
	struct bare_layer *layer = b->layer;
	const struct hal_setup hal = {
		.virtual_offset = layer->virtual_offset,
		.kernel_root = layer->root,
		.levels = layer->physical.levels,
		.xsave_mask = layer->xsave_mask,
	};

	hal_setup(&hal);
	layer->setup.resource = layer->given;
	layer->setup.resources = layer->resources;
	layer->setup.message_data = BARE_VECTOR_DEVICE;
	for (u32 n = 0; n < load->cpus; n++)
		layer->setup.message[n] = message_of(layer->on[n]);
	layer->image_size = load->size;
	layer->linux_share = load->linux_share;
	if (setup_build(&layer->setup, layer->memory, layer->cpu) < load->cpus) {
		bare_resources_return(b);
		return BARE_ENOSPC;
	}
	__builtin_memset(layer->events->stops, 0, sizeof(layer->events->stops));
	layer->since = hal_time();
	layer->end_reason = LIMPET_END_NONE;
	layer->state = LIMPET_STATE_RUNNING;
	for (u32 n = 0; n < load->cpus; n++)
		cpu_start(layer, n);
	bare_resources_begin(layer);
	for (u32 n = 0; n < load->cpus; n++)
		if (layer->on[n] != b)
			bare_apic_kick(layer->on[n]);
	return 0;
}

/* Waits until no CPU has anything of the system any more; what it had of the machine is the guest's. */
static void system_end(struct bare_cpu *b)
{
	const struct bare_layer *layer = b->layer;

	for (u32 i = 0; i < layer->count; i++) {
		struct bare_cpu *other = layer->cpus[i];

		if (other != b && other->entry.cpu)
			bare_apic_kick(other);
		while (((volatile struct entry_cpu *)&other->entry)->cpu)
			moment_wait(b);
	}
	bare_resources_return(b);
}

/* A CPU that has left sees all memory. */
static bool all_beneath(const struct bare_layer *layer)
{
	for (u32 i = 0; i < layer->count; i++)
		if (layer->cpus[i]->left)
			return false;
	return true;
}

static bool can_leave(const struct bare_layer *layer)
{
	return layer->state != LIMPET_STATE_RUNNING && !layer->again.restarts;
}

static long call_leave(struct bare_cpu *b)
{
	if (!can_leave(b->layer))
		return BARE_EBUSY;
	system_end(b);
	b->left = true;
	return (long)b->exits;
}

/*
 * Makes a CPU leave, then sends it INIT. After that it executes neither the guest's code nor the layer's, whose memory
 * may be freed.
 */
static long call_release(struct bare_cpu *b, word number)
{
	struct bare_cpu *to = cpu_of(b->layer, (u32)number);

	if (!to || to == b)
		return BARE_EINVAL;
	if (!can_leave(b->layer))
		return BARE_EBUSY;
	system_end(b);
	to->released = true;
	bare_apic_kick(to);
	while (!*(volatile bool *)&to->left)
		moment_wait(b);
	bare_apic_init(to);
	return 0;
}

static long call_load(struct bare_cpu *b, word argument)
{
	struct bare_layer *layer = b->layer;
	struct bare_load load;
	long error;

	if (layer->state == LIMPET_STATE_RUNNING || !all_beneath(layer))
		return BARE_EBUSY;
	if (!guest_read(b, argument, &load, sizeof(load)))
		return BARE_EFAULT;
	system_end(b);
	layer->state = LIMPET_STATE_EMPTY;
	bare_hidden_forget(b);
	error = image_take(b, &load);
	if (!error && !cpus_take(layer, &load))
		error = BARE_EINVAL;
	if (!error)
		error = bare_resources_take(b, image_of(layer));
	return error ? error : system_build(b, &load);
}

/* What components said last stays in their channels, until another system is loaded. */
static long call_stop(struct bare_cpu *b)
{
	struct bare_layer *layer = b->layer;

	if (layer->state == LIMPET_STATE_EMPTY)
		return 0;
	layer->state = LIMPET_STATE_STOPPING;
	system_end(b);
	layer->state = LIMPET_STATE_EMPTY;
	layer->end_reason = LIMPET_END_STOP;
	return 0;
}

static long call_info(struct bare_cpu *b, word argument, word size)
{
	const struct bare_layer *layer = b->layer;
	struct bare_info info = {
		.version = BARE_VERSION,
		.state = layer->state,
		.end_reason = layer->end_reason,
		.cpus = layer->state == LIMPET_STATE_RUNNING ? layer->setup.cpus : 0,
		.linux_share = layer->linux_share,
		.uptime_ticks = hal_time() - layer->since,
		.image_size = layer->image_size,
		.region_size = layer->setup.end * LIMPET_PAGE,
		.hidden = layer->physical.hidden,
		.hidden_size = layer->physical.hidden_end - layer->physical.hidden,
		.room = layer->again.size,
		.record = layer->again.record ? layer->again.physical + layer->again.size : 0,
		.kept = layer->again.kept,
		.restarts = layer->again.restarts,
		.death = layer->again.death,
	};

	for (u32 n = 0; n < info.cpus; n++)
		info.cpu[n] = layer->on[n]->number;
	size = size < sizeof(info) ? size : sizeof(info);
	return guest_write(b, argument, &info, size) ? 0 : BARE_EFAULT;
}

/* The CPU's free frames, in pieces: components do not wait for it. */
static u64 frames_free(struct bare_cpu *b, u32 n)
{
	const struct setup *s = &b->layer->setup;
	u64 free = 0;

	for (word at = 0; at < s->share; at += FRAMES_STEP) {
		word rest = s->share - at;

		free += stat_frames(b->layer->cpu[n], s->frames + n * s->share + at,
				    rest < FRAMES_STEP ? rest : FRAMES_STEP);
		bare_yield(b);
	}
	return free;
}

static long call_stat(struct bare_cpu *b, word argument)
{
	const struct bare_layer *layer = b->layer;
	struct limpet_ioc_stat *stat = &b->layer->stat;
	const struct bare_cpu *on;

	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (!guest_read(b, argument, stat, sizeof(*stat)))
		return BARE_EFAULT;
	if (stat->number >= layer->setup.cpus)
		return BARE_EINVAL;
	on = layer->on[stat->number];
	stat_take(stat, layer->cpu[stat->number], layer->setup.share);
	stat->cpus = layer->setup.cpus;
	stat->cpu.linux_cpu = on->number;
	stat->cpu.resumes = on->entry.resumes;
	stat->cpu.interrupted = on->entry.interrupted;
	stat->cpu.shares = on->shares;
	if (!stat->first)
		stat->cpu.frames_free = frames_free(b, stat->number);
	return guest_write(b, argument, stat, sizeof(*stat)) ? 0 : BARE_EFAULT;
}

static long call_image(struct bare_cpu *b, word argument, word size)
{
	const struct bare_layer *layer = b->layer;

	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (size > layer->image_size)
		size = layer->image_size;
	if (!guest_write(b, argument, layer->memory + layer->setup.image * LIMPET_PAGE, size))
		return BARE_EFAULT;
	return (long)size;
}

/* The channel that the guest names; NULL and *error: none. */
static const struct channel *channel_of(struct bare_cpu *b, word argument,
					struct bare_channel *call, long *error)
{
	const struct bare_layer *layer = b->layer;
	const struct channel *channel = NULL;

	if (!guest_read(b, argument, call, sizeof(*call)))
		*error = BARE_EFAULT;
	else if (layer->state != LIMPET_STATE_RUNNING)
		*error = BARE_ENODEV;
	else if (call->cpu >= layer->setup.cpus || call->number >= CHANNELS_MAX)
		*error = BARE_EINVAL;
	else
		channel = &layer->cpu[call->cpu]->channel[call->number];
	if (channel && !channel->frames) {
		*error = BARE_ENOENT;
		channel = NULL;
	}
	return channel;
}

static long call_channel(struct bare_cpu *b, word argument)
{
	const struct bare_layer *layer = b->layer;
	struct bare_channel call;
	long error;
	const struct channel *channel = channel_of(b, argument, &call, &error);

	if (!channel)
		return error;
	call.physical = (word)layer->memory - layer->virtual_offset + channel->frame * LIMPET_PAGE;
	call.size = channel->frames * LIMPET_PAGE;
	call.bit =
		(u32)__builtin_ctzl(layer->cpu[call.cpu]->source[INBOX_CHANNEL + call.number].bits);
	call.stops = channel->stops;
	for (word at = 0; at < call.size; at += LIMPET_PAGE) {
		bare_hidden_show(&layer->physical, call.physical + at);
		bare_yield(b);
	}
	bare_translations_forget(b);
	return guest_write(b, argument, &call, sizeof(call)) ? 0 : BARE_EFAULT;
}

static long call_notify(struct bare_cpu *b, word argument)
{
	struct bare_channel call;
	long error;

	if (!channel_of(b, argument, &call, &error))
		return error;
	inbox_put(&b->layer->cpu[call.cpu]->inbox, INBOX_CHANNEL + call.number);
	if (b->layer->on[call.cpu] != b)
		bare_apic_kick(b->layer->on[call.cpu]);
	return 0;
}

static long call_vector(struct bare_cpu *b, word number, word vector)
{
	struct bare_layer *layer = b->layer;
	struct bare_cpu *to = number > ~0u ? NULL : cpu_of(layer, (u32)number);

	if (vector && (!to || vector < BARE_VECTOR_LEAST || vector > BARE_VECTOR_MOST))
		return BARE_EINVAL;
	layer->vector = (u32)vector;
	layer->notified = vector ? to : NULL;
	bare_notify(b);
	return 0;
}

/* Of one CPU after the other. */
static long call_log(struct bare_cpu *b, word argument, word size)
{
	word count = 0;

	for (u32 n = 0; n < b->layer->count; n++) {
		struct bare_log *log = b->layer->cpus[n]->log;

		if (log->written - log->read > BARE_LOG)
			log->read = log->written - BARE_LOG;
		while (count < size && log->read < log->written) {
			word at = log->read % BARE_LOG, part = BARE_LOG - at;

			part = part < size - count ? part : size - count;
			part = part < log->written - log->read ? part : log->written - log->read;
			if (!guest_write(b, argument + count, &log->text[at], part))
				return BARE_EFAULT;
			count += part;
			log->read += part;
		}
	}
	return (long)count;
}

static long call_keep(struct bare_cpu *b, word argument)
{
	struct bare_again *again = &b->layer->again;
	struct bare_keep keep;

	if (!guest_read(b, argument, &keep, sizeof(keep)))
		return BARE_EFAULT;
	if (keep.at > again->size || keep.size > again->size - keep.at)
		return BARE_EINVAL;
	again->kept = LIMPET_KEPT_PART;
	return guest_read(b, keep.address, again->memory + keep.at, keep.size) ? 0 : BARE_EFAULT;
}

static long call_kept(struct bare_cpu *b, word kept)
{
	struct bare_again *again = &b->layer->again;

	if (kept > LIMPET_KEPT_RELOAD)
		return BARE_EINVAL;
	if (!again->size)
		return BARE_ENOENT;
	again->kept = (u32)kept;
	return 0;
}

static long call_alive(struct bare_cpu *b, word ms)
{
	struct bare_layer *layer = b->layer;

	if (ms > BARE_SILENCE_MOST)
		return BARE_EINVAL;
	layer->silent_at = ms ? hal_time() + ms * layer->ticks_per_ms : BARE_NEVER;
	bare_apic_timer(b);
	return 0;
}

static long call_save(struct bare_cpu *b, word argument)
{
	struct bare_again *again = &b->layer->again;
	const word limit = 1ul << b->layer->physical.bits;
	word left = LIMPET_RECORD_SIZE - sizeof(struct limpet_record);
	struct limpet_ioc_save save;

	if (!again->record)
		return BARE_ENOENT;
	if (!guest_read(b, argument, &save, sizeof(save)))
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

static long call_trace(struct bare_cpu *b, word kinds)
{
	const struct bare_layer *layer = b->layer;

	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (!layer->setup.trace_size)
		return BARE_ENOENT;
	for (u32 n = 0; n < layer->setup.cpus; n++) {
		struct inbox *inbox = &layer->cpu[n]->inbox;

		inbox->trace = kinds;
		hal_or(&inbox->requests, INBOX_TRACE);
		if (layer->on[n] != b)
			bare_apic_kick(layer->on[n]);
	}
	return 0;
}

/* Parts of COPY_STEP; the next one that has lost events is left for another call. */
static long trace_copy(struct bare_cpu *b, const struct cpu *cpu, struct bare_trace *call)
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
		if (!guest_write(b, call->address + done * sizeof(*part), part,
				 count * sizeof(*part)))
			return BARE_EFAULT;
		call->lost += lost;
		call->position = position;
		done += count;
	} while (count);
	call->count = done;
	return 0;
}

static long call_trace_read(struct bare_cpu *b, word argument)
{
	const struct bare_layer *layer = b->layer;
	struct bare_trace call;
	long error;

	if (!guest_read(b, argument, &call, sizeof(call)))
		return BARE_EFAULT;
	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	if (call.cpu >= layer->setup.cpus)
		return BARE_EINVAL;
	if (call.count > BARE_TRACE_MOST)
		call.count = BARE_TRACE_MOST;
	error = trace_copy(b, layer->cpu[call.cpu], &call);
	if (error)
		return error;
	return guest_write(b, argument, &call, sizeof(call)) ? 0 : BARE_EFAULT;
}

static long call_serve(struct bare_cpu *b, u64 call, word argument, word size)
{
	switch (call) {
	case BARE_CALL_LEAVE:
		return call_leave(b);
	case BARE_CALL_LOAD:
		return call_load(b, argument);
	case BARE_CALL_STOP:
		return call_stop(b);
	case BARE_CALL_INFO:
		return call_info(b, argument, size);
	case BARE_CALL_STAT:
		return call_stat(b, argument);
	case BARE_CALL_IMAGE:
		return call_image(b, argument, size);
	case BARE_CALL_CHANNEL:
		return call_channel(b, argument);
	case BARE_CALL_NOTIFY:
		return call_notify(b, argument);
	case BARE_CALL_VECTOR:
		return call_vector(b, argument, size);
	case BARE_CALL_LOG:
		return call_log(b, argument, size);
	case BARE_CALL_KEEP:
		return call_keep(b, argument);
	case BARE_CALL_KEPT:
		return call_kept(b, argument);
	case BARE_CALL_ALIVE:
		return call_alive(b, argument);
	case BARE_CALL_SAVE:
		return call_save(b, argument);
	case BARE_CALL_TRACE:
		return call_trace(b, argument);
	case BARE_CALL_TRACE_READ:
		return call_trace_read(b, argument);
	case BARE_CALL_RELEASE:
		return call_release(b, argument);
	}
	return BARE_EINVAL;
}

long bare_call(struct bare_cpu *b, u64 call, word argument, word size)
{
	u32 *lock = &b->layer->lock;
	long result;

	if (call == BARE_CALL_DIED) { /* now, whoever has the lock */
		bare_death(b, LIMPET_DEATH_PANIC);
		return 0;
	}
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		moment_wait(b);
	result = call_serve(b, call, argument, size);
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	return result;
}
