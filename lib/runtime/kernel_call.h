/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel calls as C functions: limpet_call_NAME(words...) for each call of <limpet/call.h>, which
 * says what the words mean. All return the status: 0 or more, or a negative LIMPET_E... value.
 *
 * Contexts: any thread of a component. Another thread can run before the call returns if it waits, dispatches, sends an
 * event, or notifies a scheduler: docs/reference/kernel-calls.md lists these calls.
 *
 * A unit test defines LIMPET_FAKE_KERNEL and supplies fake_kernel_call() instead of a processor.
 */
#ifndef RUNTIME_KERNEL_CALL_H
#define RUNTIME_KERNEL_CALL_H

#include <runtime/types.h>

/* Words that come back from a kernel call. */
struct limpet_out {
	word w0, w1, w2;
};

#ifdef LIMPET_FAKE_KERNEL

long fake_kernel_call(long op, const word *in, struct limpet_out *out);

static inline long limpet_call_6(long op, word w0, word w1, word w2, word w3, word w4, word w5)
{
	const word in[6] = { w0, w1, w2, w3, w4, w5 };
	struct limpet_out out;

	return fake_kernel_call(op, in, &out);
}

static inline long limpet_call_3_out(long op, word w0, word w1, word w2, struct limpet_out *out)
{
	const word in[6] = { w0, w1, w2 };

	return fake_kernel_call(op, in, out);
}

static inline long limpet_call_2(long op, word w0, word w1)
{
	struct limpet_out out;

	return limpet_call_3_out(op, w0, w1, 0, &out);
}

static inline long limpet_call_4(long op, word w0, word w1, word w2, word w3)
{
	return limpet_call_6(op, w0, w1, w2, w3, 0, 0);
}

static inline long limpet_call_none_kept(long op)
{
	return limpet_call_2(op, 0, 0);
}

#else

/*
 * The registers that a call changes and that are no operand. rbp carries a word, so all code of a
 * component is built with -fomit-frame-pointer.
 */
#define LIMPET_CALL_CLOBBERS "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory"

/* Makes a call with up to two words in and no words out. Returns its status. */
static inline long limpet_call_2(long op, word w0, word w1)
{
	register word b asm("rbx") = w0;
	register word p asm("rbp") = w1;

	asm volatile("syscall" : "+a"(op), "+r"(b), "+r"(p) : : "r12", LIMPET_CALL_CLOBBERS);
	return op;
}

/* Makes a call with up to three words in and three words out. Returns its status. */
static inline long limpet_call_3_out(long op, word w0, word w1, word w2, struct limpet_out *out)
{
	register word b asm("rbx") = w0;
	register word p asm("rbp") = w1;
	register word t asm("r12") = w2;

	asm volatile("syscall" : "+a"(op), "+r"(b), "+r"(p), "+r"(t) : : LIMPET_CALL_CLOBBERS);
	*out = (struct limpet_out){ b, p, t };
	return op;
}

/* Makes a call with up to four words in and no words out. Returns its status. */
static inline long limpet_call_4(long op, word w0, word w1, word w2, word w3)
{
	register word b asm("rbx") = w0;
	register word p asm("rbp") = w1;
	register word t asm("r12") = w2;
	register word u asm("r13") = w3;

	asm volatile("syscall"
		     : "+a"(op), "+r"(b), "+r"(p), "+r"(t)
		     : "r"(u)
		     : LIMPET_CALL_CLOBBERS);
	return op;
}

/* Makes a call with up to six words in and no words out. Returns its status. */
static inline long limpet_call_6(long op, word w0, word w1, word w2, word w3, word w4, word w5)
{
	register word b asm("rbx") = w0;
	register word p asm("rbp") = w1;
	register word t asm("r12") = w2;
	register word u asm("r13") = w3;
	register word v asm("r14") = w4;
	register word x asm("r15") = w5;

	asm volatile("syscall"
		     : "+a"(op), "+r"(b), "+r"(p), "+r"(t)
		     : "r"(u), "r"(v), "r"(x)
		     : LIMPET_CALL_CLOBBERS);
	return op;
}

/*
 * Makes a call with six words of 0. Discards all words that come back, because the server may change them. Returns its
 * status.
 */
static inline long limpet_call_none_kept(long op)
{
	register word b asm("rbx") = 0;
	register word p asm("rbp") = 0;
	register word t asm("r12") = 0;
	register word u asm("r13") = 0;
	register word v asm("r14") = 0;
	register word x asm("r15") = 0;

	asm volatile("syscall"
		     : "+a"(op), "+r"(b), "+r"(p), "+r"(t), "+r"(u), "+r"(v), "+r"(x)
		     :
		     : LIMPET_CALL_CLOBBERS);
	return op;
}

#endif

