/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All limits of a system. limpet-compose checks each limit that a system file can exceed. The kernel and the image's
 * checker check those that they rely on. docs/reference/limits.md is a table of them with the reasons.
 */
#ifndef LIMPET_LIMITS_H
#define LIMPET_LIMITS_H

/* Limits of the machine. */
#define LIMPET_SYSTEMS_MAX                                                                         \
	8 /* systems that are loaded at the same time, beside; their ids are 0 to 7 */
#define LIMPET_SYSTEM_ANY 0xffffffffu /* in place of an id: the only one that is loaded */

/* Limits of a system. */
#define LIMPET_CPUS_MAX 64	     /* CPUs; sets of CPUs are words of 64 bits */
#define LIMPET_COMPONENTS_MAX 1024   /* components of an image, the booter among them */
#define LIMPET_IMAGE_MAX (1ul << 30) /* bytes of an image */
#define LIMPET_RESOURCES_MAX 64	     /* parts of the machine; a PCI function counts as its parts */
#define LIMPET_LINES_MAX 1024	     /* interrupt lines; their numbers are 0 to 1023 */
#define LIMPET_DEVICE_MEMORY_MAX (64ul << 20) /* bytes of one range of a device's memory */
#define LIMPET_SYMBOLS_MAX 0x100000	      /* symbols, and unwind records */

/* Limits of a CPU. */
#define LIMPET_THREADS_MAX 1024	      /* threads, the booter's among them; ids are 0 to 1023 */
#define LIMPET_CHANNELS_MAX 256	      /* channels, the console and crash records among them */
#define LIMPET_PORTS 256	      /* event ports, for events from other CPUs */
#define LIMPET_EXECUTIVES_MAX 8	      /* executives */
#define LIMPET_GUESTS_MAX 4096	      /* guests of the executives of all systems */
#define LIMPET_GUESTS_OF_USER 1024    /* guests of a user other than root */
#define LIMPET_GUEST_CHAIN_MAX 4      /* executives that one guest passes through */
#define LIMPET_GUEST_ATTACH_MAX 1024  /* threads of a process that ATTACH makes guests */
#define LIMPET_GUEST_COPY_MAX 4096    /* bytes that one GUEST_COPY copies */
#define LIMPET_GUEST_PAGES_MAX 64     /* pages that one answer to FAULT maps */
#define LIMPET_FRAMES_MAX (1ul << 18) /* frames of 4096 bytes: 1 GiB */
#define LIMPET_TRACE_MIN 0x1000	      /* bytes of the trace ring, when there is one */
#define LIMPET_TRACE_MAX 0x1000000

/* Limits of a component. */
#define LIMPET_NAME_MAX 32	  /* bytes of a name, with the final 0 */
#define LIMPET_WIRES_MAX 192	  /* functions that it imports */
#define LIMPET_INFO_ARGS 24	  /* arguments */
#define LIMPET_INFO_RESOURCES 16  /* parts of the machine */
#define LIMPET_INFO_CHANNELS 16	  /* channels */
#define LIMPET_SPARES_MAX 1022	  /* spare threads */
#define LIMPET_SPARES_FEW 62	  /* the same with a supervisor or a C library */
#define LIMPET_QUOTA_MAX 0x40000  /* pages that mem may map in it: 1 GiB */
#define LIMPET_POOL_MAX 64	  /* stacks of its pool */
#define LIMPET_SYMBOL_NAME_MAX 64 /* bytes of a function's name; longer ones are cut off */

/* Limits of a thread. */
#define LIMPET_URGENCY_MAX 255	/* maximum urgency, and priority */
#define LIMPET_NESTING_MAX 8	/* schedulers that schedule one another */
#define LIMPET_DEPTH_DEFAULT 28 /* nested invocations, unless the system file says otherwise */
#define LIMPET_DEPTH_MIN 8
#define LIMPET_DEPTH_MAX 256

/* Limits of a kernel object. */
#define LIMPET_SLOTS_MAX 4607	       /* slots of a capability table: 72 frames */
#define LIMPET_DERIVATION_MAX 32       /* deepest capability that may still be copied */
#define LIMPET_FRAME_MAPS_MAX 0x3fff   /* mappings of a frame */
#define LIMPET_THREAD_FRAMES_MAX 4     /* frames of a thread */
#define LIMPET_MAP_MAX 32	       /* pages that one map, unmap or protect may cover */
#define LIMPET_CHANNEL_FRAMES_MAX 64   /* frames of one channel */
#define LIMPET_CHANNEL_RING_MIN 0x1000 /* bytes of a ring */
#define LIMPET_CHANNEL_RING_MAX 0x10000
#define LIMPET_NODE_SLEEPERS 2 /* threads of Linux that wait in a channel's node directly */
#define LIMPET_NODE_WATCHES 16 /* waits by poll(), select() and epoll at a channel's node */
#define LIMPET_FIFOS_MAX 64    /* numbers of FIFOs, of all systems */
#define LIMPET_CHANNEL_SHARED_MAX 0x3f000 /* bytes of memory of a channel of mode SHARED */
#define LIMPET_INTERFACE_NAME_MAX 16	  /* of a network device, with the final 0 */
#define LIMPET_MTU_MIN 576
#define LIMPET_MTU_MAX 9000

#endif
