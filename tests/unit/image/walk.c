// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limpet/call.h>
#include <limpet/channel.h>
#include <limpet/component.h>
#include <limpet/image.h>

#include "walk.h"

#define HOLD(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "accepted, but not true: %s\n", #what);                    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct view {
	const char *base;
	const struct limpet_image *image;
	const struct limpet_image_component *component;
	const struct limpet_image_segment *segment;
	const struct limpet_image_wire *wire;
	const struct limpet_image_arg *arg;
	const struct limpet_image_resource *resource;
	const struct limpet_image_channel *channel;
	const struct limpet_image_symbol *symbol;
	const struct limpet_image_unwind *unwind;
};

static uint64_t bytes(const char *data, uint64_t size)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < size; i++)
		sum += (unsigned char)data[i];
	return sum;
}

static uint64_t string(const struct view *v, uint32_t offset, size_t size)
{
	const char *text = v->base + v->image->strings_at + offset;

	HOLD(strlen(text) > 0 && strlen(text) < size);
	HOLD(offset + strlen(text) < v->image->strings);
	return bytes(text, strlen(text));
}

static void apart(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	HOLD(a + a_size <= b || b + b_size <= a);
}

static int executable(const struct view *v, const struct limpet_image_component *c, uint64_t at)
{
	for (uint32_t i = c->segment; i < c->segment + c->segments; i++)
		if (at >= v->segment[i].address &&
		    at - v->segment[i].address < v->segment[i].size &&
		    v->segment[i].rights == (LIMPET_READ | LIMPET_EXEC))
			return 1;
	return 0;
}

static uint64_t pool_size(const struct limpet_image_component *c)
{
	return c->pool_count
		       ? ((uint64_t)c->pool_count + !!c->priority + c->threads) << c->pool_shift
		       : 0;
}

static uint64_t walk_segments(const struct view *v, const struct limpet_image_component *c)
{
	uint64_t sum = 0;

	for (uint32_t i = c->segment; i < c->segment + c->segments; i++) {
		const struct limpet_image_segment *s = &v->segment[i];

		HOLD(s->address % LIMPET_PAGE == 0 && s->size % LIMPET_PAGE == 0 && s->size);
		HOLD(s->address < LIMPET_USER_END && s->size <= LIMPET_USER_END - s->address);
		HOLD(s->rights && s->rights < 8 && s->rights != 7 && s->rights != 6);
		HOLD(s->file_size <= s->size && s->at % LIMPET_PAGE == 0);
		sum += bytes(v->base + s->at, s->file_size);
		apart(s->address, s->size, c->info, LIMPET_PAGE);
		apart(s->address, s->size, c->heap, c->heap_size);
		apart(s->address, s->size, c->stacks, (uint64_t)c->stack_count << c->stack_shift);
		apart(s->address, s->size, c->pool, pool_size(c));
		for (uint32_t k = c->segment; k < i; k++)
			apart(s->address, s->size, v->segment[k].address, v->segment[k].size);
	}
	return sum;
}

static uint64_t walk_wires(const struct view *v, uint32_t index)
{
	const struct limpet_image_component *c = &v->component[index];
	uint64_t sum = 0;

	for (uint32_t i = c->wire; i < c->wire + c->wires; i++) {
		const struct limpet_image_wire *w = &v->wire[i];

		HOLD(w->server > 0 && w->server < index);
		HOLD(v->component[w->server].cpu == c->cpu);
		HOLD(executable(v, &v->component[w->server], w->entry));
		HOLD(w->slot == LIMPET_SLOT_FIRST + i - c->wire && w->slot < LIMPET_SLOT_THREADS);
		HOLD(w->badge == index + 1);
		sum += string(v, w->import, LIMPET_NAME_MAX) +
		       string(v, w->function, LIMPET_NAME_MAX);
	}
	return sum;
}

static uint64_t walk_args(const struct view *v, const struct limpet_image_component *c)
{
	uint64_t sum = 0;

	HOLD(c->args <= LIMPET_INFO_ARGS);
	for (uint32_t i = c->arg; i < c->arg + c->args; i++) {
		sum += string(v, v->arg[i].name, 24) + (uint64_t)v->arg[i].number;
		if (v->arg[i].text != UINT32_MAX)
			sum += string(v, v->arg[i].text, 40);
	}
	return sum;
}

