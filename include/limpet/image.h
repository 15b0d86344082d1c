/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image of a system, which limpet-compose writes and `limpet run` loads. Version 8. It is
 * little endian. All offsets are from the start of the image, all sizes are in bytes.
 *
 *   struct limpet_image            header
 *   struct limpet_image_component  [components]    the booter first
 *   struct limpet_image_segment    [segments]      of all components
 *   struct limpet_image_wire       [wires]         imports: functions that a component may invoke
 *   struct limpet_image_arg        [args]
 *   struct limpet_image_resource   [resources]     parts of the machine that components get
 *   struct limpet_image_channel    [channels]      between components and Linux
 *   struct limpet_image_symbol     [symbols]       of functions, for diagnostics
 *   struct limpet_image_unwind     [unwinds]       places of callers' frames, for diagnostics
 *   strings                        zero-terminated, referenced by offset into this area
 *   payload                        page aligned: segment contents, then the ramdisk
 *
 * The module reads only the header and the booter's records, and copies the booter's segments. The
 * booter reads the other parts, mapped read-only. Each of them checks everything that it uses.
 */
#ifndef LIMPET_IMAGE_H
#define LIMPET_IMAGE_H

#include <stdint.h>
#include <limpet/limits.h>

#define LIMPET_IMAGE_MAGIC 0x74657078706d694cul /* "Limpxpet" as a little-endian word */
#define LIMPET_IMAGE_VERSION 8
#define LIMPET_CHANNEL_CONSOLE 0       /* number of the console's channel, node console.CPU */
#define LIMPET_CHANNEL_CRASH 1	       /* number of the supervisor's channel, node crash.CPU */
#define LIMPET_CHANNEL_OWN_SIZE 65536u /* bytes of shared memory of each of these two channels */
#define LIMPET_CHANNEL_FIRST 2	       /* number of the first channel of a system file */
#define LIMPET_FRAME_EXTRA 26	       /* bytes of a message above the MTU: headers, VLAN tag */
#define LIMPET_ENTRY_SHIFT 9	       /* log2 of the size of an entry stack, see `stacks` */
#define LIMPET_RESTARTS_ALWAYS 0xffffffffu
#define LIMPET_UNWIND_UNKNOWN 0xffffffffu

struct limpet_image {
	uint64_t magic;
	uint32_t version;
	uint32_t crc; /* CRC-32 (IEEE 802.3, as zlib's) of the image with this field, real_ns and real_stamp 0 */
	uint64_t size;	     /* of the whole image, a multiple of 4096 */
	uint64_t frames;     /* frames of each CPU, without the image */
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
	uint64_t ramdisk_at; /* page aligned; 0: the system has no ramdisk */
	uint64_t ramdisk_size;
	uint32_t name;	   /* string: name of the system */
	uint32_t restarts; /* beneath: maximum number of restarts of Linux */
	uint32_t resources;
	uint32_t trace; /* bytes of each CPU's trace ring: a power of two, or 0 without a trace */
	uint64_t resources_at;
	uint32_t symbols;
	uint32_t unwinds;
	uint64_t symbols_at;
	uint64_t unwinds_at;
	uint32_t channels;
	uint32_t depth; /* maximum number of nested invocations of each thread */
	uint64_t channels_at;
	/*
	 * Real time in ns since 1970, and the time stamp at that time. Both are 0 in a file.
	 * `limpet run` sets them.
	 */
	uint64_t real_ns;
	uint64_t real_stamp;
};

