/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches between Linux on the processor and Linux as the guest of the layer. This code is at the
 * same address in both page tables. It must not cross a page, and must not call functions.
 */
#include <bare-offsets.h> /* generated */
#include <entry/notes.h>
#include <entry/registers.h>
#define MSR_EFER 0xc0000080
#define EFER_SVME 0x1000
#define CR4_PGE 0x80

	.text
	.balign	512
	.globl	bare_switch
bare_switch:

/*
 * long bare_launch(const struct bare_launch *l): returns as guest, 0; or, much later and on the bare
 * processor, from the VMMCALL that leaves. IF = 0, AMD-V is on, the control block has all but sp, ip
 * and flags.
 */
	.globl	bare_launch
bare_launch:
	endbr64
	pushfq
	push_saved
	mov	LAUNCH_VMCB(%rdi), %rsi
	mov	%rsp, VMCB_SP(%rsi)
	lea	1f(%rip), %rax
	mov	%rax, VMCB_IP(%rsi)
	pushfq
	popq	VMCB_FLAGS(%rsi)
	mov	LAUNCH_STACK(%rdi), %rsp
	mov	LAUNCH_ENTRY(%rdi), %rdx
	mov	LAUNCH_CR3(%rdi), %rax
	mov	LAUNCH_CPU(%rdi), %rdi
	clgi
	sti				/* with GIF = 0: see vmrun.S */
	mov	%rax, %cr3
	meant
	jmp	*%rdx
	int3
1:	no_target
	pop_saved
	popfq
	xor	%eax, %eax
	meant
	ret
	int3

/*
 * Makes the guest the bare processor's program again. rdi = struct bare_cpu, at an address that
 * both page tables have, as the stack is. FS, GS, TR, LDTR and the system call MSRs were Linux's
 * all the time.
 */
	.globl	bare_leave
bare_leave:
	endbr64
	mov	BARE_VMCB(%rdi), %rsi
	mov	VMCB_CR3(%rsi), %rax
	mov	%rax, %cr3
	mov	VMCB_CR4(%rsi), %rax
	mov	%rax, %rcx
	and	$~CR4_PGE, %rcx
	mov	%rcx, %cr4		/* also flushes older global translations */
	mov	%rax, %cr4
	mov	VMCB_CR0(%rsi), %rax
	mov	%rax, %cr0
	mov	VMCB_CR2(%rsi), %rax
	mov	%rax, %cr2
	mov	VMCB_DR7(%rsi), %rax
	mov	%rax, %dr7
	mov	VMCB_DR6(%rsi), %rax
	mov	%rax, %dr6
	mov	VMCB_GDTR_LIMIT(%rsi), %eax
	mov	%ax, -10(%rsp)
	mov	VMCB_GDTR_BASE(%rsi), %rax
	mov	%rax, -8(%rsp)
	lgdt	-10(%rsp)
	mov	VMCB_IDTR_LIMIT(%rsi), %eax
	mov	%ax, -10(%rsp)
	mov	VMCB_IDTR_BASE(%rsi), %rax
	mov	%rax, -8(%rsp)
	lidt	-10(%rsp)
	movzwl	VMCB_DS(%rsi), %eax
	mov	%eax, %ds
	movzwl	VMCB_ES(%rsi), %eax
	mov	%eax, %es
	cli
	stgi
	mov	VMCB_EFER(%rsi), %eax
	and	$~EFER_SVME, %eax
	xor	%edx, %edx
	mov	$MSR_EFER, %ecx
	wrmsr
	mov	VMCB_SP(%rsi), %rsp
	pushq	VMCB_IP(%rsi)
	pushq	VMCB_FLAGS(%rsi)
	mov	VMCB_AX(%rsi), %rax
	EACH_GUEST(FETCH, BARE, %rdi)
	mov	BARE_DI(%rdi), %rdi
	popfq
	meant
	ret
	int3
	.globl	bare_switch_end
bare_switch_end:
	.if	bare_switch_end - bare_switch > 512
	.error	"the code that switches page tables may cross a page"
	.endif
	.section .note.GNU-stack, "", @progbits
