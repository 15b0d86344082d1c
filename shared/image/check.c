// SPDX-License-Identifier: BSD-2-Clause
#include <limpet/call.h>
#include <limpet/component.h>
#include <limpet/image.h>

#include "channel.h"
#include "check.h"
#include "crc.h"
#include "resource.h"
#include "text.h"

#define PAGE ((uint64_t)LIMPET_PAGE)
#define NO_TEXT 0xffffffffu
#define RANGES (LIMPET_IMAGE_SEGMENTS + 3) /* and info page, heap, stacks */
#define STACK_SHIFT_MIN 13
#define STACK_SHIFT_MAX 20
#define MS_MAX 3600000u /* an hour */
#define FLAGS_ALL                                                                                  \
	(LIMPET_COMPONENT_BOOTER | LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY |          \
	 LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_CPU | LIMPET_COMPONENT_RAMDISK |              \
	 LIMPET_COMPONENT_SUPERVISOR | LIMPET_COMPONENT_CLIENTS)
_Static_assert(LIMPET_SLOT_FIRST + LIMPET_WIRES_MAX == LIMPET_SLOT_THREADS, "imports have slots");
_Static_assert(LIMPET_SLOT_ENDPOINTS == LIMPET_SLOT_THREADS + LIMPET_THREADS_MAX &&
		       LIMPET_SLOT_COMPONENTS == LIMPET_SLOT_ENDPOINTS + LIMPET_THREADS_MAX &&
		       LIMPET_SLOT_SPACES == LIMPET_SLOT_COMPONENTS + LIMPET_COMPONENTS_MAX &&
		       LIMPET_SLOT_COUNT == LIMPET_SLOT_SPACES + LIMPET_COMPONENTS_MAX &&
		       LIMPET_SLOT_COUNT <= LIMPET_SLOTS_MAX,
	       "a slot for each thread and component");
/* What a supervisor cannot be: the slots of its capabilities are theirs. */
#define FLAGS_APART                                                                                \
	(LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY | LIMPET_COMPONENT_CONSOLE |         \
	 LIMPET_COMPONENT_CLIENTS)

#define member_size(type, member) sizeof(((type *)0)->member)

/* What the checks of one CPU's components add up to. */
struct cpu_sum {
	uint32_t root; /* index of its root scheduler; 0: none was seen */
	uint32_t threads, channels;
	uint64_t bytes; /* of memory that the booter will fill */
};

struct checker {
	const struct limpet_image *image;
	const struct limpet_image_component *component;
	const struct limpet_image_segment *segment;
	const struct limpet_image_wire *wire;
	const struct limpet_image_arg *arg;
	const struct limpet_image_resource *resource;
	const struct limpet_image_channel *channel;
	const struct limpet_image_symbol *symbol;
	const struct limpet_image_unwind *unwind;
	const char *strings;
	uint64_t payload; /* where the next contents must stand */
	/* Records that belong to the components so far. */
	uint32_t segments, wires, args, symbols, unwinds;
	struct cpu_sum cpu[LIMPET_CPUS_MAX];
	struct limpet_image_error *error;
};

struct range {
	uint64_t start, size;
	const char *field;
	uint32_t index;
};

static int refuse(struct checker *c, const char *field, uint32_t index, const char *reason)
{
	c->error->field = field;
	c->error->index = index;
	c->error->reason = reason;
	return -1;
}

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

static bool string_fits(const struct checker *c, uint32_t offset, uint32_t most)
{
	return text_fits(c->strings, c->image->strings, offset, most);
}

static int check_identity(struct checker *c, uint64_t size)
{
	const struct limpet_image *image = c->image;

	if (size < sizeof(*image) || size > LIMPET_IMAGE_MAX || size % PAGE)
		return refuse(c, "size", 0, "no image has this size");
	if (image->magic != LIMPET_IMAGE_MAGIC)
		return refuse(c, "magic", 0, "this is no Limpet image");
	if (image->version != LIMPET_IMAGE_VERSION)
		return refuse(c, "version", 0, "the image is of another version");
	if (image->size != size)
		return refuse(c, "size", 0, "is not that of the file: part of it is missing");
	if (image->crc != limpet_image_crc(image, size))
		return refuse(c, "crc", 0, "does not fit the contents: the image is damaged");
	return 0;
}

