/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enters the guest and returns after its exit.
 *
 *   instruction        CR3      GS, FS, TR     GIF  IF   interrupts
 *   vm_enter           layer's  the guest's     0    1    pending
 *   vmrun .. #VMEXIT   guest's  the guest's     1    its  the guest's
 *   after              layer's  the guest's     0    1    pending
 *
 * IF is 1 with GIF = 0, because at VMRUN the host's IF is the mask of intercepted interrupts. VMRUN and #VMEXIT
 * exchange rax, rsp, ip, flags, CRs, ES, CS, SS, DS, GDTR and IDTR. The guest's other registers stay in the
 * processor, and the layer does not use them.
 *
 * QEMU up to 10.1 can lose the signal of a device's interrupt at a #VMEXIT. The interrupt stays in IRR of its local
 * APIC, which does not signal it again until its state changes. Therefore the layer writes CR8.
 */
#include <entry/asm.h>
#include <bare-offsets.h> /* generated */

	.text
	.globl	bare_entry
bare_entry:				/* rdi = struct bare_cpu, on its stack */
	mov	%rdi, %rbx
	call	bare_cpu_begin
1:	mov	%rbx, %rdi
	call	vm_enter
	mov	$BARE_PRIORITY, %eax
	mov	%rax, %cr8		/* unchanged; the local APIC signals pending interrupts again */
	stgi				/* takes pending interrupts: trap.S */
	nop
	clgi
	mov	%rbx, %rdi
	call	bare_exit
	test	%al, %al
	jnz	1b
	stgi
	nop
	clgi
	mov	%rbx, %rdi
	call	bare_cpu_end
	mov	%rbx, %rdi
	push	BARE_LEAVE(%rbx)
	jmp	__x86_return_thunk

/*
 * Waits until an interrupt, NMI or machine check has arrived. If one arrives before HLT, trap.S takes it and skips HLT.
 * Therefore HLT is executed only if none of them has arrived yet.
 */
	.globl	vm_halt, vm_halt_wait
vm_halt:
	stgi
vm_halt_wait:
	hlt
	clgi
	jmp	__x86_return_thunk

	.globl	vm_enter
vm_enter:
	push_saved
	push	%rdi
	mov	BARE_VMCB_PHYSICAL(%rdi), %rax
	EACH_GUEST(FETCH, BARE, %rdi)
	mov	BARE_DI(%rdi), %rdi
	vmrun
	note_entry
	.globl	vm_exit_guard, vm_exit_fill
vm_exit_guard:
	untrain_here			/* before the first return after the guest */
1:	push	%rdi
	mov	8(%rsp), %rdi
	popq	BARE_DI(%rdi)
	EACH_GUEST(STORE, BARE, %rdi)
	pop	%rdi
	pop_saved
	jmp	__x86_return_thunk

/*
 * The guest can leave return addresses in the return stack buffer, and the processor would predict the layer's returns
 * by them. Where Linux fills the buffer after VMRUN, attach writes a jump to here at vm_exit_guard
 * (host/linux/beneath/guard.c).
 */
vm_exit_fill:
	note_entry
	fill_returns %eax
	untrain_here
	jmp	1b
	.section .note.GNU-stack, "", @progbits
