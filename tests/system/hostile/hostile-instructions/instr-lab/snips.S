/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pieces. Each is copied to DOMAIN_CODE of the victim, followed by the trailer, and invoked. Therefore it must not
 * refer to addresses outside itself. In the victim's table slot 8 is a gate to the server. rsp is the top of the
 * victim's stack. The data pages are zero, or hold the data of earlier pieces.
 *
 * The outcomes are those of processors and of QEMU 7.2. QEMU 7.2 does not support #XM, #AC and INT1. It ignores MXCSR's
 * reserved bits, and limits and null selectors in 32-bit code.
 */
#include "snip_asm.h"

	.macro	snip name, allowed
	.pushsection .rodata.piece_names, "a", @progbits
880:	.asciz	"\name"
	.popsection
	.set	snip_allowed, \allowed
	.section .rodata.piece_code, "a", @progbits
881:
	.endm

	.macro	endsnip
882:	.pushsection .data.rel.ro.snips, "aw", @progbits
	.quad	880b, 881b, 882b, snip_allowed
	.popsection
	.endm

/* One instruction that must cause this fault. */
	.macro	one name, allowed, code:vararg
	snip	"\name", \allowed
	.irp	instruction, \code
	\instruction
	.endr
	endsnip
	.endm

	.section .data.rel.ro.snips, "aw", @progbits
	.balign	8
	.globl	snips
	.hidden	snips
snips:
	.section .rodata.piece_code, "a", @progbits

