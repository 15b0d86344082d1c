/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Into the guest and out of it.
 *
 *   instruction        CR3      GS, FS, TR     GIF  IF   who gets interrupts
 *   vm_enter         layer's  the guest's     0    1    nobody: they wait
 *   vmrun .. #VMEXIT   guest's  the guest's     1    its  the guest
 *   after              layer's  the guest's     0    1    nobody
 *
 * IF is 1 with GIF = 0: at VMRUN the host's IF is the mask of what the layer intercepts. VMRUN and
 * #VMEXIT exchange rax, rsp, ip, flags, CRs, ES, CS, SS, DS, GDTR and IDTR; what else the guest has
 * in registers stays there, and the layer leaves it alone.
 *
 * QEMU up to 10.1 can lose the signal of a device's interrupt at a #VMEXIT, not the interrupt: its local APIC
 * has it in IRR, and does not tell the processor again until something of it changes. So CR8 is written.
 */
#include <entry/asm.h>
#include <bare-offsets.h> /* generated */

	.section .header, "a", @progbits
	.quad	BARE_MAGIC
	.quad	bare_entry
	.quad	bare_data
	.quad	bare_end

	.text
	.globl	bare_entry
bare_entry:				/* rdi = struct bare_cpu, on its stack */
	mov	%rdi, %rbx
	call	bare_cpu_begin
1:	mov	%rbx, %rdi
	call	vm_enter
	mov	$BARE_PRIORITY, %eax
	mov	%rax, %cr8		/* as it is: the local APIC tells again what waits */
	stgi				/* what waits is taken: trap.S */
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
	jmp	*BARE_LEAVE(%rbx)

/*
 * Waits until something has arrived. What arrives before HLT is taken there, and trap.S goes on behind
 * HLT then: a wait that begins is one in which nothing has come yet.
 */
	.globl	vm_halt, vm_halt_wait
vm_halt:
	stgi
vm_halt_wait:
	hlt
	clgi
	ret

	.globl	vm_enter
vm_enter:
	push_saved
	push	%rdi
	mov	BARE_VMCB_PHYSICAL(%rdi), %rax
	EACH_GUEST(FETCH, BARE, %rdi)
	mov	BARE_DI(%rdi), %rdi
	vmrun
	push	%rdi
	mov	8(%rsp), %rdi
	popq	BARE_DI(%rdi)
	EACH_GUEST(STORE, BARE, %rdi)
	pop	%rdi
	pop_saved
	ret
	.section .note.GNU-stack, "", @progbits
