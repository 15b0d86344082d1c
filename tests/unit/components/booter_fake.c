// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <runtime/kernel_call.h>

#include "booter_fake.h"

#define VIEW 0x7e0000000000ul /* as in components/system/booter/memory.c */

struct fake_boot boot;
struct fake_resource fake_resource[LIMPET_RESOURCES_MAX + 1];
unsigned int fake_resources;
unsigned int fake_resource_asked;
unsigned int fake_levels = 4;
void (*fake_first_call)(void);
char fake_memory[FAKE_FRAMES][LIMPET_PAGE] __attribute__((aligned(4096)));

static word view_frame[LIMPET_MAP_MAX];
static jmp_buf out_of_booter;

_Noreturn void booter_main(uint64_t image, uint64_t size, uint32_t cpu, uint32_t cpus,
			   uint64_t ticks_per_ms, uint64_t frames);

static _Noreturn void end(int how)
{
	boot.end = how;
	longjmp(out_of_booter, 1);
}

/* Returns a capability in the booter's own table. */
static struct fake_capability *cap_get(word slot, enum limpet_type type)
{
	if (slot >= FAKE_SLOTS || boot.slot[slot].type != type)
		abort();
	return &boot.slot[slot];
}

static struct fake_object *object_get(word slot, enum limpet_type type)
{
	return &boot.object[cap_get(slot, type)->object];
}

static unsigned int object_new(enum limpet_type type)
{
	if (boot.objects == FAKE_OBJECTS)
		abort();
	boot.object[++boot.objects] = (struct fake_object){ .type = type };
	return boot.objects;
}

static struct fake_capability *empty(word table, word slot)
{
	struct fake_object *object = object_get(table, LIMPET_TABLE);

	if (!slot || slot >= object->slots || object->slot[slot].type)
		abort();
	return &object->slot[slot];
}

static long frame_split(const word *in)
{
	struct fake_capability *from = cap_get(in[0], LIMPET_FRAMES);

	if (!in[1] || in[1] >= from->count)
		return LIMPET_ERANGE;
	*empty(in[2], in[3]) = (struct fake_capability){
		.type = LIMPET_FRAMES, .first = from->first, .count = in[1], .rights = LIMPET_ALL
	};
	from->first += in[1];
	from->count -= in[1];
	return LIMPET_OK;
}

/* Creates a thread. Its size is odd, so that one frame is not enough. */
#define THREAD_BYTES 3400
#define INVOCATION_BYTES 40

static word object_bytes(word type, word size)
{
	switch (type) {
	case LIMPET_TABLE:
		return (1 + size) * LIMPET_SLOT_SIZE;
	case LIMPET_PAGE_TABLE:
		return LIMPET_PAGE_TABLE_SIZE;
	case LIMPET_COMPONENT:
		return LIMPET_COMPONENT_SIZE;
	case LIMPET_THREAD:
		return THREAD_BYTES + size * INVOCATION_BYTES;
	case LIMPET_ENDPOINT:
		return LIMPET_ENDPOINT_SIZE;
	}
	abort();
}

/* All frames of an object belong to it alone, unless one frame has space for more objects. */
static long frame_retype(const word *in)
{
	const word align = LIMPET_OBJECT_ALIGN, bytes = object_bytes(in[1], in[4]);
	struct fake_capability *from = cap_get(in[0], LIMPET_FRAMES);
	word *filled = &boot.filled[from->first + from->count - 1];
	struct fake_object *object;
	unsigned int number;

	if (from->count != (bytes + LIMPET_PAGE - 1) / LIMPET_PAGE)
		return LIMPET_ERANGE;
	*filled += (bytes - (from->count - 1) * LIMPET_PAGE + align - 1) / align * align;
	if (*filled > LIMPET_PAGE)
		return LIMPET_EBUSY;
	number = object_new(in[1]);
	object = &boot.object[number];
	object->slots = in[1] == LIMPET_TABLE ? (unsigned int)in[4] : 0;
	object->slot = calloc(object->slots + 1, sizeof(object->slot[0]));
	object->mapping =
		calloc(in[1] == LIMPET_PAGE_TABLE ? FAKE_MAPPINGS : 1, sizeof(object->mapping[0]));
	*empty(in[2], in[3]) =
		(struct fake_capability){ .type = in[1], .object = number, .rights = LIMPET_ALL };
	return LIMPET_OK;
}

/* Returns whether any page is mapped under the same table of the level. */
static bool table_there(const struct fake_object *pt, word address, unsigned int shift)
{
	for (unsigned int i = 0; i < pt->mappings; i++)
		if (pt->mapping[i].address >> shift == address >> shift)
			return true;
	return false;
}

