// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include "booter.h"

static void text_copy(char *to, size_t size, const char *from)
{
	size_t length = strlen(from);

	memcpy(to, from, length < size ? length : size - 1); /* the remaining entries are 0 */
}

static void args_fill(struct limpet_info *info, const struct part *part)
{
	const struct limpet_image_arg *arg = &booter.arg[part->record->arg];

	if (part->record->args > LIMPET_INFO_ARGS)
		give_up_text("%s: %u arguments exceed the maximum of %u", part_name(part),
			     part->record->args, LIMPET_INFO_ARGS);
	info->args = part->record->args;
	for (uint32_t i = 0; i < info->args; i++) {
		text_copy(info->arg[i].name, sizeof(info->arg[i].name), image_string(arg[i].name));
		info->arg[i].number = arg[i].number;
		if (arg[i].text != UINT32_MAX)
			text_copy(info->arg[i].text, sizeof(info->arg[i].text),
				  image_string(arg[i].text));
	}
}

static struct limpet_info_thread thread_info(const struct part *part, uint32_t flags)
{
	return (struct limpet_info_thread){
		.component = part->index,
		.priority = part->record->priority,
		.scheduler = part->scheduler ? part->scheduler->index : 0,
		.flags = flags,
	};
}

void threads_inform(void)
{
	uint64_t size = (booter.threads + 1) * sizeof(struct limpet_info_thread);
	struct limpet_info_thread *table = own_take(size);

	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct part *part = &booter.part[i];

		if (part->thread_id)
			table[part->thread_id] = thread_info(part, 0);
		for (uint32_t k = 0; k < part->record->threads; k++)
			table[part->spare_id + k] = thread_info(part, LIMPET_THREAD_SPARE);
	}
	booter.thread_table = frames_take(pages_of(size));
	frames_fill(NULL, booter.thread_table, 0, pages_of(size), table, size);
}

static void resources_fill(struct limpet_info *info, const struct part *part)
{
	for (uint32_t i = 0; i < booter.resources; i++)
		if (booter.resource[i].part == part)
			info->resource[info->resources++] = booter.resource[i].info;
}

static void own_fill(struct limpet_info *info, const struct part *part)
{
	const struct limpet_image_component *component = part->record;

	*info = (struct limpet_info){
		.magic = LIMPET_INFO_MAGIC,
		.version = LIMPET_INFO_VERSION,
		.index = part->index,
		.cpu = booter.cpu,
		.cpus = booter.cpus,
		.thread = part->thread_id ? part->thread_id : UINT32_MAX,
		.priority = component->priority,
		.ticks_per_ms = booter.ticks_per_ms,
		.heap = component->heap,
		.heap_size = component->heap_size,
		.stacks = component->stacks,
		.stack_shift = component->stack_shift,
		.flags = component->flags,
		.pool = component->pool,
		.pool_shift = component->pool_shift,
		.pool_count = component->pool_count,
		.first_thread = stack_first(part),
		.ramdisk = part->ramdisk,
		.ramdisk_size = part->ramdisk ? booter.image->ramdisk_size : 0,
		.channel = part->channel ? part->channel + LIMPET_CHANNEL_PAGE : 0,
		.channel_size = part->channel ? LIMPET_CHANNEL_OWN_SIZE : 0,
		.name_of = (const void *)part->names,
		.supervised = part == booter.supervisor ? plan_supervised(part) : 0,
		.memory = component->flags & LIMPET_COMPONENT_MEMORY ? part->second : 0,
		.supervision = part == booter.supervisor ? part->second : 0,
		.channel_info = part->channel_info,
		.channels = part->channel_count,
		.components = booter.image->components,
		.channel_slot = (uint32_t)channel_slot(part),
		.resource_slot = (uint32_t)resource_slot(part),
		.threads = booter.threads,
		.thread_of = (const void *)(component->info + PAGE),
		.image = part->image,
		.real_ns = booter.image->real_ns,
		.real_stamp = booter.image->real_stamp,
		.image_size = part->image ? booter.image->size : 0,
	};
	text_copy(info->name, sizeof(info->name), part_name(part));
}

static void memory_inform(const struct part *memory)
{
	uint64_t size = booter.image->components * sizeof(struct limpet_info_memory);
	struct limpet_info_memory *info = own_take(size);

	for (uint32_t i = 0; i < booter.parts; i++)
		if (booter.part[i].memory == memory || &booter.part[i] == memory)
			info[booter.part[i].index].quota = booter.part[i].record->quota;
	memory_map(memory, memory->second, plan_second_pages(memory), LIMPET_READ, info, size);
}

static void supervisor_inform(const struct part *supervisor)
{
	uint64_t size = plan_supervised(supervisor) * sizeof(struct limpet_info_supervised);
	struct limpet_info_supervised *info = own_take(size);
	uint32_t count = 0;

	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct part *part = &booter.part[i];

		if (part->supervisor != supervisor)
			continue;
		info[count++] = (struct limpet_info_supervised){
			.component = part->index,
			.scheduler = part->scheduler ? part->scheduler->thread_id : 0,
			.thread = part->thread_id,
			.spare = part->spare_id,
			.spares = part->record->threads,
			.view = part->view,
			.kept = part->kept,
			.size = plan_writable(part),
			.code = part->code,
			.other = part->other,
		};
	}
	memory_map(supervisor, supervisor->second, plan_second_pages(supervisor), LIMPET_READ, info,
		   size);
}

/* Gives the console the names of all components. It finds the name of a caller by the badge of the caller's gate. */
static void console_inform(const struct part *console)
{
	uint64_t size = plan_names(console);
	char *names = own_take(size);

	for (uint32_t i = 0; i < booter.parts; i++)
		text_copy(names + booter.part[i].index * LIMPET_NAME_MAX, LIMPET_NAME_MAX,
			  part_name(&booter.part[i]));
	memory_map(console, console->names, (size + PAGE - 1) / PAGE, LIMPET_READ, names, size);
}

void part_inform(const struct part *part)
{
	static struct limpet_info info;

	own_fill(&info, part);
	args_fill(&info, part);
	resources_fill(&info, part);
	memory_map(part, part->record->info, 1, LIMPET_READ, &info, sizeof(info));
	frames_map(part, part->page_table, booter.thread_table, part->record->info + PAGE,
		   pages_of((booter.threads + 1) * sizeof(struct limpet_info_thread)), LIMPET_READ,
		   "map the table of threads");
	channels_inform(part);
	if (part->record->flags & LIMPET_COMPONENT_MEMORY)
		memory_inform(part);
	if (part == booter.supervisor)
		supervisor_inform(part);
	if (part == booter.console)
		console_inform(part);
}
