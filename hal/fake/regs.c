// SPDX-License-Identifier: GPL-2.0
/* Saved user registers, thread state, and I/O ports. */
#include <fake.h>
#include <limpet/call.h>

#include <stdio.h>
#include <stdlib.h>

static struct fake_processor first;
struct fake_processor *fake_processor = &first;

void fake_broken(const char *how)
{
	fprintf(stderr, "hal: the kernel broke the contract: %s\n", how);
	abort();
}

void hal_regs_start(struct hal_regs *regs, word ip, word sp, word arg)
{
	*regs = (struct hal_regs){ .status = arg, .ip = ip, .sp = sp };
}

word hal_regs_all(const struct hal_regs *regs, unsigned int n)
{
	const word all[HAL_REGS] = { regs->status,   regs->words[0], regs->scratch,  regs->scratch,
				     regs->scratch,  regs->scratch,  regs->words[1], regs->sp,
				     regs->scratch,  regs->scratch,  regs->scratch,  regs->scratch,
				     regs->words[2], regs->words[3], regs->words[4], regs->words[5],
				     regs->ip,	     regs->mode };

	return all[n];
}

void hal_regs_all_set(struct hal_regs *regs, unsigned int n, word value)
{
	word *const at[HAL_REGS] = {
		[0] = &regs->status,	[1] = &regs->words[0],	[6] = &regs->words[1],
		[7] = &regs->sp,	[12] = &regs->words[2], [13] = &regs->words[3],
		[14] = &regs->words[4], [15] = &regs->words[5], [16] = &regs->ip,
	};

	*(at[n] ?: &regs->scratch) = value;
}

void hal_regs_jump(struct hal_regs *regs, word ip)
{
	regs->scratch = regs->ip;
	regs->ip = ip;
}

bool hal_regs_valid(const struct hal_regs *regs)
{
	return regs->ip < LIMPET_USER_END && !regs->mode;
}

static u32 io_access(u16 port, unsigned int bytes)
{
	if (bytes != 1 && bytes != 2 && bytes != 4)
		fake_broken("an access to I/O ports of a size that there is not");
	if (port + bytes > 65536)
		fake_broken("an access behind the last I/O port");
	fake_processor->io.port = port;
	fake_processor->io.bytes = bytes;
	return bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
}

u32 hal_io_read(u16 port, unsigned int bytes)
{
	fake_processor->io.reads++;
	return fake_processor->io.value & io_access(port, bytes);
}

void hal_io_write(u16 port, unsigned int bytes, u32 value)
{
	fake_processor->io.writes++;
	fake_processor->io.value = value & io_access(port, bytes);
}

__attribute__((no_sanitize("address"))) word hal_memory_read(const word *p)
{
	return *p;
}

__attribute__((no_sanitize("address"))) void hal_memory_write(u8 *p, word value, word bytes)
{
	for (word i = 0; i < bytes; i++)
		p[i] = (u8)(value >> 8 * i);
}

word hal_fpu_size(void)
{
	return sizeof(struct hal_fpu);
}

void hal_thread_init(struct hal_fpu *fpu)
{
	*fpu = (struct hal_fpu){ 0 };
}

void hal_thread_switch(struct hal_fpu *from, struct hal_fpu *to)
{
	if (from == to)
		fake_broken("hal_thread_switch() to the same thread");
	*from = fake_processor->fpu;
	fake_processor->fpu = *to;
}