/* Invokes the gate in a slot, with all words 0; generated stubs do it for interfaces. */
static inline long limpet_invoke(word slot)
{
	return limpet_call_none_kept(LIMPET_INVOKE(slot));
}

/* Does nothing. It measures the cost of a kernel call. */
static inline long limpet_call_nop(void)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_NOP), 0, 0);
}

/* Copies a capability. The copy has the rights that are in both `rights` and the source. */
static inline long limpet_call_cap_copy(word table, word source, word table_to, word to,
					word rights)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_CAP_COPY), table, source, table_to, to, rights,
			     0);
}

/* Moves a capability. */
static inline long limpet_call_cap_move(word table, word source, word table_to, word to)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_CAP_MOVE), table, source, table_to, to);
}

/* Empties a slot. */
static inline long limpet_call_cap_delete(word table, word slot)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_CAP_DELETE), table, slot);
}

/* Deletes all capabilities derived from a capability. LIMPET_EAGAIN: call again to continue. */
static inline long limpet_call_cap_revoke(word table, word slot)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_CAP_REVOKE), table, slot);
}

/* Returns the content of a slot. */
static inline long limpet_call_cap_info(word table, word slot, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_CAP_INFO), table, slot, 0, out);
}

/* Splits `count` frames off into a capability of their own. */
static inline long limpet_call_frame_split(word frames, word count, word table, word to)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_FRAME_SPLIT), frames, count, table, to);
}

/*
 * Makes a kernel object of `type` in frames: a table with `size` slots, a thread that can nest
 * `size` invocations.
 */
static inline long limpet_call_frame_retype_sized(word frames, word type, word size, word table,
						  word to)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_FRAME_RETYPE), frames, type, table, to, size,
			     0);
}

/*
 * Makes a kernel object like limpet_call_frame_retype_sized(), with a table or thread as large as
 * the frames.
 */
static inline long limpet_call_frame_retype(word frames, word type, word table, word to)
{
	return limpet_call_frame_retype_sized(frames, type, 0, table, to);
}

/* Maps `count` frames from `offset` (in frames) of a capability at `address`. */
static inline long limpet_call_pt_map(word pt, word frames, word offset, word address, word count,
				      word rights)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_PT_MAP), pt, frames, offset, address, count,
			     rights);
}

/* Unmaps `count` pages. */
static inline long limpet_call_pt_unmap(word pt, word address, word count)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_PT_UNMAP), pt, address, count, 0);
}

/* Changes the rights of `count` mapped pages. */
static inline long limpet_call_pt_protect(word pt, word address, word count, word rights)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_PT_PROTECT), pt, address, count, rights);
}

/* Adds frames to a page table for its root and its lower levels. */
static inline long limpet_call_pt_extend(word pt, word frames)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_PT_EXTEND), pt, frames);
}

/* Makes a component from a page table, a capability table and the address of its stacks. */
static inline long limpet_call_component_activate(word component, word pt, word table, word stacks,
						  word stack_shift, word index)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_COMPONENT_ACTIVATE), component, pt, table,
			     stacks, stack_shift, index);
}

/* Sets the gate that a component's faults invoke. */
static inline long limpet_call_component_handler(word component, word gate)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_COMPONENT_HANDLER), component, gate);
}

/* Stops a component: threads in it return to their callers with LIMPET_ECRASH. */
static inline long limpet_call_component_stop(word component)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_COMPONENT_STOP), component, 0);
}

/* Stops a component, and rejects invocations until limpet_call_component_open(). */
static inline long limpet_call_component_close(word component)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_COMPONENT_STOP), component, LIMPET_STOP_CLOSE);
}

/* Opens a closed component for invocations. */
static inline long limpet_call_component_open(word component)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_COMPONENT_OPEN), component, 0);
}

/* Makes Linux system calls in this component's code jump to `address`. With 0 they are faults. */
static inline long limpet_call_syscall_entry(word address)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_SYSCALL_ENTRY), address, 0);
}

/*
 * Makes thread `id`, which is at `from` in this component's code, continue at `to`. Out: its
 * address.
 */
static inline long limpet_call_thread_divert(word id, word from, word to, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_THREAD_DIVERT), id, from, to, out);
}

/*
 * Reads the state of the fault of `component` that this thread handles. Out: see <limpet/call.h>.
 */
static inline long limpet_call_fault_read(word component, word what, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_FAULT_READ), component, what, 0, out);
}

/* Reads three words of memory that a page table maps at `address`. */
static inline long limpet_call_memory_read(word page_table, word address, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_MEMORY_READ), page_table, address, 0, out);
}

/* Sets a register of the fault that the calling thread handles: the numbers of FAULT_READ's registers, 0 to 17. */
static inline long limpet_call_fault_write(word component, word number, word value)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_FAULT_WRITE), component, number, value, 0);
}

