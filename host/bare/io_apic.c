// SPDX-License-Identifier: GPL-2.0
/*
 * The I/O APICs (82093AA data sheet). The layer emulates them for the guest. It hides the pins of
 * components, and refuses interrupts that would not go to the guest: INIT, SMI, and vectors of
 * exceptions or of the layer. (Such a level-triggered interrupt would repeat without end, because
 * its cause is never removed.)
 */
#include <host/bare/bare.h>

/* Offsets of the registers: selection, content, and end of interrupt by vector. */
#define SELECT 0x00
#define WINDOW 0x10
#define END 0x40
/* Registers. */
#define VERSION 0x01
#define ENTRIES 0x10 /* two for each pin: interrupt, destination */
#define PINS(version) (((version) >> 16 & 0xff) + 1)
/* An entry. */
#define MODE(entry) ((entry) >> 8 & 7)
#define MODE_FIXED 0u
#define MODE_LOWEST 1u
#define MODE_NMI 4u
#define PENDING (1u << 12)
#define LOW (1u << 13)
#define IN_SERVICE (1u << 14)
#define MASKED (1u << 16)
#define TO_SHIFT 24

/* Called with the lock: two registers are one access. */
static u32 reg_read(struct bare_layer *layer, const struct bare_io_apic *io, u32 reg)
{
	bare_io_apic_store(layer, io, SELECT, reg);
	return bare_io_apic_load(layer, io, WINDOW);
}

static void reg_write(struct bare_layer *layer, const struct bare_io_apic *io, u32 reg, u32 value)
{
	bare_io_apic_store(layer, io, SELECT, reg);
	bare_io_apic_store(layer, io, WINDOW, value);
}

/* Returns the I/O APIC with a line, or NULL. Called with the lock. */
static struct bare_io_apic *find(struct bare_layer *layer, word line)
{
	for (u32 i = 0; i < layer->io_apics; i++) {
		struct bare_io_apic *io = &layer->io_apic[i];

		if (line >= io->first && line - io->first < PINS(reg_read(layer, io, VERSION)))
			return io;
	}
	return NULL;
}

/* --- the guest's accesses */

/* Returns the resource that has the pin of that register, or NULL if the pin is the guest's. */
static struct bare_resource *owner(struct bare_layer *layer, const struct bare_io_apic *io, u32 reg)
{
	for (u32 n = 0; n < layer->resources; n++)
		if (layer->resource[n].io_apic == io && reg >= ENTRIES &&
		    layer->resource[n].pin == (reg - ENTRIES) / 2)
			return &layer->resource[n];
	return NULL;
}

/*
 * Returns the allowed part of an entry. If an IOMMU remaps interrupts, mode and vector are parts of
 * a table index.
 */
static u32 allowed(const struct bare_layer *layer, u32 entry)
{
	if (layer->remapped || MODE(entry) == MODE_NMI)
		return entry;
	if (MODE(entry) > MODE_LOWEST || !bare_vector_of_guest(entry))
		return entry | MASKED;
	return entry;
}

static u32 guest_read(struct bare_layer *layer, const struct bare_io_apic *io)
{
	const struct bare_resource *resource = owner(layer, io, io->select);

	if (resource)
		return (u32)(io->select % 2 ? resource->entry >> 32 : resource->entry);
	return reg_read(layer, io, io->select);
}

static void guest_write(struct bare_layer *layer, const struct bare_io_apic *io, u32 value)
{
	struct bare_resource *resource = owner(layer, io, io->select);

	if (io->select >= ENTRIES && io->select % 2 == 0)
		value = allowed(layer, value);
	if (!resource)
		reg_write(layer, io, io->select, value);
	else if (io->select % 2)
		resource->entry = (u32)resource->entry | (u64)value << 32;
	else
		resource->entry = (resource->entry & ~0xfffffffful) | value;
}

