/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel call ABI, by which components call the kernel and invoke each other. Version 4.
 *
 *   instruction   syscall
 *   rax in        LIMPET_INVOKE(slot) to invoke the gate in `slot`, or LIMPET_CALL(op)
 *   words in      rbx rbp r12 r13 r14 r15                    (words 0 to 5)
 *   rax out       status: >= 0, or an error of <limpet/error.h>
 *   words out     rbx rbp r12                                (words 0 to 2)
 *   preserved     rsp, and for LIMPET_CALL r13 r14 r15
 *   cleared       rdi rsi rdx r8 r9 r10; rcx and r11 hold the return address and 0x202; the
 *                 arithmetic, direction and trap flags are cleared
 *
 * Words that a call does not use are ignored. A value of rax that is >= 0 is a Linux system call,
 * as an unmodified C library makes it. In a component that has called SYSCALL_ENTRY it jumps to the
 * address given there: rcx is the address after the instruction, r11 the flags, and all other
 * registers are unchanged. In other components it is a fault of kind LIMPET_FAULT_SYSCALL, which
 * goes to the component's fault handler.
 *
 * An invoked component starts at the gate's entry with rax = the gate's badge, rsp = the top of its
 * stack for the calling thread, and words 0 to 5 of the caller. All other registers are cleared. It
 * returns with LIMPET_CALL(RETURN): r13 = status, rbx rbp r12 = words out.
 *
 * The kernel passes the six message registers unchanged. A stub clears those that it does not pass,
 * so that no data of its component leak. Vector registers, MXCSR, the x87 control word and the FS
 * and GS bases belong to the thread. An invocation neither clears nor preserves them. A component
 * that uses them (`fpu = true`) clears and reloads them in its stubs, on entry and after each
 * invocation.
 */
#ifndef LIMPET_CALL_H
#define LIMPET_CALL_H

#include <limpet/limits.h>

#define LIMPET_ABI_VERSION 4

#define LIMPET_PAGE 4096
#define LIMPET_USER_BEGIN 0x10000ul	 /* first address that a component may map */
#define LIMPET_USER_END 0x7ffffffff000ul /* first address that a component may not map */
#define LIMPET_NEVER (~0ul)		 /* as a deadline: no time limit */

#define LIMPET_INVOKE(slot) (-1l - (long)(slot))
#define LIMPET_CALL(op) (-4096l - (long)(op))

/*
 * Kernel calls. Columns: name, number, words in. `T` is a slot of the caller's table that holds a
 * capability table (the caller's own has one when it was granted); other slots are slots of the
 * caller's table unless the text says "of T".
 */
