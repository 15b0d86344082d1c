/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The booter: the first component of each CPU. It owns all free frames and the CPU, reads the
 * image, and builds every component of its CPU by ordinary kernel calls. It runs once, on thread 0.
 *
 * If a step fails, nothing is undone: the booter prints one line about the failure, and the system
 * ends.
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

/*
 * The slot of the gate to a component's start. It is low, because slots above 4,094 cannot be
 * invoked.
 */
#define SLOT_START LIMPET_BOOT_FREE
#define ENTRY_PAGES ((LIMPET_THREADS_MAX << LIMPET_ENTRY_SHIFT) / LIMPET_PAGE)
#define EXTEND_MAX 64ul /* frames of one PT_EXTEND */
#define PACKED 4	/* frames that are filled with kernel objects simultaneously */

#pragma GCC visibility push(hidden) /* addresses of functions need no table */

/* A component while the booter builds it. All slots are in the booter's table. */
struct part {
	const struct limpet_image_component *record;
	uint32_t index;		 /* index in the image */
	uint32_t thread_id;	 /* 0: no own thread */
	uint32_t spare_id;	 /* id of its first spare thread; 0: no spare threads */
	struct part *scheduler;	 /* the scheduler of its threads, or NULL */
	struct part *supervisor; /* or NULL */
	struct part *memory;	 /* its memory manager, or NULL */
	word page_table, table, component;
	word thread, endpoint; /* if it has a thread */
	/* Addresses; 0: it has no such memory. */
	uint64_t ramdisk, channel, window;
	uint64_t channel_info, channels;       /* info page about its channels, and the channels */
	uint64_t second;		       /* more info pages, by role */
	uint64_t names;			       /* console: table of all components' names */
	uint32_t channel_first, channel_count; /* records in the image */
	bool endpoint_given;		       /* the supervisor has got it */
	uint32_t stacks;		       /* number of threads that have a stack in it */
	uint32_t entry_count; /* number of pages with entry stacks, if it has a pool */
	uint64_t entry_pages[ENTRY_PAGES / 64]; /* one bit for each of these pages */
	bool stack_lent;			/* the booter's thread uses one of its stacks */
	bool visited;				/* another component's threads can reach it */
	const struct part *reached_by; /* marks that the threads of this component reach it */
	uint64_t image;		       /* the whole image */
	uint64_t view, kept; /* in its supervisor: its memory, and the copy for checkpoints */
	uint64_t code,
		other; /* in its supervisor, if it can be replaced: see struct limpet_info_supervised */
};

/* A resource that a component gets. */
struct resource {
	const struct part *part;
	uint32_t number; /* number of the resource in the kernel */
	word slot;	 /* slot in the component's table */
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
	uint64_t frames; /* free frames, as reported by the kernel */
	uint64_t thread_bytes;
	struct packing packing;
	word packed[PACKED]; /* frames that are partly filled */
	word next_slot;
	word dropped[16]; /* empty slots below next_slot */
	unsigned int drops;
	uint32_t threads;	       /* highest id of a thread so far */
	uint32_t schedulers, managers; /* number of each; managers: of memory */
	word *thread;		       /* slots of threads, by id */
	struct part **reached;	       /* see stack.c */
	word thread_table; /* frames of the table of threads, which all components see */
	uint64_t own_begin, own,
		own_end;	 /* addresses for own_take(): first, next, end of the mapping */
	struct part *root;	 /* the root scheduler */
	struct part *memory;	 /* the memory manager that owns all frames, or NULL */
	struct part *console;	 /* NULL: the CPU has no console */
	struct part *supervisor; /* NULL: the CPU has no supervisor */
	/*
	 * In the supervisor: bytes of other components that it maps, and its memory for checkpoints
	 * and other builds.
	 */
	uint64_t views, seen, kept, kept_size;
	uint32_t parts; /* components of this CPU, without the booter */
	struct part *part;
	struct part **at;   /* indexed as in the image; NULL: on another CPU */
	uint32_t resources; /* number of resources of this CPU's components, in their order */
	struct resource resource[LIMPET_RESOURCES_MAX];
};

/* --- state.c: the state that all parts share */
extern struct booter booter;

const char *image_string(uint32_t offset);
const char *part_name(const struct part *part);
/* Returns the component at an index of the image if it is on this CPU, otherwise NULL. */
struct part *part_at(uint32_t index);

/* --- report.c: failures; these functions do not return */
_Noreturn void give_up(const struct part *part, const char *what, long status);
_Noreturn void give_up_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a line to Linux's log. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- image.c: reads the image */
void image_open(uint64_t address, uint64_t size);
/* Returns the number given for an argument of the component, or `otherwise`. */
int64_t part_arg(const struct part *part, const char *name, int64_t otherwise);
/* Returns the text given for an argument of the component, or NULL. */
const char *part_arg_text(const struct part *part, const char *name);

