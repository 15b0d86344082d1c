/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image of a system, which limpet-compose writes and `limpet run` loads. Version 7.
 * Little endian; all offsets are from the start of the image; all sizes in bytes.
 *
 *   struct limpet_image            header
 *   struct limpet_image_component  [components]    the booter first
 *   struct limpet_image_segment    [segments]      of all components
 *   struct limpet_image_wire       [wires]         imports: who may invoke what
 *   struct limpet_image_arg        [args]
 *   struct limpet_image_resource   [resources]     of the machine, that components get
 *   struct limpet_image_channel    [channels]      between components and Linux
 *   struct limpet_image_symbol     [symbols]       of functions, for people
 *   struct limpet_image_unwind     [unwinds]       where callers' frames are, for people
 *   strings                        zero-terminated, referenced by offset into this area
 *   payload                        page aligned: segment contents, then the ramdisk
 *
 * The module reads the header and the booter's records only, and copies the booter's segments;
 * the booter reads the rest, mapped read-only. Each checks all that it uses.
 */
#ifndef LIMPET_IMAGE_H
#define LIMPET_IMAGE_H

#include <stdint.h>
#include <limpet/limits.h>

#define LIMPET_IMAGE_MAGIC 0x74657078706d694cul /* "Limpxpet" as a little-endian word */
#define LIMPET_IMAGE_VERSION 7
#define LIMPET_CHANNEL_CONSOLE 0       /* number of the console's, node console.CPU */
#define LIMPET_CHANNEL_CRASH 1	       /* number of the supervisor's, node crash.CPU */
#define LIMPET_CHANNEL_OWN_SIZE 65536u /* bytes of shared memory of each of these */
#define LIMPET_CHANNEL_FIRST 2	       /* number of the first one that a system file declares */
#define LIMPET_FRAME_EXTRA 26 /* of a message beside the MTU: its header, Ethernet's, a VLAN's */
#define LIMPET_ENTRY_SHIFT 9  /* log2 of a thread's entry stack, where stacks are in a pool */
#define LIMPET_RESTARTS_ALWAYS 0xffffffffu
#define LIMPET_UNWIND_UNKNOWN 0xffffffffu

struct limpet_image {
	uint64_t magic;
	uint32_t version;
	uint32_t crc; /* CRC-32 (IEEE 802.3, as zlib's) of the image with this field, real_ns and real_stamp 0 */
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
	uint32_t trace; /* bytes of each CPU's trace ring: a power of two, or 0: none */
	uint64_t resources_at;
	uint32_t symbols;
	uint32_t unwinds;
	uint64_t symbols_at;
	uint64_t unwinds_at;
	uint32_t channels;
	uint32_t depth; /* max nested invocations of each thread */
	uint64_t channels_at;
	/* Real time in ns since 1970, and the time stamp at that time. `limpet run` sets both. In a file they are 0. */
	uint64_t real_ns;
	uint64_t real_stamp;
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
	uint32_t flags;	    /* LIMPET_COMPONENT_... */
	uint64_t entry;	    /* address of its start routine */
	uint64_t heap;	    /* address of its heap, page aligned */
	uint64_t heap_size; /* multiple of 4096, may be 0; mapped by the booter */
	/*
	 * Lowest address of its threads' stacks, which follow one another, and log2 of one of them: 13 to 20, its guard
	 * page included. With a pool these are entry stacks without guards, and the log2 is LIMPET_ENTRY_SHIFT.
	 */
	uint64_t stacks;
	uint32_t stack_shift;
	uint32_t priority; /* of its own thread, 1 to 255; 0: it has none */
	uint64_t info;	   /* address of its info page, see <limpet/component.h> */
	uint32_t threads;  /* spare ones, which its scheduler runs when somebody creates one */
	uint32_t scheduler; /* index of who schedules its threads; 0: nobody: the root, or no thread */
	uint32_t quota;	    /* pages that the memory manager may map in it at run time */
	uint32_t faults;    /* index of who handles its faults; 0: nobody */
	uint64_t faults_entry; /* address in that component: function `handle` of interface faults */
	uint32_t restart; /* enum limpet_restart: what the supervisor does when it has crashed */
	uint32_t restart_limit;	     /* restarts after which it is stopped */
	uint32_t restart_backoff_ms; /* before it goes on; doubled each time */
	uint32_t heartbeat_ms;	     /* it must be heard of so often; 0: need not */
	uint32_t symbol;	     /* index of its first symbol */
	uint32_t symbols;
	uint32_t unwind; /* index of its first unwind record */
	uint32_t unwinds;
	uint32_t supervisor;  /* index of the supervisor that its faults lead to; 0: to none */
	uint32_t memory;      /* index of the memory manager that serves it; 0: none does */
	uint32_t stack_count; /* how many stacks there is room for at `stacks` */
	uint32_t pool_count;  /* stacks of its pool, 1 to LIMPET_POOL_MAX; 0: it has no pool */
	uint64_t pool;	      /* lowest address of the pool; the stacks of its own threads follow */
	uint32_t pool_shift; /* log2 of one of these stacks, guard page included: 13 to 20; 0: no pool */
	/* Index of the executive that gets what this one passes, a component before it; 0: Linux does. */
	uint32_t guest;
};

