/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands between user level and the kernel, and between components and the host.
 *
 * A CPU whose host thread runs is in one of three states:
 *
 *                 user level        page table   IDT     syscall MSR   who gets interrupts
 *   host          the host thread   the host's   host's  ours          the host
 *   component     components        component's  ours    ours          we, see trap.S
 *   other         other processes   the host's   host's  host's        the host
 *
 * While a thread of the host that is a guest is on the CPU, the CPU is in one of two other states:
 *
 *   guest         the guest         the host's   guest   ours          the host
 *   executive     its executive     executive's  ours    ours          we, see guest.S
 *
 * The IDT `guest` is the host's, but for `int 0x80`.
 *
 * The host never sees component state: before an interrupt that arrives in `component` reaches the
 * host's handler, the CPU is put back into state `host` and the interrupted registers are those of
 * the host thread, parked. So signals, preemption, accounting, tracing and TLB shoot-downs of
 * the host work on an ordinary thread.
 */
#ifndef ENTRY_H
#define ENTRY_H

#include <kernel/cpu.h>

/* One CPU's entry state; found through the kernel's GS base. The offsets are generated. */
struct entry_cpu {
	word user_sp; /* of the system call that is being entered */
	word scratch;
	word inside; /* 0: state `host`, `guest` or `other`; INSIDE_GUEST: `executive`; else `component`: enum trace_path */
	word stack;  /* top of the CPU's kernel stack */
	struct cpu *cpu;
	struct entry_cpu *self;
	word resume_ip, park_ip; /* of the host thread, see <limpet/device.h> */
	word host_sp, host_flags, host_cr3, host_cr4; /* the parked host thread */
	word host_fs, host_gs;
	u32 host_keys; /* PKRU */
	u64 resumes, interrupted;
	struct guest *guest;			/* the current thread of the host, if it is a guest */
	u64 filter[LIMPET_GUEST_FILTER_WORDS];	/* of that guest */
};

#define INSIDE_GUEST 3
/*
 * State `guest`, and the end of a system call that the host carries out is awaited. The host has been told that the
 * guest continues at the SYSCALL instruction itself, so the guest executes it once more, with the result in rax. That
 * takes nothing of the host's own way to user level. If the host delivers a signal before, it first calls back, and the
 * guest's registers are put right (entry_guest_expect()).
 */
#define INSIDE_RESULT 4

/* A pointer as LIDT and SIDT take it. */
struct entry_idt {
	u16 limit;
	u64 base;
} __attribute__((packed));

/* Set by the host at attach, read-only afterwards. */
extern word entry_host_syscall; /* where the host's own syscall MSRs point to */
extern word entry_host_cstar;
extern word entry_host_vector[256]; /* the host's handlers */
extern word entry_cr3_keep;	    /* bit 63 when process-context ids are on */
extern struct entry_idt entry_idt_host, entry_idt_ours, entry_idt_guest;
extern bool entry_keys; /* protection keys are on */

/* Assembly: what the syscall MSRs point to while the host thread is on the CPU; IDT stubs. */
void entry_syscall(void);
void entry_cstar(void);
#define ENTRY_STUB 16 /* bytes of a stub */
extern u8 entry_stubs[256][ENTRY_STUB];

/*
 * C halves. Context: interrupts off, kernel GS base.
 * entry_resume: kernel_resume(), which may have changed how system calls go.
 * entry_from_host: state `host` to `component`; then what came in meanwhile is taken.
 * entry_to_host: the reverse; the current thread's registers were saved.
 * entry_exception: an exception of a component; `address` is CR2.
 */
void entry_resume(struct entry_cpu *e);
void entry_from_host(struct entry_cpu *e);
void entry_to_host(struct entry_cpu *e);
void entry_exception(struct cpu *cpu, word vector, word error, word address);

/* What the system call MSRs, and the gate of `int 0x80`, point to while a guest is on the CPU; guest.S. */
void entry_guest(void);
void entry_guest_cstar(void);
void entry_guest_int80(void);

/* Why the executive has stopped executing in the guest's thread. */
enum entry_stop {
	ENTRY_ANSWERED = 0,    /* guest.operation, guest.value; its handler thread is idle again */
	ENTRY_TASK = 1,	       /* it made the call guest.request, which the host carries out */
	ENTRY_MOVE = 2,	       /* it made another call, or faulted */
	ENTRY_INTERRUPTED = 3, /* the host has handled an interrupt; interrupts are on again */
	ENTRY_NEW = 4,	       /* entry_guest_task() only: the event has no handler thread yet */
};

/*
 * Runs the handler thread of the current guest, whose registers are in guest->thread, until one of these. Context: the
 * guest's own thread of the host, on the guest's CPU of the system, in process context, interrupts off. They are off
 * when it returns, but for ENTRY_INTERRUPTED. Uses no vector registers.
 */
enum entry_stop entry_guest_run(struct guest *guest);

/* C halves. Context: interrupts off, kernel GS base. */
struct user_return entry_guest_call(struct entry_cpu *e, struct guest *g);
/* The end of a call. ip = 0: no event, and sp is an enum entry_way. */
struct user_return entry_guest_result(struct entry_cpu *e, struct guest *g);
/* The call of the current guest goes to the host with the registers that it has. Returns ENTRY_TO_HOST. */
word entry_guest_pass(struct entry_cpu *e, struct guest *g);
word entry_guest_answer(struct entry_cpu *e, word operation, word value);
word entry_guest_other(struct entry_cpu *e, word call);
word entry_guest_exception(struct entry_cpu *e, word vector);
void entry_guest_in(struct entry_cpu *e);
void entry_guest_out(struct entry_cpu *e);

/* Where the guest goes after its event. */
enum entry_way {
	ENTRY_TO_GUEST = 0, /* back to its program, by SYSRET */
	ENTRY_TO_HOST = 1,  /* to the host's own system call entry, with its registers */
	ENTRY_TO_TASK = 2,  /* to entry_guest_task() */
	ENTRY_TO_FRAME = 3, /* back from entry_guest_run() */
	ENTRY_TO_EXECUTIVE = 4,
};

/*
 * Implemented by the host. Interrupts off, on the guest's own stack of the host, except entry_guest_task() after
 * ENTRY_INTERRUPTED.
 * entry_guest_task: the event in process context. Returns ENTRY_TO_GUEST or ENTRY_TO_HOST, interrupts off.
 * entry_guest_expect: the system call of the current guest is going to the host, and its end is to be seen. Returns
 * true if the host calls back before it delivers a signal: the guest's return address is then that of its SYSCALL
 * instruction. Returns false if the host calls back at the call's end, because a tracer looks at the registers.
 * entry_guest_registers: writes the registers of the guest's system call where the host expects them.
 * entry_guest_park: the same, before an interrupt of the executive is given to the host.
 * entry_guest_idle: a handler thread of an executive for which events are queued is idle again.
 */
word entry_guest_task(struct guest *guest, enum entry_stop stop);
bool entry_guest_expect(struct guest *guest);
void entry_guest_registers(struct guest *guest);
void entry_guest_park(struct guest *guest);
void entry_guest_idle(struct executive *executive);

#endif
