/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of host/linux, in the order of their initialisation. Unless the text says otherwise,
 * functions are called in process context and may sleep.
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
#include <host/linux/isolate/isolate.h>
#include <kernel/setup.h>
#include <limpet/device.h>

#define REFUSED "limpet: refused: "
/* Logs why attaching in beneath mode is refused, and the remedy. Evaluates to the error. */
#define refused(error, format, ...)                                                                \
	(pr_err(REFUSED "beneath: " format "\n", ##__VA_ARGS__), (error))

DECLARE_PER_CPU(struct entry_cpu, entry_cpu);

/*
 * check.c: checks whether Limpet can attach to this machine and kernel in this mode. Accepts a kernel that is newer
 * than any that Limpet was tried on only if `untried` is set. Returns 0, or -ENODEV after it has logged the reason.
 */
int check_machine(bool beneath, bool trusted, bool untried);
word check_xsave_mask(void);
/* lockdown.c: returns whether Linux is locked down, as with Secure Boot. Linux then logs the refusal. */
bool check_locked(void);
/*
 * Returns other states that components can load in beside mode, because Linux has set them in XCR0.
 */
word check_clear_mask(void);

/*
 * region.c: physically contiguous memory below `limit`, outside everything that Linux uses. region_alloc() skips memory
 * with a page that a process keeps locked. If a page becomes locked later, it waits for that process, even if the caller
 * is killed. So it is called without a lock that others need. Returns 0, -ENOMEM, or -EINTR if a signal is pending.
 */
struct region {
	unsigned long pfn, pages; /* pages is 0 without memory */
	void *memory;		  /* address in the direct map */
};
int region_alloc(struct region *region, unsigned long pages, u64 limit);
void region_free(struct region *region);

/*
 * beside/hook.c: the entry points. hook_prepare() reads Linux's entry points at attach, and chooses Limpet's: those
 * with Linux's mitigations if the processor needs any, unless components are trusted. hook_arm_guest() loads Limpet's
 * for the current thread, which is a guest, with interrupts disabled. If the thread is in KVM_RUN, it must sleep before
 * its virtual CPU continues. hook_disarm() loads Linux's. It is called with preemption disabled.
 */
int hook_prepare(bool trusted);
void hook_arm_guest(void);
void hook_disarm(void);
void gate_point(gate_desc *gate, unsigned long at); /* changes a gate's address; at attach */
/*
 * An executive makes kernel calls through LSTAR. With KVM for Intel that can have another value in process context: a
 * virtual machine's, or Linux's. hook_arm_executive() then loads Limpet's values. Called with interrupts disabled,
 * before an executive runs.
 */
void hook_arm_executive(void);

/*
 * beside/text.c: changes the module's own text at attach. text_jump() writes a jump to `to` at `at`, after which each
 * CPU must call text_refetch(). Both return 0 or -ENOMEM.
 */
int text_prepare(bool trusted);
int text_jump(u8 *at, word to);
void text_refetch(void *unused);
/*
 * Enables or disables branch predictor barriers in all loads of page tables. Stops all CPUs for some microseconds.
 * Called in process context with system_lock, without the CPU hotplug lock. Returns 0 or -ENOMEM, which has changed
 * nothing.
 */
int text_barriers(bool barriers);

/* kvm.c: a module notifier. While it is registered, kvm_intel and kvm_amd cannot be loaded. */
extern struct notifier_block kvm_keep_out;
/* Returns whether module kvm is loaded, with or without kvm_intel or kvm_amd. */
bool kvm_loaded(void);
/*
 * Ensures in beside mode that KVM does not store Limpet's entry points as Linux's. Does nothing for an image without
 * executives, because such a system has no guests. Called with system_lock in the host process of each system, before
 * it can have guests. Returns 0, or a negative errno if KVM is loaded and provides no virtual machine. In both cases
 * the caller must call kvm_release() with system_lock and the same image, after the system's last guest has left.
 */
int kvm_hold(const struct limpet_image *image);
void kvm_release(const struct limpet_image *image);

/* The thread of a Linux process that lends its CPU to one CPU of the system. */
struct host_thread {
	struct task_struct *task; /* NULL: no thread has entered, or it has left */
	struct task_struct *held; /* the reference of `task`, until host_forget() */
	struct entry_cpu *entry;
	struct cpu *cpu;
	struct system *system;
	unsigned int linux_cpu;
	word stack;    /* top of the kernel stack of `cpu` */
	bool lost;     /* the thread exits or has called exec, and never runs components again */
	bool sleeping; /* the thread sleeps in host_lend(), or is about to */
	struct hrtimer timer;
	struct gravity gravity; /* of wake-ups without early_wait() */
	struct gravity rest;	/* of their parts after early_wait() */
	u64 latency;		/* ticks of the last one before early_wait() */
	u64 entered;		/* time stamp of that wait's end */
	/* Time stamp for which the timer was programmed at the last sleep; LIMPET_NEVER: not programmed. */
	u64 early;
	u64 step;     /* ticks between the last two values of `early` */
	u64 interval; /* ticks to the next one, guessed by timer_fired(); 0: without a guess */

	struct hrtimer share_timer;
	u64 share_own;	   /* run time of the thread at the window's start, in ns */
	u64 share_runtime; /* run time of all host threads on its CPU at that time, in ns */
	u64 share_owed;	   /* time owed to Linux, in ns */
	u64 share_pause;   /* the part of it that Linux gets in this window */

	struct irq_work guest_idle; /* an executive with queued events has an idle handler thread */

	u64 idles, shares;
};

#define SHARE_WINDOW_NS 40000000 /* short compared to the second of real-time throttling */
#define SHARE_OWED_MAX 500000000 /* bounds the debt after the whole machine has paused */

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
	void *image;		   /* image in the region */
	u64 first_frame, share;	   /* CPU n has `share` frames from first_frame + n * share */
	u64 ns_per_tick_shift32;   /* ns per tick, times 2^32 */
	wait_queue_head_t waiters; /* woken when a host thread has left */
	struct work_struct lost;   /* ends the system, because a host thread has exited */
	bool guests_ended;	   /* guests must not start to use the system's memory */
	bool signals_watched;	   /* guest/signal.c watches signals for its guests */
	atomic_t guests_talking;   /* number of guests that use the system's memory */
	struct file *guest_file;   /* file for the ranges of GUEST_MAP; NULL: not made */
	struct host_channels *channels;
	struct cpu *cpu[LIMPET_CPUS_MAX];
	struct host_thread host[LIMPET_CPUS_MAX];
};

/* beside/state.c. The mutex protects the table and every system's state. */
extern struct mutex system_lock;
extern struct system *systems[LIMPET_SYSTEMS_MAX]; /* indexed by id; NULL: the id is free */
/*
 * Returns the system with this id, or the only system if the id is LIMPET_SYSTEM_ANY. Called with
 * system_lock. Returns an ERR_PTR on failure. -ENODEV: no such system is loaded. -ENOTUNIQ: several
 * systems are loaded.
 */
struct system *system_find(u32 id);
/*
 * beside/system.c. Loads a checked image for an open file, and sets *loaded, which must be NULL. Returns 0 or a negative
 * errno, with the cause in load->error. -EBUSY: the file has loaded a system already, or
 * LIMPET_SYSTEMS_MAX systems are loaded.
 */
int system_load(struct limpet_ioc_load *load, const void *image, struct system **loaded);
/* Ends the system, because the file that loaded it is closed. */
void system_close(struct system *system);
void system_put(struct system *system);
bool system_uses_cpu(unsigned int linux_cpu);
/* Returns whether components have process-context ids of their own. */
bool system_has_pcid(void);
/*
 * image.c. Writes one line with the place, cause and remedy of an error to load->error. Returns
 * -EINVAL.
 */
__printf(2, 3) int system_refuse(struct limpet_ioc_load *load, const char *format, ...);
/*
 * Checks that the processor has the branch predictor barrier if a component of a checked image requests it. Returns 0,
 * or -EOPNOTSUPP with the reason in load->error.
 */
int image_check_barrier(struct limpet_ioc_load *load, const struct limpet_image *image);
/* Returns 0, or -EINVAL with the reason in load->error. */
int system_check_cpus(struct limpet_ioc_load *load);
/*
 * Returns a checked private copy of the image, which the process cannot change. The caller must
 * vfree() it. On failure returns an ERR_PTR, with the cause in load->error.
 */
void *system_image(struct limpet_ioc_load *load);
/*
 * Writes text of components to Linux's log. Escapes bytes that could control a terminal or fake a
 * line.
 */
void system_print(char *text, unsigned int length);
/*
 * beside/channel.c: calls host_channels_create() for a system that is being loaded. Returns 0 or a
 * negative errno.
 */
int system_channels(struct system *system, char *error, size_t size);

/* beside/host_thread.c */
/*
 * host_prepare() is called before the first host thread enters. host_forget() is called when the file that loaded the
 * system is closed. Host threads can still exist then. They are not in a call of the file, so they run no components.
 */
void host_prepare(struct system *system);
void host_forget(struct system *system);
/*
 * Makes the entry code of this CPU that of the host thread's system, if another one's thread ran here last. Preemption
 * is disabled. The system has a host thread or guests that run.
 */
void host_take_entry(const struct host_thread *host);
long host_enter(struct system *system, const struct limpet_ioc_enter *enter);
/* Returns Linux's monotonic time at a time stamp: now if that has passed, at most about 146 years from now. */
ktime_t host_clock(const struct system *system, u64 stamp);
/* LIMPET_IOC_LEND of the calling thread, see <limpet/device.h>. Returns its result. */
int host_lend(struct system *system);
/* Returns whether the current thread is a host thread of any system. */
bool host_is_current(void);
/* Called when the current thread exits, or has called exec. If it is a host thread, its system ends. Cannot sleep. */
void host_thread_ends(void);
/* Removes a host thread from its system. It is the current thread, or cannot run components any more. */
void host_leave(struct host_thread *host);

/* beside/suspend.c. Makes Linux refuse sleep states that reset the time stamp counter while a system runs. */
struct device;
void suspend_watch(struct device *device);

/*
 * beside/memory.c. The template of the kernel half of all page tables: Linux's top level at attach. While memory_block
 * is registered, Linux keeps memory offline that the template does not map. memory_prepare() registers it.
 */
extern word memory_root[PAGE_SIZE / sizeof(word)];
extern struct notifier_block memory_block;
void memory_prepare(void);

/* beside/kick.c. Makes kernel_resume() run soon on a CPU of the system. Any context. */
void host_kick_cpu(struct system *system, unsigned int cpu);
/* Asks all host threads to leave, and stores the first reason. */
void system_end(struct system *system, enum limpet_end_reason reason);

/*
 * guest/watch.c: guests. _init() and _exit() are called at attach and detach in beside mode.
 * _prepare() is called when a system is loaded. guests_end() is called when a system has ended,
 * after its last host thread has left. It makes the system's guests
 * ordinary threads again, or sends them SIGKILL. It returns when they do not use the system's
 * memory any more.
 */
int guests_init(void);
void guests_exit(void);
void guests_prepare(struct system *system);
void guests_end(struct system *system);
/* guest/talk.c. Called by the host thread of a CPU for HOST_GUEST. */
void guests_updated(struct host_thread *host);

/*
 * beneath.c: the layer of host/bare under this Linux, on all CPUs. If a layer has started this
 * Linux, attach finds that layer, and detach does not remove it. beneath_call() makes a call of
 * <host/bare/call.h>.
 */
int beneath_attach(bool trusted);
void beneath_detach(void);
bool beneath_has_cpu(unsigned int cpu);
/* Returns whether a CPU may come online. False: it would run outside the layer. */
bool beneath_allows_cpu(unsigned int cpu);
long beneath_call(enum bare_call call, void *argument, u64 size);

struct bare_layer;
/*
 * beneath/machine.c: fills in the I/O APICs, the PCI configuration spaces and the reset register of
 * the machine.
 */
void machine_read(struct bare_layer *layer);
/* Returns 0, or -ENODEV with a line in the log if Linux does not use a processor that the firmware enabled. */
int machine_check_cpus(void);
/*
 * Checks whether the machine can provide the resources of a checked image. Returns 0, or a negative
 * errno with the reason in load->error. -EINVAL: a component asks for Linux's own memory. -EOPNOTSUPP: a
 * component asks for a device's interrupts, and an IOMMU remaps interrupts.
 */
int machine_allows(struct limpet_ioc_load *load, const struct limpet_image *image);

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
/*
 * beneath/interrupt.c: called when a CPU is offline, which may have had the vector of the layer's
 * notifications.
 */
void beneath_interrupt_move(void);

#endif