static int check_counts(struct checker *c)
{
	const struct limpet_image *image = c->image;

	if (!image->frames || image->frames > LIMPET_USER_END / PAGE)
		return refuse(c, "frames", 0, "is 0 or more than there are addresses");
	if (!image->cpus || image->cpus > LIMPET_CPUS_MAX)
		return refuse(c, "cpus", 0, "is not 1 to 64");
	if (!image->components || image->components > LIMPET_COMPONENTS_MAX)
		return refuse(c, "components", 0, "is not 1 to 1024");
	if (image->segments > image->components * LIMPET_IMAGE_SEGMENTS)
		return refuse(c, "segments", 0, "is more than 8 for each component");
	if (image->wires > image->components * LIMPET_WIRES_MAX)
		return refuse(c, "wires", 0, "is more than 192 for each component");
	if (image->args > image->components * LIMPET_INFO_ARGS)
		return refuse(c, "args", 0, "is more than 24 for each component");
	if (image->resources > LIMPET_RESOURCES_MAX)
		return refuse(c, "resources", 0, "is above 64");
	if (image->channels > LIMPET_CPUS_MAX * LIMPET_CHANNELS_MAX)
		return refuse(c, "channels", 0, "is above 16384");
	if (image->depth < LIMPET_DEPTH_MIN || image->depth > LIMPET_DEPTH_MAX)
		return refuse(c, "depth", 0, "is not 8 to 256");
	if (image->symbols > LIMPET_SYMBOLS_MAX || image->unwinds > LIMPET_SYMBOLS_MAX)
		return refuse(c, "symbols", 0, "or unwind records are above 1048576");
	if (image->trace && (image->trace < LIMPET_TRACE_MIN || image->trace > LIMPET_TRACE_MAX ||
			     image->trace & (image->trace - 1)))
		return refuse(c, "trace", 0, "is no power of two from 4096 to 16777216");
	return 0;
}

/* One table stands right behind the other; the counts were checked, so no sum overflows. */
static int check_places(struct checker *c)
{
	const struct limpet_image *image = c->image;
	uint64_t at = sizeof(*image);

	if (image->components_at != at)
		return refuse(c, "components_at", 0, "is not behind the header");
	at += image->components * sizeof(*c->component);
	if (image->segments_at != at)
		return refuse(c, "segments_at", 0, "is not behind the components");
	at += image->segments * sizeof(*c->segment);
	if (image->wires_at != at)
		return refuse(c, "wires_at", 0, "is not behind the segments");
	at += image->wires * sizeof(*c->wire);
	if (image->args_at != at)
		return refuse(c, "args_at", 0, "is not behind the wires");
	at += image->args * sizeof(*c->arg);
	if (image->resources_at != at)
		return refuse(c, "resources_at", 0, "is not behind the arguments");
	at += image->resources * sizeof(*c->resource);
	if (image->channels_at != at)
		return refuse(c, "channels_at", 0, "is not behind the resources");
	at += image->channels * sizeof(*c->channel);
	if (image->symbols_at != at)
		return refuse(c, "symbols_at", 0, "is not behind the channels");
	at += image->symbols * sizeof(*c->symbol);
	if (image->unwinds_at != at)
		return refuse(c, "unwinds_at", 0, "is not behind the symbols");
	at += image->unwinds * sizeof(*c->unwind);
	if (image->strings_at != at)
		return refuse(c, "strings_at", 0, "is not behind the unwind records");
	if (at > image->size || !image->strings || image->strings > image->size - at)
		return refuse(c, "strings", 0, "is empty or goes beyond the image");
	c->payload = page_up(at + image->strings);
	return 0;
}

static int check_header(struct checker *c, uint64_t size)
{
	const struct limpet_image *image = c->image;
	const char *base = (const char *)image;

	if (check_identity(c, size) || check_counts(c) || check_places(c))
		return -1;
	c->component = (const void *)(base + image->components_at);
	c->segment = (const void *)(base + image->segments_at);
	c->wire = (const void *)(base + image->wires_at);
	c->arg = (const void *)(base + image->args_at);
	c->resource = (const void *)(base + image->resources_at);
	c->channel = (const void *)(base + image->channels_at);
	c->symbol = (const void *)(base + image->symbols_at);
	c->unwind = (const void *)(base + image->unwinds_at);
	c->strings = base + image->strings_at;
	if (c->strings[image->strings - 1])
		return refuse(c, "strings", 0, "does not end with a zero");
	if (!string_fits(c, image->name, LIMPET_NAME_MAX - 1))
		return refuse(c, "name", 0, "is no string of 1 to 31 bytes");
	return 0;
}