#define LIMPET_CALLS(X)                                                                            \
	X(RETURN, 0, "-")                                                                          \
	X(NOP, 1, "-")                                                                             \
	X(CAP_COPY, 2, "T, source, T2, destination, rights")                                       \
	X(CAP_MOVE, 3, "T, source, T2, destination")                                               \
	X(CAP_DELETE, 4, "T, slot")                                                                \
	X(CAP_REVOKE, 5, "T, slot")                                                                \
	X(CAP_INFO, 6, "T, slot")                                                                  \
	X(FRAME_SPLIT, 7, "frames, count, T, destination")                                         \
	X(FRAME_RETYPE, 8, "frames, type, T, destination, size")                                   \
	X(PT_MAP, 9, "page table, frames, offset, address, count, rights")                         \
	X(PT_UNMAP, 10, "page table, address, count")                                              \
	X(PT_PROTECT, 11, "page table, address, count, rights")                                    \
	X(COMPONENT_ACTIVATE, 12, "component, page table, table, stacks, stack shift, index")      \
	X(COMPONENT_HANDLER, 13, "component, gate")                                                \
	X(COMPONENT_STOP, 14, "component, flags")                                                  \
	X(GATE_CREATE, 15, "component, entry, badge, T, destination")                              \
	X(THREAD_START, 16, "thread, component, entry, argument, id, scheduler endpoint")          \
	X(THREAD_DISPATCH, 17, "thread, deadline")                                                 \
	X(THREAD_URGENCY, 18, "thread, urgency")                                                   \
	X(THREAD_INFO, 19, "thread")                                                               \
	X(ENDPOINT_BIND, 20, "endpoint, thread")                                                   \
	X(ENDPOINT_SEND, 21, "endpoint, bits")                                                     \
	X(ENDPOINT_RECEIVE, 22, "endpoint, deadline, flags")                                       \
	X(PORT_EXPORT, 23, "cpu, endpoint, port")                                                  \
	X(PORT_IMPORT, 24, "cpu, cpu number, port, T, destination")                                \
	X(CHANNEL_CREATE, 25, "cpu, frames, endpoint, number, T, destination")                     \
	X(CHANNEL_NOTIFY, 26, "channel")                                                           \
	X(CPU_INFO, 27, "cpu, what")                                                               \
	X(CPU_TIMER, 28, "cpu, endpoint")                                                          \
	X(CPU_PRINT, 29, "cpu, up to 40 bytes of text in words 1 to 5")                            \
	X(PT_EXTEND, 30, "page table, frames")                                                     \
	X(RESOURCE_INFO, 31, "cpu, number")                                                        \
	X(RESOURCE_CREATE, 32, "cpu, number, T, destination")                                      \
	X(IO_READ, 33, "ports, port, bytes")                                                       \
	X(IO_WRITE, 34, "ports, port, bytes, value")                                               \
	X(INTERRUPT_BIND, 35, "interrupt, endpoint, bits")                                         \
	X(INTERRUPT_ACK, 36, "interrupt")                                                          \
	X(SYSCALL_ENTRY, 37, "address")                                                            \
	X(COMPONENT_OPEN, 38, "component")                                                         \
	X(FAULT_READ, 39, "component, what")                                                       \
	X(MEMORY_READ, 40, "page table, address")                                                  \
	X(THREAD_MISSED, 41, "thread")                                                             \
	X(CHANNEL_STATE, 42, "channel, what")                                                      \
	X(GUEST_SERVE, 43, "entry, kinds")                                                         \
	X(GUEST_ANSWER, 44, "operation, value")                                                    \
	X(GUEST_REGISTERS, 45, "first, change, up to three values")                                \
	X(GUEST_COPY, 46, "direction, guest's address, own address, bytes")                        \
	X(GUEST_WAIT, 47, "deadline, early, held, wake")                                           \
	X(GUEST_WAKE, 48, "guest")                                                                 \
	X(GUEST_FILTER, 49, "first, four words")                                                   \
	X(GUEST_MAP, 50, "guest's address, bytes, writable")                                       \
	X(GUEST_REVOKE, 51, "guest's address, bytes")                                              \
	X(GUEST_INFO, 52, "guest, what")                                                           \
	X(GUEST_BREAK, 53, "guest, time, heir")                                                    \
	X(THREAD_DIVERT, 54, "id, from, to")                                                       \
	X(THREAD_JOB, 55, "thread, period, release, late, held")                                   \
	X(FAULT_WRITE, 56, "component, register, value")                                           \
	X(MEMORY_WRITE, 57, "page table, address, value, bytes")                                   \
	X(PT_HOLD, 58, "page table, held")

#define LIMPET_CALL_ENUM(name, number, words) LIMPET_CALL_##name = number,
enum limpet_call { LIMPET_CALLS(LIMPET_CALL_ENUM) LIMPET_CALL_COUNT };
#undef LIMPET_CALL_ENUM

