/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hal.h inside a POSIX process, for unit tests. The kernel compiles unchanged with it. struct
 * fake_processor is the processor's state, which tests read and set. fake.h has the functions for
 * tests.
 */
#ifndef HAL_ARCH_H
#define HAL_ARCH_H

#include <hal/types.h>

/* After a kernel call only words, status, ip and sp are valid. `full`: all fields are valid. */
struct hal_regs {
	word words[6];
	word status, ip, sp;
	word scratch; /* represents all other registers */
	word mode;    /* not 0: the thread is in a mode in which user level may not run */
	word full;
};

#define HAL_FPU_ALIGN 64

/* Vector registers and thread pointers. */
struct hal_fpu {
	word vector[4];
	word pointer;
};

struct hal_guest {
	bool fixed;
};

/* Four levels of 512 entries, each an address and, in its low bits, rights. */
struct hal_page_table {
	word *root;  /* NULL: it has no pages */
	word *spare; /* list through the first word of each page */
	unsigned int space;
	bool stripped; /* its pages are being removed, so it must not be used */
};

struct user_return {
	word ip, sp;
};

/* The last access to an I/O port. */
struct fake_io {
	unsigned int reads, writes; /* number of accesses */
	u16 port;
	unsigned int bytes;
	u32 value; /* last written value; a read returns its lowest bytes */
};

struct fake_processor {
	struct hal_fpu fpu; /* state of the thread that executes */
	word root;	    /* argument of the last hal_page_table_load() */
	u64 barriers;	    /* branch predictor barriers that it has executed */
	u64 time;	    /* the test's clock */
	struct fake_io io;
};

extern struct fake_processor *fake_processor; /* processor of the CPU that the test simulates */

static inline u64 hal_time(void)
{
	return fake_processor->time;
}

static inline void hal_time_store(volatile u64 *to)
{
	*to = hal_time();
}

/* Advances the time in a busy wait. */
static inline void hal_relax(void)
{
	fake_processor->time++;
}

static inline void hal_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Tests poison memory that is not the kernel's. */
word hal_memory_read(const word *p);
void hal_memory_write(u8 *p, word value, word bytes);

static inline word hal_exchange(word *p, word value)
{
	return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
}

static inline void hal_or(word *p, word value)
{
	__atomic_fetch_or(p, value, __ATOMIC_SEQ_CST);
}

u32 hal_io_read(u16 port, unsigned int bytes);
void hal_io_write(u16 port, unsigned int bytes, u32 value);

static inline word hal_page_table_root(const struct hal_page_table *pt)
{
	return pt->root ? (word)pt : 0;
}

/* Page tables are aligned, so the lowest bit marks a barrier. */
static inline word hal_page_table_barrier(word root)
{
	return root | 1;
}

void hal_page_table_load(word root);

#endif
