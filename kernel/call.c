// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatcher of kernel calls. Each handler is in the file of its object, with a description of the
 * call.
 */
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/fault.h>
#include <kernel/gate.h>
#include <kernel/page_table.h>
#include <kernel/resource.h>

/*
 * Handles rare calls. They are in a function of their own, so that they do not add comparisons to
 * the other calls.
 */
static long call_rare(struct cpu *cpu, word op, struct hal_regs *regs)
{
	switch (op) {
		/* clang-format off */
	case LIMPET_CALL_RESOURCE_INFO: return call_resource_info(cpu, regs);
	case LIMPET_CALL_RESOURCE_CREATE: return call_resource_create(cpu, regs);
	case LIMPET_CALL_IO_READ: return call_io_read(cpu, regs);
	case LIMPET_CALL_IO_WRITE: return call_io_write(cpu, regs);
	case LIMPET_CALL_INTERRUPT_BIND: return call_interrupt_bind(cpu, regs);
	case LIMPET_CALL_INTERRUPT_ACK: return call_interrupt_ack(cpu, regs);
	case LIMPET_CALL_SYSCALL_ENTRY: return call_syscall_entry(cpu, regs);
	case LIMPET_CALL_GUEST_SERVE: return call_guest_serve(cpu, regs);
	case LIMPET_CALL_GUEST_ANSWER: return call_guest_answer(cpu, regs);
	case LIMPET_CALL_GUEST_REGISTERS: return call_guest_registers(cpu, regs);
	case LIMPET_CALL_GUEST_WAKE: return call_guest_wake(cpu, regs);
	case LIMPET_CALL_GUEST_INFO: return call_guest_info(cpu, regs);
	case LIMPET_CALL_GUEST_BREAK: return call_guest_break(cpu, regs);
	case LIMPET_CALL_GUEST_COPY:
	case LIMPET_CALL_GUEST_WAIT:
	case LIMPET_CALL_GUEST_FILTER:
	case LIMPET_CALL_GUEST_MAP:
	case LIMPET_CALL_GUEST_REVOKE: return call_guest_task(cpu, op);
	case LIMPET_CALL_COMPONENT_OPEN: return call_component_open(cpu, regs);
	case LIMPET_CALL_FAULT_READ: return call_fault_read(cpu, regs);
	case LIMPET_CALL_FAULT_WRITE: return call_fault_write(cpu, regs);
	case LIMPET_CALL_MEMORY_READ: return call_memory_read(cpu, regs);
	case LIMPET_CALL_MEMORY_WRITE: return call_memory_write(cpu, regs);
	case LIMPET_CALL_PT_HOLD: return call_pt_hold(cpu, regs);
	case LIMPET_CALL_THREAD_DIVERT: return call_thread_divert(cpu, regs);
	case LIMPET_CALL_THREAD_MISSED: return call_thread_missed(cpu, regs);
	case LIMPET_CALL_THREAD_JOB: return call_thread_job(cpu, regs);
	case LIMPET_CALL_CHANNEL_STATE: return call_channel_state(cpu, regs);
		/* clang-format on */
	}
	return LIMPET_ECALL;
}

/*
 * Handles a call by a chain of comparisons, frequent calls first, because an indirect jump needs a
 * speculation barrier.
 */
static long call_handle(struct cpu *cpu, word op, struct hal_regs *regs)
{
	if (likely(op == LIMPET_CALL_THREAD_DISPATCH))
		return call_thread_dispatch(cpu, regs);
	if (likely(op == LIMPET_CALL_ENDPOINT_RECEIVE))
		return call_endpoint_receive(cpu, regs);

	switch (op) {
		/* clang-format off */
	case LIMPET_CALL_NOP: return LIMPET_OK;
	case LIMPET_CALL_CAP_COPY: return call_cap_copy(cpu, regs);
	case LIMPET_CALL_CAP_MOVE: return call_cap_move(cpu, regs);
	case LIMPET_CALL_CAP_DELETE: return call_cap_delete(cpu, regs);
	case LIMPET_CALL_CAP_REVOKE: return call_cap_revoke(cpu, regs);
	case LIMPET_CALL_CAP_INFO: return call_cap_info(cpu, regs);
	case LIMPET_CALL_FRAME_SPLIT: return call_frame_split(cpu, regs);
	case LIMPET_CALL_FRAME_RETYPE: return call_frame_retype(cpu, regs);
	case LIMPET_CALL_PT_MAP: return call_pt_map(cpu, regs);
	case LIMPET_CALL_PT_UNMAP: return call_pt_unmap(cpu, regs);
	case LIMPET_CALL_PT_PROTECT: return call_pt_protect(cpu, regs);
	case LIMPET_CALL_PT_EXTEND: return call_pt_extend(cpu, regs);
	case LIMPET_CALL_COMPONENT_ACTIVATE: return call_component_activate(cpu, regs);
	case LIMPET_CALL_COMPONENT_HANDLER: return call_component_handler(cpu, regs);
	case LIMPET_CALL_COMPONENT_STOP: return call_component_stop(cpu, regs);
	case LIMPET_CALL_GATE_CREATE: return call_gate_create(cpu, regs);
	case LIMPET_CALL_THREAD_START: return call_thread_start(cpu, regs);
	case LIMPET_CALL_THREAD_URGENCY: return call_thread_urgency(cpu, regs);
	case LIMPET_CALL_THREAD_INFO: return call_thread_info(cpu, regs);
	case LIMPET_CALL_ENDPOINT_BIND: return call_endpoint_bind(cpu, regs);
	case LIMPET_CALL_ENDPOINT_SEND: return call_endpoint_send(cpu, regs);
	case LIMPET_CALL_PORT_EXPORT: return call_port_export(cpu, regs);
	case LIMPET_CALL_PORT_IMPORT: return call_port_import(cpu, regs);
	case LIMPET_CALL_CHANNEL_CREATE: return call_channel_create(cpu, regs);
	case LIMPET_CALL_CHANNEL_NOTIFY: return call_channel_notify(cpu, regs);
	case LIMPET_CALL_CPU_INFO: return call_cpu_info(cpu, regs);
	case LIMPET_CALL_CPU_TIMER: return call_cpu_timer(cpu, regs);
	case LIMPET_CALL_CPU_PRINT: return call_cpu_print(cpu, regs);
		/* clang-format on */
	}
	return call_rare(cpu, op, regs);
}

void kernel_call(struct cpu *cpu, word op)
{
	struct thread *thread = cpu->thread;
	long status;

	thread->epoch = cpu->component->epoch;
	cpu->caller = thread;
	cpu->calls++;
	trace_event(cpu, LIMPET_TRACE_CALL, op);
	status = call_handle(cpu, op, &thread->regs);
	if (status != CALL_DONE)
		hal_regs_status(&thread->regs, status);
	thread_settle(cpu);
}

void kernel_fault(struct cpu *cpu, word kind, word error, word address)
{
	cpu->thread->epoch = cpu->component->epoch;
	fault_raise(cpu, kind, address, error);
	thread_settle(cpu);
}

void gate_return_slow(struct cpu *cpu, long status)
{
	cpu->thread->epoch = cpu->component->epoch;
	thread_leave(cpu, status);
	thread_settle(cpu);
}