static int check_segment(struct checker *c, uint32_t index)
{
	const struct limpet_image_segment *s = &c->segment[index];
	const uint32_t writable = LIMPET_READ | LIMPET_WRITE;

	if (s->rights != LIMPET_READ && s->rights != writable &&
	    s->rights != (LIMPET_READ | LIMPET_EXEC))
		return refuse(c, "segment.rights", index, "is none of r--, rw-, r-x");
	if (s->file_size > s->size)
		return refuse(c, "segment.file_size", index, "is greater than the segment");
	if (s->rights != writable && page_up(s->file_size) != s->size)
		return refuse(c, "segment.file_size", index,
			      "leaves read-only pages without contents");
	if (s->at != (s->file_size ? c->payload : 0))
		return refuse(c, "segment.at", index, "is not behind the contents before it");
	if (s->file_size > c->image->size - c->payload)
		return refuse(c, "segment.file_size", index, "goes beyond the image");
	if (s->reserved)
		return refuse(c, "segment.reserved", index, "is not 0");
	c->payload += page_up(s->file_size);
	return 0;
}

static int check_arg(struct checker *c, uint32_t index)
{
	const struct limpet_image_arg *a = &c->arg[index];

	if (!string_fits(c, a->name, member_size(struct limpet_info_arg, name) - 1))
		return refuse(c, "arg.name", index, "is no string of 1 to 23 bytes");
	if (a->text == NO_TEXT)
		return 0;
	if (!string_fits(c, a->text, member_size(struct limpet_info_arg, text) - 1))
		return refuse(c, "arg.text", index, "is no string of 1 to 39 bytes");
	if (a->number)
		return refuse(c, "arg.number", index, "is given beside a text");
	return 0;
}

/* `address` is in an executable segment of the component. */
static bool executable(const struct checker *c, const struct limpet_image_component *in,
		       uint64_t address)
{
	const struct limpet_image_segment *s = &c->segment[in->segment];

	for (uint32_t i = 0; i < in->segments; i++)
		if (s[i].rights & LIMPET_EXEC && address - s[i].address < s[i].file_size)
			return true;
	return false;
}

/*
 * Servers come first: so there are no cycles, and each server was checked before. But a supervisor may
 * come behind those that ask it about faults.
 */
static bool may_serve(const struct checker *c, uint32_t importer, uint32_t server)
{
	if (!server || server == importer || server >= c->image->components)
		return false;
	return server < importer || c->component[server].flags & LIMPET_COMPONENT_SUPERVISOR;
}

static int check_entry(struct checker *c, uint32_t index)
{
	const struct limpet_image_wire *w = &c->wire[index];

	if (!executable(c, &c->component[w->server], w->entry))
		return refuse(c, "wire.entry", index, "is in no executable segment of the server");
	return 0;
}

static int check_wire(struct checker *c, uint32_t importer, uint32_t index)
{
	const struct limpet_image_component *from = &c->component[importer];
	const struct limpet_image_wire *w = &c->wire[index];

	if (!may_serve(c, importer, w->server))
		return refuse(c, "wire.server", index,
			      "is not a component before the importer, nor a supervisor");
	if (c->component[w->server].cpu != from->cpu)
		return refuse(c, "wire.server", index, "is on another CPU than the importer");
	if (w->slot != LIMPET_SLOT_FIRST + (index - from->wire))
		return refuse(c, "wire.slot", index, "is not the next slot of the importer");
	if (w->server < importer && check_entry(c, index))
		return -1;
	if (w->badge != 1ul + importer)
		return refuse(c, "wire.badge", index, "is not 1 + index of the importer");
	if (!string_fits(c, w->import, LIMPET_NAME_MAX - 1))
		return refuse(c, "wire.import", index, "is no string of 1 to 31 bytes");
	if (!string_fits(c, w->function, LIMPET_NAME_MAX - 1))
		return refuse(c, "wire.function", index, "is no string of 1 to 31 bytes");
	return 0;
}