/* Writes the lowest `bytes` bytes of `value` to memory that a page table maps. */
static inline long limpet_call_memory_write(word page_table, word address, word value, word bytes)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_MEMORY_WRITE), page_table, address, value,
			     bytes);
}

/* Prevents the execution of code that the page table maps, or permits it again if `held` is false. */
static inline long limpet_call_pt_hold(word page_table, bool held)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_PT_HOLD), page_table, held);
}

/* Counts a missed deadline of the thread for statistics. */
static inline long limpet_call_thread_missed(word thread)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_THREAD_MISSED), thread, 0);
}

/*
 * Records the end of the thread's job for statistics. The job was released at time stamp `release`
 * and started `late` ticks later. If `release` is 0, no job ends. The scheduler has held the thread
 * `held` times so far.
 */
static inline long limpet_call_thread_job(word thread, word period, word release, word late,
					  word held)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_THREAD_JOB), thread, period, release, late,
			     held, 0);
}

/* Makes a gate to `entry` of a component. `badge` identifies its callers. */
static inline long limpet_call_gate_create(word component, word entry, word badge, word table,
					   word to)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_GATE_CREATE), component, entry, badge, table,
			     to, 0);
}

/* Sets the first instruction of a thread, which runs when it is dispatched. */
static inline long limpet_call_thread_start(word thread, word component, word entry, word argument,
					    word id, word endpoint)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_THREAD_START), thread, component, entry,
			     argument, id, endpoint);
}

/* Saves the caller and resumes `thread`. Sets the timer to `deadline`, a time stamp, unless that is 0. */
static inline long limpet_call_thread_dispatch(word thread, word deadline)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_THREAD_DISPATCH), thread, deadline);
}

/*
 * Dispatches a thread from a scheduler's own thread, which also receives events. See
 * <limpet/call.h>.
 */
static inline long limpet_call_thread_dispatch_receive(word thread, word deadline,
						       struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_THREAD_DISPATCH), thread, deadline, 0,
				 out);
}

/* Sets the number that the kernel compares when an event comes. */
static inline long limpet_call_thread_urgency(word thread, word urgency)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_THREAD_URGENCY), thread, urgency);
}

/* Reads the state of a thread. Out: ticks run, dispatches, enum limpet_thread_state. */
static inline long limpet_call_thread_info(word thread, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_THREAD_INFO), thread, 0, 0, out);
}

/* Sets the thread that receives the events of an endpoint. */
static inline long limpet_call_endpoint_bind(word endpoint, word thread)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_ENDPOINT_BIND), endpoint, thread);
}

/* Sends event bits to an endpoint, or to one on another CPU through a port. */
static inline long limpet_call_endpoint_send(word endpoint, word bits)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_ENDPOINT_SEND), endpoint, bits);
}

/* Waits for events. Out: bits, notice, 1 + id of the thread that was preempted. */
static inline long limpet_call_endpoint_receive(word endpoint, word deadline, word flags,
						struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_ENDPOINT_RECEIVE), endpoint, deadline,
				 flags, out);
}

/* Lets port `port` of this CPU send to an endpoint. */
static inline long limpet_call_port_export(word cpu, word endpoint, word port)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_PORT_EXPORT), cpu, endpoint, port, 0);
}

/* Makes a capability to port `port` of CPU `number`. */
static inline long limpet_call_port_import(word cpu, word number, word port, word table, word to)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_PORT_IMPORT), cpu, number, port, table, to, 0);
}

/*
 * Makes channel LIMPET_CHANNEL_WORD(number, bit) of frames. The Linux side's events go to
 * `endpoint`.
 */
static inline long limpet_call_channel_create(word cpu, word frames, word endpoint, word number,
					      word table, word to)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_CHANNEL_CREATE), cpu, frames, endpoint, number,
			     table, to);
}

/* Wakes the Linux side of a channel. */
static inline long limpet_call_channel_notify(word channel)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_CHANNEL_NOTIFY), channel, 0);
}

/* Reads a property of a channel: LIMPET_CHANNEL_STOPS. */
static inline long limpet_call_channel_state(word channel, word what, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_CHANNEL_STATE), channel, what, 0, out);
}

/* Reads a property of the CPU, enum limpet_cpu_info. */
static inline long limpet_call_cpu_info(word cpu, word what, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_CPU_INFO), cpu, what, 0, out);
}

/* Sets the endpoint that receives timer events. */
static inline long limpet_call_cpu_timer(word cpu, word endpoint)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_CPU_TIMER), cpu, endpoint);
}

/* Prints up to 40 bytes of text, packed into five words, to Linux's log. */
static inline long limpet_call_cpu_print(word cpu, const word text[5])
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_CPU_PRINT), cpu, text[0], text[1], text[2],
			     text[3], text[4]);
}