struct limpet_image_component {
	uint32_t name;	  /* string: name in the system file */
	uint32_t image;	  /* string: name of the program of which it is an instance */
	uint32_t cpu;	  /* number of its CPU, below cpus; the booter runs on each CPU */
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
	 * Lowest address of its threads' stacks, which are contiguous, and log2 of the size of one,
	 * including its guard page: 13 to 20. With a pool these are entry stacks without guard
	 * pages, and the log2 is LIMPET_ENTRY_SHIFT.
	 */
	uint64_t stacks;
	uint32_t stack_shift;
	uint32_t priority;     /* of its own thread, 1 to 255; 0: it has no thread */
	uint64_t info;	       /* address of its info page, see <limpet/component.h> */
	uint32_t threads;      /* spare threads, unused until a component creates a thread */
	uint32_t scheduler;    /* index of its threads' scheduler; 0: the root, or unset */
	uint32_t quota;	       /* pages that the memory manager may map in it at run time */
	uint32_t faults;       /* index of the component that handles its faults; 0: unset */
	uint64_t faults_entry; /* address in that component: function `handle` of interface faults */
	uint32_t restart;      /* enum limpet_restart: policy of the supervisor after a crash */
	uint32_t restart_limit;	     /* restarts after which it is stopped */
	uint32_t restart_backoff_ms; /* delay before it continues; doubled with each restart */
	uint32_t heartbeat_ms;	     /* maximum time between two heartbeats; 0: unlimited */
	uint32_t symbol;	     /* index of its first symbol */
	uint32_t symbols;
	uint32_t unwind; /* index of its first unwind record */
	uint32_t unwinds;
	uint32_t supervisor;  /* index of the supervisor that gets its faults; 0: unset */
	uint32_t memory;      /* index of its memory manager; 0: unset */
	uint32_t stack_count; /* number of stacks that fit at `stacks` */
	uint32_t pool_count;  /* stacks of its pool, 1 to LIMPET_POOL_MAX; 0: it has no pool */
	uint64_t pool;	      /* lowest address of the pool; the stacks of its own threads follow */
	uint32_t pool_shift;  /* log2 of one stack, with its guard page: 13 to 20; 0: no pool */
	/*
	 * Index of the executive that gets the calls that this executive passes, lower than its
	 * own. 0: Linux gets them.
	 */
	uint32_t guest;
};

enum limpet_restart {
	LIMPET_RESTART_STOP = 0,       /* it stays closed; its callers get LIMPET_ECRASH */
	LIMPET_RESTART_HALT = 1,       /* the system ends */
	LIMPET_RESTART_IMAGE = 2,      /* it restarts with the memory of the image */
	LIMPET_RESTART_CHECKPOINT = 3, /* it restarts with the memory after its initialisation */
};

#define LIMPET_COMPONENT_BOOTER 1u
#define LIMPET_COMPONENT_SCHEDULER 2u	  /* gets threads; the root scheduler also gets the timer */
#define LIMPET_COMPONENT_MEMORY 4u	  /* gets frames and page tables */
#define LIMPET_COMPONENT_CONSOLE 8u	  /* gets the console channel */
#define LIMPET_COMPONENT_CPU 16u	  /* gets the CPU capability itself: tests only */
#define LIMPET_COMPONENT_RAMDISK 32u	  /* gets the ramdisk mapped, read-only */
#define LIMPET_COMPONENT_SUPERVISOR 64u	  /* gets supervised components, crash records */
#define LIMPET_COMPONENT_CLIENTS 128u	  /* gets its importers without rights, for CAP_INFO */
#define LIMPET_COMPONENT_STACK_ERROR 256u /* an invocation without free stack gets LIMPET_ESTACK */
#define LIMPET_COMPONENT_UPDATE 512u	  /* another build can replace it: see <limpet/update.h> */
#define LIMPET_COMPONENT_BARRIER 1024u	  /* branch predictor barriers at its switches */
#define LIMPET_COMPONENT_EXECUTIVE 2048u  /* Linux programs can be its guests */
#define LIMPET_COMPONENT_GUESTS_OPEN 4096u /* its guests are LIMPET_GUEST_OPEN by default */

struct limpet_image_segment {
	uint64_t address;   /* page aligned */
	uint64_t size;	    /* in memory, multiple of 4096 */
	uint64_t file_size; /* at most size; the other bytes are zero */
	uint64_t at;	    /* page aligned offset of the contents */
	uint32_t rights;    /* LIMPET_READ, _WRITE, _EXEC; never write and execute together */
	uint32_t reserved;
};

/* An import: slot `slot` of the importing component invokes `entry` of component `server`. */
struct limpet_image_wire {
	uint32_t server;   /* index of a component on the same CPU */
	uint32_t slot;	   /* slot in the importer's table, LIMPET_SLOT_FIRST and up */
	uint64_t entry;	   /* address in the server */
	uint64_t badge;	   /* identifies the importer to the server: 1 + its index */
	uint32_t import;   /* string: name of the import, "sched" */
	uint32_t function; /* string: name of the function, "block" */
};

