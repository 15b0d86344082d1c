/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The booter: the first component of each CPU. It owns all free frames and the CPU, reads the
 * image, and builds every component of its CPU by ordinary kernel calls. It runs once, on thread 0.
 *
 * Nothing is undone when a step fails: one line says what failed and the system ends.
 */
#ifndef BOOTER_H
#define BOOTER_H

#include <runtime/types.h>

#include <limpet/channel.h>
#include <limpet/component.h>

#define PAGE ((uint64_t)LIMPET_PAGE)
#define CHANNEL_FRAMES (1 + LIMPET_CHANNEL_OWN_SIZE / 4096) /* header, memory */

static inline uint64_t pages_of(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE;
}

/* The slot of the gate to a component's start: a low one, because slots above 4,094 cannot be invoked. */
#define SLOT_START LIMPET_BOOT_FREE
#define ENTRY_PAGES ((LIMPET_THREADS_MAX << LIMPET_ENTRY_SHIFT) / LIMPET_PAGE)
#define EXTEND_MAX 64ul /* frames of one PT_EXTEND */
#define PACKED 4	/* frames that are filled with kernel objects simultaneously */

#pragma GCC visibility push(hidden) /* addresses of functions need no table */

/* One component while it is built; the slots are the booter's. */
struct part {
	const struct limpet_image_component *record;
	uint32_t index;		 /* in the image */
	uint32_t thread_id;	 /* 0, the booter's own: it has none */
	uint32_t spare_id;	 /* of its first spare thread; 0: it has none */
	struct part *scheduler;	 /* who schedules its threads; NULL: nobody */
	struct part *supervisor; /* NULL: its faults lead to none */
	struct part *memory;	 /* the memory manager that serves it; NULL: none */
	word page_table, table, component;
	word thread, endpoint; /* when it has a thread */
	/* Addresses, 0: it has none. */
	uint64_t ramdisk, channel, window;
	uint64_t channel_info, channels;       /* info page about its channels, and these */
	uint64_t second;		       /* more info pages, by role */
	uint64_t names;			       /* of a console: table of all components' names */
	uint32_t channel_first, channel_count; /* in the image */
	bool endpoint_given;		       /* to the supervisor */
	uint32_t stacks;		       /* how many threads have a stack in it */
	uint32_t entry_count; /* with a pool: pages of entry stacks that it needs */
	uint64_t entry_pages[ENTRY_PAGES / 64]; /* these pages */
	bool stack_lent;			/* the booter's thread uses one of its stacks */
	bool visited;				/* another component's threads can reach it */
	const struct part *reached_by;		/* whose threads did last, see stack.c */
	uint64_t image;				/* the whole image */
	uint64_t view, kept; /* in its supervisor: its writable memory, and as much to keep it in */
	uint64_t code,
		other; /* in its supervisor, if it can be replaced: see struct limpet_info_supervised */
};

/* A part of the machine that a component gets. */
struct resource {
	const struct part *part;
	uint32_t number; /* the kernel's */
	word slot;	 /* in the component's table */
	struct limpet_info_resource info;
};

/* Unused bytes of the frames that are being filled with kernel objects. */
struct packing {
	uint64_t left[PACKED];
};

struct booter {
	const char *base;
	const struct limpet_image *image;
	const struct limpet_image_component *component;
	const struct limpet_image_segment *segment;
	const struct limpet_image_wire *wire;
	const struct limpet_image_arg *arg;
	const struct limpet_image_channel *channel;
	const char *strings;
	uint32_t cpu, cpus;
	uint64_t ticks_per_ms;
	uint64_t frames; /* free ones, as the kernel told */
	uint64_t thread_bytes;
	struct packing packing;
	word packed[PACKED]; /* frames that are being filled */
	word next_slot;
	word dropped[16]; /* empty slots below next_slot */
	unsigned int drops;
	uint32_t threads;	       /* ids 1 to threads are given */
	uint32_t schedulers, managers; /* how many there are, of memory the latter */
	word *thread;		       /* by id */
	struct part **reached;	       /* see stack.c */
	word thread_table;	       /* frames of it, which all components see */
	uint64_t own_begin, own,
		own_end;	 /* addresses for own_take(): first, next, end of what is mapped */
	struct part *root;	 /* the root scheduler */
	struct part *memory;	 /* the memory manager that owns all frames, or NULL */
	struct part *console;	 /* NULL: the CPU has no console */
	struct part *supervisor; /* NULL: the CPU has none */
	/* In the supervisor: the bytes that it sees of others, and its memory for checkpoints and other builds. */
	uint64_t views, seen, kept, kept_size;
	uint32_t parts; /* components of this CPU, without the booter */
	struct part *part;
	struct part **at;   /* by index in the image; NULL: on another CPU */
	uint32_t resources; /* of this CPU's components, by component */
	struct resource resource[LIMPET_RESOURCES_MAX];
};

extern struct booter booter;

/* report.c: what goes wrong. Neither returns. */
_Noreturn void give_up(const struct part *part, const char *what, long status);
_Noreturn void give_up_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line in Linux's log. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* image.c: the image, and what can be read from it. */
void image_open(uint64_t address, uint64_t size);
const char *image_string(uint32_t offset);
const char *part_name(const struct part *part);
/* Number given for an argument of the component, or `otherwise`. */
int64_t part_arg(const struct part *part, const char *name, int64_t otherwise);
/* Text given for an argument of the component, or NULL. */
const char *part_arg_text(const struct part *part, const char *name);
/* The component at an index of the image, when it is on this CPU; else NULL. */
struct part *part_at(uint32_t index);

