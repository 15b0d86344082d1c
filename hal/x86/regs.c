// SPDX-License-Identifier: GPL-2.0
/* Saved user registers and thread state. */
#include <hal.h>
#include <limpet/call.h>

#include "regs.h"

#define FLAGS_FIXED 0x202ul /* interrupts on */
#define FLAGS_USER 0xdd5ul  /* arithmetic, trap and direction flags */
#define USER_CS 0x33ul

static u32 save_mask, restore_mask; /* all states have bits below 32 */
static word fpu_size = sizeof(struct hal_fpu);

unsigned int hal_xsave_size(word mask)
{
	unsigned int size = 512 + 64; /* legacy region and header, SDM vol. 1 section 13.4 */

	for (u32 i = 2; i < 63; i++) {
		/* CPUID leaf 0xd, subleaf i, has the size in EAX, which is also the leaf's register, and the offset in EBX. */
		u32 bytes = 0xd, offset, c = i, d;

		if (!(mask >> i & 1))
			continue;
		asm volatile("cpuid" : "+a"(bytes), "=b"(offset), "+c"(c), "=d"(d));
		if (offset + bytes > size)
			size = offset + bytes;
	}
	return size;
}

void hal_regs_setup(word mask, word clear)
{
	const word size = __builtin_offsetof(struct hal_fpu, area) + hal_xsave_size(mask);

	/* Stored once, because other systems' kernels can read it meanwhile. */
	save_mask = (u32)mask;
	restore_mask = (u32)(mask | clear);
	fpu_size = (size + HAL_FPU_ALIGN - 1) & ~(word)(HAL_FPU_ALIGN - 1);
}

word hal_fpu_size(void)
{
	return fpu_size;
}

void hal_regs_start(struct hal_regs *regs, word ip, word sp, word arg)
{
	*regs = (struct hal_regs){
		.ax = arg, .ip = ip, .sp = sp, .flags = FLAGS_FIXED, .cs = USER_CS
	};
}

#define REG(name) (u8)(offsetof(struct hal_regs, name) / sizeof(word))
static const u8 place[HAL_REGS] = { REG(ax),  REG(bx),	REG(cx),  REG(dx),  REG(si),  REG(di),
				    REG(bp),  REG(sp),	REG(r8),  REG(r9),  REG(r10), REG(r11),
				    REG(r12), REG(r13), REG(r14), REG(r15), REG(ip),  REG(flags) };

word hal_regs_all(const struct hal_regs *regs, unsigned int n)
{
	return (&regs->bx)[place[index_clamp(n, HAL_REGS)]];
}

void hal_regs_all_set(struct hal_regs *regs, unsigned int n, word value)
{
	n = (unsigned int)index_clamp(n, HAL_REGS);
	if (place[n] == REG(flags))
		value = (value & FLAGS_USER) | (regs->flags & ~FLAGS_USER);
	(&regs->bx)[place[n]] = value;
}
#undef REG

/* SYSCALL has left the old ip in rcx and the flags in r11. */
void hal_regs_jump(struct hal_regs *regs, word ip)
{
	regs->ip = ip;
}

bool hal_regs_valid(const struct hal_regs *regs)
{
	return regs->ip < LIMPET_USER_END && regs->cs == USER_CS;
}

void hal_thread_init(struct hal_fpu *fpu)
{
	__builtin_memset(fpu, 0, fpu_size);
	*(u16 *)(fpu->area + 0) = 0x37f;   /* x87 control word, SDM vol. 1 table 10-2 */
	*(u32 *)(fpu->area + 24) = 0x1f80; /* MXCSR */
	*(u64 *)(fpu->area + 512) = 3;	   /* XSTATE_BV: x87 and SSE are in the area */
}

/* Loading GS clears the GS base in use. Between the two swapgs that is the user's. */
void hal_selectors_clear(void)
{
	u32 any, one;

	asm volatile("mov %%ds, %0\n\tmov %%es, %1\n\tor %1, %0\n\t"
		     "mov %%fs, %1\n\tor %1, %0\n\tmov %%gs, %1\n\tor %1, %0"
		     : "=&r"(any), "=&r"(one));
	if (unlikely(any))
		asm volatile("mov %0, %%ds\n\tmov %0, %%es\n\tmov %0, %%fs\n\t"
			     "swapgs\n\tmov %0, %%gs\n\tswapgs"
			     :
			     : "r"(0));
}

/* No area has a state that is only in restore_mask, so XRSTOR clears it (SDM vol. 1 section 13.8.1). */
void hal_thread_switch(struct hal_fpu *from, struct hal_fpu *to)
{
	asm volatile("xsave64 %0" : "+m"(from->area) : "a"(save_mask), "d"(0));
	asm volatile("xrstor64 %0" : : "m"(to->area), "a"(restore_mask), "d"(0));
	hal_bases_save(&from->bases);
	hal_selectors_clear();
	hal_bases_load(&to->bases);
}