bool bare_io_apic_access(struct bare_cpu *cpu, struct bare_io_apic *io,
			 const struct bare_move *move, word offset)
{
	struct bare_layer *layer = cpu->layer;
	u64 *reg = vm_register(&cpu->vm, move->reg);
	const u32 value = move->immediate ? move->value : (u32)*reg;

	if (move->size != 4 || (offset != SELECT && offset != WINDOW && offset != END))
		return false;
	bare_lock(&layer->device_lock);
	if (!move->store)
		*reg = offset == SELECT	  ? io->select
		       : offset == WINDOW ? guest_read(layer, io)
					  : bare_io_apic_load(layer, io, offset);
	else if (offset == SELECT)
		io->select = value & 0xff;
	else if (offset == WINDOW)
		guest_write(layer, io, value);
	else
		bare_io_apic_store(layer, io, offset, value);
	bare_unlock(&layer->device_lock);
	vm_skip(&cpu->vm, move->length);
	return true;
}

/* --- pins of components */

static u32 entry_of(const struct bare_resource *resource)
{
	return ENTRIES + 2 * resource->pin;
}

bool bare_io_apic_take(struct bare_layer *layer, u32 n)
{
	struct bare_resource *resource = &layer->resource[n];
	word line = layer->given[n].first;

	bare_lock(&layer->device_lock);
	resource->io_apic = find(layer, line);
	if (resource->io_apic) {
		resource->pin = (u32)line - resource->io_apic->first;
		resource->entry = reg_read(layer, resource->io_apic, entry_of(resource)) &
				  ~(IN_SERVICE | PENDING);
		resource->entry |= (u64)reg_read(layer, resource->io_apic, entry_of(resource) + 1)
				   << 32;
		reg_write(layer, resource->io_apic, entry_of(resource), MASKED);
	}
	bare_unlock(&layer->device_lock);
	return resource->io_apic;
}

void bare_io_apic_route(struct bare_layer *layer, u32 n)
{
	const struct bare_resource *resource = &layer->resource[n];
	bool level = layer->given[n].flags & LIMPET_RESOURCE_LEVEL;

	bare_lock(&layer->device_lock);
	reg_write(layer, resource->io_apic, entry_of(resource) + 1,
		  resource->on->apic_id << TO_SHIFT);
	reg_write(layer, resource->io_apic, entry_of(resource),
		  BARE_VECTOR_DEVICE | (level ? BARE_LEVEL | LOW : 0));
	bare_unlock(&layer->device_lock);
}

void bare_io_apic_open(struct bare_layer *layer, u32 n)
{
	const struct bare_resource *resource = &layer->resource[n];

	bare_lock(&layer->device_lock);
	reg_write(layer, resource->io_apic, entry_of(resource),
		  reg_read(layer, resource->io_apic, entry_of(resource)) & ~MASKED);
	bare_unlock(&layer->device_lock);
}

/* A level-triggered line stays masked until its component acknowledges the interrupt. */
bool bare_io_apic_came(struct bare_layer *layer, u32 n)
{
	const struct bare_resource *resource = &layer->resource[n];
	u32 entry = MASKED;
	bool came;

	if (!(layer->given[n].flags & LIMPET_RESOURCE_LEVEL))
		return true;
	bare_lock(&layer->device_lock);
	if (resource->io_apic) /* another CPU has not returned it to the guest */
		entry = reg_read(layer, resource->io_apic, entry_of(resource));
	came = entry & IN_SERVICE && !(entry & MASKED);
	if (came)
		reg_write(layer, resource->io_apic, entry_of(resource), entry | MASKED);
	bare_unlock(&layer->device_lock);
	return came;
}

void bare_io_apic_give(struct bare_layer *layer, u32 n)
{
	struct bare_resource *resource = &layer->resource[n];

	bare_lock(&layer->device_lock);
	reg_write(layer, resource->io_apic, entry_of(resource), MASKED);
	reg_write(layer, resource->io_apic, entry_of(resource) + 1, (u32)(resource->entry >> 32));
	reg_write(layer, resource->io_apic, entry_of(resource), (u32)resource->entry);
	resource->io_apic = NULL;
	bare_unlock(&layer->device_lock);
}