/* Symbols and unwind records of a component name instructions of its, in order. */
static bool offset_fits(const struct checker *c, const struct limpet_image_component *p,
			uint32_t offset, bool first, uint32_t before)
{
	return executable(c, p, c->segment[p->segment].address + offset) &&
	       (first || offset > before);
}

static int check_symbol(struct checker *c, const struct limpet_image_component *p, uint32_t index)
{
	const struct limpet_image_symbol *s = &c->symbol[index];
	bool first = index == p->symbol;

	if (!offset_fits(c, p, s->offset, first, first ? 0 : s[-1].offset))
		return refuse(c, "symbol.offset", index, "is in no code, or not behind the last");
	if (!string_fits(c, s->name, LIMPET_SYMBOL_NAME_MAX - 1))
		return refuse(c, "symbol.name", index, "is no string of 1 to 63 bytes");
	return 0;
}

static int check_unwind(struct checker *c, const struct limpet_image_component *p, uint32_t index)
{
	const struct limpet_image_unwind *u = &c->unwind[index];
	bool first = index == p->unwind;

	if (!offset_fits(c, p, u->offset, first, first ? 0 : u[-1].offset))
		return refuse(c, "unwind.offset", index, "is in no code, or not behind the last");
	if (u->frame != LIMPET_UNWIND_UNKNOWN &&
	    (!u->frame || u->frame % 8 || u->frame > 1ul << STACK_SHIFT_MAX))
		return refuse(c, "unwind.frame", index, "is no frame of a stack");
	return 0;
}

static int check_name(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (!string_fits(c, p->name, LIMPET_NAME_MAX - 1))
		return refuse(c, "component.name", index, "is no string of 1 to 31 bytes");
	if (!string_fits(c, p->image, LIMPET_NAME_MAX - 1))
		return refuse(c, "component.image", index, "is no string of 1 to 31 bytes");
	for (uint32_t i = 0; i < index; i++)
		if (text_equal(c->strings + c->component[i].name, c->strings + p->name))
			return refuse(c, "component.name", index,
				      "is the name of another one, too");
	return 0;
}

/* The records of a component are those behind the ones of the component before it. */
static int check_records(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->segment != c->segments)
		return refuse(c, "component.segment", index, "is not behind the one before's");
	if (p->wire != c->wires)
		return refuse(c, "component.wire", index, "is not behind the one before's");
	if (p->arg != c->args)
		return refuse(c, "component.arg", index, "is not behind the one before's");
	if (!p->segments || p->segments > LIMPET_IMAGE_SEGMENTS ||
	    p->segments > c->image->segments - c->segments)
		return refuse(c, "component.segments", index, "is not 1 to 8, or beyond the table");
	if (p->wires > (index ? LIMPET_WIRES_MAX : 0) || p->wires > c->image->wires - c->wires)
		return refuse(c, "component.wires", index, "is above 192, or beyond the table");
	if (p->args > LIMPET_INFO_ARGS || p->args > c->image->args - c->args)
		return refuse(c, "component.args", index, "is above 24, or beyond the table");
	c->segments += p->segments;
	c->wires += p->wires;
	c->args += p->args;
	return 0;
}

static int check_debug_records(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->symbol != c->symbols || p->symbols > c->image->symbols - c->symbols)
		return refuse(c, "component.symbol", index,
			      "is not behind the one before's, or beyond the table");
	if (p->unwind != c->unwinds || p->unwinds > c->image->unwinds - c->unwinds)
		return refuse(c, "component.unwind", index,
			      "is not behind the one before's, or they are beyond the table");
	c->symbols += p->symbols;
	c->unwinds += p->unwinds;
	return 0;
}

static int check_range(struct checker *c, const struct range *all, uint32_t count)
{
	const struct range *r = &all[count];

	if (r->start % PAGE || r->size % PAGE)
		return refuse(c, r->field, r->index, "is not page aligned");
	if (r->start < PAGE || r->start >= LIMPET_USER_END || !r->size ||
	    r->size > LIMPET_USER_END - r->start)
		return refuse(c, r->field, r->index, "is empty or outside the user addresses");
	for (uint32_t i = 0; i < count; i++)
		if (r->start < all[i].start + all[i].size && all[i].start < r->start + r->size)
			return refuse(c, r->field, r->index, "overlaps with another part");
	return 0;
}

