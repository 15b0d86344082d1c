/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the booter tells a component: one read-only page at limpet_image_component.info, and the
 * slots of its capability table that it finds filled. Version 2.
 */
#ifndef LIMPET_COMPONENT_H
#define LIMPET_COMPONENT_H

#include <stdint.h>
#include <limpet/image.h>

/*
 * Slots of an ordinary component's table. Those a component has no right to are empty.
 * A thread's capabilities stand at LIMPET_SLOT_THREADS + id in a scheduler's table.
 */
enum limpet_slot {
	LIMPET_SLOT_TABLE = 1,	    /* own capability table */
	LIMPET_SLOT_ENDPOINT = 2,   /* endpoint of its own thread, receive and send */
	LIMPET_SLOT_CPU = 3,	    /* flag SCHEDULER (timer only by call CPU_TIMER) or CPU */
	LIMPET_SLOT_FRAMES = 4,	    /* flag MEMORY: the free frames */
	LIMPET_SLOT_CHANNEL = 5,    /* flag CONSOLE */
	LIMPET_SLOT_PORT = 6,	    /* endpoint on the other CPU, where the system file says so */
	LIMPET_SLOT_STOP = 7,	    /* argument stop-of: the component that it may stop */
	LIMPET_SLOT_FREE = 8,	    /* 8 to 47: the component's own use */
	LIMPET_SLOT_RESOURCES = 48, /* 48 to 63: its resources, as in the info page */
	LIMPET_SLOT_FIRST = 64,	    /* 64 to 255: imports, in the order of the wires */
	LIMPET_SLOT_THREADS = 256,  /* 256 to 319: flag SCHEDULER: threads by id */
	LIMPET_SLOT_PAGE_TABLES = 320, /* 320 to 447: flag MEMORY: page tables by component */
	LIMPET_SLOT_TABLES = 640, /* 640 to 767: flag MEMORY: tables of memory managers among its clients */
	LIMPET_SLOT_COUNT = 768,
};

#define LIMPET_INFO_MAGIC 0x6f666e69706d694cul /* "Limpinfo" */
#define LIMPET_INFO_VERSION 2
#define LIMPET_INFO_ARGS 24
#define LIMPET_INFO_RESOURCES 16

struct limpet_info_arg {
	char name[24];
	char text[40]; /* empty when it is a number */
	int64_t number;
};

/* Part of the machine that the component has; the capability: LIMPET_SLOT_RESOURCES + its index. */
struct limpet_info_resource {
	uint32_t kind, flags;  /* of struct limpet_image_resource */
	uint64_t first, count; /* the same */
	uint64_t address;      /* MEMORY: where it is mapped; else 0 */
};

/* What the memory manager has to know. */
struct limpet_info_memory {
	uint32_t quota[LIMPET_COMPONENTS_MAX]; /* pages, by component; 0: nothing may be mapped in it */
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
	uint64_t ramdisk; /* address, 0 when there is none */
	uint64_t ramdisk_size;
	uint64_t channel; /* flag CONSOLE: address of the channel's memory */
	uint64_t channel_size;
	char name[LIMPET_NAME_MAX];
	uint32_t threads; /* threads that the booter created on this CPU */
	uint32_t args;
	uint32_t resources;
	uint32_t reserved;
	uint64_t memory;     /* flag MEMORY: address of struct limpet_info_memory */
	struct {
		uint32_t component; /* index */
		uint32_t priority;
	} thread_of[LIMPET_THREADS_MAX];
	struct limpet_info_arg arg[LIMPET_INFO_ARGS];
	/* In the order of the system file; a PCI function as its parts: configuration, then BARs. */
	struct limpet_info_resource resource[LIMPET_INFO_RESOURCES];
};

_Static_assert(sizeof(struct limpet_info) <= 4096, "the info page is one page");

#endif
