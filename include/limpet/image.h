/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image of a system: what limpet-compose writes and `limpet run` loads. Version 2.
 * Little endian; all offsets are from the start of the image; all sizes in bytes.
 *
 *   struct limpet_image            header
 *   struct limpet_image_component  [components]    the booter first
 *   struct limpet_image_segment    [segments]      of all components
 *   struct limpet_image_wire       [wires]         imports: who may invoke what
 *   struct limpet_image_arg        [args]
 *   struct limpet_image_resource   [resources]     of the machine, that components get
 *   strings                        zero-terminated, referenced by offset into this area
 *   payload                        page aligned: segment contents, then the ramdisk
 *
 * The module reads the header and the booter's records only, and copies the booter's segments;
 * the booter reads the rest, mapped read-only. Each checks all that it uses.
 */
#ifndef LIMPET_IMAGE_H
#define LIMPET_IMAGE_H

#include <stdint.h>

#define LIMPET_IMAGE_MAGIC 0x74657078706d694cul /* "Limpxpet" as a little-endian word */
#define LIMPET_IMAGE_VERSION 2
#define LIMPET_IMAGE_MAX (64ul << 20)
#define LIMPET_COMPONENTS_MAX 128
#define LIMPET_CPUS_MAX 8
#define LIMPET_RESOURCES_MAX 64 /* of a system; a PCI function counts as its parts */
#define LIMPET_NAME_MAX 32
#define LIMPET_RESTARTS_ALWAYS 0xffffffffu

struct limpet_image {
	uint64_t magic;
	uint32_t version;
	uint32_t crc;	     /* CRC-32 (IEEE 802.3, as zlib's) of the image with this field 0 */
	uint64_t size;	     /* of the whole image, a multiple of 4096 */
	uint64_t frames;     /* frames that each CPU's side gets, image not counted */
	uint32_t cpus;	     /* 1 to LIMPET_CPUS_MAX */
	uint32_t components; /* 1 to LIMPET_COMPONENTS_MAX */
	uint32_t segments;
	uint32_t wires;
	uint32_t args;
	uint32_t strings; /* size of the string area; its last byte is 0 */
	uint64_t components_at;
	uint64_t segments_at;
	uint64_t wires_at;
	uint64_t args_at;
	uint64_t strings_at;
	uint64_t ramdisk_at; /* page aligned; 0: none */
	uint64_t ramdisk_size;
	uint32_t name;	   /* string: name of the system */
	uint32_t restarts; /* beneath: Linux's deaths after which another is started */
	uint32_t resources;
	uint32_t reserved;
	uint64_t resources_at;
};

struct limpet_image_component {
	uint32_t name;	  /* string: name in the system file */
	uint32_t image;	  /* string: which component it is an instance of */
	uint32_t cpu;	  /* CPU of the system it runs on, below cpus; booter: on each */
	uint32_t segment; /* index of its first segment */
	uint32_t segments;
	uint32_t wire; /* index of its first import */
	uint32_t wires;
	uint32_t arg; /* index of its first argument */
	uint32_t args;
	uint32_t flags;	      /* LIMPET_COMPONENT_... */
	uint64_t entry;	      /* address of its start routine */
	uint64_t heap;	      /* address of its heap, page aligned */
	uint64_t heap_size;   /* multiple of 4096, may be 0; mapped by the booter */
	uint64_t stacks;      /* lowest address of its stacks */
	uint32_t stack_shift; /* log2 of one thread's stack, guard page included: 13 to 20 */
	uint32_t priority;    /* of its own thread, 1 to 255; 0: it has none */
	uint64_t info;	      /* address of its info page, see <limpet/component.h> */
};

#define LIMPET_COMPONENT_BOOTER 1u
#define LIMPET_COMPONENT_SCHEDULER 2u /* gets capabilities to threads and to the timer */
#define LIMPET_COMPONENT_MEMORY 4u    /* gets frames and page tables */
#define LIMPET_COMPONENT_CONSOLE 8u   /* gets the console channel */
#define LIMPET_COMPONENT_CPU 16u      /* gets the CPU capability itself: tests only */
#define LIMPET_COMPONENT_RAMDISK 32u  /* gets the ramdisk mapped, read-only */