/* Segments, info page, heap and stacks are user addresses and keep off each other. */
static int check_ranges(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];
	struct range all[RANGES];
	uint32_t count = 0;

	if (p->stack_shift < STACK_SHIFT_MIN || p->stack_shift > STACK_SHIFT_MAX)
		return refuse(c, "component.stack_shift", index, "is not 13 to 20");
	if (!p->stack_count || p->stack_count > LIMPET_THREADS_MAX)
		return refuse(c, "component.stack_count", index, "is not 1 to 1024");
	if (p->reserved)
		return refuse(c, "component.reserved", index, "is not 0");
	if (!p->heap_size && p->heap)
		return refuse(c, "component.heap", index, "is given for no bytes");
	for (uint32_t i = p->segment; i < c->segments; i++)
		all[count++] = (struct range){ c->segment[i].address, c->segment[i].size,
					       "segment.address", i };
	all[count++] = (struct range){ p->info, LIMPET_INFO_PAGES * PAGE, "component.info", index };
	all[count++] = (struct range){ p->stacks, (uint64_t)p->stack_count << p->stack_shift,
				       "component.stacks", index };
	if (p->heap_size)
		all[count++] = (struct range){ p->heap, p->heap_size, "component.heap", index };
	for (uint32_t i = 0; i < count; i++)
		if (check_range(c, all, i))
			return -1;
	return 0;
}

static int check_role(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->flags & ~FLAGS_ALL || !(p->flags & LIMPET_COMPONENT_BOOTER) == !index)
		return refuse(c, "component.flags", index,
			      "has an unknown bit, or not the first one alone is the booter");
	if (p->flags & LIMPET_COMPONENT_SCHEDULER && p->flags & LIMPET_COMPONENT_MEMORY)
		return refuse(c, "component.flags", index,
			      "is a scheduler and a memory manager, whose slots are the same");
	if (p->flags & LIMPET_COMPONENT_SUPERVISOR && p->flags & FLAGS_APART)
		return refuse(c, "component.flags", index,
			      "is a supervisor, and another role that its slots are for");
	if (p->cpu >= c->image->cpus || (!index && p->cpu))
		return refuse(c, "component.cpu", index,
			      "is no CPU of the system, or the booter's");
	if (p->priority > LIMPET_URGENCY_MAX || (!index && p->priority))
		return refuse(c, "component.priority", index, "is above 255, or the booter's");
	if (p->flags & LIMPET_COMPONENT_SCHEDULER && !p->priority)
		return refuse(c, "component.priority", index, "is 0, but a scheduler has a thread");
	if (p->threads > (index ? LIMPET_SPARES_MAX : 0))
		return refuse(c, "component.threads", index, "is above 1022, or the booter's");
	if (p->supervisor && p->threads > LIMPET_SPARES_FEW)
		return refuse(c, "component.threads", index, "is above 62 with a supervisor");
	if (p->quota > LIMPET_QUOTA_MAX)
		return refuse(c, "component.quota", index, "is above 262144 pages");
	return 0;
}

/* What the supervisor is to do. */
static int check_policy(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->restart > LIMPET_RESTART_CHECKPOINT)
		return refuse(c, "component.restart", index, "is unknown");
	if (p->restart < LIMPET_RESTART_IMAGE && (p->restart_limit || p->restart_backoff_ms))
		return refuse(c, "component.restart", index,
			      "is none, but it has a limit or back-off");
	if (p->restart_backoff_ms > MS_MAX || p->heartbeat_ms > MS_MAX)
		return refuse(c, "component.restart", index, "waits longer than an hour");
	if (!p->supervisor && (p->restart || p->heartbeat_ms))
		return refuse(c, "component.restart", index, "is given without a supervisor");
	return 0;
}

