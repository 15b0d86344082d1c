/* SPDX-License-Identifier: GPL-2.0 */
/* Guests in the entry code. guest.S has a table of the steps. */
#ifndef ENTRY_GUEST_H
#define ENTRY_GUEST_H

#include <entry/entry.h>

/* Values of entry_cpu.inside. */
#define INSIDE_GUEST 3
/*
 * State `guest`, while the entry code waits for the end of a system call that the host carries out.
 * The guest's return address is that of the SYSCALL instruction itself, so the guest executes it again, with the result
 * in rax. This does not change the host's own path to user level. If the host delivers a signal before that, it first
 * calls back, and the guest's registers are corrected (entry_guest_expect()).
 */
#define INSIDE_RESULT 4

/*
 * guest.S: the targets of the system call MSRs, and of the gate of `int 0x80`, while a guest is on
 * the CPU.
 */
void entry_guest(void);
void entry_guest_cstar(void);
void entry_guest_int80(void);

/* Cause for which the executive has stopped executing in the guest's thread. */
enum entry_stop {
	ENTRY_ANSWERED = 0,    /* guest.operation, guest.value; its handler thread is idle again */
	ENTRY_TASK = 1,	       /* it made the call guest.request, which the host carries out */
	ENTRY_MOVE = 2,	       /* it made another call, or faulted */
	ENTRY_INTERRUPTED = 3, /* the host has handled an interrupt; interrupts are on again */
	ENTRY_NEW = 4,	       /* entry_guest_task() only: the event has no handler thread yet */
};

/*
 * Runs the handler thread of the current guest, whose registers are in guest->thread, until one of
 * these causes. Context: the guest's own thread of the host, on the guest's CPU of the system, in
 * process context, interrupts off. Interrupts are off on return, except after ENTRY_INTERRUPTED.
 * Does not use vector registers.
 */
enum entry_stop entry_guest_run(struct guest *guest);

/* The parts in C. Context: interrupts off, kernel GS base. */
struct user_return entry_guest_call(struct entry_cpu *entry, struct guest *guest);
/*
 * Handles the end of a call. If the result's ip is 0, there is no event, and sp is an enum
 * entry_way.
 */
struct user_return entry_guest_result(struct entry_cpu *entry, struct guest *guest);
/*
 * Passes the call of the current guest to the host, with the guest's current registers. Returns
 * ENTRY_TO_HOST.
 */
word entry_guest_pass(struct entry_cpu *entry, struct guest *guest);
word entry_guest_answer(struct entry_cpu *entry, word operation, word value);
word entry_guest_other(struct entry_cpu *entry, word call);
word entry_guest_exception(struct entry_cpu *entry, word vector);
void entry_guest_in(struct entry_cpu *entry);
void entry_guest_out(struct entry_cpu *entry);

/* Continuation of the guest after its event. */
enum entry_way {
	ENTRY_TO_GUEST = 0, /* returns to its program, by SYSRET */
	ENTRY_TO_HOST = 1,  /* goes to the host's own system call entry, with its registers */
	ENTRY_TO_TASK = 2,  /* goes to entry_guest_task() */
	ENTRY_TO_FRAME = 3, /* return from entry_guest_run() */
	ENTRY_TO_EXECUTIVE = 4,
	ENTRY_TO_NEW = 5, /* goes to entry_guest_task() with ENTRY_NEW */
};

/*
 * Implemented by the host. Interrupts off, on the guest's own stack of the host, except entry_guest_task() after
 * ENTRY_INTERRUPTED.
 * entry_guest_task: handles the event in process context. Returns ENTRY_TO_GUEST or ENTRY_TO_HOST,
 * interrupts off.
 * entry_guest_expect: called before a system call goes to the host, if its end is awaited.
 * Returns true if the host calls back before it delivers a signal. The guest's return address must
 * then be that of its SYSCALL instruction. Returns false if the host calls back at the call's end,
 * because a tracer reads the registers.
 * entry_guest_registers: writes the registers of the guest's system call for the host.
 * entry_guest_park: does the same before the host gets an interrupt that arrived in the executive.
 * entry_guest_idle: called when the handler thread of the guest is idle again, if its executive has queued events.
 */
word entry_guest_task(struct guest *guest, enum entry_stop stop);
bool entry_guest_expect(struct guest *guest);
void entry_guest_registers(struct guest *guest);
void entry_guest_park(struct guest *guest);
void entry_guest_idle(struct guest *guest);

#endif