/* --- plan.c: components of this CPU, their addresses, and the frames that they need */
void plan(void);
/* Returns the number of slots of its capability table. */
uint64_t plan_table_slots(const struct part *part);
uint64_t plan_pool_frames(const struct part *part);
/* Returns the pages that hold the tables for the component's role. */
uint64_t plan_second_pages(const struct part *part);
/* Returns the size of the table of components' names in bytes if `part` is the console, or 0. */
uint64_t plan_names(const struct part *part);
/*
 * Returns the bytes of its memory that its supervisor can access and save: writable segments and
 * heap.
 */
uint64_t plan_writable(const struct part *part);
/* Returns the bytes of its code and constants that its supervisor can see: 0 unless it can be replaced. */
uint64_t plan_code(const struct part *part);
/* Returns the bytes that its supervisor reserves for another build of it. */
uint64_t plan_other(const struct part *part);
/* Returns the number of components that it supervises. */
uint32_t plan_supervised(const struct part *part);

/* --- resource.c: resources of the machine */
void resources_read(void);
void resources_give(void);
/* Returns the slot of its first resource. */
word resource_slot(const struct part *part);
/* Returns the number of its resources. */
uint32_t resource_count(const struct part *part);
/* Returns whether a component has an interrupt. */
bool part_interrupted(const struct part *part);
/* Returns the pages of its device memory in the component's address space. */
uint64_t resource_pages(const struct resource *resource);

/* --- channel.c: channels to Linux that the system file declares */
void channels_find(void);
/* Returns the pages of all its channels. */
uint64_t channels_pages(const struct part *part);
/*
 * Returns the frames of its channels, without memory that belongs to a channel of another
 * component.
 */
uint64_t channels_frames(const struct part *part);
void channels_make(const struct part *part);
/* Returns the slot of its first channel. */
word channel_slot(const struct part *part);
/* Fills its info page about channels. */
void channels_inform(const struct part *part);

/* --- objects.c: slots, frames, kernel objects */
word slot_take(void);
/* Makes the slot available again, after its capability was moved or deleted. */
void slot_put(word slot);
/* Deletes the capability in the slot. Returns the status of the call. */
long slot_empty(word slot);
/* Deletes the slot's capability, and makes the slot available again. */
void slot_drop(word slot);
/*
 * Returns a slot with a capability to `count` fresh frames. The caller passes it to slot_drop()
 * after use.
 */
word frames_take(uint64_t count);
/*
 * Chooses memory for a kernel object, and updates the packing. Returns the number of fresh frames
 * that the object needs. Its only or last frame is frame *at of the packing.
 */
uint64_t object_place(struct packing *packing, uint64_t bytes, unsigned int *at);
/*
 * Creates a kernel object of `bytes`. `size`: slots of a table, or nested invocations of a thread.
 */
word object_make(const struct part *part, enum limpet_type type, uint64_t bytes, word size);
/* Gives a page table `count` fresh frames. */
void page_table_extend(const struct part *part, word page_table, uint64_t count);
/* Copies a capability of the booter into the component's table. */
void give(const struct part *part, word source, word slot, word rights);

/* --- stack.c: plans and maps stacks */
void stacks_plan(void);
/* Returns the pages of its stacks, without guards. */
uint64_t stacks_pages(const struct part *part);
/*
 * Return the bytes of addresses for its threads' stacks or entry stacks, and for the stacks of its
 * pool.
 */
uint64_t stacks_size(const struct part *part);
uint64_t pool_size(const struct part *part);
void stacks_fill(void);
/* Unmaps the stack of the booter's thread in a component, after all components were initialised. */
void part_take_stack(const struct part *part);
/* Returns the id of the first of its threads. A component's threads have consecutive ids. */
uint32_t stack_first(const struct part *part);

/* --- memory.c: memory with given contents. own_take() returns zeroed memory for own tables. */
void *own_take(uint64_t bytes);
/* Maps fresh memory with `content` and zeros into a component. */
void memory_map(const struct part *part, uint64_t address, uint64_t pages, word rights,
		const void *content, uint64_t size);
/* Fills at most LIMPET_MAP_MAX frames, from number `offset` on, with `content` and zeros. */
void frames_fill(const struct part *part, word frames, uint64_t offset, uint64_t pages,
		 const void *content, uint64_t size);
void frames_map(const struct part *part, word page_table, word frames, uint64_t address,
		uint64_t pages, word rights, const char *what);
/* Does the same with frames that the caller has taken. */
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

/* --- build.c: kernel objects and memory of one component */
void part_build(struct part *part);
void part_fill(const struct part *part);

/* --- info.c: the table of threads, and a component's info page */
void threads_inform(void);
void part_inform(const struct part *part);

/* --- connect.c: capabilities and gates of a component */
void part_give(const struct part *part);
void part_wire(const struct part *part);
/* Sets the fault handler. From now on a fault of the component invokes it. */
void part_handle(const struct part *part);

/* --- begin.c: starts the code of a component */
void part_init(const struct part *part);
void part_start(const struct part *part);
void part_start_spares(const struct part *part);

#pragma GCC visibility pop

#endif