enum limpet_restart {
	LIMPET_RESTART_STOP = 0,       /* it stays closed; its callers get LIMPET_ECRASH */
	LIMPET_RESTART_HALT = 1,       /* the system ends */
	LIMPET_RESTART_IMAGE = 2,      /* it begins anew, with the memory of the image */
	LIMPET_RESTART_CHECKPOINT = 3, /* with the memory that it had after its initialisation */
};

#define LIMPET_COMPONENT_BOOTER 1u
#define LIMPET_COMPONENT_SCHEDULER 2u	/* gets threads; the root of its CPU the timer, too */
#define LIMPET_COMPONENT_MEMORY 4u	/* gets frames and page tables */
#define LIMPET_COMPONENT_CONSOLE 8u	/* gets the console channel */
#define LIMPET_COMPONENT_CPU 16u	/* gets the CPU capability itself: tests only */
#define LIMPET_COMPONENT_RAMDISK 32u	/* gets the ramdisk mapped, read-only */
#define LIMPET_COMPONENT_SUPERVISOR 64u /* gets supervised components, crash records */
#define LIMPET_COMPONENT_CLIENTS 128u	/* may know whether those who import from it were stopped */
#define LIMPET_COMPONENT_STACK_ERROR 256u /* an invocation that finds no free stack is an error */
#define LIMPET_COMPONENT_UPDATE 512u	  /* another build can replace it: see <limpet/update.h> */

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

/*
 * A channel, see <limpet/channel.h>; by component, in the order of the system file. The rings are powers of
 * two, at least one of them is there; mode SHARED: to_linux bytes of memory; mode NETWORK: both rings, each
 * with room for a frame. Channels 0 and 1 of a CPU, the console and crash records, are in no image.
 */
struct limpet_image_channel {
	uint32_t component; /* index of its owner, who has a thread */
	uint32_t number; /* on its CPU: the next one, LIMPET_CHANNEL_FIRST and up; ATTACHED: index of the other channel */
	uint32_t name; /* string of a-z 0-9 - . that no other channel has, nor "control"; FIFO: rtf0 to rtf63; ATTACHED: the other's */
	uint32_t mode; /* enum limpet_channel_mode */
	uint32_t to_linux; /* bytes of the ring to Linux; 0: none */
	uint32_t to_component;
	uint32_t access; /* permissions of its node, for owner, group and others; NETWORK: 0, it has none */
	uint32_t mtu; /* NETWORK: bytes of a packet; else 0 */
	uint64_t mac; /* NETWORK: Ethernet address of Linux's end, first byte lowest; else 0 */
};

/* A function. By component, by address; a function reaches up to the next one. */
struct limpet_image_symbol {
	uint32_t offset; /* of its first byte, from the address of the component's first segment */
	uint32_t name;	 /* string */
};

/*
 * From this instruction to that of the next record the caller's frame begins `frame` bytes above rsp,
 * with the return address below it; LIMPET_UNWIND_UNKNOWN: where is not known. By component, by
 * address; before its first record nothing is known.
 */
struct limpet_image_unwind {
	uint32_t offset; /* as a symbol's */
	uint32_t frame;	 /* multiple of 8 */
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