struct limpet_image_arg {
	uint32_t name; /* string */
	uint32_t text; /* string, or 0xffffffff if it is a number */
	int64_t number;
};

/*
 * A part of the machine that one component gets, and that Linux cannot use while the system runs.
 * The records are sorted by component, in the order of the system file. `first` and `count` by
 * kind:
 *
 *   PORTS      first port; ports, up to 65536 in all
 *   MEMORY     physical address, page aligned, below 2^46; bytes, a multiple of 4096, up to 64 MiB
 *   INTERRUPT  line: number of the interrupt as ACPI counts (GSI), up to LIMPET_LINES_MAX - 1, or
 *              LIMPET_LINE_...; 1
 *   PCI        segment << 16 | bus << 8 | device << 3 | function; 1. The host finds its parts: its
 *              configuration space, as MEMORY, and the ranges of its base address registers
 *
 * Parts must not overlap. Only LIMPET_LINE_LINUX and _MESSAGE may belong to several components.
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
 * A channel, see <limpet/channel.h>. The records are sorted by component, in the order of the
 * system file. The sizes of rings are powers of two, and a channel has one or two rings. Mode
 * SHARED has to_linux bytes of memory. Mode NETWORK has two rings, each large enough for a frame.
 * An image does not list channels 0 and 1 of a CPU, the console and the crash records.
 */
struct limpet_image_channel {
	uint32_t component; /* index of its owner, which has a thread */
	/*
	 * Number on its CPU, consecutive from LIMPET_CHANNEL_FIRST. ATTACHED: index of the other
	 * channel.
	 */
	uint32_t number;
	/*
	 * String of a-z 0-9 - . that no other channel has, and not "control". FIFO: rtf0 to rtf63.
	 * ATTACHED: the name of the other channel.
	 */
	uint32_t name;
	uint32_t mode;	   /* enum limpet_channel_mode */
	uint32_t to_linux; /* bytes of the ring to Linux, or 0 without this ring */
	uint32_t to_component;
	uint16_t access; /* permissions of its node; NETWORK: 0, without a node */
	/*
	 * Index of the channel that has this record's place if channels are sorted: by name, then
	 * ATTACHED after the other channel, then by index.
	 */
	uint16_t order;
	uint32_t mtu; /* NETWORK: bytes of a packet; else 0 */
	uint64_t mac; /* NETWORK: Ethernet address of Linux's end, first byte lowest; else 0 */
};

/*
 * A function. The records are sorted by component, then by address. A function ends at the next
 * one.
 */
struct limpet_image_symbol {
	uint32_t offset; /* of its first byte, from the address of the component's first segment */
	uint32_t name;	 /* string */
};

/*
 * From this instruction to that of the next record, the caller's frame begins `frame` bytes above
 * rsp, with the return address below it. LIMPET_UNWIND_UNKNOWN: the place is unknown, as it is
 * before the first record. The records are sorted by component, then by address.
 */
struct limpet_image_unwind {
	uint32_t offset; /* of the instruction, as in struct limpet_image_symbol */
	uint32_t frame;	 /* multiple of 8 */
};

#define LIMPET_PCI_PARTS 7 /* maximum: configuration space and six base address registers */
#define LIMPET_DEVICE_MEMORY_END (1ul << 46)
#define LIMPET_LINE_LINUX 0x10000ul   /* Linux has ended or was restarted */
#define LIMPET_LINE_MESSAGE 0x10001ul /* message-signalled, by any device that writes the message */

#define LIMPET_RESOURCE_LEVEL 1u /* INTERRUPT: level, active low; else edge, active high */
#define LIMPET_RESOURCE_SHOWN 2u /* MEMORY: the running Linux can still read it */
/* Flags that the host sets in the parts of a PCI function. An image does not contain them. */
#define LIMPET_RESOURCE_CONFIG 4u		 /* MEMORY: configuration space */
#define LIMPET_RESOURCE_BAR(n) ((1u + (n)) << 4) /* base address register n, 0 to 5 */
#define LIMPET_RESOURCE_BAR_OF(flags) (((flags) >> 4 & 7) - 1)
#define LIMPET_RESOURCE_IN_IMAGE (LIMPET_RESOURCE_LEVEL | LIMPET_RESOURCE_SHOWN)

#endif
