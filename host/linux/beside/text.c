// SPDX-License-Identifier: GPL-2.0
/*
 * Changes core.o's text. At attach, before the device exists, so that no system can be loaded, jumps to Linux's entry
 * points become direct, and returns get the form that the processor needs. Later, loads of page tables become calls of
 * barrier_load() while a system is loaded that requests branch predictor barriers.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/objtool.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/sync_core.h>

#include <host/linux/beside/work.h>
#include <host/linux/parts.h>

#define JUMP 0xe9
#define JUMP_SIZE 5
#define TRAP 0xcc

/* The returns of core.o, as distances from entry_syscall. The build makes the list. */
extern const s32 core_returns[], core_returns_end[];

extern u8 leave_to_syscall[], leave_to_int80[], leave_to_cstar[];
extern u8 linux_ibpb[], linux_clear_history[];

/*
 * Maps `size` bytes of the text a second time, because its own mapping is read-only. Returns the writable address of
 * the first, for text_unmap(), or NULL without memory.
 */
static u8 *text_map(const u8 *first, size_t size)
{
	const unsigned int count = PFN_UP(offset_in_page(first) + size);
	struct page **pages = kcalloc(count, sizeof(*pages), GFP_KERNEL);
	u8 *alias = NULL;

	for (unsigned int i = 0; pages && i < count; i++)
		pages[i] = vmalloc_to_page(first + i * PAGE_SIZE);
	if (pages)
		alias = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	kfree(pages);
	return alias ? alias + offset_in_page(first) : NULL;
}

static void text_unmap(const u8 *alias)
{
	vunmap(alias - offset_in_page(alias));
}

/* Returns 0 or -ENOMEM. */
static int __init text_write(u8 *at, const u8 *bytes, size_t size)
{
	u8 *alias = text_map(at, size);

	if (!alias)
		return -ENOMEM;
	memcpy(alias, bytes, size);
	text_unmap(alias);
	return 0;
}

int __init text_jump(u8 *at, word to)
{
	const s32 distance = (s32)(to - (word)at - JUMP_SIZE);
	u8 bytes[JUMP_SIZE] = { JUMP };

	memcpy(bytes + 1, &distance, sizeof(distance));
	return text_write(at, bytes, sizeof(bytes));
}

/*
 * Functions of Linux, and the jumps to them in guard.S. On 7.3 only KVM's modules can link to them. They are exported,
 * so they can be found by name on each kernel.
 */
static const struct {
	u8 *at;
	const char *name, *older; /* the name up to 6.12; NULL: the same name */
} linux_functions[] __initconst = {
	{ linux_ibpb, "write_ibpb", "entry_ibpb" },
	{ linux_clear_history, "clear_bhb_loop", NULL },
	{ (u8 *)linux_load_fpu, "switch_fpu_return", NULL },
};

/*
 * Returns 0, -ENOMEM, or -ENOENT if Linux does not export a function. A line in its log then names
 * the function.
 */
static int __init linux_functions_find(void)
{
	int error = 0;

	for (size_t i = 0; i < ARRAY_SIZE(linux_functions) && !error; i++) {
		const char *name = linux_functions[i].name;
		void *function = __symbol_get(name);

		if (!function && linux_functions[i].older)
			function = __symbol_get(name = linux_functions[i].older);
		if (!function) {
			pr_err("limpet: This kernel does not export %s(), which Limpet's entries need. Use a kernel that `limpet doctor` names.\n",
			       name);
			return -ENOENT;
		}
		__symbol_put(name); /* it is the kernel's own, which stays */
		error = text_jump(linux_functions[i].at, (word)function);
	}
	return error;
}

/*
 * A return, at an address at which each processor that needs thunks has one. Linux has patched it when it loaded the
 * module. It does not patch core.o's returns on all kernels.
 */
extern const u8 return_patched[];
asm(".pushsection .text\n\t.balign 64\n\t.type return_patched, @function\nreturn_patched:\n\t" ANNOTATE_NOENDBR
    "\n\tjmp __x86_return_thunk\n\t.size return_patched, . - return_patched\n\t.balign 64, 0xcc\n\t.popsection");

/*
 * Turns core.o's returns into plain returns, or into jumps to the thunk that Linux uses on this
 * processor.
 */
static int __init returns_choose(bool trusted)
{
	static const u8 plain[JUMP_SIZE] __initconst = { 0xc3, TRAP, TRAP, TRAP, TRAP };
	const u8 *patched = return_patched;
	int error = 0;
	s32 distance;

	/* Otherwise the thunk is an address in this code, which IBT's checker takes for a target. */
	OPTIMIZER_HIDE_VAR(patched);
	memcpy(&distance, patched + 1, sizeof(distance));
	for (const s32 *site = core_returns; site < core_returns_end && !error; site++) {
		u8 *at = (u8 *)entry_syscall + *site;

		if (!trusted && *patched == JUMP)
			error = text_jump(at, (word)patched + JUMP_SIZE + distance);
		else
			error = text_write(at, plain, sizeof(plain));
	}
	return error;
}

void text_refetch(void *unused)
{
	sync_core();
}

int __init text_prepare(bool trusted)
{
	const int error = text_jump(leave_to_syscall, entry_calls_host.lstar) ?:
			  text_jump(leave_to_int80, entry_host_vector[0x80]) ?:
			  text_jump(leave_to_cstar, entry_calls_host.cstar) ?:
			  linux_functions_find() ?: returns_choose(trusted);

	on_each_cpu(text_refetch, NULL, 1);
	return error;
}

/* Declared in <linux/stop_machine.h>, which cannot be included, because it defines another struct cpu. */
int stop_machine(int (*function)(void *), void *argument, const struct cpumask *cpus);

/*
 * The loads of page tables in core.o, as distances from entry_syscall. The build makes the list, lowest address first.
 */
extern const s32 core_loads[], core_loads_end[];

static bool barriers_on; /* these loads are calls of barrier_load(), or are about to be */

/*
 * Runs on one CPU while all others wait in Linux with interrupts off, so no CPU executes core.o. A guest's thread can
 * be preempted below entry code, but only at a call of Linux, not at a load. `alias` is the writable address of the
 * first.
 */
static int loads_write(void *alias)
{
	u8 *to = (u8 *)alias - core_loads[0];
	const word barrier = barriers_on ? (word)barrier_load : 0;

	for (const s32 *site = core_loads; site < core_loads_end; site++)
		hal_load_write(to + *site, (word)entry_syscall + *site, barrier);
	return 0;
}

int text_barriers(bool barriers)
{
	const size_t size = core_loads_end[-1] - core_loads[0] + HAL_LOAD_SIZE;
	u8 *alias;

	if (barriers == barriers_on)
		return 0;
	alias = text_map((const u8 *)entry_syscall + core_loads[0], size);
	if (!alias)
		return -ENOMEM;
	barriers_on = barriers;
	stop_machine(loads_write, alias, NULL);
	text_unmap(alias);
	on_each_cpu(text_refetch, NULL, 1);
	return 0;
}
