/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hal.h: the upper half of the H2AL, by which the kernel uses the processor.
 *
 * Context of every function: kernel, on the CPU's own kernel stack, interrupts off, any page table
 * loaded (all share the kernel half). No function sleeps, locks, allocates or calls the host. The
 * cost is constant unless the text says otherwise. An implementation is a folder next to this file
 * that defines hal_arch.h (structures, inline functions) and the other functions in C.
 *
 *   hal/x86    the processor; under host/linux (beside) and host/bare (beneath)
 *   hal/fake   memory of a POSIX process, for unit tests
 *
 * hal_arch.h defines
 *
 *   struct hal_regs        a thread's user registers, saved by the entry code. Members: `words` (6) and `status` of a
 *                          kernel call, `ip`, `sp`
 *   struct hal_fpu         a thread's vector state and thread pointers
 *   struct hal_guest       state of a guest, a thread of the host. Member: `fixed`: its
 *                          registers must not change, because the host continues it with others
 *   struct user_return     { word ip; word sp; } the result of the fast paths for the entry code
 *   hal_time()             returns the time stamp, monotonic on a CPU; unit: ticks
 *   hal_time_store(p)      stores hal_time() at p, with the minimum number of instructions
 *   hal_relax()            one iteration of a busy wait
 *   hal_barrier()          orders the stores before it before the stores after it, for other CPUs
 *   hal_exchange(p, v)     atomic exchange of a word shared with another CPU or the host
 *   hal_or(p, v)           atomic or
 *   hal_io_read(port, bytes)         reads from an I/O port; bytes: 1, 2 or 4
 *   hal_io_write(port, bytes, value) writes the value's lowest bytes to an I/O port
 *   hal_memory_read(p)               reads a word of a component's memory
 *   hal_memory_write(p, value, bytes) writes the value's lowest bytes, 1 to 8, to a component's memory
 *   hal_page_table_root(pt)     returns the argument of hal_page_table_load for a page table; not 0
 *   hal_page_table_barrier(root)  returns the argument for the same page table, whose user code must share no branch
 *                               predictions with other code. Valid only while the host has barriers enabled
 *   hal_page_table_load(root)   makes an address space current; all later user accesses use it. Executes a branch
 *                               predictor barrier if the new address space or the last one requires it, and they differ
 */
#ifndef HAL_H
#define HAL_H

#include <hal/types.h>
#include <hal_arch.h>

/*
 * Registers. `regs` is the saved state of a thread that is not executing in user mode: the current
 * thread or another one.
 */

/*
 * Sets the state of a thread to continue at ip with the stack pointer sp, arg in the status
 * register, and all other registers cleared.
 */
void hal_regs_start(struct hal_regs *regs, word ip, word sp, word arg);
/*
 * Does the same for a thread that is in a kernel call, as after SYSCALL. The words are not cleared,
 * and the registers that a kernel call clears are not stored.
 */
static inline void hal_regs_enter(struct hal_regs *regs, word ip, word sp, word arg)
{
	regs->status = arg;
	regs->ip = ip;
	regs->sp = sp;
	regs->full = 0;
}
/* Sets the status of the thread's kernel call. hal_regs_result() also sets its words. */
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

/* Returns word `n`, 0 to 5, of the thread's kernel call. */
static inline word hal_regs_word(const struct hal_regs *regs, unsigned int n)
{
	return regs->words[n];
}

static inline void hal_regs_set_word(struct hal_regs *regs, unsigned int n, word value)
{
	regs->words[n] = value;
}

/* Returns the address at which the thread continues. hal_regs_sp() returns its stack pointer. */
static inline word hal_regs_ip(const struct hal_regs *regs)
{
	return regs->ip;
}

static inline word hal_regs_sp(const struct hal_regs *regs)
{
	return regs->sp;
}

/*
 * Returns register `n`, 0 to 17, of a thread that faulted: rax rbx rcx rdx rsi rdi rbp rsp r8 to
 * r15 rip rflags.
 */
