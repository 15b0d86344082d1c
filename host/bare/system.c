// SPDX-License-Identifier: GPL-2.0
/* What the guest's kernel asks of the layer: to load a system, to end it, and to tell of it. */
#include <host/bare/bare.h>
#include <kernel/stat.h>
#include <lib/image/check.h>

#define TLB_FLUSH 1	/* of all address spaces: vmcb.tlb_control */
#define COPY_STEP 512ul /* bytes between two looks at what has come */

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

static void memory_clear(struct bare_cpu *b)
{
	const struct bare_layer *layer = b->layer;

	bare_hidden_hide(&layer->physical);
	b->vmcb->tlb_control = TLB_FLUSH;
	__builtin_memset(layer->memory, 0, layer->setup.end * LIMPET_PAGE);
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
	    load->size % LIMPET_PAGE || load->cpus != 1)
		return BARE_EINVAL;
	if (!guest_read(b, load->image, &head, sizeof(head)))
		return BARE_EFAULT;
	if (head.frames < SETUP_FRAMES_LEAST || head.frames > SETUP_FRAMES_MOST)
		return BARE_EINVAL;
	*s = (struct setup){
		.cpus = load->cpus,
		.image_pages = load->size / LIMPET_PAGE,
		.share = head.frames,
		.ticks_per_ms = layer->ticks_per_ms,
		.early = layer->ticks_per_ms * BARE_EARLY_US / 1000,
	};
	setup_layout(s);
	if (s->end > layer->pages)
		return BARE_ENOMEM;
	image = (const void *)(layer->memory + s->image * LIMPET_PAGE);
	if (!guest_read(b, load->image, (void *)image, load->size))
		return BARE_EFAULT;
	if (limpet_image_check(image, load->size, &error) || image->cpus != load->cpus ||
	    image->frames != head.frames)
		return BARE_EINVAL;
	return 0;
}

static long system_build(struct bare_cpu *b, const struct bare_load *load)
{
	struct bare_layer *layer = b->layer;
	const struct hal_setup hal = {
		.virtual_offset = layer->virtual_offset,
		.kernel_root = layer->root,
		.levels = layer->levels,
		.xsave_mask = layer->xsave_mask,
	};

	hal_setup(&hal);
	layer->image_size = load->size;
	if (setup_build(&layer->setup, layer->memory, load->size, layer->cpu) < load->cpus)
		return BARE_ENOMEM;
	b->entry = (struct entry_cpu){
		.inside = 1,
		.stack = setup_stack(&layer->setup, layer->memory, 0),
		.cpu = layer->cpu[0],
		.self = &b->entry,
	};
	b->tss.sp[0] = b->entry.stack;
	layer->since = hal_time();
	layer->end_reason = LIMPET_END_NONE;
	layer->state = LIMPET_STATE_RUNNING;
	return 0;
}

static long call_load(struct bare_cpu *b, word argument)
{
	struct bare_load load;
	long error;

	if (b->layer->state == LIMPET_STATE_RUNNING)
		return BARE_EBUSY;
	if (!guest_read(b, argument, &load, sizeof(load)))
		return BARE_EFAULT;
	memory_clear(b);
	error = image_take(b, &load);
	if (!error)
		error = system_build(b, &load);
	if (error)
		b->layer->state = LIMPET_STATE_EMPTY;
	return error;
}

/* What components said last stays in their channels, until another system is loaded. */
static long call_stop(struct bare_cpu *b)
{
	bare_forget(b);
	b->layer->state = LIMPET_STATE_EMPTY;
	b->layer->end_reason = LIMPET_END_STOP;
	return 0;
}

static long call_info(struct bare_cpu *b, word argument)
{
	const struct bare_layer *layer = b->layer;
	const struct bare_info info = {
		.state = layer->state,
		.end_reason = layer->end_reason,
		.cpus = layer->setup.cpus,
		.uptime_ticks = hal_time() - layer->since,
		.image_size = layer->image_size,
		.region_size = layer->setup.end * LIMPET_PAGE,
	};

	return guest_write(b, argument, &info, sizeof(info)) ? 0 : BARE_EFAULT;
}

static long call_stat(struct bare_cpu *b, word argument)
{
	struct bare_layer *layer = b->layer;
	struct limpet_ioc_stat *stat = &layer->stat;

	if (layer->state != LIMPET_STATE_RUNNING)
		return BARE_ENODEV;
	*stat = (struct limpet_ioc_stat){ .cpus = layer->setup.cpus };
	stat_cpu(stat, b->entry.cpu, layer->setup.frames, layer->setup.share);
	stat->cpu[0].resumes = b->entry.resumes;
	stat->cpu[0].interrupted = b->entry.interrupted;
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
	for (word at = 0; at < call.size; at += LIMPET_PAGE)
		bare_hidden_show(&layer->physical, call.physical + at);
	b->vmcb->tlb_control = TLB_FLUSH;
	return guest_write(b, argument, &call, sizeof(call)) ? 0 : BARE_EFAULT;
}

static long call_notify(struct bare_cpu *b, word argument)
{
	struct bare_channel call;
	long error;

	if (!channel_of(b, argument, &call, &error))
		return error;
	hal_or(&b->layer->cpu[call.cpu]->inbox.channels, 1ul << call.number);
	return 0;
}

static long call_log(struct bare_cpu *b, word argument, word size)
{
	struct bare_layer *layer = b->layer;
	word count = 0;

	if (layer->logged - layer->read > BARE_LOG)
		layer->read = layer->logged - BARE_LOG;
	for (; count < size && layer->read < layer->logged; count++, layer->read++) {
		if (!bare_guest_write(b, argument + count, &layer->log[layer->read % BARE_LOG], 1))
			return BARE_EFAULT;
		bare_yield(b);
	}
	return (long)count;
}

long bare_call(struct bare_cpu *b, u64 call, word argument, word size)
{
	switch (call) {
	case BARE_CALL_LOAD:
		return call_load(b, argument);
	case BARE_CALL_STOP:
		return call_stop(b);
	case BARE_CALL_INFO:
		return call_info(b, argument);
	case BARE_CALL_STAT:
		return call_stat(b, argument);
	case BARE_CALL_IMAGE:
		return call_image(b, argument, size);
	case BARE_CALL_CHANNEL:
		return call_channel(b, argument);
	case BARE_CALL_NOTIFY:
		return call_notify(b, argument);
	case BARE_CALL_EVENTS:
		return guest_write(b, argument, &b->layer->events, sizeof(b->layer->events))
			       ? 0
			       : BARE_EFAULT;
	case BARE_CALL_LOG:
		return call_log(b, argument, size);
	}
	return BARE_EINVAL;
}
