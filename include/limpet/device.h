/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/limpet/control: how Linux processes load, host, watch and stop systems. Version 8.
 * Opening the device needs CAP_SYS_ADMIN. Every call returns 0 or more, or -1 with errno.
 *
 *   host process                              any other process
 *     fd = open(LIMPET_DEVICE, O_CLOEXEC)       fd = open(LIMPET_DEVICE)
 *     LIMPET_IOC_LOAD                           LIMPET_IOC_INFO, _STAT, _IMAGE, _STOP, _TRACE
 *     one thread per CPU of the system:         its channels: <limpet/node.h>
 *       pinned, SCHED_FIFO, memory locked
 *       LIMPET_IOC_ENTER
 *       loop: park (see below),
 *             fdatasync, or fsync
 *     close                                     close
 *
 * Several systems can be loaded beside, each with its own host process; beneath, one. A system has an id that no other
 * loaded system has. The calls of other processes concern the only system, or the one that LIMPET_IOC_SELECT has
 * chosen. The calls of the host process concern the system that it has loaded.
 *
 * Closing the last descriptor of the open file that loaded the system, in whatever way (exit,
 * SIGKILL, exec), ends the system and gives its memory back. Beneath, nothing but STOP ends it:
 * LOAD starts it, and there is neither ENTER nor fsync.
 *
 * Park: after LIMPET_IOC_ENTER, when the thread executes the `syscall` instruction that ends at
 * `resume_ip` with rax = -1, components run in its place. It goes on at resume_ip with rax = a
 * reason (LIMPET_REASON_...) once the kernel needs Linux, or at park_ip after any interrupt: park
 * again. All other registers but rsp are then lost, and the vector registers are the components':
 * the thread must not use them (C code may) before it parks again, until it leaves. -ENOSYS in rax means that the hook is not
 * armed on this CPU: fsync arms it again.
 */
#ifndef LIMPET_DEVICE_H
#define LIMPET_DEVICE_H

#include <limpet/image.h>
#include <limpet/call.h>
#include <limpet/job.h>
#include <limpet/trace.h>

#define LIMPET_FOLDER "/dev/limpet" /* of this and the nodes of channels, <limpet/node.h> */
#define LIMPET_DEVICE LIMPET_FOLDER "/control"
#define LIMPET_DEVICE_VERSION 8

enum limpet_state {
	LIMPET_STATE_EMPTY = 0,	 /* attached, no system */
	LIMPET_STATE_LOADED = 1, /* loaded, not every CPU entered yet */
	LIMPET_STATE_RUNNING = 2,
	LIMPET_STATE_STOPPING = 3, /* STOP was asked for, host threads still leave */
	LIMPET_STATE_DEAD = 4,	   /* ended by itself: see end_reason */
};

enum limpet_end_reason {
	LIMPET_END_NONE = 0,
	LIMPET_END_STOP = 1,	  /* LIMPET_IOC_STOP */
	LIMPET_END_HOST = 2,	  /* a host thread exited, was killed, or called exec */
	LIMPET_END_NO_THREAD = 3, /* no thread left to run on a CPU: the scheduler or booter died */
};

enum limpet_mode {
	LIMPET_MODE_BESIDE = 0,
	LIMPET_MODE_BENEATH =
		1, /* no host thread: LOAD starts the system, and it outlives who loaded it */
};

struct limpet_ioc_info {
	uint32_t version;	       /* LIMPET_DEVICE_VERSION */
	uint32_t state;		       /* enum limpet_state */
	uint32_t end_reason;	       /* enum limpet_end_reason */
	uint32_t cpus;		       /* of the loaded system */
	uint32_t cpu[LIMPET_CPUS_MAX]; /* Linux's numbers of them */
	int32_t host_pid;	       /* process that loaded the system, 0: none */
	uint32_t linux_share;	       /* per mille of each CPU that is left to Linux */
	uint64_t uptime_ns;
	uint64_t image_size;
	uint64_t region_size; /* bytes of contiguous memory held */
	uint64_t ticks_per_ms;
	uint32_t pcid;	     /* 1: page tables have process-context ids */
	uint32_t levels;     /* page table levels, 4 or 5 */
	uint32_t xsave_size; /* bytes of a thread's vector state */
	uint32_t mode;	     /* enum limpet_mode */
	/* Beneath: */
	uint64_t hidden, hidden_size; /* physical memory that Linux does not have */
	uint64_t room;		      /* bytes for LIMPET_IOC_KEEP */
	uint32_t kept;		      /* enum limpet_kept */
	uint32_t restarts;	      /* times that another Linux was started since attach */
	uint32_t death;		      /* enum limpet_death: of the last one before this */
	uint32_t id; /* of the system, below LIMPET_SYSTEMS_MAX; see LIMPET_IOC_SELECT */
};

