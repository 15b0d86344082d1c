/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/limpet/control: how Linux processes load, host, watch and stop systems. Version 10. Opening the device needs
 * CAP_SYS_ADMIN. Every call returns 0 or more, or -1 with errno.
 *
 *   host process                              any other process
 *     fd = open(LIMPET_DEVICE, O_CLOEXEC)       fd = open(LIMPET_DEVICE)
 *     LIMPET_IOC_LOAD                           LIMPET_IOC_INFO, _STAT, _IMAGE, _STOP, _TRACE
 *     one thread per CPU of the system:         its channels: <limpet/node.h>
 *       pinned, SCHED_FIFO, memory locked
 *       LIMPET_IOC_ENTER
 *       loop: LIMPET_IOC_LEND
 *     close                                     close
 *
 * Several systems can be loaded beside, each with its own host process; beneath, one. A system has an id that no other
 * loaded system has. The calls of other processes concern the only system, or the one that LIMPET_IOC_SELECT has
 * chosen. The calls of the host process concern the system that it has loaded.
 *
 * In beside mode, the system ends when the last descriptor of the open file that loaded it is closed and no thread is
 * in LIMPET_IOC_LEND, for example by exit, SIGKILL or exec. Its memory is then freed. In beneath mode, LOAD starts the
 * system, only STOP ends it, and ENTER and LEND do not exist.
 */
#ifndef LIMPET_DEVICE_H
#define LIMPET_DEVICE_H

#include <limpet/image.h>
#include <limpet/call.h>
#include <limpet/job.h>
#include <limpet/trace.h>

#define LIMPET_FOLDER "/dev/limpet" /* of this and the nodes of channels, <limpet/node.h> */
#define LIMPET_DEVICE LIMPET_FOLDER "/control"
#define LIMPET_DEVICE_VERSION 10

enum limpet_state {
	LIMPET_STATE_EMPTY = 0,	 /* Limpet is attached, and no system is loaded */
	LIMPET_STATE_LOADED = 1, /* loaded, not every CPU entered yet */
	LIMPET_STATE_RUNNING = 2,
	LIMPET_STATE_STOPPING = 3, /* STOP was called, and host threads still leave */
	LIMPET_STATE_DEAD = 4,	   /* the system has ended, see end_reason */
};

enum limpet_end_reason {
	LIMPET_END_NONE = 0,
	LIMPET_END_STOP = 1,	  /* LIMPET_IOC_STOP */
	LIMPET_END_HOST = 2,	  /* a host thread exited, was killed, or called exec */
	LIMPET_END_NO_THREAD = 3, /* a CPU has no live thread: its scheduler or the booter died */
};

enum limpet_mode {
	LIMPET_MODE_BESIDE = 0,
	LIMPET_MODE_BENEATH =
		1, /* without host threads; the system outlives the process that loaded it */
};

struct limpet_ioc_info {
	uint32_t version;	       /* LIMPET_DEVICE_VERSION */
	uint32_t state;		       /* enum limpet_state */
	uint32_t end_reason;	       /* enum limpet_end_reason */
	uint32_t cpus;		       /* of the loaded system */
	uint32_t cpu[LIMPET_CPUS_MAX]; /* Linux's numbers of them */
	int32_t host_pid;	       /* process that loaded the system; 0: unset */
	uint32_t linux_share;	       /* Linux's share of each CPU, in per mille */
	uint64_t uptime_ns;
	uint64_t image_size;
	uint64_t region_size; /* bytes of contiguous memory of the system */
	uint64_t ticks_per_ms;
	uint32_t pcid;	     /* 1: page tables have process-context ids */
	uint32_t levels;     /* page table levels, 4 or 5 */
	uint32_t xsave_size; /* bytes of a thread's vector state */
	uint32_t mode;	     /* enum limpet_mode */
	/* In beneath mode: */
	uint64_t hidden, hidden_size; /* physical memory that is hidden from Linux */
	uint64_t room;		      /* bytes for LIMPET_IOC_KEEP */
	uint32_t kept;		      /* enum limpet_kept */
	uint32_t restarts;	      /* number of restarts of Linux since attach */
	uint32_t death;		      /* enum limpet_death of the previous Linux */
	uint32_t id; /* of the system, below LIMPET_SYSTEMS_MAX; see LIMPET_IOC_SELECT */
};