/* Checks the schedulers: one root schedules all threads, directly or through others. */
static void walk_scheduler(const struct view *v, uint32_t index)
{
	const struct limpet_image_component *c = &v->component[index], *at = c;
	unsigned int steps = 0;

	HOLD(c->threads <= LIMPET_SPARES_MAX && (index || !c->threads));
	if (!c->priority && !c->threads) {
		HOLD(!c->scheduler);
		return;
	}
	for (; at->scheduler; at = &v->component[at->scheduler]) {
		const struct limpet_image_component *by = &v->component[at->scheduler];

		HOLD(at->scheduler < v->image->components && by->cpu == c->cpu);
		HOLD(by->flags & LIMPET_COMPONENT_SCHEDULER && by->priority);
		HOLD(++steps < LIMPET_COMPONENTS_MAX);
	}
	HOLD(at->flags & LIMPET_COMPONENT_SCHEDULER);
	for (uint32_t i = 1; i < v->image->components; i++)
		HOLD(&v->component[i] == at || v->component[i].cpu != c->cpu ||
		     v->component[i].scheduler ||
		     !(v->component[i].flags & LIMPET_COMPONENT_SCHEDULER));
}

static void walk_faults(const struct view *v, uint32_t index)
{
	const struct limpet_image_component *c = &v->component[index], *at = c, *s;
	unsigned int steps = 0;

	for (; at->faults; at = &v->component[at->faults]) {
		HOLD(at->faults < v->image->components);
		HOLD(v->component[at->faults].cpu == c->cpu);
		HOLD(executable(v, &v->component[at->faults], at->faults_entry));
		HOLD(++steps < LIMPET_COMPONENTS_MAX);
		if (c->faults == index) /* a component can handle its own faults */
			break;
	}
	HOLD(c->supervisor < v->image->components && (index || !c->faults));
	HOLD(c->restart <= LIMPET_RESTART_CHECKPOINT);
	HOLD(c->restart_backoff_ms <= 3600000 && c->heartbeat_ms <= 3600000);
	if (!c->supervisor) {
		HOLD(!c->restart && !c->restart_limit && !c->restart_backoff_ms);
		return;
	}
	s = &v->component[c->supervisor];
	HOLD(s != c && s->cpu == c->cpu && c->faults);
	HOLD(s->flags & LIMPET_COMPONENT_SUPERVISOR);
	HOLD(!(s->flags & (LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY |
			   LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_CLIENTS)));
}

static uint64_t walk_functions(const struct view *v, const struct limpet_image_component *c)
{
	const uint64_t text = v->segment[c->segment].address;
	uint64_t sum = 0;

	HOLD(c->symbol + c->symbols <= v->image->symbols);
	HOLD(c->unwind + c->unwinds <= v->image->unwinds);
	for (uint32_t i = c->symbol; i < c->symbol + c->symbols; i++) {
		HOLD(executable(v, c, text + v->symbol[i].offset));
		HOLD(i == c->symbol || v->symbol[i].offset > v->symbol[i - 1].offset);
		sum += string(v, v->symbol[i].name, LIMPET_SYMBOL_NAME_MAX);
	}
	for (uint32_t i = c->unwind; i < c->unwind + c->unwinds; i++) {
		HOLD(executable(v, c, text + v->unwind[i].offset));
		HOLD(i == c->unwind || v->unwind[i].offset > v->unwind[i - 1].offset);
		HOLD(v->unwind[i].frame == LIMPET_UNWIND_UNKNOWN ||
		     (v->unwind[i].frame % 8 == 0 && v->unwind[i].frame - 1 < 1u << 20));
	}
	return sum;
}