/* How a Linux ended while a system ran beneath it. */
enum limpet_death {
	LIMPET_DEATH_NONE = 0,
	LIMPET_DEATH_PANIC = 1,
	LIMPET_DEATH_RESET = 2,	   /* it reset the machine */
	LIMPET_DEATH_SHUTDOWN = 3, /* triple fault */
	LIMPET_DEATH_RELOAD = 4,   /* it reset the machine, and had asked for another Linux */
	LIMPET_DEATH_SILENT = 5,   /* no heartbeat came in time */
};

enum limpet_kept {
	LIMPET_KEPT_PART = 0,	/* nothing to start a Linux from */
	LIMPET_KEPT_WHOLE = 1,	/* used when Linux dies and the system's policy wants another */
	LIMPET_KEPT_RELOAD = 2, /* and when Linux resets the machine next */
};

/* Memory that is worth keeping when this Linux dies, as its log; at most LIMPET_RECORD_SIZE in all. */
#define LIMPET_SAVES 8
struct limpet_ioc_save {
	uint64_t count;
	struct {
		uint64_t physical, size;
	} part[LIMPET_SAVES];
};

/* What is left of the Linux before this: this, then what it had wanted to be saved, part by part. */
#define LIMPET_RECORD_SIZE (2ul << 20)
#define LIMPET_RECORD_MAGIC 0x64726f636552706cul
struct limpet_record {
	uint64_t magic;
	uint64_t death; /* enum limpet_death */
	uint64_t ticks; /* time stamp */
	uint64_t cpu;	/* Linux's number of the CPU on which it died, and its registers */
	uint64_t ip, sp, flags, cr0, cr2, cr3, cr4;
	uint64_t ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15;
	struct limpet_ioc_save save;
};

/* A part of what another Linux is started from, <host/restart/restart.h>; or of the record. */
struct limpet_ioc_keep {
	uint64_t at; /* bytes from the beginning */
	uint64_t buffer, size;
};

#define LIMPET_EARLY_MAX 100
struct limpet_ioc_load {
	uint64_t image; /* address of the image */
	uint64_t size;
	uint32_t cpus;		       /* must equal the image's */
	uint32_t cpu[LIMPET_CPUS_MAX]; /* Linux's CPU numbers to use, all different, online */
	uint32_t linux_share; /* 0 to 900 per mille of each CPU kept for Linux; 100 is usual */
	/*
	 * Maximum time by which an idle CPU is woken before its deadline, in microseconds, 0 to LIMPET_EARLY_MAX.
	 * The CPU is woken early by its recent wake-up latency, and the kernel waits for the deadline with
	 * interrupts off. 0: never early.
	 */
	uint32_t early_us;
	char error[160]; /* out: if the call fails, one line: what, where, why, what to do */
};

struct limpet_ioc_enter {
	uint32_t cpu; /* index into limpet_ioc_load.cpu */
	uint32_t reserved;
	uint64_t park_ip;
	uint64_t resume_ip;
};

/* Reasons in rax at resume_ip; bits. The thread calls fdatasync for each of them. */
#define LIMPET_REASON_IDLE 1u	 /* nothing to run until the timer or an event */
#define LIMPET_REASON_TIMER 2u	 /* the timer's deadline became earlier */
#define LIMPET_REASON_NOTIFY 4u	 /* a channel's Linux side is to be woken */
#define LIMPET_REASON_KICK 8u	 /* another CPU of the system is to be woken */
#define LIMPET_REASON_SHARE 16u	 /* Linux's share of the CPU is due */
#define LIMPET_REASON_END 32u	 /* the system ended */
#define LIMPET_REASON_PRINT 64u	 /* text for Linux's log is waiting */
#define LIMPET_REASON_ACK 128u	 /* an interrupt may come again; never beside */
#define LIMPET_REASON_SERVE 256u /* a TAP device and a channel have something for each other */
#define LIMPET_REASON_GUEST 512u /* an executive has answered a guest, or can take another event */

struct limpet_stat_component {
	uint32_t cpu;	     /* of the system */
	uint32_t index;	     /* in the image; 0xffffffff: not activated */
	uint32_t epoch;	     /* times it was stopped */
	uint32_t faults;     /* that nobody repaired */
	uint64_t entered;    /* invocations into it */
	uint64_t left;	     /* of them ended; entered - left are inside */
	uint32_t fault_kind; /* of the last of these: vector, or LIMPET_FAULT_... */
	uint32_t fault_thread;
	uint64_t fault_address;
	uint64_t fault_ip;
	uint64_t fault_error;
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
	uint64_t ticks;	  /* time stamp ticks run */
	uint64_t dispatches;
	uint64_t misses; /* deadlines that it missed, as its scheduler counts */
	uint64_t period; /* ticks; 0: it is not periodic */
};

struct limpet_stat_cpu {
	uint32_t cpu; /* of the system */
	uint32_t linux_cpu;
	uint64_t calls;	      /* kernel calls, invocations not counted */
	uint64_t events;      /* events delivered */
	uint64_t faults;      /* with those that a handler repaired */
	uint64_t timers;      /* timer expiries seen by the kernel */
	uint64_t resumes;     /* times the host thread gave the CPU to components */
	uint64_t interrupted; /* of them ended by an interrupt */
	uint64_t idles;	      /* times it slept in Linux */
	uint64_t shares;      /* times Linux's share was enforced */
	uint64_t frames_free;
	uint64_t frames;
};