/* The ways in which a Linux ends while a system runs beneath it. */
enum limpet_death {
	LIMPET_DEATH_NONE = 0,
	LIMPET_DEATH_PANIC = 1,
	LIMPET_DEATH_RESET = 2,	   /* it reset the machine */
	LIMPET_DEATH_SHUTDOWN = 3, /* triple fault */
	LIMPET_DEATH_RELOAD = 4,   /* it reset the machine after it had set LIMPET_KEPT_RELOAD */
	LIMPET_DEATH_SILENT = 5,   /* no heartbeat came in time */
};

/* State of the kernel and data that LIMPET_IOC_KEEP stores for a restart of Linux. */
enum limpet_kept {
	LIMPET_KEPT_PART = 0,	/* incomplete: Linux cannot be restarted */
	LIMPET_KEPT_WHOLE = 1,	/* used if Linux dies and the system's policy restarts it */
	LIMPET_KEPT_RELOAD = 2, /* also used when Linux resets the machine next */
};

/*
 * Describes memory that is saved when this Linux dies, such as its log. The parts have at most LIMPET_RECORD_SIZE bytes
 * in total.
 */
#define LIMPET_SAVES 8
struct limpet_ioc_save {
	uint64_t count;
	struct {
		uint64_t physical, size;
	} part[LIMPET_SAVES];
};

/* The record of the previous Linux: this structure, followed by the contents of the saved parts. */
#define LIMPET_RECORD_SIZE (2ul << 20)
#define LIMPET_RECORD_MAGIC 0x64726f636552706cul
struct limpet_record {
	uint64_t magic;
	uint64_t death; /* enum limpet_death */
	uint64_t ticks; /* time stamp */
	uint64_t cpu;	/* Linux's number of the CPU on which it died; the CPU's registers follow */
	uint64_t ip, sp, flags, cr0, cr2, cr3, cr4;
	uint64_t ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15;
	struct limpet_ioc_save save;
};

/* A part of the data for a restart of Linux, <host/restart/restart.h>, or a part of the record. */
struct limpet_ioc_keep {
	uint64_t at; /* offset in bytes */
	uint64_t buffer, size;
};

#define LIMPET_EARLY_MAX 100
struct limpet_ioc_load {
	uint64_t image; /* address of the image */
	uint64_t size;
	uint32_t cpus;		       /* must equal the image's */
	uint32_t cpu[LIMPET_CPUS_MAX]; /* Linux's numbers of the CPUs, online, without duplicates */
	uint32_t linux_share; /* Linux's share of each CPU in per mille, 0 to 900; usually 100 */
	/*
	 * Maximum time by which an idle CPU is woken before its deadline, in µs, 0 to
	 * LIMPET_EARLY_MAX. The CPU is woken early by its recent wake-up latency. The host waits with
	 * interrupts enabled, and the kernel waits for the deadline with interrupts off. 0: the CPU is
	 * never woken early.
	 */
	uint32_t early_us;
	char error[160]; /* out: if the call fails, one line with the place, cause and remedy */
};

struct limpet_ioc_enter {
	uint32_t cpu; /* index into limpet_ioc_load.cpu */
};

/* Reasons for which components paused, a set of bits, in LIMPET_TRACE_PAUSE. 0: an interrupt. */
#define LIMPET_REASON_IDLE 1u	 /* no thread can run until the timer expires or an event comes */
#define LIMPET_REASON_TIMER 2u	 /* the timer's deadline became earlier */
#define LIMPET_REASON_NOTIFY 4u	 /* the Linux side of a channel must be woken */
#define LIMPET_REASON_KICK 8u	 /* another CPU of the system must be woken */
#define LIMPET_REASON_SHARE 16u	 /* Linux's share of the CPU is due */
#define LIMPET_REASON_END 32u	 /* the system ended */
#define LIMPET_REASON_PRINT 64u	 /* text for Linux's log is pending */
#define LIMPET_REASON_ACK 128u	 /* an interrupt must be unmasked; only in beneath mode */
#define LIMPET_REASON_GUEST 512u /* an executive has answered a guest, or can take another event */

