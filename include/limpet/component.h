/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data that the booter passes to a component: read-only pages at limpet_image_component.info, a
 * table of the CPU's threads that all its components share, and the capabilities in the slots of
 * its table. Version 10.
 */
#ifndef LIMPET_COMPONENT_H
#define LIMPET_COMPONENT_H

#include <stdint.h>
#include <limpet/image.h>

/*
 * Slots of an ordinary component's table. A slot is empty if the component has no right to its
 * object. A table ends after the last slot that its component needs. Gates are in slots below 4095,
 * see LIMPET_INVOKE.
 *
 * A scheduler has its own thread and the threads that it schedules, directly or through nested
 * schedulers, at LIMPET_SLOT_THREADS + id. If a thread that it schedules directly is a nested
 * scheduler's, its endpoint is at LIMPET_SLOT_ENDPOINTS + id, with WRITE. A supervisor has the
 * components that it supervises, their threads and page tables, and at LIMPET_SLOT_ENDPOINTS + id,
 * with MANAGE, the endpoints of the threads of their schedulers. A component with flag CLIENTS has
 * the components that import from it, without rights, so that CAP_INFO returns whether they were
 * stopped.
 *
 * A component cannot be both memory manager and scheduler, because some of their slots are the
 * same.
 */
enum limpet_slot {
	LIMPET_SLOT_TABLE = 1,	  /* own capability table */
	LIMPET_SLOT_ENDPOINT = 2, /* endpoint of its own thread, receive and send */
	LIMPET_SLOT_CPU = 3,	  /* root scheduler (timer only by call CPU_TIMER), flag CPU */
	LIMPET_SLOT_FRAMES = 4,	  /* flag MEMORY: the free frames */
	LIMPET_SLOT_CHANNEL = 5,  /* flag CONSOLE or SUPERVISOR: its own channel */
	LIMPET_SLOT_PORT = 6,	  /* endpoint on another CPU, if the system file declares it */
	LIMPET_SLOT_STOP = 7,	  /* of argument stop-of; SUPERVISOR: the root scheduler */
	LIMPET_SLOT_FREE = 8,	  /* 8 to 11: the component's own use */
	LIMPET_SLOT_FIRST = 12,	  /* imports, in the order of the wires; channels; resources */
	LIMPET_SLOT_GATES = 236,  /* 236 to 255: flag SUPERVISOR: own use, for gates */

	LIMPET_SLOT_THREADS = 256,    /* to 1279: flags SCHEDULER, SUPERVISOR: threads by id */
	LIMPET_SLOT_ENDPOINTS = 1280, /* to 2303: flags SCHEDULER, SUPERVISOR: by thread */

	LIMPET_SLOT_PAGE_TABLES = 256, /* to 1279: flag MEMORY: by component */
	LIMPET_SLOT_TABLES = 1280,     /* to 2303: flag MEMORY: of the managers that it serves */

	LIMPET_SLOT_COMPONENTS = 2304, /* to 3327: flags SUPERVISOR, CLIENTS: by component */
	LIMPET_SLOT_SPACES = 3328,     /* to 4351: flag SUPERVISOR: page tables by component */
	LIMPET_SLOT_COUNT = 4352,
};

#define LIMPET_INFO_MAGIC 0x6f666e69706d694cul /* "Limpinfo" */
#define LIMPET_INFO_VERSION 10
#define LIMPET_INFO_PAGES 5   /* at limpet_image_component.info: struct limpet_info, the threads */
#define LIMPET_CHANNEL_BIT 32 /* event bit of a component's first channel; the others follow */

struct limpet_info_arg {
	char name[24];
	char text[40]; /* empty when it is a number */
	int64_t number;
};

/*
 * A part of the machine that the component has. Its capability is in slot limpet_info.resource_slot
 * + its index.
 */
struct limpet_info_resource {
	uint32_t kind, flags;  /* of struct limpet_image_resource */
	uint64_t first, count; /* of struct limpet_image_resource */
	uint64_t address;      /* MEMORY: address of its mapping; else 0 */
};

/* A channel of the component. Its capability is in slot limpet_info.channel_slot + its index. */
struct limpet_info_channel {
	char name[LIMPET_NAME_MAX];
	uint32_t mode, to_linux, to_component; /* of struct limpet_image_channel */
	uint32_t bit;			       /* event bit at the endpoint of its own thread */
	uint64_t address;		       /* of struct limpet_channel_header */
	uint64_t mac;			       /* of struct limpet_image_channel: Linux's end */
	uint32_t mtu;
	uint32_t reserved;
};