struct limpet_image_segment {
	uint64_t address;   /* page aligned */
	uint64_t size;	    /* in memory, multiple of 4096 */
	uint64_t file_size; /* at most size; the rest is zero */
	uint64_t at;	    /* page aligned offset of the contents */
	uint32_t rights;    /* LIMPET_READ, _WRITE, _EXEC; never write and execute together */
	uint32_t reserved;
};

/* An import: slot `slot` of the importing component invokes `entry` of component `server`. */
struct limpet_image_wire {
	uint32_t server;   /* index of a component on the same CPU */
	uint32_t slot;	   /* slot in the importer's table, LIMPET_SLOT_FIRST and up */
	uint64_t entry;	   /* address in the server */
	uint64_t badge;	   /* tells the server who calls: 1 + index of the importer */
	uint32_t import;   /* string: name of the import, "sched" */
	uint32_t function; /* string: name of the function, "block" */
};

struct limpet_image_arg {
	uint32_t name; /* string */
	uint32_t text; /* string, or 0xffffffff when it is a number */
	int64_t number;
};

/*
 * A part of the machine that one component gets and Linux loses for as long as the system runs; by
 * component, in the order of the system file. `first` and `count` by kind:
 *
 *   PORTS      first port; ports, up to 65536 in all
 *   MEMORY     physical address, page aligned, below 2^46; bytes, a multiple of 4096, up to 64 MiB
 *   INTERRUPT  line: number of the interrupt as ACPI counts (GSI), up to LIMPET_LINES_MAX - 1, or
 *              LIMPET_LINE_...; 1
 *   PCI        segment << 16 | bus << 8 | device << 3 | function; 1. The host finds its parts: its
 *              configuration space, MEMORY, and what its base address registers say
 *
 * No two overlap, but everybody may have LIMPET_LINE_LINUX and _MESSAGE.
 */
struct limpet_image_resource {
	uint32_t component; /* index */
	uint32_t kind;	    /* enum limpet_resource */
	uint32_t flags;	    /* LIMPET_RESOURCE_... */
	uint32_t reserved;
	uint64_t first, count;
};

enum limpet_resource {
	LIMPET_RESOURCE_PORTS = 1,
	LIMPET_RESOURCE_MEMORY = 2,
	LIMPET_RESOURCE_INTERRUPT = 3,
	LIMPET_RESOURCE_PCI = 4,
};

#define LIMPET_LINES_MAX 1024
#define LIMPET_PCI_PARTS 7 /* at most: configuration space, six base address registers */
#define LIMPET_DEVICE_MEMORY_MAX (64ul << 20)
#define LIMPET_DEVICE_MEMORY_END (1ul << 46)
#define LIMPET_LINE_LINUX 0x10000ul   /* Linux has ended, or another has begun */
#define LIMPET_LINE_MESSAGE 0x10001ul /* message-signalled: of whatever device writes it */

#define LIMPET_RESOURCE_LEVEL 1u /* INTERRUPT: level, active low; else edge, active high */
#define LIMPET_RESOURCE_SHOWN 2u /* MEMORY: this Linux can go on reading it */
/* Set by the host in what it has found of a PCI function; never in an image. */
#define LIMPET_RESOURCE_CONFIG 4u		 /* MEMORY: configuration space */
#define LIMPET_RESOURCE_BAR(n) ((1u + (n)) << 4) /* base address register n, 0 to 5 */
#define LIMPET_RESOURCE_BAR_OF(flags) (((flags) >> 4 & 7) - 1)
#define LIMPET_RESOURCE_IN_IMAGE (LIMPET_RESOURCE_LEVEL | LIMPET_RESOURCE_SHOWN)

#endif
