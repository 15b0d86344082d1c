/* SPDX-License-Identifier: GPL-2.0 */
/* hal.h on x86-64. It does not depend on Linux, on Linux's GS base, or on its symbols. */
#ifndef HAL_ARCH_H
#define HAL_ARCH_H

#include <hal/types.h>

#define HAL_FPU_ALIGN 64
#define HAL_FPU_MAX 4096 /* maximum size of the XSAVE area; attach fails if it is larger */

/*
 * The message registers come first. In a kernel call, only the message registers, ax, ip, sp and
 * flags are valid. After an interrupt or exception (`full`) all registers are valid.
 */
struct hal_regs {
	union {
		word words[6]; /* words of a kernel call */
		struct {
			word bx, bp, r12, r13, r14, r15;
		};
	};
	union {
		word status; /* status of a kernel call */
		word ax;
	};
	word ip, sp, flags;
	word cx, dx, si, di, r8, r9, r10, r11;
	word cs;
	word full;
};

/* User level's FS and GS bases. */
struct hal_bases {
	word fs, gs;
};

/*
 * The state of a thread that an invocation does not change: thread pointers and vector state. Only
 * the part of `area` that the processor needs is allocated, see hal_fpu_size().
 */
struct hal_fpu {
	struct hal_bases bases;
	u8 area[HAL_FPU_MAX] __attribute__((aligned(64)));
};

/*
 * State of a guest, a thread of the host, for the entry code. The kernel's code runs for the guest
 * on the host's stack of that thread, below the part that the host uses.
 */
struct hal_guest {
	word stack;  /* top of the free part: below the registers of its system call, or `frame` */
	word frame;  /* frame of entry_guest_run() on that stack; 0: it was not called */
	word bottom; /* `stack` while `frame` is 0 */
	word space;  /* its CR3 while its executive runs */
	u64 keys;    /* its PKRU and bit 32, while its executive runs, if it denies itself key 0 */
	/* Its DR7 and bit 32, after its breakpoints have raised an exception in the executive. */
	u64 debug;
	bool fixed; /* its registers must not change, because the host continues it with others */
};

struct hal_page_table {
	word *root;  /* NULL: it has no page */
	word cr3;    /* value for CR3: address, process-context id, no-flush bit */
	word *spare; /* list through the first word of each page */
	unsigned int space;
	bool stripped; /* hal_page_table_strip() is removing its pages */
};

struct user_return {
	word ip, sp;
};

/* Properties of this processor, which the host determines. */
struct hal_setup {
	word virtual_offset;	 /* virtual minus physical address of all memory of the host */
	const word *kernel_root; /* top-level page; all address spaces share its upper half */
	unsigned int levels;	 /* levels of the page tables, 4 or 5 */
	word root_clear;	 /* bits that are 0 in the physical address of each root */
	bool pcid;		 /* process-context ids and INVPCID are in use */
	word xsave_mask;	 /* vector state components of threads */
	word clear_mask; /* other components that a thread can load; cleared for the next thread */
};
/* Sets the properties. The host calls it before any other function of hal.h. */
void hal_setup(const struct hal_setup *setup);
/* Returns the bytes of an XSAVE area for the components of mask. */
unsigned int hal_xsave_size(word mask);

static inline u64 hal_time(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	return (u64)high << 32 | low;
}

/* The processor returns the time in two halves. Storing them apart takes fewer instructions. */
static inline void hal_time_store(volatile u64 *to)
{
	volatile u32 *half = (volatile u32 *)to;
	u32 low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	half[0] = low;
	half[1] = high;
}

/*
 * Orders the stores before it before the stores after it, for other CPUs. x86-64 needs no
 * instruction for this.
 */
static inline void hal_barrier(void)
{
	asm volatile("" : : : "memory");
}

static inline void hal_relax(void)
{
	asm volatile("pause");
}

static inline word hal_memory_read(const word *p)
{
	return *p;
}

static inline void hal_memory_write(u8 *p, word value, word bytes)
{
	for (word i = 0; i < bytes; i++)
		p[i] = (u8)(value >> 8 * i);
}

