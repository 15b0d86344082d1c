// SPDX-License-Identifier: BSD-2-Clause
#include <guest/table.h>
#include <runtime/memory.h>

long guest_call_end(void)
{
	return guest_table_size;
}

const struct guest_call *guest_call_at(long number)
{
	if (number < 0 || number >= guest_call_end() || !guest_table[number].name)
		return NULL;
	return &guest_table[number];
}

long guest_call_number(const char *name)
{
	for (long number = 0; number < guest_call_end(); number++) {
		const struct guest_call *call = guest_call_at(number);

		if (call && !strcmp(call->name, name))
			return number;
	}
	return LIMPET_ENOENT;
}

const struct guest_value *guest_call_argument(const struct guest_call *call, unsigned int index)
{
	return index < call->count ? &guest_values[call->arguments + index] : NULL;
}