static uint64_t walk_component(const struct view *v, uint32_t index)
{
	const struct limpet_image_component *c = &v->component[index];

	HOLD((c->flags & LIMPET_COMPONENT_BOOTER) == (index == 0));
	HOLD(c->cpu < v->image->cpus && c->priority <= LIMPET_URGENCY_MAX);
	HOLD((c->pool_count ? c->stack_shift == LIMPET_ENTRY_SHIFT
			    : c->stack_shift >= 13 && c->stack_shift <= 20) &&
	     c->stacks % LIMPET_PAGE == 0);
	HOLD(c->pool_count <= LIMPET_POOL_MAX && (c->pool_count || !c->pool));
	HOLD(!c->pool_count || (c->pool_shift >= 13 && c->pool_shift <= 20));
	apart(c->pool, pool_size(c), c->stacks, (uint64_t)c->stack_count << c->stack_shift);
	apart(c->pool, pool_size(c), c->heap, c->heap_size);
	apart(c->pool, pool_size(c), c->info, LIMPET_INFO_PAGES * LIMPET_PAGE);
	HOLD(c->stacks < LIMPET_USER_END && c->heap < LIMPET_USER_END);
	HOLD(c->heap % LIMPET_PAGE == 0 && c->heap_size % LIMPET_PAGE == 0);
	HOLD(c->heap_size <= v->image->frames * LIMPET_PAGE);
	HOLD(c->info % LIMPET_PAGE == 0 && c->info && c->info < LIMPET_USER_END);
	HOLD(executable(v, c, c->entry));
	apart(c->info, LIMPET_INFO_PAGES * LIMPET_PAGE, c->stacks,
	      (uint64_t)c->stack_count << c->stack_shift);
	apart(c->info, LIMPET_PAGE, c->heap, c->heap_size);
	apart(c->stacks, (uint64_t)c->stack_count << c->stack_shift, c->heap, c->heap_size);
	HOLD(c->quota <= LIMPET_QUOTA_MAX);
	walk_scheduler(v, index);
	walk_faults(v, index);
	return walk_functions(v, c) + string(v, c->name, LIMPET_NAME_MAX) +
	       string(v, c->image, LIMPET_NAME_MAX) + walk_segments(v, c) + walk_wires(v, index) +
	       walk_args(v, c);
}

static void walk_resource(const struct view *v, const struct limpet_image_resource *r)
{
	const uint64_t end = r->first + r->count;

	HOLD(r->component && r->component < v->image->components);
	HOLD(r->count && end > r->first);
	HOLD(!(r->flags & ~LIMPET_RESOURCE_IN_IMAGE));
	HOLD(!(r->flags & LIMPET_RESOURCE_SHOWN) || r->kind == LIMPET_RESOURCE_MEMORY);
	HOLD(!(r->flags & LIMPET_RESOURCE_LEVEL) || r->kind == LIMPET_RESOURCE_INTERRUPT);
	switch (r->kind) {
	case LIMPET_RESOURCE_PORTS:
		HOLD(end <= 65536);
		break;
	case LIMPET_RESOURCE_MEMORY:
		HOLD(r->first % LIMPET_PAGE == 0 && r->count % LIMPET_PAGE == 0);
		HOLD(end <= 1ul << 46 && r->count <= 64ul << 20);
		break;
	case LIMPET_RESOURCE_INTERRUPT:
		HOLD(r->first < LIMPET_LINES_MAX || r->first == LIMPET_LINE_LINUX ||
		     r->first == LIMPET_LINE_MESSAGE);
		HOLD(r->count == 1 && v->component[r->component].priority);
		break;
	default:
		HOLD(r->kind == LIMPET_RESOURCE_PCI && r->count == 1 && r->first <= UINT32_MAX);
	}
}

/* Resources are sorted by component, unique, and at most as many as the booter can assign. */
static uint64_t walk_resources(const struct view *v)
{
	const struct limpet_image_resource *r = v->resource;
	unsigned int own[LIMPET_COMPONENTS_MAX] = { 0 }, all = 0;

	for (uint32_t i = 0; i < v->image->resources; i++) {
		unsigned int parts = r[i].kind == LIMPET_RESOURCE_PCI ? 7 : 1;

		walk_resource(v, &r[i]);
		HOLD(!i || r[i].component >= r[i - 1].component);
		for (uint32_t k = 0; k < i; k++)
			if (r[k].kind == r[i].kind && (r[i].kind != LIMPET_RESOURCE_INTERRUPT ||
						       r[i].first < LIMPET_LINES_MAX))
				apart(r[k].first, r[k].count, r[i].first, r[i].count);
		own[r[i].component] += parts;
		all += parts;
		HOLD(own[r[i].component] <= LIMPET_INFO_RESOURCES && all <= LIMPET_RESOURCES_MAX);
	}
	return all;
}

