/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries and exits with page-table isolation. While a component executes at user level, CR3 has this CPU's restricted
 * table (isolate.c). These entries load the component's own table and continue in guard.S. The exits of syscall.S jump
 * here: attach writes the jumps.
 *
 * The code is alone on its pages, because the restricted table maps them. `-` in a column means that rsp is not a stack
 * pointer. IF is 0 in all lines, and `sp0` is the CPU's entry stack.
 *
 *   entry by SYSCALL                    rsp    GS      CR3
 *   isolate_syscall, isolate_cstar      user's user    restricted
 *   swapgs; rsp to sp2 of the TSS       user's kernel  restricted
 *   rsp = CR3 from isolate_data         -      kernel  restricted
 *   mov rsp, cr3                        -      kernel  component's
 *   rsp from sp2                        user's kernel  component's
 *   swapgs; guard_syscall               user's user    component's
 *
 *   entry by the IDT from user level    rsp    GS      CR3
 *   stub, isolate_trap                  sp0    user    restricted    or IST
 *   mov rax, cr3; guard_trap            sp0    user    component's   or IST
 *
 *   exit by SYSRET                      rsp    GS      CR3
 *   isolate_sysret, copy                user's kernel  component's   the copy and isolate_data are incomplete
 *   mov rdx, cr3                        user's kernel  restricted
 *   swapgs; verw; sysretq               user's user    restricted
 *
 *   exit by IRET                        rsp    GS      CR3
 *   isolate_iret                        ours   kernel  component's
 *   frame and registers copied          sp0    kernel  component's
 *   copy                                sp0    kernel  component's   the copy and isolate_data are incomplete
 *   mov rdx, cr3; pop                   sp0    kernel  restricted
 *   swapgs; verw; iretq                 sp0    user    restricted
 *
 * Only an NMI, machine check or debug exception can arrive in these lines. Each finds the kernel's CS in its frame:
 *
 *   1. The processor switches to a stack of the IST. The IDT, the TSS and these stacks are in each table, because
 *      cpu_entry_area and the page of Limpet's IDT are. rsp is stored in the frame and not used. Data on sp0 stay,
 *      because these stacks are others.
 *   2. The stub and isolate_trap execute on that stack. They read only DATA_VECTOR, which is equal in the restricted
 *      table and in isolate_data itself, and use neither GS base nor CR3. So it does not matter which line they
 *      interrupted.
 *   3. Linux's entry is in its entry text, which the restricted table maps. It saves CR3. If bit 12 is set, it clears
 *      the bit. The restricted root is an odd page, and the page before it maps the kernel and no component. A
 *      component's root is an even page, which stays loaded. Then Linux finds its GS base by the CPU's number. It
 *      restores both values before its IRET.
 *   4. A page fault in Linux's handler, such as one of a profiler that reads user memory, arrives in step 2 with the
 *      table of step 3.
 *
 * isolate_data has the CR3 for the next entry from user level. A handler does not return to user level from these
 * lines, so a component never executes on an incomplete copy. An NMI at user level is an entry from there, and the exit
 * after it copies again.
 *
 * A return in the lower half of a cache line can be mispredicted on some processors (ITS), so the returns are in upper
 * halves.
 */
#include <asm/asm-offsets.h>
#include <asm/unwind_hints.h>
#include <entry/asm.h>
#include <host/linux/isolate/ibrs.h>

#define DATA_CR3 isolate_data
#define DATA_VECTOR isolate_data + 8
#define CPU_DATA isolate_cpu
#define CPU_ROOT isolate_cpu + 8
#define CPU_CR3 isolate_cpu + 16

/* The hint is the note of Linux 6.1. */
.macro entry_begin
	UNWIND_HINT_ENTRY
	note_entry
.endm

/* To an address on the stack, in the upper half of a cache line. */
.macro jump_handler
	.balign	64
	.nops	32
	meant
	ret
	int3
.endm

/* GS base = user's. Linux's system call entry uses the same word of the TSS, which user tables map. */
.macro call_enter to:req
	entry_begin
	swapgs
	mov	%rsp, %gs:cpu_tss_rw + TSS_sp2
	mov	DATA_CR3(%rip), %rsp
	mov	%rsp, %cr3
	mov	%gs:cpu_tss_rw + TSS_sp2, %rsp
	swapgs
	jmp	\to
.endm

/*
 * Copies the user half of the component's root, which is loaded, to the restricted root of this CPU, and loads that.
 * The data page gets the CR3 for the next entry. Changes rcx, rdx, rsi and rdi.
 */
.macro restrict
	mov	%cr3, %rsi
	mov	entry_cr3_keep(%rip), %rdx
	or	%rsi, %rdx
	mov	%gs:CPU_DATA, %rdi
	mov	%rdx, (%rdi)
	and	$-4096, %rsi
	add	isolate_offset(%rip), %rsi
	mov	%gs:CPU_ROOT, %rdi
	mov	$256, %ecx
	rep movsq
	mov	%gs:CPU_CR3, %rdx
	mov	%rdx, %cr3
.endm

	.text
	.balign	4096
	.globl	isolate_text
isolate_text:
	entry_stub_table isolate_stubs, isolate_trap

	.balign	64
isolate_trap:
	testb	$3, F_CS(%rsp)
	jz	1f
	entry_begin			/* not for the other way, which returns before Linux's entry untrains: see CAVEATS.md */
	push	%rax
	mov	DATA_CR3(%rip), %rax
	mov	%rax, %cr3
	pop	%rax
	jmp	guard_trap
1:	ibrs_keep
	pass_exception DATA_VECTOR, jump_handler	/* the restricted table maps this data */

CODE(isolate_syscall)
	call_enter guard_syscall
CODE(isolate_cstar)
	call_enter guard_cstar

/* In place of `swapgs; sysretq`. rdx, rsi, rdi and r8 are 0. */
	.globl	isolate_sysret
	.balign	64
isolate_sysret:
	no_target
	mov	%rcx, %r8
	ibrs_exit
	restrict
	mov	%r8, %rcx
	xor	%r8d, %r8d
	xor	%edx, %edx
	xor	%esi, %esi
	xor	%edi, %edi
	swapgs
	verw	isolate_selector(%rip)
	sysretq

/* In place of `swapgs; iretq`. The frame moves to the CPU's entry stack, which the restricted table maps. */
	.globl	isolate_iret
	.balign	64
isolate_iret:
	no_target
	push	%rdi
	mov	%rsp, %rdi
	mov	%gs:cpu_tss_rw + TSS_sp0, %rsp
	push	40(%rdi)
	push	32(%rdi)
	push	24(%rdi)
	push	16(%rdi)
	push	8(%rdi)
	push	(%rdi)
	push	%rcx
	push	%rdx
	push	%rsi
	ibrs_exit
	restrict
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rdi
	swapgs
	verw	isolate_selector(%rip)
	iretq

isolate_selector:
	.word	KERNEL_SS
	.org	isolate_text + 2 * 4096, 0xcc	/* TEXT_PAGES */
	.globl	isolate_text_end
isolate_text_end:
	.section .note.GNU-stack, "", @progbits
