/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of host/linux, in the order in which they come up. Unless a function says otherwise it
 * is called in process context and may sleep.
 */
#ifndef HOST_LINUX_PARTS_H
#define HOST_LINUX_PARTS_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#define HOST_TYPES
#include <entry/entry.h>
#include <host/bare/call.h>
#include <host/gravity.h>
#include <kernel/setup.h>
#include <limpet/device.h>

#define REFUSED "limpet: refused: "
/* Logs why attaching in beneath mode is refused, and the remedy. Evaluates to the error. */
#define refused(error, format, ...)                                                                \
	(pr_err(REFUSED "beneath: " format "\n", ##__VA_ARGS__), (error))

DECLARE_PER_CPU(struct entry_cpu, entry_cpu);

/*
 * check.c: checks whether Limpet can attach to this machine and kernel in this mode. Accepts a kernel that is newer than any
 * that Limpet was tried on only if `untried` is set. Returns 0, or -ENODEV after it has logged the reason.
 */
int check_machine(bool beneath, bool trusted, bool untried);
word check_xsave_mask(void);
/* Returns other states that components can load beside, because Linux has set them in XCR0. */
word check_clear_mask(void);

/* region.c: physically contiguous memory below `limit`, outside everything that Linux uses. */
struct region {
	unsigned long pfn, pages;
	void *memory; /* in the direct map */
};
int region_alloc(struct region *region, unsigned long pages, u64 limit);
void region_free(struct region *region);

/* beside/hook.c: the entry points. hook_prepare() reads Linux's entry points at attach, and chooses Limpet's: those with
 * Linux's mitigations if the processor needs any, unless components are trusted. hook_arm() and hook_disarm() are called
 * on the CPU concerned, with preemption disabled. */
int hook_prepare(bool trusted);
void hook_arm(void);
void hook_disarm(void);

/* beside/text.c: changes the module's own text at attach. Returns 0 or -ENOMEM. */
int text_prepare(bool trusted);

/* The same for the current thread, which is a guest, with the filter that is in entry_cpu. */
void hook_arm_guest(void);

/* kvm.c: a module notifier. While it is registered, kvm_intel and kvm_amd cannot be loaded. */
extern struct notifier_block kvm_keep_out;
/* Returns whether module kvm is loaded, with or without kvm_intel or kvm_amd. */
bool kvm_loaded(void);
/*
 * Ensures in beside mode that KVM does not store Limpet's entry points as Linux's. Called with system_lock in the host
 * process of each system, before its first host thread enters. Returns 0, or a negative errno if KVM is loaded and
 * provides no virtual machine. In both cases the caller must call kvm_release() with system_lock, after the last host
 * thread has left.
 */
int kvm_hold(void);
void kvm_release(void);

/* The thread of a Linux process that lends its CPU to one CPU of the system. */
struct host_thread {
	struct preempt_notifier notifier;
	struct task_struct *task; /* NULL: none entered; holds a reference */
	struct mm_struct *mm;	  /* of the task when it entered; only compared */
	struct entry_cpu *entry;
	struct cpu *cpu;
	struct system *system;
	unsigned int linux_cpu;
	word stack;		 /* top of the kernel stack of `cpu` */
	word resume_ip, park_ip; /* see <limpet/device.h> */
	bool armed;    /* the notifier hooks the entry points; false: it never parks again */
	bool sleeping; /* in host_service, or about to */
	struct hrtimer timer;
	struct gravity gravity;
	/* Time stamp for which the timer was programmed at the last sleep; LIMPET_NEVER: not programmed. */
	u64 early;
	u64 step;     /* ticks from the `early` before to that one */
	u64 interval; /* ticks to the next one, as timer_fired() guesses it; 0: not guessed */

	struct hrtimer share_timer;
	u64 share_own;	   /* ns that the thread had run at the window's start */
	u64 share_runtime; /* the same of all host threads on its CPU */
	u64 share_owed;	   /* ns that Linux is still to get */

	word serve[CHANNELS_MAX / 64]; /* bit n: channel n wants host_channel_serve() */

	u64 idles, shares;
};

#define SHARE_WINDOW_NS 40000000  /* short beside the second of Linux's real-time throttling */
#define SHARE_OWED_MOST 500000000 /* when the machine itself stood still for the thread */

/* A loaded system. */
struct system {
	struct kref refs;
	u32 id; /* below LIMPET_SYSTEMS_MAX; no other loaded system has it */
	struct rcu_head rcu;
	struct region region;
	struct frame_pool *pool;
	u32 cpus, entered;
	u32 linux_share; /* per mille */
	u32 state, end_reason;
	pid_t host_pid;
	u64 started_ns;
	u64 image_size;
	void *image;			/* in the region */
	u64 first_frame, share;		/* CPU n has `share` frames from first_frame + n * share */
	u64 ns_per_tick_shift32;	/* ns per tick, times 2^32 */
	wait_queue_head_t gone;		/* a host thread left */
	struct work_struct lost;	/* it left by itself: the system ends */
	struct irq_work lost_interrupt; /* queues `lost` for the scheduler, which may not wake */
	struct guest **guests;		/* [LIMPET_GUESTS_MAX], by id */
	bool guests_ended;		/* no guest begins to use the system's memory */
	bool signals_watched;		/* guest/signal.c watches signals for its guests */
	atomic_t guests_talking;	/* guests that use it */
	struct file *guest_file;	/* for the ranges of GUEST_MAP; NULL: there is none */
	struct host_channels *channels;
	struct cpu *cpu[LIMPET_CPUS_MAX];
	struct host_thread host[LIMPET_CPUS_MAX];
};

/* beside/system.c. The mutex protects the table and every system's state. */
extern struct mutex system_lock;
extern struct system *systems[LIMPET_SYSTEMS_MAX]; /* by id; NULL: the id is free */
/*
 * Returns the system with this id, or the only one if it is LIMPET_SYSTEM_ANY. Called with system_lock. ERR_PTR:
 * -ENODEV: there is none; -ENOTUNIQ: there are several.
 */
struct system *system_find(u32 id);
/*
 * Loads a system for an open file, and sets *loaded, which must be NULL. Returns 0; -EBUSY: the file has loaded one
 * already, or LIMPET_SYSTEMS_MAX are loaded; or another negative errno. load->error says why.
 */
int system_load(struct limpet_ioc_load *load, struct system **loaded);
/* The file that loaded the system is closed: waits until no host thread can run components. */
void system_close(struct system *system);
void system_put(struct system *system);
bool system_uses_cpu(unsigned int linux_cpu);
/* image.c. Writes one line for the caller: what, where, why, what to do. Returns -EINVAL. */
__printf(2, 3) int system_refuse(struct limpet_ioc_load *load, const char *format, ...);
/* Returns 0, or -EINVAL with the reason in load->error. */
int system_check_cpus(struct limpet_ioc_load *load);
/* A private copy of the image, checked, so that it cannot change any more; vfree() it. Or ERR_PTR, and
 * the reason in load->error. */
void *system_image(struct limpet_ioc_load *load);
/* Components' text, into Linux's log: what could control a terminal or fake a line is shown. */
void system_print(char *text, unsigned int length);
/* beside/channel.c: host_channels_create() for a system that is being loaded. 0, or a negative errno. */
int system_channels(struct system *system, char *error, size_t size);

/* beside/host_thread.c */
/* Before the first host thread enters; after the last can, waits until none can run components. */
void host_prepare(struct system *system);
void host_forget(struct system *system);
/*
 * Makes the entry code of this CPU that of the host thread's system, if another one's thread ran here last. Preemption
 * is disabled. The system has a host thread or guests that run.
 */
void host_take_entry(const struct host_thread *host);
long host_enter(struct system *system, const struct limpet_ioc_enter *enter);
/* fsync by the calling thread; `rearm`: it found the hook not armed. */
int host_service(struct system *system, bool rearm);
/* Takes a host thread out, when it is current or can run no more. */
void host_leave(struct host_thread *host);

/* beside/suspend.c. Makes Linux refuse sleep states that reset the time stamp counter while a system runs. */
struct device;
void suspend_watch(struct device *device);

/* beside/kick.c. Makes kernel_resume() run soon on a CPU of the system. Any context. */
void host_kick_cpu(struct system *system, unsigned int cpu);
/* Makes the CPU's host thread call host_channel_serve() soon. Any context. */
void host_serve(struct system *system, unsigned int cpu, unsigned int channel);
/* Asks all host threads to leave, and stores the first reason. */
void system_end(struct system *system, enum limpet_end_reason reason);

/*
 * guest/watch.c: guests. _init() and _exit() at attach and detach in beside mode; _prepare() when a system is loaded,
 * which returns 0 or -ENOMEM. guests_end() when it has ended, after its last host thread has left: its guests are none
 * any more, or get SIGKILL. It returns when none of them uses the system's memory.
 */
int guests_init(void);
void guests_exit(void);
int guests_prepare(struct system *system);
void guests_end(struct system *system);
/* guest/talk.c. Called by the host thread of a CPU for HOST_GUEST. */
void guests_news(struct cpu *cpu);

/*
 * beneath.c: the layer of host/bare under this Linux, on all CPUs. One that is there already, since it has
 * started this Linux, stays beneath it: then attach is to find it, and detach to leave it alone.
 * beneath_call: <host/bare/call.h>.
 */
int beneath_attach(bool trusted);
void beneath_detach(void);
bool beneath_has_cpu(unsigned int cpu);
/* Returns whether a CPU may come online. False: it would run outside the layer. */
bool beneath_allows_cpu(unsigned int cpu);
long beneath_call(enum bare_call call, void *argument, u64 size);

struct bare_layer;
/* beneath/machine.c: fills in I/O APICs, PCI's configuration and how the machine is reset. */
void machine_read(struct bare_layer *layer);
/* Returns 0, or -ENODEV with a line in the log if Linux does not use a processor that the firmware enabled. */
int machine_check_cpus(void);
/*
 * 0, or an error with a line in `error`; -EINVAL: components should get Linux's own memory; -EOPNOTSUPP: a
 * device's interrupts, which an IOMMU remaps. The image is checked.
 */
int machine_allows(const struct limpet_image *image, char *error, size_t size);

/* beneath/system.c: /dev/limpet/control in beneath mode, see control.h. */
void beneath_device_init(void);
void beneath_device_exit(void);
/*
 * beneath/channel.c: the channels of the system that runs, see channel/channel.h. Calls of the first three are
 * serialised. _look() wakes the waiters of the channels that have events, in any context.
 */
int beneath_channels(const struct limpet_image *image, char *error, size_t size);
void beneath_channels_end(void);
void beneath_channels_destroy(void);
void beneath_channels_look(void);
/* beneath/interrupt.c: a CPU is gone, and with it maybe the vector of the interrupt that reports notifications. */
void beneath_interrupt_move(void);

#endif