/* Type of the object that a capability names. */
enum limpet_type {
	LIMPET_NONE = 0,
	LIMPET_GATE = 1,
	LIMPET_FRAMES = 2,     /* a run of physical pages */
	LIMPET_TABLE = 3,      /* capability table, of up to 72 frames */
	LIMPET_PAGE_TABLE = 4, /* its pages are frames that PT_EXTEND adds */
	LIMPET_COMPONENT = 5,
	LIMPET_THREAD = 6, /* of up to 4 frames */
	LIMPET_ENDPOINT = 7,
	LIMPET_CHANNEL = 8,
	LIMPET_PORT = 9, /* an endpoint on another CPU, only to send to */
	LIMPET_CPU = 10, /* authority over the CPU: timer, ports, channels, console, resources */
	LIMPET_DEVICE_MEMORY = 11, /* pages of a device's registers */
	LIMPET_IO_PORTS = 12,	   /* a range of the processor's I/O ports */
	LIMPET_INTERRUPT = 13,	   /* of a device, or for Linux's end and restart */
	LIMPET_TYPES
};

/*
 * Sizes of objects in bytes. A frame, or the last frame of an object, can contain several objects,
 * each at a multiple of LIMPET_OBJECT_ALIGN. A table takes LIMPET_SLOT_SIZE for itself and for each
 * slot. CPU_INFO returns the size of a thread.
 */
#define LIMPET_OBJECT_ALIGN 64
#define LIMPET_SLOT_SIZE 64
#define LIMPET_PAGE_TABLE_SIZE 64
#define LIMPET_COMPONENT_SIZE 256
#define LIMPET_ENDPOINT_SIZE 128

/* Rights of a capability. A copy has the same rights or fewer. */
#define LIMPET_READ 1u /* memory: map readable; I/O ports: read; endpoint: receive */
/* memory: map writable; I/O ports: write; interrupt: ack; component: stop and open; others: send */
#define LIMPET_WRITE 2u
/* frames: map executable; component: start threads in it, make gates to it */
#define LIMPET_EXEC 4u
#define LIMPET_MANAGE 8u /* change the object itself */
#define LIMPET_GRANT 16u /* copy or move the capability to another table */
#define LIMPET_ALL 31u

/* Flag of ENDPOINT_RECEIVE: returns LIMPET_EEMPTY instead of waiting. */
#define LIMPET_NOWAIT 1u
/*
 * Results of ENDPOINT_RECEIVE, and of THREAD_DISPATCH by a scheduler's thread:
 *
 * word 0: the bits of all events since the last receive word 1: for a scheduler's endpoint, one
 * notice: LIMPET_NOTICE(kind, thread id), or 0 word 2: for a scheduler's endpoint, 1 + id of the
 * preempted thread, or 0. If the preempted thread has a nested
 *         scheduler, this is the nested scheduler's own thread, which this scheduler has dispatched
 */
#define LIMPET_NOTICE(kind, id) ((unsigned long)(kind) << 32 | (unsigned long)(id))
#define LIMPET_NOTICE_KIND(notice) ((unsigned int)((notice) >> 32))
#define LIMPET_NOTICE_ID(notice) ((unsigned int)(notice))
enum limpet_notice {
	LIMPET_NOTICE_READY = 1,   /* a thread that was waiting or dead can run */
	LIMPET_NOTICE_WAITING = 2, /* the thread waits for an event */
	LIMPET_NOTICE_DEAD = 3,	   /* the thread has no component left to return to */
	LIMPET_NOTICE_STOPPED = 4, /* a component that the thread is in was stopped */
};

/* Event bits that the kernel itself sends. The other bits are for senders. */
#define LIMPET_EVENT_TIMER (1ul << 63) /* the timer has expired */
#define LIMPET_EVENT_EARLY (1ul << 62) /* with TIMER, on an idle CPU: sent early, see CPU_TIMER */

/* CPU_INFO: what. */
enum limpet_cpu_info {
	LIMPET_CPU_IDENTITY = 0, /* word 0: this CPU's number, word 1: number of CPUs */
	LIMPET_CPU_TIME = 1,	 /* word 0: current time stamp, word 1: time stamp ticks per ms */
	LIMPET_CPU_THREAD = 2,	 /* bytes of a thread, word 1: of each nested invocation */
};