/* --- privileged instructions --- */

	one	"hlt", GP, "hlt"
	one	"cli", GP, "cli"
	one	"sti", GP, "sti"
	one	"in al, imm", GP, "in $0x80, %al"
	one	"in eax, dx", GP, "in %dx, %eax"
	one	"out imm, al", GP, "out %al, $0x80"
	one	"out dx, eax", GP, "out %eax, %dx"
	one	"insb", GP, "insb"
	one	"outsl", GP, "outsl"
	one	"rep insb", GP, "movl $4, %ecx", "movl $DOMAIN_DATA, %edi", "rep insb"
	one	"mov cr0, rax", GP, "mov %cr0, %rax"
	one	"mov cr2, rax", GP, "mov %cr2, %rax"
	one	"mov cr3, rax", GP, "mov %cr3, %rax"
	one	"mov cr4, rax", GP, "mov %cr4, %rax"
	one	"mov cr8, rax", GP, "mov %cr8, %rax"
	one	"mov rax, cr0", GP, "mov %rax, %cr0"
	one	"mov rax, cr2", GP, "mov %rax, %cr2"
	one	"mov rax, cr3", GP, "mov %rax, %cr3"
	one	"mov rax, cr4", GP, "mov %rax, %cr4"
	one	"mov rax, cr8", GP, "mov %rax, %cr8"
	one	"mov dr0, rax", GP, "mov %db0, %rax"
	one	"mov dr6, rax", GP, "mov %db6, %rax"
	one	"mov dr7, rax", GP, "mov %db7, %rax"
	one	"mov rax, dr0", GP, "mov %rax, %db0"
	one	"mov rax, dr6", GP, "mov %rax, %db6"
	one	"mov rax, dr7", GP, "mov %rax, %db7"
	one	"lmsw", GP, "lmsw %ax"
	one	"clts", GP, "clts"
	one	"rdmsr lstar", GP, "movl $0xc0000082, %ecx", "rdmsr"
	one	"wrmsr lstar", GP, "movl $0xc0000082, %ecx", "wrmsr"
	one	"wrmsr gs base", GP, "movl $0xc0000101, %ecx", "wrmsr"
	one	"lgdt", GP, "movl $DOMAIN_DATA, %edi", "lgdt (%rdi)"
	one	"lidt", GP, "movl $DOMAIN_DATA, %edi", "lidt (%rdi)"
	one	"lldt", GP, "xorl %eax, %eax", "lldt %ax"
	one	"ltr", GP, "movl $0x40, %eax", "ltr %ax"
	one	"invlpg", GP, "invlpg (%rsp)"
	one	"invd", GP, "invd"
	one	"wbinvd", GP, "wbinvd"
	one	"invpcid", GP|UD, "movl $2, %eax", "movl $DOMAIN_DATA, %edi", "invpcid (%rdi), %rax"
	one	"swapgs", GP, "swapgs"
	one	"sysretq", GP, "sysretq"
	one	"sysretl", GP, "sysretl"
	one	"sysexit", GP|UD, "sysexitl"
	one	"sysexitq", GP|UD, "sysexitq"
	one	"xsetbv", GP, "xorl %ecx, %ecx", "movl $1, %eax", "xorl %edx, %edx", "xsetbv"
	one	"clac", UD, "clac"
	one	"stac", UD, "stac"
	one	"rsm", UD, "rsm"
	one	"monitor", UD|GP, "monitor"
	one	"mwait", UD|GP, "mwait"
	one	"vmrun", UD|GP, "vmrun"
	one	"vmload", UD|GP, "vmload"
	one	"vmsave", UD|GP, "vmsave"
	one	"stgi", UD|GP, "stgi"
	one	"clgi", UD|GP, "clgi"
	one	"skinit", UD|GP, "skinit"
	one	"invlpga", UD|GP, "invlpga"
	one	"vmmcall", UD|DONE, "vmmcall"
	one	"vmcall", UD|DONE, "vmcall"
	one	"vmxon", UD|GP, "movl $DOMAIN_DATA, %edi", "vmxon (%rdi)"
	one	"vmlaunch", UD|GP, "vmlaunch"
	one	"vmread", UD|GP, "vmread %rax, %rcx"
	one	"vmfunc", UD|GP, "vmfunc"
	one	"encls", UD|GP, ".byte 0x0f, 0x01, 0xcf"
	one	"getsec", UD|GP, "getsec"
	one	"rdpkru", UD, "xorl %ecx, %ecx", "rdpkru"
	one	"wrpkru", UD, "xorl %ecx, %ecx", "xorl %edx, %edx", "movl $-1, %eax", "wrpkru"
	one	"rdpmc", GP|DONE, "xorl %ecx, %ecx", "rdpmc"
	one	"sgdt", GP|DONE, "sgdt -64(%rsp)"
	one	"sidt", GP|DONE, "sidt -64(%rsp)"
	one	"sldt", GP|DONE, "sldt %eax"
	one	"str", GP|DONE, "str %eax"
	one	"smsw", GP|DONE, "smsw %eax"
	one	"rdtscp", DONE|UD, "rdtscp"
	one	"rdpid", DONE|UD, "rdpid %rax"
	one	"cpuid", DONE, "xorl %eax, %eax", "cpuid"
	one	"umonitor", DONE|UD, "umonitor %rsp"
	one	"tpause", DONE|UD|GP, "xorl %eax, %eax", "xorl %edx, %edx", "tpause %ecx"
	one	"lar", DONE, "movl $0x10, %eax", "lar %eax, %ecx"
	one	"lsl", DONE, "movl $0x7b, %eax", "lsl %eax, %ecx"
	one	"verr", DONE, "movl $0x10, %eax", "verr %ax"
	one	"verw", DONE, "movl $0x18, %eax", "verw %ax"