static int check_component(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (check_name(c, index) || check_role(c, index) || check_policy(c, index) ||
	    check_records(c, index) || check_debug_records(c, index))
		return -1;
	for (uint32_t i = p->segment; i < c->segments; i++)
		if (check_segment(c, i))
			return -1;
	if (check_ranges(c, index))
		return -1;
	if (!executable(c, p, p->entry))
		return refuse(c, "component.entry", index, "is in no executable segment");
	for (uint32_t i = p->wire; i < c->wires; i++)
		if (check_wire(c, index, i))
			return -1;
	for (uint32_t i = p->arg; i < c->args; i++)
		if (check_arg(c, i))
			return -1;
	for (uint32_t i = p->symbol; i < c->symbols; i++)
		if (check_symbol(c, p, i))
			return -1;
	for (uint32_t i = p->unwind; i < c->unwinds; i++)
		if (check_unwind(c, p, i))
			return -1;
	return 0;
}

/* The scheduler that gives time to all others of its CPU: nobody schedules its own thread. */
static bool is_root(const struct limpet_image_component *p)
{
	return p->flags & LIMPET_COMPONENT_SCHEDULER && !p->scheduler;
}

/* Adds what the component takes of its CPU. */
static int check_cpu(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];
	struct cpu_sum *sum = &c->cpu[p->cpu];

	sum->threads += !!p->priority + p->threads;
	sum->bytes += p->heap_size;
	for (uint32_t i = p->segment; i < p->segment + p->segments; i++)
		sum->bytes += c->segment[i].size;
	if (is_root(p)) {
		if (sum->root)
			return refuse(c, "component.scheduler", index,
				      "is 0, but its CPU has a root scheduler already");
		sum->root = index;
	}
	if (sum->threads >= LIMPET_THREADS_MAX)
		return refuse(c, "component.threads", index, "is one thread too many on its CPU");
	if (sum->bytes > c->image->frames * PAGE)
		return refuse(c, "component.heap_size", index, "is more memory than frames");
	return 0;
}

/* Another component of the same CPU; not the booter. */
static bool is_neighbour(const struct checker *c, uint32_t index, uint32_t other)
{
	return other && other != index && other < c->image->components &&
	       c->component[other].cpu == c->component[index].cpu;
}

/*
 * Schedulers and handlers of faults may stand before or behind those whose they are; following them
 * from `first` on comes to an end. `at` is the offset of the index that is followed.
 */
static bool chain_ends(const struct checker *c, uint32_t first, uint64_t at)
{
	uint32_t next = first;

	for (uint32_t i = 0; i < c->image->components; i++) {
		if (!next || next >= c->image->components)
			return true; /* the latter is refused for itself */
		next = *(const uint32_t *)((const char *)&c->component[next] + at);
	}
	return false;
}

static int check_scheduler(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];
	bool threaded = p->priority || p->threads;

	if (index && p->stack_count <= c->cpu[p->cpu].threads)
		return refuse(c, "component.stack_count", index,
			      "is no more than its CPU's threads");
	if (index && !c->cpu[p->cpu].root)
		return refuse(c, "component.cpu", index, "is a CPU without a root scheduler");
	if (!p->scheduler)
		return threaded && !is_root(p)
			       ? refuse(c, "component.scheduler", index, "is 0, but it has threads")
			       : 0;
	if (!threaded)
		return refuse(c, "component.scheduler", index, "is given, but it has no threads");
	if (!is_neighbour(c, index, p->scheduler) ||
	    !(c->component[p->scheduler].flags & LIMPET_COMPONENT_SCHEDULER))
		return refuse(c, "component.scheduler", index, "is no other scheduler of its CPU");
	if (!chain_ends(c, index, __builtin_offsetof(struct limpet_image_component, scheduler)))
		return refuse(c, "component.scheduler", index, "leads back to itself");
	return 0;
}

static int check_faults(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (!p->faults && (p->faults_entry || p->supervisor))
		return refuse(c, "component.faults", index, "is 0, but entry or supervisor is not");
	if (!p->faults)
		return 0;
	if (!index || !is_neighbour(c, index, p->faults))
		return refuse(c, "component.faults", index,
			      "is no other component of its CPU, or the booter's");
	if (!executable(c, &c->component[p->faults], p->faults_entry))
		return refuse(c, "component.faults_entry", index,
			      "is in no executable segment of the handler");
	if (!chain_ends(c, index, __builtin_offsetof(struct limpet_image_component, faults)))
		return refuse(c, "component.faults", index, "lead back to it");
	if (p->supervisor && (!is_neighbour(c, index, p->supervisor) ||
			      !(c->component[p->supervisor].flags & LIMPET_COMPONENT_SUPERVISOR)))
		return refuse(c, "component.supervisor", index, "is no supervisor of its CPU");
	return 0;
}

