/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the booter tells a component: one read-only page at limpet_image_component.info, for some roles
 * a second one, a table of the CPU's threads that all share, and the slots of its capability table that it finds
 * filled. Version 8.
 */
#ifndef LIMPET_COMPONENT_H
#define LIMPET_COMPONENT_H

#include <stdint.h>
#include <limpet/image.h>

/*
 * Slots of an ordinary component's table. Those a component has no right to are empty; a table ends
 * behind the last slot that its component needs. Gates stand below slot 4095, see LIMPET_INVOKE.
 *
 * A scheduler has its own thread and those that it schedules at LIMPET_SLOT_THREADS + id, and at
 * LIMPET_SLOT_ENDPOINTS + id, with WRITE, the endpoints of schedulers among them. A supervisor has, of the
 * components that it supervises, threads, page tables and the components, and at
 * LIMPET_SLOT_ENDPOINTS + id, with MANAGE, the endpoints of their schedulers' threads. With flag CLIENTS a
 * component has those that import from it, without rights: CAP_INFO says whether they were stopped.
 *
 * No component is both memory manager and scheduler: some of their slots are the same.
 */
enum limpet_slot {
	LIMPET_SLOT_TABLE = 1,	  /* own capability table */
	LIMPET_SLOT_ENDPOINT = 2, /* endpoint of its own thread, receive and send */
	LIMPET_SLOT_CPU = 3,	  /* root scheduler (timer only by call CPU_TIMER), flag CPU */
	LIMPET_SLOT_FRAMES = 4,	  /* flag MEMORY: the free frames */
	LIMPET_SLOT_CHANNEL = 5,  /* flag CONSOLE or SUPERVISOR: its own channel */
	LIMPET_SLOT_PORT = 6,	  /* endpoint on the other CPU, where the system file says so */
	LIMPET_SLOT_STOP = 7,	  /* of argument stop-of; SUPERVISOR: the root scheduler */
	LIMPET_SLOT_FREE = 8,	  /* 8 to 11: the component's own use */
	LIMPET_SLOT_FIRST = 12,	  /* imports, in the order of the wires; channels; resources */
	LIMPET_SLOT_GATES = 236,  /* 236 to 255: flag SUPERVISOR: own use, for gates */

	LIMPET_SLOT_THREADS = 256,    /* to 1279: flags SCHEDULER, SUPERVISOR: threads by id */
	LIMPET_SLOT_ENDPOINTS = 1280, /* to 2303: flags SCHEDULER, SUPERVISOR: by thread */

	LIMPET_SLOT_PAGE_TABLES = 256, /* to 1279: flag MEMORY: by component */
	LIMPET_SLOT_TABLES = 1280,     /* to 2303: flag MEMORY: of managers it serves */

	LIMPET_SLOT_COMPONENTS = 2304, /* to 3327: flags SUPERVISOR, CLIENTS: by component */
	LIMPET_SLOT_SPACES = 3328,     /* to 4351: flag SUPERVISOR: page tables by component */
	LIMPET_SLOT_COUNT = 4352,
};

#define LIMPET_INFO_MAGIC 0x6f666e69706d694cul /* "Limpinfo" */
#define LIMPET_INFO_VERSION 10
#define LIMPET_INFO_PAGES 5   /* at limpet_image_component.info: struct limpet_info, the threads */
#define LIMPET_CHANNEL_BIT 32 /* of the events of a component's first channel; the others' follow */

struct limpet_info_arg {
	char name[24];
	char text[40]; /* empty when it is a number */
	int64_t number;
};

/* Part of the machine that the component has; the capability: limpet_info.resource_slot + its index. */
struct limpet_info_resource {
	uint32_t kind, flags;  /* of struct limpet_image_resource */
	uint64_t first, count; /* the same */
	uint64_t address;      /* MEMORY: where it is mapped; else 0 */
};

/* A channel of the component's; the capability: limpet_info.channel_slot + its index. */
struct limpet_info_channel {
	char name[LIMPET_NAME_MAX];
	uint32_t mode, to_linux, to_component; /* of struct limpet_image_channel */
	uint32_t bit;			       /* of the events at the endpoint of its own thread */
	uint64_t address;		       /* struct limpet_channel_header */
	uint64_t mac;			       /* of struct limpet_image_channel: of Linux's end */
	uint32_t mtu;
	uint32_t reserved;
};

/* A thread of the CPU. */
struct limpet_info_thread {
	uint32_t component; /* index */
	uint32_t priority;
	uint32_t scheduler; /* index of the component that schedules it; 0: nobody, it is the root's */
	uint32_t flags;	    /* LIMPET_THREAD_... */
};

#define LIMPET_THREAD_SPARE 1u /* it waits until somebody creates a thread */

/* The data of a memory manager: an array of limpet_info.components entries. */
struct limpet_info_memory {
	uint32_t quota; /* pages that may be mapped in the component; 0: none */
};

/* A component whose faults lead to the supervisor. */
struct limpet_info_supervised {
	uint32_t component; /* index */
	uint32_t scheduler; /* id of the thread of who schedules its threads; 0: nobody */
	uint32_t thread;    /* id of its own thread; 0: it has none */
	uint32_t spare;	    /* id of its first spare thread; the others' follow */
	uint32_t spares;    /* how many */
	uint32_t reserved;
	/*
	 * Its writable segments, in the order of the image, and its heap, one behind the other: as it
	 * sees them, and as much memory to keep them in.
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
	uint64_t pool; /* lowest address of its pool of stacks; those of its own threads follow */
	uint32_t pool_shift;
	uint32_t pool_count; /* 0: it has no pool */
	uint32_t first_thread; /* id of the first of its threads, 0: it has none; the others' follow */
	uint32_t reserved;
	uint64_t ramdisk; /* address, 0 when there is none */
	uint64_t ramdisk_size;
	uint64_t channel; /* flags CONSOLE, SUPERVISOR: address of the channel's memory */
	uint64_t channel_size;
	/* Flag CONSOLE: table of `components` names by index. Names of other CPUs' components are empty. Else NULL. */
	const char (*name_of)[LIMPET_NAME_MAX];
	char name[LIMPET_NAME_MAX];
	uint32_t threads; /* threads that the booter created on this CPU */
	uint32_t args;
	uint32_t resources;
	uint32_t supervised; /* components whose faults lead to it */
	uint64_t memory;     /* flag MEMORY: address of struct limpet_info_memory[components] */
	uint64_t supervision; /* flag SUPERVISOR: address of struct limpet_info_supervised[supervised] */
	uint64_t image;	      /* flag SUPERVISOR: address of the system's image */
	uint64_t image_size;
	uint64_t channel_info;		      /* address of struct limpet_info_channel[channels] */
	uint32_t channels;		      /* in the order of the system file */
	uint32_t components;		      /* of the image, the booter among them */
	uint32_t channel_slot, resource_slot; /* of the first one */
	uint64_t real_ns;    /* real time in ns since 1970 when the system was loaded; 0: unknown */
	uint64_t real_stamp; /* time stamp at that time */
	/* The threads of the CPU by id, 1 to `threads`; all its components see the same pages. */
	const struct limpet_info_thread *thread_of;
	struct limpet_info_arg arg[LIMPET_INFO_ARGS];
	/* In the order of the system file; a PCI function as its parts: configuration, then BARs. */
	struct limpet_info_resource resource[LIMPET_INFO_RESOURCES];
};

_Static_assert(sizeof(struct limpet_info) <= 4096, "the info page is one page");

#endif
