// SPDX-License-Identifier: GPL-2.0
/*
 * Tests 32-bit system calls: int 0x80 from 64-bit code, and int 0x80, SYSENTER and SYSCALL from 32-bit code. Argument:
 * plain (not a guest), clear or set (the last bit of the filter). If the bit is clear they work as without Limpet.
 * Otherwise they fail with ENOSYS. SYSENTER fails with SIGSEGV in each guest. An unsupported instruction fails with
 * SIGILL.
 */
#include "tests/system/lib/guest.h"

#define CALL32_GETPID 20

#define EXITED_GOOD (42 << 8)

static bool set, has_syscall;

/* --- int 0x80 in 64-bit code */

static long int80(long number)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "0"(number)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void check_int80(void)
{
	for (int i = 0; i < 100; i++)
		EQUAL(int80(CALL32_GETPID), set ? -ENOSYS : getpid());
	EQUAL(int80(100000), -ENOSYS);
}

/* Tests that registers keep their values. */
static void check_int80_registers(void)
{
	uint64_t in[8], out[8], seed = 5;
	long result;

	for (int i = 0; i < 8; i++)
		in[i] = random_next(&seed);
	__asm__ volatile(
		"push %%rbp; push %%rbx\n"
		"mov %2, %%rcx; mov %3, %%r15\n"
		"mov (%%rcx), %%rbx; mov 8(%%rcx), %%rdx; mov 16(%%rcx), %%rsi; mov 24(%%rcx), %%rdi\n"
		"mov 32(%%rcx), %%rbp; mov 40(%%rcx), %%r12; mov 48(%%rcx), %%r13; mov 56(%%rcx), %%r14\n"
		"int $0x80\n"
		"mov %%rbx, (%%r15); mov %%rdx, 8(%%r15); mov %%rsi, 16(%%r15); mov %%rdi, 24(%%r15)\n"
		"mov %%rbp, 32(%%r15); mov %%r12, 40(%%r15); mov %%r13, 48(%%r15); mov %%r14, 56(%%r15)\n"
		"pop %%rbx; pop %%rbp\n"
		: "=a"(result)
		: "0"((long)CALL32_GETPID), "r"(in), "r"(out)
		: "memory", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
		  "r14", "r15");
	EQUAL(result, set ? -ENOSYS : getpid());
	EXPECT(!memcmp(in, out, sizeof(in)));
}

/* --- 32-bit code in a 64-bit process */

/* Each jumps to 32-bit code, makes the call with the number in eax, and returns. */
__asm__(".text\n"
	".macro in32 name, instruction:vararg\n"
	"\\name:\n"
	"	push %rbx; push %rbp; push %r12; mov %rsp, %r12\n"
	"	mov %rsi, %rsp\n" /* a stack below 4 GiB */
	"	mov %edi, %eax\n"
	"	ljmpl *3f(%rip)\n" /* QEMU 7.2 checks the rights of the kernel in LRET and IRET */
	".code32\n"
	"1:	mov $0x2b, %ecx; mov %ecx, %ds; mov %ecx, %es; mov %ecx, %ss\n"
	"	\\instruction\n"
	"	ljmp $0x33, $2f\n"
	".code64\n"
	"2:	mov %r12, %rsp; pop %r12; pop %rbp; pop %rbx; cltq; ret\n"
	"3:	.long 1b; .word 0x23\n"
	".endm\n"
	"in32 int80_32, int $0x80\n"
	"in32 syscall_32, .byte 0x0f, 0x05\n");

long int80_32(long number, void *stack);
long syscall_32(long number, void *stack);