static long map_one(struct fake_object *pt, word address, word frame, word rights)
{
	unsigned int made = 0;

	for (unsigned int i = 0; i < pt->mappings; i++)
		if (pt->mapping[i].address == address)
			return LIMPET_EFULL;
	for (unsigned int shift = 12 + 9 * (fake_levels - 1); shift >= 21; shift -= 9)
		made += !table_there(pt, address, shift);
	if (1 + pt->used + made > pt->pool) /* the root counts, too */
		return LIMPET_ENOMEM;
	pt->used += made;
	if (pt->mappings == FAKE_MAPPINGS)
		abort();
	pt->mapping[pt->mappings++] = (struct fake_mapping){ address, frame, rights };
	return LIMPET_OK;
}

/* Maps the booter's own memory, with remains of earlier users. */
static long own_map(word address, word pages)
{
	void *at = mmap((void *)address, pages * LIMPET_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (at != (void *)address)
		abort();
	memset(at, 0xa5, pages * LIMPET_PAGE);
	return LIMPET_OK;
}

static long pt_map(const word *in)
{
	bool device = in[1] < FAKE_SLOTS && boot.slot[in[1]].type == LIMPET_DEVICE_MEMORY;
	struct fake_capability *frames =
		cap_get(in[1], device ? LIMPET_DEVICE_MEMORY : LIMPET_FRAMES);
	long status = LIMPET_OK;

	if (in[3] % LIMPET_PAGE || !in[4] || in[4] > LIMPET_MAP_MAX ||
	    in[2] + in[4] > frames->count)
		return LIMPET_ERANGE;
	if (!(in[5] & LIMPET_READ) || in[5] & ~frames->rights ||
	    (in[5] & LIMPET_WRITE && in[5] & LIMPET_EXEC))
		return LIMPET_ERIGHTS;
	if (device && (in[0] == LIMPET_BOOT_PAGE_TABLE || in[5] & LIMPET_EXEC))
		abort();
	if (in[0] == LIMPET_BOOT_PAGE_TABLE && in[3] != VIEW)
		return own_map(in[3], in[4]);
	for (word i = 0; i < in[4] && !status; i++) {
		word frame = frames->first + in[2] + i;

		if (in[0] == LIMPET_BOOT_PAGE_TABLE) {
			view_frame[i] = frame;
			memcpy((char *)VIEW + i * LIMPET_PAGE, fake_memory[frame], LIMPET_PAGE);
		} else {
			status = map_one(object_get(in[0], LIMPET_PAGE_TABLE),
					 in[3] + i * LIMPET_PAGE, frame, in[5]);
		}
	}
	return status;
}

static void unmap_one(struct fake_object *pt, word address)
{
	for (unsigned int i = 0; i < pt->mappings; i++)
		if (pt->mapping[i].address == address)
			pt->mapping[i--] = pt->mapping[--pt->mappings];
}

static long pt_unmap(const word *in)
{
	for (word i = 0; in[0] != LIMPET_BOOT_PAGE_TABLE && i < in[2]; i++)
		unmap_one(object_get(in[0], LIMPET_PAGE_TABLE), in[1] + i * LIMPET_PAGE);
	if (in[0] != LIMPET_BOOT_PAGE_TABLE)
		return LIMPET_OK;
	if (in[1] != VIEW)
		abort();
	for (word i = 0; i < in[2]; i++)
		memcpy(fake_memory[view_frame[i]], (char *)VIEW + i * LIMPET_PAGE, LIMPET_PAGE);
	return LIMPET_OK;
}

static long activate(const word *in)
{
	struct fake_object *c = object_get(in[0], LIMPET_COMPONENT);

	c->page_table = cap_get(in[1], LIMPET_PAGE_TABLE)->object;
	c->table = cap_get(in[2], LIMPET_TABLE)->object;
	c->stacks = in[3];
	c->stack_shift = in[4];
	c->index = in[5];
	return fake_component(in[5]) == c ? LIMPET_OK : LIMPET_EFULL;
}

static long thread_start(const word *in)
{
	struct fake_object *t = object_get(in[0], LIMPET_THREAD);

	t->component = cap_get(in[1], LIMPET_COMPONENT)->object;
	t->entry = in[2];
	t->argument = in[3];
	t->id = in[4];
	t->endpoint = in[5] ? cap_get(in[5], LIMPET_ENDPOINT)->object : 0;
	return LIMPET_OK;
}

static long resource_info(const word *in, struct limpet_out *out)
{
	const struct fake_resource *r = &fake_resource[in[1]];

	cap_get(in[0], LIMPET_CPU);
	fake_resource_asked += in[1] >= fake_resources;
	if (in[1] >= fake_resources)
		return LIMPET_ERANGE;
	out->w0 = r->kind | r->flags << 8 | (word)r->component << 32;
	out->w1 = r->first;
	out->w2 = r->count;
	return LIMPET_OK;
}

static long resource_create(const word *in)
{
	static const enum limpet_type types[] = {
		[LIMPET_RESOURCE_PORTS] = LIMPET_IO_PORTS,
		[LIMPET_RESOURCE_MEMORY] = LIMPET_DEVICE_MEMORY,
		[LIMPET_RESOURCE_INTERRUPT] = LIMPET_INTERRUPT,
	};
	const struct fake_resource *r = &fake_resource[in[1]];
	const word unit = r->kind == LIMPET_RESOURCE_MEMORY ? LIMPET_PAGE : 1;

	cap_get(in[0], LIMPET_CPU);
	if (in[1] >= fake_resources || r->kind >= array_size(types))
		abort();
	*empty(in[2], in[3]) = (struct fake_capability){ .type = types[r->kind],
							 .first = r->first / unit,
							 .count = r->count / unit,
							 .rights = LIMPET_ALL };
	return LIMPET_OK;
}

static void print(const word *in)
{
	strncat(boot.printed, (const char *)(in + 1), 40);
}

static long objects_call(long op, const word *in)
{
	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_FRAME_SPLIT:
		return frame_split(in);
	case LIMPET_CALL_FRAME_RETYPE:
		return frame_retype(in);
	case LIMPET_CALL_PT_MAP:
		return pt_map(in);
	case LIMPET_CALL_PT_UNMAP:
		return pt_unmap(in);
	case LIMPET_CALL_PT_EXTEND:
		object_get(in[0], LIMPET_PAGE_TABLE)->pool += cap_get(in[1], LIMPET_FRAMES)->count;
		return LIMPET_OK;
	case LIMPET_CALL_COMPONENT_ACTIVATE:
		return activate(in);
	case LIMPET_CALL_RESOURCE_CREATE:
		return resource_create(in);
	case LIMPET_CALL_COMPONENT_HANDLER:
		object_get(in[0], LIMPET_COMPONENT)->handler = *cap_get(in[1], LIMPET_GATE);
		return LIMPET_OK;
	case LIMPET_CALL_ENDPOINT_BIND:
		object_get(in[0], LIMPET_ENDPOINT)->bound = cap_get(in[1], LIMPET_THREAD)->object;
		return LIMPET_OK;
	case LIMPET_CALL_THREAD_START:
		return thread_start(in);
	case LIMPET_CALL_THREAD_URGENCY:
		object_get(in[0], LIMPET_THREAD)->urgency = in[1];
		return LIMPET_OK;
	}
	abort();
}

