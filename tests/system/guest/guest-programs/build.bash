# SPDX-License-Identifier: GPL-2.0
# Assembles, links and runs a program.
cat >program.s <<'END'
	.globl _start
	.text
_start:	mov $1, %eax
	mov $1, %edi
	lea text(%rip), %rsi
	mov $length, %edx
	syscall
	mov $60, %eax
	mov $5, %edi
	syscall
	.data
text:	.ascii "built and run\n"
	length = . - text
END
for i in $(seq "$BUILDS"); do
	as -o program.o program.s && ld -o program program.o && ./program
	echo "status $?"
done
cksum <program.o