struct limpet_stat_component {
	uint32_t cpu;	     /* of the system */
	uint32_t index;	     /* in the image; 0xffffffff: not activated */
	uint32_t epoch;	     /* number of stops */
	uint32_t faults;     /* faults that no handler repaired */
	uint64_t entered;    /* invocations that entered it */
	uint64_t left;	     /* invocations that left it; entered - left are inside */
	uint32_t fault_kind; /* of the last of `faults`: vector, or LIMPET_FAULT_... */
	uint32_t fault_thread;
	uint64_t fault_address;
	uint64_t fault_ip;
	uint64_t fault_error;
	uint64_t closed; /* 1: it was stopped, and cannot be invoked until it is opened */
};

struct limpet_stat_thread {
	uint32_t cpu;
	uint32_t id;
	uint32_t home;	 /* index of the component it started in */
	uint32_t inside; /* index of the component it is in now */
	uint32_t state;	 /* enum limpet_thread_state */
	uint32_t urgency;
	uint32_t depth;	  /* nested invocations */
	uint32_t running; /* 1: it is the CPU's current thread */
	uint64_t ticks;	  /* run time in ticks of the time stamp */
	uint64_t dispatches;
	uint64_t misses; /* missed deadlines, counted by its scheduler */
	uint64_t period; /* ticks; 0: it is not periodic */
};

struct limpet_stat_cpu {
	uint32_t cpu; /* of the system */
	uint32_t linux_cpu;
	uint64_t calls;	      /* kernel calls without invocations */
	uint64_t events;      /* delivered events */
	uint64_t faults;      /* all faults, including those that a handler repaired */
	uint64_t timers;      /* timer expiries */
	uint64_t resumes;     /* switches from Linux to components */
	uint64_t interrupted; /* switches back that an interrupt caused */
	uint64_t barriers;    /* branch predictor barriers */
	uint64_t idles;	      /* number of times that the host thread slept in Linux */
	uint64_t shares;      /* number of times that Linux's share was enforced */
	uint64_t frames_free;
	uint64_t frames;
};

/*
 * Counters of a CPU and of the components and threads with numbers `first` to `first` +
 * LIMPET_STAT_PIECE - 1 on it. A reader increments `first` from 0 to LIMPET_STAT_NUMBERS in steps
 * of LIMPET_STAT_PIECE. The system continues to run between two calls, so two pieces can be from
 * different times.
 */
#define LIMPET_STAT_PIECE 32
#define LIMPET_STAT_NUMBERS 1024
struct limpet_ioc_stat {
	uint32_t number, first;	      /* in: CPU of the system, first number */
	uint32_t cpus;		      /* out: CPUs of the system */
	uint32_t components, threads; /* out: records in the arrays */
	uint32_t clear; /* in: 1: the end of the current job of thread `first` clears its maxima */
	struct limpet_stat_cpu cpu; /* frames_free is 0 unless `first` is 0 */
	struct limpet_jobs jobs;    /* of thread `first`; all 0 if it does not exist */
	struct limpet_stat_component component[LIMPET_STAT_PIECE];
	struct limpet_stat_thread thread[LIMPET_STAT_PIECE];
};
_Static_assert(LIMPET_STAT_NUMBERS >= LIMPET_COMPONENTS_MAX &&
		       LIMPET_STAT_NUMBERS >= LIMPET_THREADS_MAX,
	       "one number counts both");

struct limpet_ioc_image {
	uint64_t buffer; /* receives the first `size` bytes of the image, or all of it */
	uint64_t size;
};

/* Reads events that a CPU's kernel has recorded, in their order. */
struct limpet_ioc_trace {
	uint32_t cpu;	 /* of the system */
	uint32_t count;	 /* in: events that fit into the buffer; out: events in it, maybe fewer */
	uint64_t buffer; /* address of struct limpet_trace_event[] */
	/*
	 * In: number of the first event, counted from the load of the system. A number that is not
	 * reached yet is replaced with that of the next event. Out: number of the event after the
	 * last one in the buffer.
	 */
	uint64_t position;
	uint64_t lost; /* out: events from `position` on that were overwritten before this call */
};