/* --- exceptions --- */

	one	"divide error", DE, "xorl %ecx, %ecx", "divl %ecx"
	one	"divide overflow", DE, "movl $1, %ecx", "movl $-1, %edx", "divl %ecx"
	one	"int1", DB|UD, ".byte 0xf1"
	one	"int3", BP, "int3"
	one	"int 3, long form", BP, ".byte 0xcd, 3"
	one	"into in 64-bit mode", UD, ".byte 0xce"
	one	"ud0", UD|PF, ".byte 0x0f, 0xff, 0xc0"
	one	"ud1", UD, ".byte 0x0f, 0xb9, 0xc0"
	one	"ud2", UD, "ud2"
	one	"lock on a register", UD, ".byte 0xf0, 0x01, 0xc0"
	one	"16 bytes long", GP|UD, ".fill 15, 1, 0x66", "nop"
	one	"push of rubbish segment", UD, ".byte 0x06"
	one	"sysenter", GP|UD, "sysenter"

	snip	"vector arithmetic error", XM|DONE
	movl	$0, -8(%rsp)
	ldmxcsr	-8(%rsp)
	xorps	%xmm0, %xmm0
	divps	%xmm0, %xmm0
	endsnip

	snip	"floating-point error", MF
	movw	$0x0300, -8(%rsp)
	fldcw	-8(%rsp)
	fld1
	fldz
	fdivrp
	fwait
	endsnip

	snip	"floating-point error that stays pending", DONE
	fninit
	movw	$0x0300, -8(%rsp)
	fldcw	-8(%rsp)
	fld1
	fldz
	fdivrp
	mov	$NOP_CALL, %rax
	syscall
	mov	$INVOKE_SERVER, %rax
	syscall
	endsnip

	one	"ldmxcsr of reserved bits", GP|DONE, "movl $-1, -8(%rsp)", "ldmxcsr -8(%rsp)"
	one	"unaligned vector", GP, "movaps 1(%rsp), %xmm0"
	one	"fxrstor of rubbish", GP|DONE, "movl $DOMAIN_DATA, %edi", "fxrstor64 (%rdi)", "fninit"

	snip	"unaligned access with AC", AC|DONE
	pushf
	orl	$0x40000, (%rsp)
	popf
	mov	-15(%rsp), %rax
	endsnip

	snip	"stack fault", SS|GP
	movabs	$NO_ADDRESS, %rbp
	mov	(%rbp), %rax
	endsnip

	snip	"push to no address", SS|GP
	movabs	$NO_ADDRESS, %rsp
	push	%rax
	endsnip

	snip	"call with no stack", SS|GP
	movabs	$NO_ADDRESS, %rsp
	call	1f
1:
	endsnip

/* --- flags --- */

	snip	"popf takes no privilege", DONE
	pushq	$FLAGS_ALL & ~FLAG_TF | 0x3000
	popf
	pushf
	pop	%rcx
	cld
	test	$0x3000, %ecx
	jz	1f
	end	78
1:	test	$0x200, %ecx
	jnz	1f
	end	79
1:
	endsnip

	snip	"popf, then cli", GP
	pushq	$0x3002
	popf
	cli
	endsnip

	snip	"kernel calls clear the flags", DONE
	pushq	$FLAGS_ALL & ~FLAG_TF
	popf
	mov	$NOP_CALL, %rax
	syscall
	pushf
	pop	%rcx
	cmp	$0x202, %rcx
	je	1f
	end	78
1:
	endsnip

	snip	"the server sees none of our flags", DONE
	pushq	$FLAGS_ALL
	mov	$INVOKE_SERVER, %rax
	popf
	syscall
	pushf
	pop	%rcx
	cmp	$0x202, %rcx
	je	1f
	end	78
1:	cmp	$0x202, %rbx
	je	1f
	end	79
1:
	endsnip

	snip	"single step over a kernel call", DONE
	mov	$NOP_CALL, %rax
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	syscall
	pushf
	pop	%rcx
	cmp	$0x202, %rcx
	je	1f
	end	78
1:
	endsnip

	snip	"single step over the return", DONE
	mov	$77, %r13d
	mov	$RETURN_CALL, %rax
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	syscall
	endsnip

	snip	"single step over a refused invocation", DONE
	mov	$-60, %rax
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	syscall
	endsnip

	snip	"single step over a foreign system call", SYSCALL|DB
	xorl	%eax, %eax
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	syscall
	endsnip

	snip	"single step over sysenter", GP|UD|DB
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	sysenter
	endsnip

	snip	"single step", DB
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	nop
	nop
	endsnip

	snip	"single step and a fault", UD|DB
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	ud2
	endsnip

	snip	"single step and int3", BP|DB
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	int3
	endsnip

	snip	"single step and int1", DB|UD
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	.byte	0xf1
	endsnip

	snip	"single step, stack segment, kernel call", DONE|DB
	mov	%ss, %ecx
	mov	$NOP_CALL, %rax
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	mov	%ecx, %ss
	syscall
	pushf
	pop	%rcx
	cmp	$0x202, %rcx
	je	1f
	end	78
