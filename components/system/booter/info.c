// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include "booter.h"

static void text_copy(char *to, size_t size, const char *from)
{
	size_t length = strlen(from);

	memcpy(to, from, length < size ? length : size - 1); /* the rest is 0 */
}

static void args_fill(struct limpet_info *info, const struct part *part)
{
	const struct limpet_image_arg *arg = &booter.arg[part->record->arg];

	if (part->record->args > LIMPET_INFO_ARGS)
		give_up_text("%s: it has %u arguments, %u are possible", part_name(part),
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

static void thread_fill(struct limpet_info *info, const struct part *part, uint32_t id,
			uint32_t flags)
{
	info->thread_of[id] = (struct limpet_info_thread){
		.component = part->index,
		.priority = part->record->priority,
		.scheduler = part->scheduler ? part->scheduler->index : 0,
		.flags = flags,
	};
}

static void threads_fill(struct limpet_info *info)
{
	info->threads = booter.threads;
	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct part *part = &booter.part[i];

		if (part->thread_id)
			thread_fill(info, part, part->thread_id, 0);
		for (uint32_t k = 0; k < part->record->threads; k++)
			thread_fill(info, part, part->spare_id + k, LIMPET_THREAD_SPARE);
	}
}

static void resources_fill(struct limpet_info *info, const struct part *part)
{
	for (uint32_t i = 0; i < booter.resources; i++)
		if (booter.resource[i].part == part)
			info->resource[info->resources++] = booter.resource[i].info;
}

static void own_fill(struct limpet_info *info, const struct part *part)
{
	const struct limpet_image_component *c = part->record;

	*info = (struct limpet_info){
		.magic = LIMPET_INFO_MAGIC,
		.version = LIMPET_INFO_VERSION,
		.index = part->index,
		.cpu = booter.cpu,
		.cpus = booter.cpus,
		.thread = part->thread_id ? part->thread_id : UINT32_MAX,
		.priority = c->priority,
		.ticks_per_ms = booter.ticks_per_ms,
		.heap = c->heap,
		.heap_size = c->heap_size,
		.stacks = c->stacks,
		.stack_shift = c->stack_shift,
		.flags = c->flags,
		.ramdisk = part->ramdisk,
		.ramdisk_size = part->ramdisk ? booter.image->ramdisk_size : 0,
		.channel = part->channel ? part->channel + LIMPET_CHANNEL_PAGE : 0,
		.channel_size = part->channel ? LIMPET_CHANNEL_OWN_SIZE : 0,
		.supervised = plan_supervised(part),
		.memory = c->flags & LIMPET_COMPONENT_MEMORY ? part->second : 0,
		.supervision = part == booter.supervisor ? part->second : 0,
		.channel_info = part->channel_info,
		.channels = part_channels(part),
		.image = part->image,
		.image_size = part->image ? booter.image->size : 0,
	};
	text_copy(info->name, sizeof(info->name), part_name(part));
}

static void memory_inform(const struct part *memory)
{
	struct limpet_info_memory info = { 0 };

	for (uint32_t i = 0; i < booter.parts; i++)
		if (booter.part[i].memory == memory || &booter.part[i] == memory)
			info.quota[booter.part[i].index] = booter.part[i].record->quota;
	memory_map(memory, memory->second, plan_second_pages(memory), LIMPET_READ, &info,
		   sizeof(info));
}

static uint64_t threads_of(const struct part *part)
{
	uint64_t own = part->thread_id ? 1ul << part->thread_id : 0;
	uint64_t spare = (1ul << part->record->threads) - 1;

	return own | spare << part->spare_id;
}

static void supervisor_inform(const struct part *supervisor)
{
	static struct limpet_info_supervised info[LIMPET_COMPONENTS_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct part *part = &booter.part[i];

		if (part->supervisor != supervisor)
			continue;
		info[count++] = (struct limpet_info_supervised){
			.component = part->index,
			.scheduler = part->scheduler ? part->scheduler->thread_id : 0,
			.threads = threads_of(part),
			.view = part->view,
			.kept = part->kept,
			.size = plan_writable(part),
		};
	}
	memory_map(supervisor, supervisor->second, plan_second_pages(supervisor), LIMPET_READ, info,
		   count * sizeof(info[0]));
}

void part_inform(const struct part *part)
{
	static struct limpet_info info;

	own_fill(&info, part);
	threads_fill(&info);
	args_fill(&info, part);
	resources_fill(&info, part);
	memory_map(part, part->record->info, 1, LIMPET_READ, &info, sizeof(info));
	channels_inform(part);
	if (part->record->flags & LIMPET_COMPONENT_MEMORY)
		memory_inform(part);
	if (part == booter.supervisor)
		supervisor_inform(part);
}