static int check_memory(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (!p->memory)
		return 0;
	if (!index || !is_neighbour(c, index, p->memory) ||
	    !(c->component[p->memory].flags & LIMPET_COMPONENT_MEMORY))
		return refuse(c, "component.memory", index,
			      "is no other memory manager of its CPU, or the booter's");
	if (!chain_ends(c, index, __builtin_offsetof(struct limpet_image_component, memory)))
		return refuse(c, "component.memory", index, "leads back to itself");
	return 0;
}

/* Of servers behind the importer, which had not been checked then. */
static int check_entries(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	for (uint32_t i = p->wire; i < p->wire + p->wires; i++)
		if (c->wire[i].server > index && check_entry(c, i))
			return -1;
	return 0;
}

static int check_relations(struct checker *c)
{
	for (uint32_t i = 0; i < c->image->components; i++)
		if (check_scheduler(c, i) || check_faults(c, i) || check_memory(c, i) ||
		    check_entries(c, i))
			return -1;
	return 0;
}

static int check_extent(struct checker *c, uint32_t index)
{
	const struct limpet_image_resource *r = &c->resource[index];

	switch (r->kind) {
	case LIMPET_RESOURCE_PORTS:
		if (resource_within(r->first, r->count, PORTS_END))
			return 0;
		return refuse(c, "resource.first", index, "are no ports");
	case LIMPET_RESOURCE_MEMORY:
		if (resource_within(r->first, r->count, LIMPET_DEVICE_MEMORY_END) &&
		    r->count <= LIMPET_DEVICE_MEMORY_MAX && !(r->first % PAGE) &&
		    !(r->count % PAGE))
			return 0;
		return refuse(c, "resource.first", index, "are no whole pages, or above 64 MiB");
	case LIMPET_RESOURCE_INTERRUPT:
		if (r->count == 1 && resource_line_known(r->first))
			return 0;
		return refuse(c, "resource.first", index, "is no interrupt line");
	case LIMPET_RESOURCE_PCI:
		if (r->count == 1 && r->first < PCI_END)
			return 0;
		return refuse(c, "resource.first", index, "is no PCI function");
	default:
		return refuse(c, "resource.kind", index, "is unknown");
	}
}

/* Whose it is: in the order of the components, and somebody whom an interrupt can wake. */
static int check_owner(struct checker *c, uint32_t index)
{
	const struct limpet_image_resource *r = &c->resource[index];

	if (!r->component || r->component >= c->image->components)
		return refuse(c, "resource.component", index, "is no component, or the booter");
	if (index && r->component < r[-1].component)
		return refuse(c, "resource.component", index, "stands before the one before's");
	if (r->kind == LIMPET_RESOURCE_INTERRUPT && !c->component[r->component].priority)
		return refuse(c, "resource.component", index, "has no thread for an interrupt");
	return 0;
}

static int check_resource(struct checker *c, uint32_t index)
{
	const struct limpet_image_resource *r = &c->resource[index];

	if (check_extent(c, index) || check_owner(c, index))
		return -1;
	if (r->flags & ~resource_flags_possible(r))
		return refuse(c, "resource.flags", index, "has a bit that its kind has not");
	if (r->reserved)
		return refuse(c, "resource.reserved", index, "is not 0");
	for (uint32_t i = 0; i < index; i++)
		if (resources_meet(&c->resource[i], r))
			return refuse(c, "resource.first", index, "is given away already");
	return 0;
}

/* A PCI function counts as all the parts that the host may find. */
static int check_resources(struct checker *c)
{
	uint32_t all = 0, own = 0;

	for (uint32_t i = 0; i < c->image->resources; i++) {
		const struct limpet_image_resource *r = &c->resource[i];
		uint32_t parts = r->kind == LIMPET_RESOURCE_PCI ? LIMPET_PCI_PARTS : 1;

		if (check_resource(c, i))
			return -1;
		own = (i && r->component == r[-1].component ? own : 0) + parts;
		all += parts;
		if (own > LIMPET_INFO_RESOURCES)
			return refuse(c, "resource.component", i,
				      "has more than 16 with its parts");
		if (all > LIMPET_RESOURCES_MAX)
			return refuse(c, "resource.kind", i, "makes more than 64 with its parts");
	}
	return 0;
}