/*
 * CHANNEL_CREATE: word 3 is LIMPET_CHANNEL_WORD() for channel `number`, whose events arrive as bit
 * `bit`, 0 to 61. CHANNEL_STATE: with `what` LIMPET_CHANNEL_STOPS, word 0 is the number of times
 * that the channel's owner has ended: the component in which the thread of the channel's endpoint
 * started was stopped, or that thread died. Both together count once.
 */
#define LIMPET_CHANNEL_WORD(number, bit) ((unsigned long)(bit) << 16 | (unsigned long)(number))
#define LIMPET_CHANNEL_STOPS 0

/*
 * RESOURCE_INFO: word 0 is kind | flags << 8 | component << 32 of struct limpet_image_resource,
 * words 1 and 2 are its `first` and `count`. INTERRUPT_BIND: words 0 and 1 are the address and data
 * of the message that raises the interrupt (LIMPET_LINE_MESSAGE). INTERRUPT_ACK: word 0 is the
 * number of interrupts since the system's start. For LIMPET_LINE_LINUX, word 1 is the cause of
 * Linux's end (enum limpet_death of <limpet/device.h>), or 0 while Linux runs.
 */

/*
 * THREAD_INFO: word 0 is the run time in ticks, word 1 the number of dispatches, word 2 the state.
 */
enum limpet_thread_state {
	LIMPET_THREAD_IDLE = 0, /* never started */
	LIMPET_THREAD_READY = 1,
	LIMPET_THREAD_WAITING = 2,
	LIMPET_THREAD_DEAD = 3,
};

/*
 * A fault handler is a gate. The kernel invokes it with words: 0 kind, 1 address, 2 error code, 3
 * instruction pointer, 4 thread id, 5 index of the component. If it returns status 0, the thread
 * resumes at the faulting instruction. If it returns an error, the thread leaves the component, and
 * the caller gets LIMPET_ECRASH. A handler starts at the top of the thread's stack in the handler's
 * component. If the thread already uses that stack, because it faulted there or came from there,
 * the handler starts below the used part. The kind is the processor's exception vector, or one of
 * these:
 */
#define LIMPET_FAULT_SYSCALL 256 /* rax was not a Limpet call; address: rax */
#define LIMPET_FAULT_MODE 257	 /* the thread left 64-bit mode */

/* COMPONENT_STOP: flags. */
#define LIMPET_STOP_CLOSE 1u /* no thread can enter until COMPONENT_OPEN */

/* CAP_INFO of a component: this bit is set in the number of stops while the component is closed. */
#define LIMPET_CLOSED (1ul << 63)

/*
 * FAULT_READ: what. 0 to 5 return three registers each: rax rbx rcx, rdx rsi rdi, rbp rsp r8, r9
 * r10 r11, r12 r13 r14, r15 rip rflags. LIMPET_FAULT_CALLER(n) returns the caller of the component
 * that faulted (n = 0), the caller of that one (n = 1), and so on: word 0 is the index of the
 * component, words 1 and 2 are ip and sp there.
 */
#define LIMPET_FAULT_REGISTERS 6
#define LIMPET_FAULT_CALLER(n) (16ul + (n))

/* Slots that the kernel fills in the first component's table, the booter's, on each CPU. */
enum limpet_boot_slot {
	LIMPET_BOOT_TABLE = 1,
	LIMPET_BOOT_PAGE_TABLE = 2,
	LIMPET_BOOT_COMPONENT = 3,
	LIMPET_BOOT_THREAD = 4,
	LIMPET_BOOT_FRAMES = 5, /* all frames of this CPU that are still free */
	LIMPET_BOOT_CPU = 6,
	LIMPET_BOOT_IMAGE = 7, /* frames that hold the image, readable and executable */
	LIMPET_BOOT_FREE = 8,  /* first free slot */
};

/*
 * Number of slots of the booter's table: a constant, plus a number for each component and thread of
 * its CPU.
 */
#define LIMPET_BOOT_SLOTS 1024
#define LIMPET_BOOT_COMPONENT_SLOTS 6
#define LIMPET_BOOT_THREAD_SLOTS 3

#endif