1:
	endsnip

	snip	"single step, stack segment, invocation", DONE|DB
	mov	%ss, %ecx
	mov	$INVOKE_SERVER, %rax
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	mov	%ecx, %ss
	syscall
	cmp	$0x202, %rbx
	je	1f
	end	79
1:
	endsnip

	snip	"single step, stack segment, int3", BP|DB
	mov	%ss, %ecx
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	mov	%ecx, %ss
	int3
	endsnip

	snip	"single step, stack segment, int 0x80", GP|DB
	mov	%ss, %ecx
	pushf
	orl	$FLAG_TF, (%rsp)
	popf
	mov	%ecx, %ss
	int	$0x80
	endsnip

	one	"stack segment, ud2", UD, "mov %ss, %ecx", "mov %ecx, %ss", "ud2"

	snip	"backwards over kernel calls and faults", PF
	std
	mov	$NOP_CALL, %rax
	syscall
	std
	xorl	%edi, %edi
	movl	$4, %ecx
	rep stosb
	endsnip

/* --- system calls --- */

	snip	"no such kernel call", DONE
	mov	$BEYOND_CALLS, %rax
	syscall
	cmp	$-13, %rax		/* LIMPET_ECALL */
	je	1f
	end	78
1:	mov	$1, %eax
	shl	$63, %rax
	syscall
	cmp	$-13, %rax
	je	1f
	end	79
1:
	endsnip

	snip	"no such slot", DONE
	mov	$-1, %rax
	syscall
	cmp	$-1, %rax		/* LIMPET_ESLOT */
	je	1f
	end	78
1:	mov	$-4095, %rax
	syscall
	cmp	$-1, %rax
	je	1f
	end	79
1:
	endsnip

	one	"system call 0", SYSCALL, "xorl %eax, %eax", "syscall"
	one	"system call 231", SYSCALL, "movl $231, %eax", "syscall"
	one	"system call 2^31", SYSCALL, "movl $0x80000000, %eax", "syscall"
	one	"system call 2^63 - 1", SYSCALL, "movl $-1, %eax", "shr %rax", "mov $-1, %rax", "shr %rax", "syscall"
	one	"int 0x80", GP, "xorl %eax, %eax", "int $0x80"

	snip	"vsyscall", PF
	mov	$0xffffffffff600000, %rax
	call	*%rax
	endsnip

/* --- jumps --- */

	snip	"jump to no address", GP
	movabs	$NO_ADDRESS, %rax
	jmp	*%rax
	endsnip

	snip	"jump just above user addresses", GP|PF
	movabs	$NO_ADDRESS_LOW, %rax
	jmp	*%rax
	endsnip

	snip	"return to no address", GP|SS
	movabs	$NO_ADDRESS, %rax
	push	%rax
	ret
	endsnip

	snip	"jump to the kernel", PF
	movabs	$KERNEL_TEXT, %rax
	jmp	*%rax
	endsnip

	snip	"jump to the last page", PF
	movabs	$0x7ffffffff000, %rax
	jmp	*%rax
	endsnip

	snip	"far return to kernel code", GP
	pushq	$0x10
	pushq	$DOMAIN_CODE
	lretq
	endsnip

	snip	"far return to 32-bit kernel code", GP
	pushq	$0x08
	pushq	$DOMAIN_CODE
	lretq
	endsnip

	snip	"far return to data", GP
	pushq	$0x2b
	pushq	$DOMAIN_CODE
	lretq
	endsnip

	snip	"far return to nothing", GP
	pushq	$0
	pushq	$DOMAIN_CODE
	lretq
	endsnip

	snip	"far return to no address", GP
	pushq	$0x33
	movabs	$NO_ADDRESS, %rax
	push	%rax
	lretq
	endsnip

	snip	"far return to ourselves", DONE
	pushq	$0x33
	pushq	$DOMAIN_CODE + (1f - 881b)
	lretq