/* In the order of the components, and of the numbers on each CPU. */
static int check_channel_owner(struct checker *c, uint32_t index)
{
	const struct limpet_image_channel *ch = &c->channel[index];
	struct cpu_sum *sum;

	if (!ch->component || ch->component >= c->image->components ||
	    !c->component[ch->component].priority)
		return refuse(c, "channel.component", index, "is no component with a thread");
	if (index && ch->component < ch[-1].component)
		return refuse(c, "channel.component", index,
			      "is before that of the channel before");
	if (index >= LIMPET_INFO_CHANNELS && ch->component == ch[-LIMPET_INFO_CHANNELS].component)
		return refuse(c, "channel.component", index, "has more than 16 channels");
	sum = &c->cpu[c->component[ch->component].cpu];
	if (ch->number != LIMPET_CHANNEL_FIRST + sum->channels++ ||
	    ch->number >= LIMPET_CHANNELS_MAX)
		return refuse(c, "channel.number", index,
			      "is not the next of its CPU, or above 255");
	return 0;
}

static int check_channel_name(struct checker *c, uint32_t index)
{
	const struct limpet_image_channel *ch = &c->channel[index];
	const char *name = c->strings + ch->name;

	if (!string_fits(c, ch->name, LIMPET_NAME_MAX - 1) || !channel_name_fits(ch, name) ||
	    channel_name_reserved(name))
		return refuse(c, "channel.name", index, "is no name of a node or network device");
	for (uint32_t i = 0; i < index; i++)
		if (text_equal(c->strings + c->channel[i].name, name))
			return refuse(c, "channel.name", index, "is another channel's, too");
	return 0;
}

static int check_channel(struct checker *c, uint32_t index)
{
	const struct limpet_image_channel *ch = &c->channel[index];

	if (check_channel_owner(c, index) || check_channel_name(c, index))
		return -1;
	if (ch->mode < LIMPET_CHANNEL_MESSAGES || ch->mode > LIMPET_CHANNEL_NETWORK)
		return refuse(c, "channel.mode", index, "is none of 1 to 4");
	if (!channel_memory_fits(ch))
		return refuse(c, "channel.to_linux", index,
			      "or to_component is no size that its mode can have");
	if (!channel_access_fits(ch))
		return refuse(c, "channel.access", index, "is more than reading and writing");
	if (!channel_network_fits(ch))
		return refuse(c, "channel.mtu", index,
			      "or mac is none of a network device, or given for none");
	return 0;
}

static int check_channels(struct checker *c)
{
	for (uint32_t i = 0; i < c->image->channels; i++)
		if (check_channel(c, i))
			return -1;
	return 0;
}

static int check_end(struct checker *c)
{
	const struct limpet_image *image = c->image;

	if (c->segments != image->segments || c->wires != image->wires || c->args != image->args)
		return refuse(c, "components", 0, "leave segments, wires or arguments over");
	if (c->symbols != image->symbols || c->unwinds != image->unwinds)
		return refuse(c, "components", 0, "leave symbols or unwind records over");
	if (image->ramdisk_at != (image->ramdisk_size ? c->payload : 0))
		return refuse(c, "ramdisk_at", 0, "is not behind the segments' contents");
	if (image->ramdisk_size > image->size - c->payload)
		return refuse(c, "ramdisk_size", 0, "goes beyond the image");
	if (image->size != c->payload + page_up(image->ramdisk_size))
		return refuse(c, "size", 0, "is more than the contents");
	return 0;
}

int limpet_image_check(const void *image, uint64_t size, struct limpet_image_error *error)
{
	struct checker c = { .image = image, .error = error };

	if (check_header(&c, size))
		return -1;
	for (uint32_t i = 0; i < c.image->components; i++)
		if (check_component(&c, i) || check_cpu(&c, i))
			return -1;
	if (check_relations(&c) || check_resources(&c) || check_channels(&c))
		return -1;
	return check_end(&c);
}