static long capability_call(long op, const word *in)
{
	struct fake_capability *cap;

	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_CAP_COPY:
		cap = empty(in[2], in[3]);
		*cap = object_get(in[0], LIMPET_TABLE)->slot[in[1]];
		cap->rights &= in[4];
		return cap->type ? LIMPET_OK : LIMPET_ESLOT;
	case LIMPET_CALL_CAP_MOVE:
		*empty(in[2], in[3]) = object_get(in[0], LIMPET_TABLE)->slot[in[1]];
		object_get(in[0], LIMPET_TABLE)->slot[in[1]].type = LIMPET_NONE;
		return LIMPET_OK;
	case LIMPET_CALL_CAP_DELETE:
		object_get(in[0], LIMPET_TABLE)->slot[in[1]].type = LIMPET_NONE;
		return LIMPET_OK;
	case LIMPET_CALL_GATE_CREATE:
		*empty(in[3], in[4]) = (struct fake_capability){
			.type = LIMPET_GATE,
			.object = cap_get(in[0], LIMPET_COMPONENT)->object,
			.entry = in[1],
			.badge = in[2],
		};
		return LIMPET_OK;
	case LIMPET_CALL_CHANNEL_CREATE:
		*empty(in[4], in[5]) = (struct fake_capability){
			.type = LIMPET_CHANNEL,
			.object = in[2] ? cap_get(in[2], LIMPET_ENDPOINT)->object : 0,
			.first = in[3],
			.entry = cap_get(in[1], LIMPET_FRAMES)->first,
			.count = cap_get(in[1], LIMPET_FRAMES)->count,
		};
		return cap_get(in[1], LIMPET_FRAMES)->count <= 64 ? LIMPET_OK : LIMPET_ERANGE;
	case LIMPET_CALL_PORT_EXPORT:
		boot.exported |= 1u << in[2];
		return LIMPET_OK;
	case LIMPET_CALL_PORT_IMPORT:
		*empty(in[3], in[4]) = (struct fake_capability){ .type = LIMPET_PORT };
		boot.imported |= 1u << in[2];
		return LIMPET_OK;
	}
	return objects_call(op, in);
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	void (*first)(void) = fake_first_call;

	fake_first_call = NULL;
	if (first)
		first();
	if (op > LIMPET_CALL(0)) {
		struct fake_capability *gate = cap_get((word)(-1 - op), LIMPET_GATE);
		const struct fake_object *c = &boot.object[gate->object];

		if (!fake_mapped(c, c->stacks + (1ul << c->stack_shift) - 1)) /* of thread 0 */
			abort();
		boot.init[boot.inits++] = c->index;
		return gate->badge == 0 ? LIMPET_OK : LIMPET_ERANGE;
	}
	if (op == LIMPET_CALL(LIMPET_CALL_RETURN))
		end(STOPPED);
	if (op == LIMPET_CALL(LIMPET_CALL_THREAD_DISPATCH)) {
		struct fake_object *t = object_get(in[0], LIMPET_THREAD);

		boot.dispatched = boot.object[t->component].index;
		end(DISPATCHED);
	}
	if (op == LIMPET_CALL(LIMPET_CALL_RESOURCE_INFO))
		return resource_info(in, out);
	if (op == LIMPET_CALL(LIMPET_CALL_CPU_INFO)) {
		if (in[1] != LIMPET_CPU_THREAD)
			abort();
		*out = (struct limpet_out){ THREAD_BYTES, INVOCATION_BYTES, 0 };
		return LIMPET_OK;
	}
	if (op == LIMPET_CALL(LIMPET_CALL_CPU_PRINT)) {
		print(in);
		return LIMPET_OK;
	}
	return capability_call(op, in);
}

