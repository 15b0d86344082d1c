/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates the kernel for the booter: capabilities, frames, page tables with a pool, and memory that a test can
 * read afterwards. It refuses what the real kernel refuses, as far as the booter can request it.
 */
#ifndef BOOTER_FAKE_H
#define BOOTER_FAKE_H

#include <setjmp.h>

#include <runtime/types.h>

#define FAKE_FRAMES 4096
#define FAKE_SLOTS 8191
#define FAKE_OBJECTS 600
#define FAKE_MAPPINGS 4096

struct fake_capability {
	enum limpet_type type; /* LIMPET_NONE: empty slot */
	unsigned int object;   /* index from 1; of a gate the component's, of a thread its own */
	word first, count;     /* frames; a channel's number and bit, and frames */
	word entry, badge;     /* gate; a channel's first frame */
	word rights;
};

/* The host's resources for the system's components, as the kernel knows them. */
struct fake_resource {
	uint32_t component, kind, flags;
	word first, count;
};

struct fake_mapping {
	word address, frame, rights;
};

struct fake_object {
	enum limpet_type type;
	unsigned int slots; /* table */
	struct fake_capability *slot;
	unsigned int pool, used; /* page table: its pages; those in use, without the root */
	unsigned int mappings;
	struct fake_mapping *mapping;
	unsigned int page_table, table;		     /* component */
	word stacks, stack_shift, index;	     /* component */
	word depth;				     /* thread */
	word entry, argument, id, urgency, endpoint; /* thread */
	struct fake_capability handler;		     /* component */
	unsigned int bound;			     /* endpoint: thread */
	unsigned int component;			     /* thread */
};

struct fake_boot {
	struct fake_capability slot[FAKE_SLOTS]; /* the booter's table */
	struct fake_object object[FAKE_OBJECTS + 1];
	unsigned int objects;
	word filled[FAKE_FRAMES]; /* bytes of objects in a frame */
	unsigned int inits;	  /* initialised components, in order */
	word init[LIMPET_COMPONENTS_MAX];
	unsigned int exported, imported; /* ports */
	char printed[2000];
	enum { RUNS = 1, DISPATCHED = 2, STOPPED = 3 } end;
	word dispatched; /* index of the component whose thread was dispatched */
};

extern struct fake_boot boot;
extern struct fake_resource fake_resource[LIMPET_RESOURCES_MAX + 1];
extern unsigned int fake_resources;
extern unsigned int fake_levels;	 /* of page tables */
extern unsigned int fake_resource_asked; /* requests for resources that do not exist */
extern void (*fake_first_call)(void);	 /* runs once, before the booter's next kernel call */
extern char fake_memory[FAKE_FRAMES][LIMPET_PAGE];

/* Runs the booter on CPU `cpu` with that many free frames. */
void fake_boot(const void *image, word size, unsigned int cpu, word frames);
/* Returns the object of the component with that index, or NULL if it was not activated. */
struct fake_object *fake_component(word index);
/*
 * Returns the mapping of a component, or NULL if nothing is mapped. The frame of a device is its
 * physical page.
 */
const struct fake_mapping *fake_mapped(const struct fake_object *component, word address);
/* Returns the address of a component's byte, or NULL if nothing is mapped there. */
const char *fake_byte(const struct fake_object *component, word address, word *rights);

#endif