/* plan.c: who is on this CPU, where things go, and whether the frames suffice. */
void plan(void);
/* Slots of its capability table. */
uint64_t plan_table_slots(const struct part *part);
uint64_t plan_pool_frames(const struct part *part);
/* Returns the pages that hold the tables for the component's role. */
uint64_t plan_second_pages(const struct part *part);
/* Returns the size of the table of components' names in bytes if `part` is the console, or 0. */
uint64_t plan_names(const struct part *part);
/* Bytes of its memory that its supervisor can see and keep: writable segments and heap. */
uint64_t plan_writable(const struct part *part);
/* Returns the bytes of its code and constants that its supervisor can see: 0 unless it can be replaced. */
uint64_t plan_code(const struct part *part);
/* Returns the bytes that its supervisor reserves for another build of it. */
uint64_t plan_other(const struct part *part);
/* How many components it supervises. */
uint32_t plan_supervised(const struct part *part);

/* resource.c: parts of the machine. */
void resources_read(void);
void resources_give(void);
/* Slot of its first resource. */
word resource_slot(const struct part *part);
/* Number of its resources. */
uint32_t resource_count(const struct part *part);
/* Whether a component has an interrupt. */
bool part_interrupted(const struct part *part);
/* Pages that it takes in the component's address space. */
uint64_t resource_pages(const struct resource *resource);

/* channel.c: channels to Linux that the system file declares. */
void channels_find(void);
/* Pages of all that it has. */
uint64_t channels_pages(const struct part *part);
/* Frames of it, without the memory that belongs to a channel of another component. */
uint64_t channels_frames(const struct part *part);
void channels_make(const struct part *part);
/* Slot of its first channel. */
word channel_slot(const struct part *part);
/* Its info page about them. */
void channels_inform(const struct part *part);

/* objects.c: slots, frames, kernel objects. */
word slot_take(void);
/* The slot is empty again. */
void slot_put(word slot);
/* Deletes the capability in the slot. Returns the status of the call. */
long slot_empty(word slot);
/* Empties it first. */
void slot_drop(word slot);
/* A capability to `count` fresh frames; slot_drop() when they are in use. */
word frames_take(uint64_t count);
/*
 * Chooses memory for a kernel object and updates the packing. Returns how many fresh frames the object takes. Its only or
 * last frame is frame *at of the packing.
 */
uint64_t object_place(struct packing *packing, uint64_t bytes, unsigned int *at);
/* Makes an object of `bytes`. `size`: slots of a table, or invocations that a thread can nest. */
word object_make(const struct part *part, enum limpet_type type, uint64_t bytes, word size);
/* Gives a page table `count` fresh frames. */
void page_table_extend(const struct part *part, word page_table, uint64_t count);
/* Copies a capability of the booter into the component's table. */
void give(const struct part *part, word source, word slot, word rights);

/* stack.c: which threads have a stack where; these stacks. */
void stacks_plan(void);
/* Pages of its stacks, without guards. */
uint64_t stacks_pages(const struct part *part);
/* Bytes of addresses that its threads' stacks, or entry stacks, take; and the stacks of its pool. */
uint64_t stacks_room(const struct part *part);
uint64_t pool_room(const struct part *part);
void stacks_fill(void);
/* Unmaps the stack of the booter's thread in a component, after all components were initialised. */
void part_take_stack(const struct part *part);
/* Id of the first of its threads; those of a component follow one another. */
uint32_t stack_first(const struct part *part);

/* memory.c: zeroed memory for the booter's own tables. */
void *own_take(uint64_t bytes);
/* Maps fresh memory into a component. */
void memory_map(const struct part *part, uint64_t address, uint64_t pages, word rights,
		const void *content, uint64_t size);
/* Fills frames from number `offset` on with `content` and zeros; at most LIMPET_MAP_MAX of them. */
void frames_fill(const struct part *part, word frames, uint64_t offset, uint64_t pages,
		 const void *content, uint64_t size);
void frames_map(const struct part *part, word page_table, word frames, uint64_t address,
		uint64_t pages, word rights, const char *what);
/* The same with frames that the caller has taken. */
void memory_map_frames(const struct part *part, word frames, uint64_t address, uint64_t pages,
		       word rights, const void *content, uint64_t size);
/* Does the same, and maps the memory writable at `view` in its supervisor, unless `view` is 0. */
void memory_map_seen(const struct part *part, uint64_t address, uint64_t pages, word rights,
		     uint64_t view, const void *content, uint64_t size);
void memory_map_image(const struct part *part, uint64_t address, uint64_t at, uint64_t size,
		      word rights);
/* Maps pages by PT_MAP. Gives the page table one more frame if a fifth level needs it. */
long pages_map(const struct part *part, word page_table, word frames, uint64_t offset,
	       uint64_t address, uint64_t count, word rights);

/* build.c: kernel objects and memory of one component. */
void part_build(struct part *part);
void part_fill(const struct part *part);

/* info.c: the table of threads, and a component's info page. */
void threads_inform(void);
void part_inform(const struct part *part);

/* connect.c: what it may name: capabilities and gates. */
void part_give(const struct part *part);
void part_wire(const struct part *part);
/* From now on its faults are invocations. */
void part_handle(const struct part *part);

/* begin.c: its own code begins. */
void part_init(const struct part *part);
void part_start(const struct part *part);
void part_start_spares(const struct part *part);

#pragma GCC visibility pop

#endif