static void give(enum limpet_boot_slot slot, enum limpet_type type, word first, word count,
		 word rights)
{
	boot.slot[slot] =
		(struct fake_capability){ .type = type,
					  .object = type == LIMPET_FRAMES ? 0 : object_new(type),
					  .first = first,
					  .count = count,
					  .rights = rights };
}

void fake_boot(const void *image, word size, unsigned int cpu, word frames)
{
	const word image_frames = size / LIMPET_PAGE;
	void *view = mmap((void *)VIEW, LIMPET_MAP_MAX * LIMPET_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (view == MAP_FAILED || frames + image_frames > FAKE_FRAMES)
		abort();
	for (unsigned int i = 1; i <= boot.objects; i++) {
		if (boot.object[i].slot != boot.slot)
			free(boot.object[i].slot);
		free(boot.object[i].mapping);
	}
	memset(&boot, 0, sizeof(boot));
	boot.end = RUNS;
	fake_resource_asked = 0;
	memset(fake_memory, 0xa5, sizeof(fake_memory)); /* remains of earlier users */
	memcpy(fake_memory[FAKE_FRAMES - image_frames], image, size);
	give(LIMPET_BOOT_TABLE, LIMPET_TABLE, 0, 0, LIMPET_ALL);
	boot.object[1].slots = FAKE_SLOTS;
	boot.object[1].slot = boot.slot;
	give(LIMPET_BOOT_PAGE_TABLE, LIMPET_PAGE_TABLE, 0, 0, LIMPET_ALL);
	give(LIMPET_BOOT_COMPONENT, LIMPET_COMPONENT, 0, 0, LIMPET_ALL);
	give(LIMPET_BOOT_THREAD, LIMPET_THREAD, 0, 0, LIMPET_ALL);
	give(LIMPET_BOOT_FRAMES, LIMPET_FRAMES, 0, frames, LIMPET_ALL);
	give(LIMPET_BOOT_CPU, LIMPET_CPU, 0, 0, LIMPET_ALL);
	give(LIMPET_BOOT_IMAGE, LIMPET_FRAMES, FAKE_FRAMES - image_frames, image_frames,
	     LIMPET_READ | LIMPET_EXEC | LIMPET_GRANT);
	if (!setjmp(out_of_booter))
		booter_main((uint64_t)image, size, cpu, 2, 1000000, frames);
}

struct fake_object *fake_component(word index)
{
	for (unsigned int i = 1; i <= boot.objects; i++)
		if (boot.object[i].type == LIMPET_COMPONENT && boot.object[i].table &&
		    boot.object[i].index == index)
			return &boot.object[i];
	return NULL;
}

const struct fake_mapping *fake_mapped(const struct fake_object *component, word address)
{
	const struct fake_object *pt = &boot.object[component->page_table];

	for (unsigned int i = 0; i < pt->mappings; i++)
		if (pt->mapping[i].address == address / LIMPET_PAGE * LIMPET_PAGE)
			return &pt->mapping[i];
	return NULL;
}

const char *fake_byte(const struct fake_object *component, word address, word *rights)
{
	const struct fake_mapping *mapping = fake_mapped(component, address);

	if (!mapping)
		return NULL;
	*rights = mapping->rights;
	return &fake_memory[mapping->frame][address % LIMPET_PAGE];
}
