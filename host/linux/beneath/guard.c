// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the layer's returns, the calls that untrain them, and the jump to the code that fills the return stack buffer
 * into the copy of its image: see host/bare/svm/guard.S and vmrun.S.
 */
#include <linux/mm.h>
#include <asm/cpufeature.h>

#include <host/linux/parts.h>
#include <host/linux/beneath/guard.h>

#define CALL 0xe8
#define JUMP 0xe9

static enum bare_returns returns_needed(void)
{
	if (boot_cpu_has(X86_FEATURE_SRSO_ALIAS))
		return BARE_RETURNS_ALIAS;
	if (boot_cpu_has(X86_FEATURE_SRSO))
		return BARE_RETURNS_SRSO;
	return boot_cpu_has(X86_FEATURE_UNRET) ? BARE_RETURNS_RETBLEED : BARE_RETURNS_PLAIN;
}

/* Writes a call or jump at `from`, an address of the layer, to another one. */
static void branch_write(u8 *image, u8 opcode, word from, word to)
{
	const s32 distance = (s32)(to - from - 5);
	u8 *at = image + (from - BARE_TEXT);

	at[0] = opcode;
	memcpy(at + 1, &distance, sizeof(distance));
}

bool guard_loads(struct bare_layer *layer)
{
	layer->loads = bare_loads_end - bare_loads;
	if (WARN_ON(layer->loads > BARE_LOADS))
		return false;
	memcpy(layer->load, bare_loads, layer->loads * sizeof(*layer->load));
	return true;
}

bool guard_write(u8 *image)
{
	static const u8 plain[] = { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc };
	const struct bare_header *header = (const void *)image;
	const u64 *guard = (const void *)(image + (header->guards - BARE_TEXT));
	const u64 *end = (const void *)(image + (header->guards_end - BARE_TEXT));
	const enum bare_returns kind = returns_needed();

	for (const s32 *site = bare_returns; site < bare_returns_end; site++)
		if (kind == BARE_RETURNS_PLAIN)
			memcpy(image + *site, plain, sizeof(plain));
		else
			branch_write(image, JUMP, BARE_TEXT + *site, header->thunk[kind]);
	for (; guard < end && kind != BARE_RETURNS_PLAIN; guard++)
		branch_write(image, CALL, *guard, header->untrain[kind]);
	/* Linux's code for AMD-V tests the first feature in newer releases, and the second one in older releases. */
	if (boot_cpu_has(X86_FEATURE_RSB_VMEXIT) || boot_cpu_has(X86_FEATURE_RETPOLINE))
		branch_write(image, JUMP, header->exit_guard, header->exit_fill);
	return kind != BARE_RETURNS_PLAIN;
}
