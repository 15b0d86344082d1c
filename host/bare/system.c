// SPDX-License-Identifier: GPL-2.0
/* Loads and ends a system, and lets CPUs leave the layer. */
#include <host/bare/system.h>
#include <shared/image/check.h>

#define MESSAGE 0xfee00000u /* physical destination, fixed (APM vol. 2 section 16.11) */

const struct limpet_image *image_of(const struct bare_layer *layer)
{
	return (const void *)(layer->memory + layer->setup.image * LIMPET_PAGE);
}

/* Copies the image to memory that the guest cannot change, and checks it there. */
static long image_take(struct bare_cpu *cpu, const struct limpet_ioc_load *load)
{
	struct bare_layer *layer = cpu->layer;
	struct setup *setup = &layer->setup;
	struct limpet_image_error error;
	struct limpet_image head;
	const struct limpet_image *image;

	if (load->size < sizeof(head) || load->size > LIMPET_IMAGE_MAX ||
	    load->size % LIMPET_PAGE || !load->cpus || load->cpus > LIMPET_CPUS_MAX ||
	    load->linux_share > BARE_SHARE_MAX)
		return BARE_EINVAL;
	if (!memory_read(cpu, load->image, &head, sizeof(head)))
		return BARE_EFAULT;
	if (head.frames < SETUP_FRAMES_MIN || head.frames > SETUP_FRAMES_MAX)
		return BARE_EINVAL;
	*setup = (struct setup){
		.cpus = load->cpus,
		.image_pages = load->size / LIMPET_PAGE,
		.share = head.frames,
		.trace_size = head.trace,
		.ticks_per_ms = layer->ticks_per_ms,
		.early = layer->ticks_per_ms *
			 (load->early_us < BARE_EARLY_US ? load->early_us : BARE_EARLY_US) / 1000,
	};
	setup_layout(setup);
	if (setup->end > layer->pages)
		return BARE_ENOMEM;
	__builtin_memset(layer->memory, 0, setup->end * LIMPET_PAGE);
	image = image_of(layer);
	if (!memory_read(cpu, load->image, (void *)image, load->size))
		return BARE_EFAULT;
	if (limpet_image_check(image, load->size, &error) || image->cpus != load->cpus ||
	    image->frames != head.frames || image->trace != head.trace)
		return BARE_EINVAL;
	layer->again.limit = image->restarts;
	layer->again.deaths = 0;
	return 0;
}

#define CPUID_EXTENSIONS 0x80000008u
#define CPUID_IBPB (1u << 12) /* of EBX: the processor has the branch predictor barrier */

/*
 * Turns the layer's loads of page tables into calls of barrier_load() if the image requests barriers, and back. No CPU
 * executes them meanwhile, because no system runs. Each CPU loads its IDT before its first one (run.c), which is
 * serialising, so it does not execute old instructions.
 */
static long barriers_choose(struct bare_layer *layer)
{
	const bool wanted = limpet_image_barrier(image_of(layer));

	if (wanted && !(vm_cpuid(CPUID_EXTENSIONS, 0).b & CPUID_IBPB))
		return BARE_EOPNOTSUPP;
	for (u32 i = 0; i < layer->loads; i++)
		hal_load_write(layer->text + layer->load[i], BARE_TEXT + (word)layer->load[i],
			       wanted ? (word)barrier_load : 0);
	return 0;
}

/* Finds the CPUs that the guest names. Each must occur once. */
static long cpus_take(struct bare_layer *layer, const struct limpet_ioc_load *load)
{
	for (u32 n = 0; n < load->cpus; n++) {
		layer->on[n] = bare_cpu_find(layer, load->cpu[n]);
		for (u32 i = 0; i < n; i++)
			if (layer->on[i] == layer->on[n])
				return BARE_EINVAL;
		if (!layer->on[n])
			return BARE_EINVAL;
	}
	return 0;
}