1:
	endsnip

	snip	"far call to kernel code", GP
	movl	$DOMAIN_CODE, -16(%rsp)
	movw	$0x10, -12(%rsp)
	lcall	*-16(%rsp)
	endsnip

	snip	"far call to the task segment", GP
	movl	$DOMAIN_CODE, -16(%rsp)
	movw	$0x40, -12(%rsp)
	lcall	*-16(%rsp)
	endsnip

	snip	"far jump to the task segment", GP
	movl	$DOMAIN_CODE, -16(%rsp)
	movw	$0x43, -12(%rsp)
	ljmp	*-16(%rsp)
	endsnip

	.macro	ireturn name, allowed, cs, ss, flags
	snip	"\name", \allowed
	mov	%rsp, %rcx
	pushq	$\ss
	push	%rcx
	pushq	$\flags
	pushq	$\cs
	pushq	$DOMAIN_CODE + (1f - 881b)
	iretq
1:
	endsnip
	.endm

	ireturn	"iret to ourselves", DONE, 0x33, 0x2b, 0x202
	ireturn	"iret to kernel code", GP, 0x10, 0x18, 0x202
	ireturn	"iret to kernel code, user stack", GP, 0x10, 0x2b, 0x202
	ireturn	"iret to user code, kernel stack", GP, 0x33, 0x18, 0x202
	ireturn	"iret to no stack segment", GP|SS, 0x33, 0, 0x202
	ireturn	"iret to data", GP, 0x2b, 0x2b, 0x202
	ireturn	"iret to nothing", GP, 0, 0x2b, 0x202
	ireturn	"iret with interrupts off", DONE, 0x33, 0x2b, 0x002
	ireturn	"iret with single step", DB, 0x33, 0x2b, 0x302
	ireturn	"iret with RF", DONE, 0x33, 0x2b, 0x10202
	ireturn	"iret to VM86", GP|DONE, 0x33, 0x2b, 0x20202

	snip	"iret takes no privilege", DONE
	mov	%rsp, %rcx
	pushq	$0x2b
	push	%rcx
	pushq	$0x3002
	pushq	$0x33
	pushq	$DOMAIN_CODE + (1f - 881b)
	iretq
1:	pushf
	pop	%rcx
	and	$0x3200, %ecx
	cmp	$0x200, %ecx
	je	1f
	end	78
1:
	endsnip

	snip	"iret in a nested task", GP
	pushq	$0x4202
	popf
	mov	%rsp, %rcx
	pushq	$0x2b
	push	%rcx
	pushq	$0x202
	pushq	$0x33
	pushq	$DOMAIN_CODE + (1f - 881b)
	iretq
1:
	endsnip

	snip	"kernel calls and faults in a nested task", BP
	pushq	$0x4202
	popf
	mov	$NOP_CALL, %rax
	syscall
	pushq	$0x4202
	popf
	int3
	endsnip

	snip	"iret to no address", GP
	mov	%rsp, %rcx
	movabs	$NO_ADDRESS, %rax
	pushq	$0x2b
	push	%rcx
	pushq	$0x202
	pushq	$0x33
	push	%rax
	iretq
	endsnip

	snip	"iret to a kernel stack", DONE
	movabs	$DIRECT_MAP, %rcx
	pushq	$0x2b
	push	%rcx
	pushq	$0x202
	pushq	$0x33
	pushq	$DOMAIN_CODE + (1f - 881b)
	iretq
1:	mov	$NOP_CALL, %rax
	syscall
	endsnip

/* --- 32-bit code, which starts and ends in 64-bit code --- */

	.macro	to_compat		/* to label 1 */
	movl	$DOMAIN_CODE + (1f - 881b), -16(%rsp)
	movl	$0x23, -12(%rsp)
	ljmp	*-16(%rsp)
	.endm

	.macro	compat name, allowed, code:vararg
	snip	"32-bit: \name", (\allowed)|MODE
	to_compat
	.code32
