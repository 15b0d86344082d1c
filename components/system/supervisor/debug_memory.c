// SPDX-License-Identifier: BSD-2-Clause
#include "debug.h"

#define INT3 0xcc

struct debug debug;

bool debug_has(const struct supervised *supervised)
{
	return debug.of == supervised;
}

static word space_of(const struct supervised *supervised)
{
	return LIMPET_SLOT_SPACES + supervised->info->component;
}

static bool hold_wanted(const struct supervised *supervised)
{
	return __atomic_load_n(&debug.of, __ATOMIC_ACQUIRE) == supervised &&
	       __atomic_load_n(&debug.held, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&debug.loose, __ATOMIC_ACQUIRE);
}

void space_update(const struct supervised *supervised)
{
	bool hold;

	do {
		hold = hold_wanted(supervised);
		limpet_call_pt_hold(space_of(supervised), hold);
	} while (hold != hold_wanted(supervised));
}

struct breakpoint *breakpoint_at(word address)
{
	for (int i = 0; address && i < DEBUG_BREAKPOINTS; i++)
		if (debug.breakpoint[i].address == address)
			return &debug.breakpoint[i];
	return NULL;
}

long words_read(const struct supervised *supervised, word address, struct limpet_out *out)
{
	uint8_t *byte = (uint8_t *)out;
	long status = limpet_call_memory_read(space_of(supervised), address, out);

	for (int i = 0; !status && i < DEBUG_BREAKPOINTS; i++) {
		const struct breakpoint *breakpoint = &debug.breakpoint[i];

		if (breakpoint->address && breakpoint->address - address < sizeof(*out))
			byte[breakpoint->address - address] = breakpoint->byte;
	}
	return status;
}

long byte_write(const struct supervised *supervised, word address, uint8_t byte)
{
	struct breakpoint *breakpoint = breakpoint_at(address);

	if (!breakpoint)
		return limpet_call_memory_write(space_of(supervised), address, byte, 1);
	breakpoint->byte = byte;
	return LIMPET_OK;
}

static long byte_read(const struct supervised *supervised, word address, uint8_t *byte)
{
	struct limpet_out out;
	long status = limpet_call_memory_read(space_of(supervised), address & ~7ul, &out);

	*byte = (uint8_t)(out.w0 >> 8 * (address & 7));
	return status;
}

bool trap_at(const struct supervised *supervised, word address)
{
	uint8_t byte;

	return !byte_read(supervised, address, &byte) && byte == INT3;
}

long breakpoint_insert(const struct supervised *supervised, word address, bool internal)
{
	struct breakpoint *breakpoint = breakpoint_at(address);
	uint8_t byte;
	long status;

	if (breakpoint) {
		breakpoint->internal &= internal;
		return LIMPET_OK;
	}
	for (breakpoint = debug.breakpoint; breakpoint->address; breakpoint++)
		if (breakpoint == &debug.breakpoint[DEBUG_BREAKPOINTS - 1])
			return LIMPET_EFULL;
	status = byte_read(supervised, address, &byte);
	if (status)
		return status;
	breakpoint->byte = byte;
	breakpoint->internal = internal;
	__atomic_store_n(&breakpoint->address, address, __ATOMIC_RELEASE);
	status = limpet_call_memory_write(space_of(supervised), address, INT3, 1);
	if (status)
		__atomic_store_n(&breakpoint->address, 0, __ATOMIC_RELEASE);
	return status;
}

void breakpoint_remove(const struct supervised *supervised, struct breakpoint *breakpoint)
{
	limpet_call_memory_write(space_of(supervised), breakpoint->address, breakpoint->byte, 1);
	__atomic_store_n(&breakpoint->address, 0, __ATOMIC_RELEASE);
}

void breakpoints_remove(const struct supervised *supervised, bool internal)
{
	for (int i = 0; i < DEBUG_BREAKPOINTS; i++)
		if (debug.breakpoint[i].address && (!internal || debug.breakpoint[i].internal))
			breakpoint_remove(supervised, &debug.breakpoint[i]);
}