/* Starts the components of a CPU. */
static void cpu_start(struct bare_layer *layer, u32 n)
{
	struct bare_cpu *cpu = layer->on[n];

	cpu->entry = (struct entry_cpu){
		.inside = TRACE_PATH_PLAIN,
		.stack = setup_stack(&layer->setup, layer->memory, n),
		.self = &cpu->entry,
	};
	cpu->shares = 0;
	/* Gravity starts with its maximum. */
	cpu->gravity = (struct gravity){ .value = layer->setup.early };
	cpu->tss.sp[0] = cpu->entry.stack;
	hal_barrier();
	cpu->entry.cpu = layer->cpu[n];
}

/*
 * Returns the address at which a device's write interrupts the CPU, or 0 if its APIC ID is too
 * large.
 */
static u64 message_of(const struct bare_cpu *on)
{
	return on->apic_id > BARE_IO_APIC_TO_MAX ? 0 : MESSAGE | on->apic_id << 12;
}

static long system_build(struct bare_cpu *cpu, const struct limpet_ioc_load *load)
{
	struct bare_layer *layer = cpu->layer;
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
		bare_resources_return(cpu);
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
		bare_apic_kick_other(cpu, layer->on[n]);
	return 0;
}

/* Waits until no CPU uses the system any more, and returns its resources to the guest. */
static void system_end(struct bare_cpu *cpu)
{
	const struct bare_layer *layer = cpu->layer;

	for (u32 i = 0; i < layer->count; i++) {
		struct bare_cpu *other = layer->cpus[i];

		if (other != cpu && other->entry.cpu)
			bare_apic_kick(other);
		while (((volatile struct entry_cpu *)&other->entry)->cpu)
			moment_wait(cpu);
	}
	bare_resources_return(cpu);
}

/* Returns whether no CPU has left the layer. A CPU outside the layer can access all memory. */
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

long call_leave(struct bare_cpu *cpu)
{
	if (!can_leave(cpu->layer))
		return BARE_EBUSY;
	system_end(cpu);
	cpu->left = true;
	return (long)cpu->exits;
}

/*
 * Makes a CPU leave, then sends it INIT. After that it executes neither the guest's code nor the layer's, whose memory
 * may be freed.
 */
long call_release(struct bare_cpu *cpu, word number)
{
	struct bare_cpu *to = bare_cpu_find(cpu->layer, (u32)number);

	if (!to || to == cpu)
		return BARE_EINVAL;
	if (!can_leave(cpu->layer))
		return BARE_EBUSY;
	system_end(cpu);
	to->released = true;
	bare_apic_kick(to);
	while (!*(volatile bool *)&to->left)
		moment_wait(cpu);
	bare_apic_init(to);
	return 0;
}

long call_load(struct bare_cpu *cpu, word argument)
{
	struct bare_layer *layer = cpu->layer;
	struct limpet_ioc_load load;

	if (layer->state == LIMPET_STATE_RUNNING || !all_beneath(layer))
		return BARE_EBUSY;
	if (!memory_read(cpu, argument, &load, sizeof(load)))
		return BARE_EFAULT;
	system_end(cpu);
	layer->state = LIMPET_STATE_EMPTY;
	bare_hidden_forget(cpu);
	return image_take(cpu, &load) ?: cpus_take(layer, &load) ?: barriers_choose(layer)
		       ?: bare_resources_take(cpu, image_of(layer)) ?: system_build(cpu, &load);
}

/* The components' last data stay in their channels until another system is loaded. */
long call_stop(struct bare_cpu *cpu)
{
	struct bare_layer *layer = cpu->layer;

	if (layer->state == LIMPET_STATE_EMPTY)
		return 0;
	layer->state = LIMPET_STATE_STOPPING;
	system_end(cpu);
	layer->state = LIMPET_STATE_EMPTY;
	layer->end_reason = LIMPET_END_STOP;
	return 0;
}
