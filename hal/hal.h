/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hal.h: the upper half of the H2AL, what the kernel asks of the processor.
 *
 * Context of every function: kernel, on the CPU's own kernel stack, interrupts off, any page table
 * loaded (all share the kernel half). None sleeps, locks, allocates or calls the host. Cost is
 * constant unless the text says otherwise. An implementation is a folder beside this file that
 * defines hal_arch.h (structures, inline functions) and the rest in C.
 *
 *   hal/x86    the processor; under host/linux (beside) and host/bare (beneath)
 *   hal/fake   memory of a POSIX process, for unit tests
 *
 * hal_arch.h defines
 *
 *   struct hal_regs        a thread's user registers, saved by the entry code. Members: `words` (6) and `status` of a
 *                          kernel call, `ip`, `sp`
 *   struct hal_fpu         its vector state and thread pointers
 *   struct hal_guest       what the entry code needs of a thread of the host that is a guest. Member: `fixed`: its
 *                          registers may not be changed, because the host continues it with others
 *   struct user_return     { word ip; word sp; } what the fast paths give back to the entry code
 *   hal_time()             time stamp, monotonic on a CPU; unit: ticks
 *   hal_time_store(p)      *p = hal_time(), with no instruction more than that takes
 *   hal_relax()            a moment of a busy wait
 *   hal_barrier()          stores before it are seen elsewhere before those after it
 *   hal_exchange(p, v)     atomic exchange of a word shared with another CPU or the host
 *   hal_or(p, v)           atomic or
 *   hal_io_read(port, bytes)         what is read from an I/O port; bytes: 1, 2 or 4
 *   hal_io_write(port, bytes, value) writes the value's lowest bytes to it
 *   hal_memory_read(p)               a word of memory that is a component's
 *   hal_memory_write(p, value, bytes) writes the value's lowest bytes, 1 to 8, to such memory
 *   hal_page_table_root(pt)     what names the page table to hal_page_table_load; never 0
 *   hal_page_table_load(root)   makes an address space current; all later user accesses use it
 */
#ifndef HAL_H
#define HAL_H

#include <hal/types.h>
#include <hal_arch.h>

/*
 * Registers. `regs` is the saved state of a thread that is not executing in user mode, be it the
 * current one or one that was switched out.
 */

/* State of a thread that will go on at ip with the stack pointer sp; arg in the status register,
 * everything else cleared. */
void hal_regs_start(struct hal_regs *regs, word ip, word sp, word arg);
/*
 * The same for a thread that is in a kernel call, as after SYSCALL: the words are not cleared, and registers that a kernel
 * call clears have no state.
 */
static inline void hal_regs_enter(struct hal_regs *regs, word ip, word sp, word arg)
{
	regs->status = arg;
	regs->ip = ip;
	regs->sp = sp;
	regs->full = 0;
}
/* The status of the kernel call that the thread is in; with the words, its whole result. */
static inline void hal_regs_status(struct hal_regs *regs, long status)
{
	regs->status = (word)status;
}

static inline void hal_regs_result(struct hal_regs *regs, long status, word w0, word w1, word w2)
{
	regs->status = (word)status;
	regs->words[0] = w0;
	regs->words[1] = w1;
	regs->words[2] = w2;
}

/* Word `n`, 0 to 5, of the call that the thread is in. */
static inline word hal_regs_word(const struct hal_regs *regs, unsigned int n)
{
	return regs->words[n];
}

static inline void hal_regs_set_word(struct hal_regs *regs, unsigned int n, word value)
{
	regs->words[n] = value;
}

/* Address of the interrupted or calling instruction's successor; stack pointer. */
static inline word hal_regs_ip(const struct hal_regs *regs)
{
	return regs->ip;
}

static inline word hal_regs_sp(const struct hal_regs *regs)
{
	return regs->sp;
}

/*
 * Everything of a thread that faulted: 0 to 17: rax rbx rcx rdx rsi rdi rbp rsp r8 to r15 rip rflags.
 */
#define HAL_REGS 18
#define HAL_REG_IP 16
word hal_regs_all(const struct hal_regs *regs, unsigned int n);
/* Sets one of them. Of rflags only the arithmetic, trap and direction flags change. */
void hal_regs_all_set(struct hal_regs *regs, unsigned int n, word value);
/* The thread, which made a system call that is not the kernel's, goes on at ip with all as it is. */
void hal_regs_jump(struct hal_regs *regs, word ip);
/* True when the state can be given to the processor: canonical address, 64-bit mode. */
bool hal_regs_valid(const struct hal_regs *regs);

/*
 * Threads' other state. hal_thread_init: the state of a processor that was just reset.
 * hal_thread_switch: saves what is in the processor to `from`, loads `to`. Vector state never
 * reaches another thread. Cost: two transfers of hal_fpu_size() bytes.
 */
/* Bytes of a struct hal_fpu that this processor needs; it is aligned to HAL_FPU_ALIGN. */
word hal_fpu_size(void);
void hal_thread_init(struct hal_fpu *fpu);
void hal_thread_switch(struct hal_fpu *from, struct hal_fpu *to);

/*
 * Page tables. A page table is a root and a list of spare pages, all given by the kernel.
 * struct hal_page_table is defined by hal_arch.h and lives in the object's first page.
 */

/* Rights are LIMPET_READ, LIMPET_WRITE, LIMPET_EXEC; every mapping is readable. */

/* Gives a page table one page: the root, if it has none, or a spare page for lower levels. The kernel has set the other
 * fields to 0, and `space` to an id that no other page table of this CPU has. */
void hal_page_table_add(struct hal_page_table *pt, void *page);
/*
 * Maps the page of memory `page` at user address `address`. LIMPET_EFULL: something is mapped
 * there; LIMPET_ENOMEM: no root, or no spare page for a lower level. Changes nothing when it fails, but lower
 * levels that it made stay.
 */
long hal_page_table_map(struct hal_page_table *pt, word address, void *page, unsigned int rights);
/*
 * The same with page number `number` of physical memory, which is a device's and none that the host
 * gave: accesses go to the device, in order, and to no cache. Rights: no LIMPET_EXEC.
 */
long hal_page_table_map_device(struct hal_page_table *pt, word address, word number,
			       unsigned int rights);
/*
 * Removes a mapping; returns the page of memory that was mapped, or NULL: none, or a device's. No stale
 * translation stays.
 */
void *hal_page_table_unmap(struct hal_page_table *pt, word address);
/* The page of memory that is mapped at page address `address`; NULL: none, or a device's. */
void *hal_page_table_find(struct hal_page_table *pt, word address);
/* Returns whether a page of memory is mapped there, with LIMPET_WRITE. */
bool hal_page_table_writable(struct hal_page_table *pt, word address);
/* Takes the rights that are not in `rights` from a mapping; false: nothing is mapped there. */
bool hal_page_table_protect(struct hal_page_table *pt, word address, unsigned int rights);
/*
 * Makes all user addresses not executable, or makes them what their mappings say. Levels that are added meanwhile are not
 * held. False: the page table has no root. No stale translation stays.
 */
bool hal_page_table_hold(struct hal_page_table *pt, bool held);
/*
 * Takes one page back from a page table that nothing uses any more. Returns NULL when it has no page left. Sets *mapped
 * if the page contains a list of HAL_STRIP pages of memory that it mapped, NULL where it mapped none.
 * Cost: linear in HAL_STRIP, for each level.
 */
#define HAL_STRIP 512
void **hal_page_table_strip(struct hal_page_table *pt, bool *mapped);

#endif
