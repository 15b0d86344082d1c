/* SPDX-License-Identifier: GPL-2.0 */
/*
 * long host_park(int fd, unsigned long fs_base)
 *
 * Components run at the first `syscall`. After it only rsp and the stack have their old values, so the stack holds
 * all data of the loop. Two instructions lead from the return of fdatasync to the park. Do not add more, because each
 * wake-up executes them.
 */
#include <sys/syscall.h>
#define EINTR 4 /* <errno.h> is not for assembly */
#define ARCH_SET_FS 0x1002 /* <asm/prctl.h> is not on musl-gcc's path */

/* Layout of the stack. */
#define FD 0
#define FS_BASE 8
#define MXCSR 16
#define X87_CONTROL 20
#define FRAME 24

	.text
	.globl host_park, host_park_ip, host_resume_ip
	.type host_park, @function
host_park:
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	pushfq
	sub $FRAME, %rsp
	mov %rdi, FD(%rsp)
	mov %rsi, FS_BASE(%rsp)
	stmxcsr MXCSR(%rsp)
	fnstcw X87_CONTROL(%rsp)

host_park_ip:
	or $-1, %rax
park:
	syscall
host_resume_ip:
	sar $63, %rax /* -ENOSYS from Linux: fsync, which arms the hook again */
	add $SYS_fdatasync, %eax
	mov FD(%rsp), %rdi
	syscall
	sub $1, %rax /* its 0 becomes the -1 that parks */
	jc park
	cmp $(-EINTR - 1), %rax
	je host_resume_ip

	/* Leaves: restores the registers that C's calling convention preserves. */
	lea 1(%rax), %rbx
	mov $SYS_arch_prctl, %eax
	mov $ARCH_SET_FS, %edi
	mov FS_BASE(%rsp), %rsi
	syscall
	mov %rbx, %rax
	fninit
	fldcw X87_CONTROL(%rsp)
	ldmxcsr MXCSR(%rsp)
	add $FRAME, %rsp
	popfq
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.size host_park, . - host_park

	.section .note.GNU-stack, "", @progbits