1:
	.irp	instruction, \code
	\instruction
	.endr
	ljmp	$0x33, $DOMAIN_CODE + (2f - 881b)
	.code64
2:
	endsnip
	.endm

	compat	"nothing", DONE, "nop"
	compat	"hlt", GP, "hlt"
	compat	"int 0x80", GP, "movl $1, %eax", "int $0x80"
	compat	"sysenter", GP|UD, "movl $1, %eax", "sysenter"
	compat	"system call", UD, "movl $-1, %eax", "syscall"
	compat	"system call, as NOP", UD, "movl $-4097, %eax", "syscall"
	compat	"system call, as RETURN", UD, "movl $-4096, %eax", "syscall"
	compat	"int3", BP, "int3"
	compat	"int1", DB|UD, ".byte 0xf1"
	compat	"into", OF, "movb $0x7f, %al", "addb $1, %al", "into"
	compat	"bound", BR, "movl $9, %eax", "movl $0, -8(%esp)", "movl $1, -4(%esp)", "bound %eax, -8(%esp)"
	compat	"ud2", UD, "ud2"
	compat	"divide error", DE, "xorl %ecx, %ecx", "divl %ecx"
	compat	"page fault", PF, "movl 0, %eax"
	compat	"cli", GP, "cli"
	compat	"far call to kernel code", GP, "lcall $0x10, $DOMAIN_CODE"
	compat	"far jump to 32-bit kernel code", GP, "ljmp $0x08, $DOMAIN_CODE"
	compat	"far jump to the task segment", GP, "ljmp $0x40, $0"
	compat	"data segment 0x2b", DONE, "movl $0x2b, %eax", "movl %eax, %ds", "movl %eax, %es"
	compat	"data segment 0", GP|DONE, "xorl %eax, %eax", "movl %eax, %ds", "movl DOMAIN_DATA, %eax"
	compat	"gs 0x2b", DONE, "movl $0x2b, %eax", "movl %eax, %gs"
	compat	"stack segment 0x18", GP, "movl $0x18, %eax", "movl %eax, %ss"
	compat	"limit of the CPU segment", GP|NP|PF, "movl $0x7b, %eax", "movl %eax, %fs", "movl %fs:0xffff0000, %eax"
	compat	"lldt", GP, "xorl %eax, %eax", "lldt %ax"
	compat	"arpl", DONE|UD, "arpl %ax, %cx"
	compat	"wrap around", PF|GP, "movl $0xfffffff0, %eax", "jmp *%eax"
	compat	"single step", DB, "pushf", "orl $FLAG_TF, (%esp)", "popf", "nop", "nop"
	compat	"single step over a system call", UD|DB, "movl $-1, %eax", "pushf", "orl $FLAG_TF, (%esp)", "popf", "syscall"
	compat	"single step over sysenter", GP|UD|DB, "pushf", "orl $FLAG_TF, (%esp)", "popf", "sysenter"
	compat	"iret to kernel code", GP, "pushf", "pushl $0x10", "pushl $DOMAIN_CODE", "iret"
	compat	"iret to VM86", GP|DONE|PF, "pushl $0x20202", "pushl $0x23", "pushl $DOMAIN_CODE + (1f - 881b)", "iret", "1:"
	compat	"64-bit thread pointers", DONE|UD, ".byte 0xf3, 0x0f, 0xae, 0xd8"

	snip	"32-bit: for ever", MODE
	to_compat
	.code32
1:	jmp	1b
	.code64
	endsnip

	snip	"32-bit: system call with an upper half", UD|MODE
	mov	$-1, %rax
	mov	%rax, %rsp
	movl	$DOMAIN_DATA + 256, %esp
	to_compat
	.code32
1:	syscall
	.code64
	endsnip

	.section .data.rel.ro.snips, "aw", @progbits
	.globl	snips_end
	.hidden	snips_end
snips_end:
	.section .note.GNU-stack, "", @progbits