static void *low_stack(void)
{
	uint8_t *at = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (at == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return at + 65536 - 64;
}

static void check_mixed(void)
{
	void *stack = low_stack();

	section("int 0x80 in 32-bit code");
	for (int i = 0; i < 50; i++)
		EQUAL(int80_32(CALL32_GETPID, stack), set ? -ENOSYS : getpid());
	/*
	 * Without Limpet, Linux returns to an address in the vDSO of 32-bit programs, which this process does not have.
	 */
	if (!set || !has_syscall)
		return;
	section("SYSCALL in 32-bit code");
	for (int i = 0; i < 50; i++)
		EQUAL(syscall_32(CALL32_GETPID, stack), -ENOSYS);
}

/* --- a 32-bit program, written to a file */

struct elf32 {
	uint8_t magic[16];
	uint16_t type, machine;
	uint32_t version, entry, segments, sections, flags;
	uint16_t size, segment_size, segment_count, section_size, section_count, section_names;
	uint32_t load, offset, address, physical, file_size, memory_size, rights, align;
};
#define ELF_AT 0x08048000u

/*
 * Makes a 32-bit program that calls exit(42) by an instruction. If the call fails, the program continues at HLT, which
 * causes SIGSEGV. Linux returns from SYSCALL and SYSENTER to an address in the vDSO, and takes an argument from the
 * stack.
 */
__asm__(".section .rodata\n"
	".macro program name, instruction:vararg\n"
	".globl \\name, \\name\\()_end\n"
	"\\name:\n"
	".code32\n"
	"	mov $1, %eax; mov $42, %ebx; push %ecx; push %edx; push %ebp; mov %esp, %ebp\n"
	"	\\instruction\n"
	"	hlt\n"
	".code64\n"
	"\\name\\()_end:\n"
	".endm\n"
	"program program_int80, int $0x80\n"
	"program program_syscall, .byte 0x0f, 0x05\n"
	"program program_sysenter, sysenter\n"
	".text\n");
extern const uint8_t program_int80[], program_int80_end[], program_syscall[], program_syscall_end[],
	program_sysenter[], program_sysenter_end[];

static void program_write(const char *path, const uint8_t *code, const uint8_t *end)
{
	const uint32_t size = (uint32_t)(end - code);
	const struct elf32 head = { .magic = "\177ELF\1\1\1",
				    .type = 2,
				    .machine = 3,
				    .version = 1,
				    .entry = ELF_AT + sizeof(struct elf32),
				    .segments = 52,
				    .size = 52,
				    .segment_size = 32,
				    .segment_count = 1,
				    .load = 1,
				    .address = ELF_AT,
				    .physical = ELF_AT,
				    .file_size = sizeof(struct elf32) + size,
				    .memory_size = sizeof(struct elf32) + size,
				    .rights = 5,
				    .align = 4096 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	EQUAL(write(fd, &head, sizeof(head)), sizeof(head));
	EQUAL(write(fd, code, size), size);
	close(fd);
}

/* Runs a 32-bit program. Returns its status. */
static int program_run(const uint8_t *code, const uint8_t *end)
{
	char path[40];
	pid_t pid;

	snprintf(path, sizeof(path), "/tmp/legacy.%d", getpid());
	program_write(path, code, end);
	pid = fork();
	if (!pid) {
		execl(path, path, NULL);
		_exit(99);
	}
	const int status = child_wait(pid, 10);

	if (status < 0) {
		kill(pid, SIGKILL);
		child_wait(pid, 5);
	}
	unlink(path);
	return status;
}

/* With `off`, the program gets SIGSEGV, unless the processor does not have the instruction. */
static void check_program(const char *name, const uint8_t *code, const uint8_t *end, int plain,
			  bool off)
{
	section(name);
	EQUAL(program_run(code, end), off && plain != SIGILL ? SIGSEGV : plain);
}

/*
 * Returns whether SYSCALL in 32-bit code can be tried. Intel's processors refuse it with SIGILL, and Linux sets no entry
 * point for it there. QEMU's models of them execute it nevertheless, so Linux panics at the address 0, with and without
 * Limpet.
 */
static bool syscall_is_safe(void)
{
	return !__builtin_cpu_is("intel");
}

/* File with the effect of SYSCALL and SYSENTER on this processor without Limpet. A run as `plain` writes it. */
#define PLAIN "/tmp/legacy.plain"

static void plain_store(void)
{
	int fd = open(PLAIN, O_RDWR | O_CREAT | O_TRUNC, 0600);
	int plain[2] = { syscall_is_safe() ? program_run(program_syscall, program_syscall_end)
					   : SIGILL,
			 program_run(program_sysenter, program_sysenter_end) };

	for (int i = 0; i < 2; i++)
		EXPECT(plain[i] == EXITED_GOOD || plain[i] == SIGILL);
	EXPECT(plain[0] == EXITED_GOOD || plain[1] == EXITED_GOOD);
	EQUAL(write(fd, plain, sizeof(plain)), sizeof(plain));
	close(fd);
}

int main(int argc, char **argv)
{
	int fd, plain[2] = { SIGILL, SIGILL };

	set = argc > 1 && !strcmp(argv[1], "set");
	section("what the processor has");
	if (argc > 1 && !strcmp(argv[1], "plain"))
		plain_store();
	fd = open(PLAIN, O_RDONLY);
	EQUAL(read(fd, plain, sizeof(plain)), sizeof(plain));
	has_syscall = plain[0] == EXITED_GOOD;
	section("int 0x80 in 64-bit code");
	check_int80();
	section("int 0x80 keeps registers");
	check_int80_registers();
	check_mixed();
	check_program("a 32-bit program, int 0x80", program_int80, program_int80_end, EXITED_GOOD,
		      set);
	if (syscall_is_safe())
		check_program("a 32-bit program, SYSCALL", program_syscall, program_syscall_end,
			      plain[0], set);
	check_program("a 32-bit program, SYSENTER", program_sysenter, program_sysenter_end,
		      plain[1], argc > 1 && strcmp(argv[1], "plain"));
	return sections_finish();
}