/* A thread of the CPU. */
struct limpet_info_thread {
	uint32_t component; /* index */
	uint32_t priority;
	uint32_t scheduler; /* index of its scheduler; 0: it is the root scheduler's */
	uint32_t flags;	    /* LIMPET_THREAD_... */
};

#define LIMPET_THREAD_SPARE 1u /* the thread is unused until a component creates a thread */

/* The data of a memory manager: an array of limpet_info.components entries. */
struct limpet_info_memory {
	uint32_t quota; /* maximum number of pages that may be mapped in the component */
};

/* A component whose faults go to the supervisor. */
struct limpet_info_supervised {
	uint32_t component; /* index */
	uint32_t scheduler; /* id of its scheduler's thread; 0: it has no scheduler */
	uint32_t thread;    /* id of its own thread; 0: it has no thread */
	uint32_t spare;	    /* id of its first spare thread; the others follow */
	uint32_t spares;    /* number of spare threads */
	uint32_t reserved;
	/*
	 * Its writable segments, in the order of the image, followed by its heap: `view` is a
	 * mapping of that memory, `kept` the address of as much memory for the checkpoint.
	 */
	uint64_t view, kept, size;
	/*
	 * Flag UPDATE, else 0: its segments that are not writable, as the supervisor sees them; and memory for three segments
	 * of another build, followed by the initial data of the running build.
	 */
	uint64_t code, other;
};

struct limpet_info {
	uint64_t magic;
	uint32_t version;
	uint32_t index; /* of the component in the image */
	uint32_t cpu;
	uint32_t cpus;
	uint32_t thread; /* id of its own thread, or 0xffffffff */
	uint32_t priority;
	uint64_t ticks_per_ms;
	uint64_t heap;
	uint64_t heap_size;
	uint64_t stacks;
	uint32_t stack_shift;
	uint32_t flags;
	uint64_t pool; /* lowest address of its pool; the stacks of its own threads follow */
	uint32_t pool_shift;
	uint32_t pool_count;   /* 0: it has no pool */
	uint32_t first_thread; /* id of its first thread; the others follow; 0: it has no thread */
	uint32_t reserved;
	uint64_t ramdisk; /* address; 0: the system has no ramdisk */
	uint64_t ramdisk_size;
	uint64_t channel; /* flags CONSOLE, SUPERVISOR: address of the channel's memory */
	uint64_t channel_size;
	/* Flag CONSOLE: table of `components` names by index. Names of other CPUs' components are empty. Else NULL. */
	const char (*name_of)[LIMPET_NAME_MAX];
	char name[LIMPET_NAME_MAX];
	uint32_t threads; /* threads that the booter created on this CPU */
	uint32_t args;
	uint32_t resources;
	uint32_t supervised; /* components whose faults go to it */
	uint64_t memory;     /* flag MEMORY: address of struct limpet_info_memory[components] */
	uint64_t supervision; /* flag SUPERVISOR: address of struct limpet_info_supervised[supervised] */
	uint64_t image;	      /* flag SUPERVISOR: address of the system's image */
	uint64_t image_size;
	uint64_t channel_info;		      /* address of struct limpet_info_channel[channels] */
	uint32_t channels;		      /* in the order of the system file */
	uint32_t components;		      /* of the image, including the booter */
	uint32_t channel_slot, resource_slot; /* slots of the first channel and resource */
	uint64_t real_ns;    /* real time in ns since 1970 when the system was loaded; 0: unknown */
	uint64_t real_stamp; /* time stamp at that time */
	/*
	 * The threads of the CPU by id, 1 to `threads`. All components of the CPU share these
	 * pages.
	 */
	const struct limpet_info_thread *thread_of;
	struct limpet_info_arg arg[LIMPET_INFO_ARGS];
	/*
	 * In the order of the system file. A PCI function occurs as its parts: configuration, then
	 * BARs.
	 */
	struct limpet_info_resource resource[LIMPET_INFO_RESOURCES];
};

_Static_assert(sizeof(struct limpet_info) <= 4096, "the info page is one page");

#endif