/* Header and rings have whole pages of a valid number, and a frame fits into a ring. */
static void walk_rings(const struct limpet_image_channel *c)
{
	const uint32_t size[] = { c->to_linux, c->to_component };

	HOLD(c->mode >= LIMPET_CHANNEL_MESSAGES && c->mode <= LIMPET_CHANNEL_ATTACHED);
	HOLD(size[0] + size[1] && size[0] + size[1] <= 63 * LIMPET_PAGE);
	for (unsigned int i = 0; i < 2; i++) {
		HOLD(size[i] % LIMPET_PAGE == 0);
		if (c->mode == LIMPET_CHANNEL_SHARED || c->mode == LIMPET_CHANNEL_ATTACHED)
			continue;
		HOLD(!(size[i] & (size[i] - 1)));
		HOLD(c->mode != LIMPET_CHANNEL_NETWORK ||
		     (c->mtu >= 576 && c->mtu + 26 + 8 <= size[i] / 2));
	}
	HOLD(c->mode != LIMPET_CHANNEL_SHARED || !c->to_component);
	HOLD(!(c->access & ~0666u));
	HOLD((c->mode == LIMPET_CHANNEL_NETWORK) == !!c->mac && c->mac < 1ul << 48);
}

/* The memory is that of another component on the same CPU, with the same name and size. */
static void walk_attached(const struct view *v, const struct limpet_image_channel *c)
{
	const struct limpet_image_channel *of = &v->channel[c->number];

	HOLD(c->number < v->image->channels && of->mode == LIMPET_CHANNEL_SHARED);
	HOLD(of->to_linux == c->to_linux && of->component != c->component && !c->access);
	HOLD(v->component[of->component].cpu == v->component[c->component].cpu);
	HOLD(!strcmp(v->base + v->image->strings_at + c->name,
		     v->base + v->image->strings_at + of->name));
}

/* Reads what the booter and the host use: unique numbers and names. */
static uint64_t walk_channels(const struct view *v)
{
	const struct limpet_image_channel *c = v->channel;
	unsigned int own[LIMPET_COMPONENTS_MAX] = { 0 };
	uint32_t taken[LIMPET_CPUS_MAX] = { 0 };
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->image->channels; i++) {
		const struct limpet_image_component *owner = &v->component[c[i].component];
		const char *name = v->base + v->image->strings_at + c[i].name;

		HOLD(c[i].component && c[i].component < v->image->components);
		HOLD(owner->priority && ++own[c[i].component] <= LIMPET_INFO_CHANNELS);
		HOLD(!i || c[i].component >= c[i - 1].component);
		if (c[i].mode == LIMPET_CHANNEL_ATTACHED) {
			walk_attached(v, &c[i]);
			walk_rings(&c[i]);
			continue;
		}
		HOLD(c[i].mode != LIMPET_CHANNEL_FIFO ||
		     (!strncmp(name, "rtf", 3) && atoi(name + 3) < 64 && strlen(name) <= 5));
		HOLD(c[i].number >= 2 && c[i].number < 32);
		HOLD(!(taken[owner->cpu] & 1u << c[i].number));
		taken[owner->cpu] |= 1u << c[i].number;
		sum += string(v, c[i].name,
			      c[i].mode == LIMPET_CHANNEL_NETWORK ? 16 : LIMPET_NAME_MAX);
		HOLD(strcmp(name, "control") && strcmp(name, "guest") &&
		     strncmp(name, "console.", 8) && strncmp(name, "crash.", 6) &&
		     !strchr(name, '/') && name[0] != '.');
		for (uint32_t k = 0; k < i; k++)
			HOLD(c[k].mode == LIMPET_CHANNEL_ATTACHED ||
			     strcmp(name, v->base + v->image->strings_at + c[k].name));
		walk_rings(&c[i]);
	}
	return sum;
}

uint64_t walk(const void *memory)
{
	const struct limpet_image *image = memory;
	const char *base = memory;
	const struct view v = {
		base,
		image,
		(const void *)(base + image->components_at),
		(const void *)(base + image->segments_at),
		(const void *)(base + image->wires_at),
		(const void *)(base + image->args_at),
		(const void *)(base + image->resources_at),
		(const void *)(base + image->channels_at),
		(const void *)(base + image->symbols_at),
		(const void *)(base + image->unwinds_at),
	};
	uint64_t sum = string(&v, image->name, LIMPET_NAME_MAX);

	HOLD(!image->trace || (image->trace >= 4096 && image->trace <= 1u << 24 &&
			       !(image->trace & (image->trace - 1))));
	HOLD(image->cpus <= LIMPET_CPUS_MAX && image->components <= LIMPET_COMPONENTS_MAX);
	for (uint32_t i = 0; i < image->components; i++)
		sum += walk_component(&v, i);
	sum += walk_resources(&v) + walk_channels(&v);
	return sum + bytes(base + image->ramdisk_at, image->ramdisk_size);
}