/*
 * Reads the description and the owner of resource `number` of the system. LIMPET_ERANGE: there is no such
 * resource.
 */
static inline long limpet_call_resource_info(word cpu, word number, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_RESOURCE_INFO), cpu, number, 0, out);
}

/* Makes a capability to resource `number`. */
static inline long limpet_call_resource_create(word cpu, word number, word table, word to)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_RESOURCE_CREATE), cpu, number, table, to);
}

/* Reads 1, 2 or 4 bytes from a port. Out: the value. */
static inline long limpet_call_io_read(word ports, word port, word bytes, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_IO_READ), ports, port, bytes, out);
}

/* Writes 1, 2 or 4 bytes to a port. */
static inline long limpet_call_io_write(word ports, word port, word bytes, word value)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_IO_WRITE), ports, port, bytes, value);
}

/* Binds an interrupt: it sends `bits` to an endpoint. Out: address and data of its message. */
static inline long limpet_call_interrupt_bind(word interrupt, word endpoint, word bits,
					      struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_INTERRUPT_BIND), interrupt, endpoint, bits,
				 out);
}

/*
 * Acknowledges an interrupt, so that it can occur again. Out: its count, the cause of Linux's end.
 */
static inline long limpet_call_interrupt_ack(word interrupt, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_INTERRUPT_ACK), interrupt, 0, 0, out);
}

/*
 * Makes the calling thread an executive, which handles each event of its guests at `entry`. Returns
 * only on an error. <limpet/guest.h> and lib/executive document this call and the following ones.
 */
static inline long limpet_call_guest_serve(word entry, word kinds)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_GUEST_SERVE), entry, kinds);
}

/* Answers the event and ends it. Returns only if the thread does not handle an event. */
static inline long limpet_call_guest_answer(word operation, word value)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_GUEST_ANSWER), operation, value);
}

/* Reads three registers of the event's guest. Out: their values. */
static inline long limpet_call_guest_registers(word first, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_GUEST_REGISTERS), first, 0, 0, out);
}

/* Sets a register of the event's guest. */
static inline long limpet_call_guest_register_set(word number, word value)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_GUEST_REGISTERS), number, 1, value, 0);
}

/* Sets a register of the event's guest with other bits of `change`. */
static inline long limpet_call_guest_register_change(word number, word change, word value)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_GUEST_REGISTERS), number, change, value, 0);
}

/* Sets the registers first to first + 2 of the event's guest: either all or none of them. */
static inline long limpet_call_guest_registers_set(word first, word w0, word w1, word w2)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_GUEST_REGISTERS), first, 7, w0, w1, w2, 0);
}

/* Copies memory of the event's guest. */
static inline long limpet_call_guest_copy(word direction, word guest, word own, word bytes)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_GUEST_COPY), direction, guest, own, bytes);
}

/*
 * Makes the event's guest wait until a time stamp or limpet_call_guest_wake(). With `held` 1,
 * signals wait too. It first wakes guest `wake` - 1, unless `wake` is 0.
 */
static inline long limpet_call_guest_wait(word deadline, word early, word held, word wake)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_GUEST_WAIT), deadline, early, held, wake);
}

/* Ends the wait of a guest of this executive. */
static inline long limpet_call_guest_wake(word guest)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_GUEST_WAKE), guest, 0);
}

/* Sets four words of the filter of the event's guest. */
static inline long limpet_call_guest_filter(word first, word w0, word w1, word w2, word w3)
{
	return limpet_call_6(LIMPET_CALL(LIMPET_CALL_GUEST_FILTER), first, w0, w1, w2, w3, 0);
}

/* Makes a range in the event's guest whose pages the executive supplies. */
static inline long limpet_call_guest_map(word address, word bytes, word writable)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_GUEST_MAP), address, bytes, writable, 0);
}

/* Removes pages of such a range from the event's guest. */
static inline long limpet_call_guest_revoke(word address, word bytes)
{
	return limpet_call_2(LIMPET_CALL(LIMPET_CALL_GUEST_REVOKE), address, bytes);
}

/* Reads the state of a guest of this executive. Out: see enum limpet_guest_what. */
static inline long limpet_call_guest_info(word guest, word what, struct limpet_out *out)
{
	return limpet_call_3_out(LIMPET_CALL(LIMPET_CALL_GUEST_INFO), guest, what, 0, out);
}

/*
 * Requests the event BREAK of a guest of this executive, and sets the guest's heir: 1 + id, or 0.
 */
static inline long limpet_call_guest_break(word guest, word time, word heir)
{
	return limpet_call_4(LIMPET_CALL(LIMPET_CALL_GUEST_BREAK), guest, time, heir, 0);
}

#endif
