// SPDX-License-Identifier: BSD-2-Clause
/* Replaces the arguments of a checked call. */
#include "sandbox.h"

long argument_copy(struct call *call, unsigned int n, const void *data, size_t size)
{
	word address = copy_add(&call->copy, data, size);

	if (!address)
		return -LINUX_ENAMETOOLONG;
	call->argument[n] = address;
	call->changed |= 1u << n;
	return 0;
}

long arguments_set(const struct call *call)
{
	static const uint8_t registers[ARGUMENTS] = { LIMPET_GUEST_RDI, LIMPET_GUEST_RSI,
						      LIMPET_GUEST_RDX, LIMPET_GUEST_R10,
						      LIMPET_GUEST_R8,	LIMPET_GUEST_R9 };

	for (unsigned int i = 0; i < ARGUMENTS; i++)
		if (call->changed >> i & 1 &&
		    executive_register_set(registers[i], call->argument[i]) < 0)
			return -LINUX_EFAULT;
	return 0;
}
