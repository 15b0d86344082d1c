// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a virtual machine with one 64-bit processor that executes only system calls:
 *
 *   machine CREATE-CPU RUN-CPU [CALLS]
 *
 * KVM creates it on CREATE-CPU, and its processor runs on RUN-CPU. A round is CALLS system calls, by default a
 * thousand. After each round KVM_RUN returns, and the program writes the number of rounds to /tmp/machine. SIGTERM ends
 * the program. If a system call of the guest does not arrive at the address in the guest's LSTAR, the program ends with
 * status 1 and a reason. The guest's TSC_AUX is not that of any CPU, so KVM for AMD also leaves an MSR of the guest in
 * the processor until it returns to user level.
 */
#include "../../lib/device.h"

#include <linux/kvm.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#define MEMORY 0x8000
#define PML4 0x1000
#define PDPT 0x2000
#define PD 0x3000
#define CODE 0x4000

#define PRESENT_WRITABLE 3ull
#define LARGE_PAGE 0x80ull
#define CR0_PE_ET_NE_PG 0x80000031
#define CR4_PAE 0x20
#define EFER_SCE_LME_LMA 0x501
#define MSR_STAR 0xc0000081
#define MSR_LSTAR 0xc0000082
#define MSR_TSC_AUX 0xc0000103
#define RFLAGS_RESERVED 2

/* The guest. SYSCALL also works in ring 0. The handler jumps back, because SYSRET would switch to ring 3. */
extern const char guest_begin[], guest_handler[], guest_end[];
asm(".pushsection .rodata\n"
    "guest_begin: mov $0, %ebx\n" /* memory_make() sets the number */
    "1: syscall\n"
    "hlt\n"
    "guest_handler: dec %ebx\n"
    "jnz 1b\n"
    "out %al, $0x10\n"
    "jmp guest_begin\n"
    "guest_end: .popsection");

static volatile sig_atomic_t ending;

static void end(int signal)
{
	(void)signal;
	ending = 1;
}

static int checked(int result, const char *what)
{
	if (result < 0)
		die("%s: %s", what, strerror(errno));
	return result;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	checked(sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static void *map(size_t size, int flags, int fd)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return memory;
}

static void memory_make(int machine, uint32_t calls)
{
	char *memory = map(MEMORY, MAP_SHARED | MAP_ANONYMOUS, -1);
	struct kvm_userspace_memory_region region = {
		.memory_size = MEMORY,
		.userspace_addr = (uintptr_t)memory,
	};

	*(uint64_t *)(memory + PML4) = PDPT | PRESENT_WRITABLE;
	*(uint64_t *)(memory + PDPT) = PD | PRESENT_WRITABLE;
	*(uint64_t *)(memory + PD) = LARGE_PAGE | PRESENT_WRITABLE;
	memcpy(memory + CODE, guest_begin, (size_t)(guest_end - guest_begin));
	memcpy(memory + CODE + 1, &calls, sizeof(calls));
	checked(ioctl(machine, KVM_SET_USER_MEMORY_REGION, &region), "KVM_SET_USER_MEMORY_REGION");
}

/* Gives the guest all features that KVM supports. Otherwise 6.12 does not allow long mode in the guest. */
static void features(int kvm, int processor)
{
	struct {
		struct kvm_cpuid2 head;
		struct kvm_cpuid_entry2 entry[256];
	} cpuid = { .head.nent = 256 };

	checked(ioctl(kvm, KVM_GET_SUPPORTED_CPUID, &cpuid), "KVM_GET_SUPPORTED_CPUID");
	checked(ioctl(processor, KVM_SET_CPUID2, &cpuid), "KVM_SET_CPUID2");
}

static void long_mode(int processor)
{
	struct kvm_segment data = {
		.limit = ~0u, .selector = 16, .type = 3, .present = 1, .s = 1, .db = 1, .g = 1
	};
	struct kvm_segment code = {
		.limit = ~0u, .selector = 8, .type = 11, .present = 1, .s = 1, .l = 1, .g = 1
	};
	struct kvm_regs regs = { .rip = CODE, .rflags = RFLAGS_RESERVED };
	struct kvm_sregs sregs;

	checked(ioctl(processor, KVM_GET_SREGS, &sregs), "KVM_GET_SREGS");
	sregs.cs = code;
	sregs.ds = sregs.es = sregs.ss = data;
	sregs.cr0 = CR0_PE_ET_NE_PG;
	sregs.cr3 = PML4;
	sregs.cr4 = CR4_PAE;
	sregs.efer = EFER_SCE_LME_LMA;
	checked(ioctl(processor, KVM_SET_SREGS, &sregs), "KVM_SET_SREGS");
	checked(ioctl(processor, KVM_SET_REGS, &regs), "KVM_SET_REGS");
}

static void system_calls(int processor)
{
	struct {
		struct kvm_msrs head;
		struct kvm_msr_entry entry[3];
	} msrs = {
		.head.nmsrs = 3,
		.entry = { { .index = MSR_STAR, .data = 8ull << 32 },
			   { .index = MSR_LSTAR, .data = CODE + (guest_handler - guest_begin) },
			   { .index = MSR_TSC_AUX, .data = 0x5a5a } },
	};

	if (ioctl(processor, KVM_SET_MSRS, &msrs) != 3)
		die("KVM_SET_MSRS: %s", strerror(errno));
}

/* Writes the number of rounds to /tmp/machine. Readers always find a complete number. */
static void rounds_write(unsigned long rounds)
{
	FILE *file = fopen("/tmp/machine.new", "w");

	if (!file || fprintf(file, "%lu\n", rounds) < 0 || fclose(file) ||
	    rename("/tmp/machine.new", "/tmp/machine"))
		die("/tmp/machine: %s", strerror(errno));
}

static void live(int processor, const struct kvm_run *run)
{
	for (unsigned long rounds = 1; !ending; rounds++) {
		if (ioctl(processor, KVM_RUN, 0) < 0) {
			if (errno == EINTR)
				continue;
			die("KVM_RUN: %s", strerror(errno));
		}
		if (run->exit_reason != KVM_EXIT_IO)
			die("round %lu: exit reason %u: a system call of the guest was lost",
			    rounds, run->exit_reason);
		rounds_write(rounds);
	}
}

int main(int argc, char **argv)
{
	int kvm, machine, processor, size;

	if (argc < 3)
		die("machine CREATE-CPU RUN-CPU [CALLS]");
	signal(SIGTERM, end);
	pin(atoi(argv[1]));
	kvm = checked(open("/dev/kvm", O_RDWR), "/dev/kvm");
	machine = checked(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
	processor = checked(ioctl(machine, KVM_CREATE_VCPU, 0), "KVM_CREATE_VCPU");
	size = checked(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), "KVM_GET_VCPU_MMAP_SIZE");
	memory_make(machine, argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 1000);
	features(kvm, processor);
	long_mode(processor);
	system_calls(processor);
	pin(atoi(argv[2]));
	live(processor, map((size_t)size, MAP_SHARED, processor));
	return 0;
}