/*
 * INFO fills the structure. Without a system it describes the machine, with LIMPET_STATE_EMPTY.
 *
 * LOAD loads a system, and in beneath mode starts it. EBUSY: the file has loaded a system already,
 * or the maximum number of systems is loaded. EINVAL: the image or an argument is invalid. `error`
 * has the cause of each error.
 *
 * ENTER makes the calling thread the host thread of a CPU of the system that the file has loaded.
 * Only in beside mode. EBADFD: the file has not loaded a system. EINVAL: the CPU is
 * out of range. EXDEV: the thread is not pinned to the CPU. EBUSY: the CPU has a host thread, or
 * the thread is a host thread. ESHUTDOWN: the system has ended.
 *
 * LEND lends the host thread to components: they run in this call, and it sleeps while they have nothing to do. It
 * returns 1 when the system has ended. The vector registers, MXCSR and the x87 state are then the last component's. The
 * thread must restore what it needs of them. Only in beside mode. EINTR: Linux delivers a signal, or has other work at
 * the return to user level; call again. ESRCH: the caller is not a host thread of the system. EXDEV: the thread cannot
 * return to its CPU; it must leave. EBADFD: the file has not loaded a system.
 */
#define LIMPET_IOC_INFO _IOR('L', 0, struct limpet_ioc_info)
#define LIMPET_IOC_LOAD _IOWR('L', 1, struct limpet_ioc_load)
#define LIMPET_IOC_ENTER _IOW('L', 2, struct limpet_ioc_enter)
#define LIMPET_IOC_LEND _IO('L', 3)
/* STOP ends the system, and waits until all host threads have left. ENODEV: no system is loaded. */
#define LIMPET_IOC_STOP _IO('L', 4)
/* STAT reads counters. EINVAL: the system has no such CPU. ENODEV: no system is loaded. */
#define LIMPET_IOC_STAT _IO('L', 5) /* argument: address of struct limpet_ioc_stat */
/*
 * IMAGE copies the system's image. ENODEV: no system is loaded. ENOMEM: not enough memory for a
 * copy.
 */
#define LIMPET_IOC_IMAGE _IOW('L', 6, struct limpet_ioc_image)
/*
 * Only in beneath mode, else ENOTTY. KEEP stores a part of the data for a restart of Linux, and
 * resets the state to LIMPET_KEPT_PART. EINVAL: the part does not fit into the reserved memory.
 * EINTR: a signal is pending. KEPT sets the state; the argument is enum limpet_kept. EINVAL: the
 * argument has another value. ENOENT: no memory is reserved.
 */
#define LIMPET_IOC_KEEP _IOW('L', 9, struct limpet_ioc_keep)
#define LIMPET_IOC_KEPT _IO('L', 10)
/*
 * Only in beneath mode, else ENOTTY. SAVE sets the memory to save when this Linux dies. EINVAL: the
 * parts are too large or too many. ENOENT: no memory is reserved. RECORD reads a part of the record
 * of the previous Linux. EINVAL: the part is outside the record. ENODATA: there is no record.
 */
#define LIMPET_IOC_SAVE _IOW('L', 11, struct limpet_ioc_save)
#define LIMPET_IOC_RECORD _IOW('L', 12, struct limpet_ioc_keep)
/*
 * TRACE selects the kinds of events to record; the argument has bits of enum limpet_trace_kind. The
 * kernel of each CPU applies the selection at the latest when it next gets the CPU. 0 stops
 * recording; so does closing the file. EBUSY: another open file records. ENOENT: the system has no
 * trace ring. TRACE_READ reads recorded events, also after recording was stopped. EINVAL: the
 * system has no such CPU. Both fail with ENODEV if no system is loaded.
 */
#define LIMPET_IOC_TRACE _IO('L', 13)
#define LIMPET_IOC_TRACE_READ _IOWR('L', 14, struct limpet_ioc_trace)
/*
 * SELECT selects a loaded system by its id, the argument. INFO, STAT, IMAGE, STOP, TRACE and
 * TRACE_READ of this open file then concern that system, and fail with ENODEV when it has ended.
 * LIMPET_SYSTEM_ANY cancels the selection. Without a selection they fail with ENOTUNIQ while
 * several systems are loaded. ENODEV: no system with this id is loaded. EBUSY: this file has loaded
 * a system.
 */
#define LIMPET_IOC_SELECT _IO('L', 15)

#endif