static inline word hal_exchange(word *p, word value)
{
	asm volatile("xchg %0, %1" : "+r"(value), "+m"(*p) : : "memory");
	return value;
}

static inline void hal_or(word *p, word value)
{
	asm volatile("lock orq %1, %0" : "+m"(*p) : "r"(value) : "memory");
}

static inline u32 hal_io_read(u16 port, unsigned int bytes)
{
	u32 value = 0;

	if (bytes == 1)
		asm volatile("inb %1, %b0" : "+a"(value) : "d"(port));
	else if (bytes == 2)
		asm volatile("inw %1, %w0" : "+a"(value) : "d"(port));
	else
		asm volatile("inl %1, %0" : "+a"(value) : "d"(port));
	return value;
}

static inline void hal_io_write(u16 port, unsigned int bytes, u32 value)
{
	if (bytes == 1)
		asm volatile("outb %b0, %1" : : "a"(value), "d"(port));
	else if (bytes == 2)
		asm volatile("outw %w0, %1" : : "a"(value), "d"(port));
	else
		asm volatile("outl %0, %1" : : "a"(value), "d"(port));
}

/*
 * The user's GS base is in the MSR that swapgs exchanges. Between the two swapgs the kernel runs
 * with the user's GS base. Only an NMI or a machine check can occur there, and the entry code of
 * both finds its GS base without the current one.
 */
static inline void hal_bases_save(struct hal_bases *bases)
{
	asm volatile("rdfsbase %0\n\tswapgs\n\trdgsbase %1\n\tswapgs"
		     : "=&r"(bases->fs), "=&r"(bases->gs));
}

static inline void hal_bases_load(const struct hal_bases *bases)
{
	asm volatile("wrfsbase %0\n\tswapgs\n\twrgsbase %1\n\tswapgs"
		     :
		     : "r"(bases->fs), "r"(bases->gs));
}

/*
 * Clears the segment registers if the thread has loaded any. Kernel calls do not clear them. Another thread would find
 * foreign selectors there, and would lose its thread pointers with them. Context: kernel GS base.
 */
void hal_selectors_clear(void);

static inline word hal_page_table_root(const struct hal_page_table *pt)
{
	return pt->cr3;
}

/* Bit of the argument that entry/barrier.S clears. CR3 never gets it. */
#define HAL_BARRIER_BIT 62

static inline word hal_page_table_barrier(word cr3)
{
	return cr3 | 1ul << HAL_BARRIER_BIT;
}

/*
 * MOV to CR3 from RAX. Two prefixes without effect make the instruction as long as a call. While a component with a
 * barrier is loaded, the host replaces each of these instructions by a call of barrier_load (entry/barrier.S), which
 * preserves all other registers. The build lists the symbols.
 */
#define HAL_LOAD 0x3e, 0x3e, 0x0f, 0x22, 0xd8
#define HAL_LOAD_SIZE 5
#define HAL_TEXT(...) #__VA_ARGS__
#define HAL_TEXT_OF(...) HAL_TEXT(__VA_ARGS__)

static inline void hal_page_table_load(word cr3)
{
	asm volatile("barrier_site_%=: .byte " HAL_TEXT_OF(HAL_LOAD)
		     : "+a"(cr3)
		     :
		     : "memory", "cc");
}

/*
 * Makes the load at `at` a call of the function at `barrier`, or a load again if `barrier` is 0. `to` is a writable
 * mapping of the load. The caller ensures that no CPU executes it meanwhile.
 */
static inline void hal_load_write(u8 *to, word at, word barrier)
{
	static const u8 load[HAL_LOAD_SIZE] = { HAL_LOAD };
	const int distance = (int)(barrier - at - HAL_LOAD_SIZE);

	__builtin_memcpy(to, load, sizeof(load));
	if (!barrier)
		return;
	to[0] = 0xe8; /* CALL */
	__builtin_memcpy(to + 1, &distance, sizeof(distance));
}

#endif