#define HAL_REGS 18
#define HAL_REG_IP 16
word hal_regs_all(const struct hal_regs *regs, unsigned int n);
/* Sets register `n`. Of rflags only the arithmetic, trap and direction flags change. */
void hal_regs_all_set(struct hal_regs *regs, unsigned int n, word value);
/*
 * Makes a thread that made a system call of Linux continue at ip. All other registers are
 * unchanged.
 */
void hal_regs_jump(struct hal_regs *regs, word ip);
/*
 * Returns whether the state can be loaded: the address is canonical, and the mode is 64-bit mode.
 */
bool hal_regs_valid(const struct hal_regs *regs);

/*
 * Vector state and thread pointers. hal_thread_init() sets the state after a processor's reset.
 * hal_thread_switch() saves the processor's state to `from`, and loads `to`. Vector state does not
 * leak to another thread. Cost: two transfers of hal_fpu_size() bytes.
 */
/*
 * Returns the bytes of a struct hal_fpu that this processor needs. The structure is aligned to
 * HAL_FPU_ALIGN.
 */
word hal_fpu_size(void);
void hal_thread_init(struct hal_fpu *fpu);
void hal_thread_switch(struct hal_fpu *from, struct hal_fpu *to);

/*
 * Page tables. A page table is a root and a list of spare pages, which the kernel provides.
 * hal_arch.h defines struct hal_page_table. It is part of the kernel object.
 */

/* Rights are LIMPET_READ, LIMPET_WRITE, LIMPET_EXEC; every mapping is readable. */

/*
 * Adds one page to a page table: as the root, if it has no root, else as a spare page for lower
 * levels. The kernel has set the other fields to 0, and `space` to an id that no other page table
 * of this CPU has.
 */
void hal_page_table_add(struct hal_page_table *pt, void *page);
/*
 * Maps the page of memory `page` at user address `address`. Returns LIMPET_OK; LIMPET_EFULL: a page
 * is mapped there; LIMPET_ENOMEM: there is no root, or no spare page for a lower level. On failure
 * the mapping does not change, but lower levels that were added remain.
 */
long hal_page_table_map(struct hal_page_table *pt, word address, void *page, unsigned int rights);
/*
 * Maps page number `number` of physical memory, which belongs to a device. Accesses go to the
 * device in order, without caches. `rights` must not contain LIMPET_EXEC. Returns as
 * hal_page_table_map().
 */
long hal_page_table_map_device(struct hal_page_table *pt, word address, word number,
			       unsigned int rights);
/*
 * Removes a mapping and its cached translations. Returns the page of memory that was mapped.
 * Returns NULL if no page, or a device's page, was mapped.
 */
void *hal_page_table_unmap(struct hal_page_table *pt, word address);
/*
 * Returns the page of memory that is mapped at page address `address`. Returns NULL if no page, or
 * a device's, is.
 */
void *hal_page_table_find(struct hal_page_table *pt, word address);
/* Returns whether a page of memory is mapped there, with LIMPET_WRITE. */
bool hal_page_table_writable(struct hal_page_table *pt, word address);
/*
 * Removes the rights that are not in `rights` from a mapping. Returns false if no page is mapped
 * there.
 */
bool hal_page_table_protect(struct hal_page_table *pt, word address, unsigned int rights);
/*
 * Makes all user addresses not executable, or as executable as their mappings are. Levels that are added meanwhile are
 * not held. Returns false if the page table has no root. Flushes stale translations.
 */
bool hal_page_table_hold(struct hal_page_table *pt, bool held);
/*
 * Removes one page from an unused page table. Returns NULL if it has no page left. Sets *mapped if
 * the page contains a list of the HAL_STRIP pages of memory that it mapped, with NULL for an empty
 * entry. Cost: linear in HAL_STRIP, for each level.
 */
#define HAL_STRIP 512
void **hal_page_table_strip(struct hal_page_table *pt, bool *mapped);

#endif