/*
 * Counters of a CPU and of the components and threads with numbers `first` to `first` + LIMPET_STAT_PIECE - 1 on it.
 * A reader counts `first` up from 0 to LIMPET_STAT_NUMBERS. The system runs on between two calls, so that two pieces
 * can be of different moments.
 */
#define LIMPET_STAT_PIECE 32
#define LIMPET_STAT_NUMBERS 1024
struct limpet_ioc_stat {
	uint32_t number, first;	      /* in: CPU of the system, first number */
	uint32_t cpus;		      /* out: of the system, as are the rest */
	uint32_t components, threads; /* records in the arrays */
	uint32_t clear; /* in: 1: the end of the current job of thread `first` clears its maxima */
	struct limpet_stat_cpu cpu; /* frames_free is 0 unless `first` is 0: counting takes long */
	struct limpet_jobs jobs;    /* of thread `first`; all 0 if it does not exist */
	struct limpet_stat_component component[LIMPET_STAT_PIECE];
	struct limpet_stat_thread thread[LIMPET_STAT_PIECE];
};
_Static_assert(LIMPET_STAT_NUMBERS >= LIMPET_COMPONENTS_MAX &&
		       LIMPET_STAT_NUMBERS >= LIMPET_THREADS_MAX,
	       "one number counts both");

struct limpet_ioc_image {
	uint64_t buffer; /* gets the first `size` bytes of the image, or all of it */
	uint64_t size;
};

/* Events that a CPU's kernel has recorded, in order. */
struct limpet_ioc_trace {
	uint32_t cpu; /* of the system */
	uint32_t count; /* there is room for; out: how many there are in the buffer, maybe fewer than could be */
	uint64_t buffer; /* address of struct limpet_trace_event[] */
	uint64_t position; /* of the first one, counted since the system was loaded; one that is not reached
			    * yet means the present. Out: of the next */
	uint64_t lost; /* out: events from there on that were overwritten before they could be read */
};

/*
 * fdatasync does what the last reason asked for, fsync too, and arms the hook again: after -ENOSYS. These are
 * the system call itself, not the C library's function: the shortest one that leads to a device, past
 * Linux's security modules. Returns 0: park again; 1: the system ended, leave. errno EINTR: a signal came,
 * deliver it and call again; ESRCH: not a host thread; EXDEV: the thread is not on its CPU any more: leave.
 */
#define LIMPET_IOC_INFO _IOR('L', 0, struct limpet_ioc_info)
#define LIMPET_IOC_LOAD _IOWR('L', 1, struct limpet_ioc_load)
#define LIMPET_IOC_ENTER _IOW('L', 2, struct limpet_ioc_enter)
/* STOP: ends the system, waits until all host threads have left. ENODEV: none is loaded. */
#define LIMPET_IOC_STOP _IO('L', 4)
/* EINVAL: no such CPU. ENODEV: no system runs. */
#define LIMPET_IOC_STAT _IO('L', 5) /* argument: address of struct limpet_ioc_stat */
#define LIMPET_IOC_IMAGE _IOW('L', 6, struct limpet_ioc_image)
/* Beneath. KEEP: what was kept is not whole from now on; EINVAL: outside the room. KEPT: the argument is
 * enum limpet_kept; ENOENT: there is no room. */
#define LIMPET_IOC_KEEP _IOW('L', 9, struct limpet_ioc_keep)
#define LIMPET_IOC_KEPT _IO('L', 10)
/* SAVE: what is to be saved when this Linux dies; EINVAL: too much. RECORD: a part of what was saved of
 * the one before; ENODATA: nothing was. */
#define LIMPET_IOC_SAVE _IOW('L', 11, struct limpet_ioc_save)
#define LIMPET_IOC_RECORD _IOW('L', 12, struct limpet_ioc_keep)
/*
 * TRACE: the argument has bits of enum limpet_trace_kind, and the kernel of each CPU records these events
 * from the moment on that it hears of it, at the latest when it next gets the CPU; 0, or closing the
 * descriptor: none. EBUSY: another descriptor traces. ENOENT: the system has no room for a trace.
 * TRACE_READ: whoever traces or has traced. EINVAL: no such CPU. Both: ENODEV: no system runs.
 */
#define LIMPET_IOC_TRACE _IO('L', 13)
#define LIMPET_IOC_TRACE_READ _IOWR('L', 14, struct limpet_ioc_trace)
/*
 * SELECT: the argument is the id of a loaded system. INFO, STAT, IMAGE, STOP, TRACE and TRACE_READ of this open file
 * concern that system from now on, and fail with ENODEV when it has ended. LIMPET_SYSTEM_ANY undoes that. Without
 * SELECT they fail with ENOTUNIQ while several systems are loaded. ENODEV: no such system is loaded. EBUSY: this file has
 * loaded a system.
 */
#define LIMPET_IOC_SELECT _IO('L', 15)

#endif
