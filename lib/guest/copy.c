// SPDX-License-Identifier: BSD-2-Clause
/* Copies memory of the traced program, and restores earlier ends of the printed text. */
#include <guest/put.h>
#include <runtime/memory.h>

bool guest_read(struct guest_line *line, void *to, word address, word size)
{
	if (address + size < address)
		return false;
	return line->memory.copy(line->memory.context, to, address, size) == 0;
}

word number_load(const void *from, unsigned int size, bool sign)
{
	unsigned int spare = 64 - size * 8;
	word value = 0;

	memcpy(&value, from, size);
	return sign ? (word)((long)(value << spare) >> spare) : value;
}

struct place place_of(const struct guest_line *line)
{
	return (struct place){ line->text.length, line->text.cut };
}

void place_return(struct guest_line *line, struct place place)
{
	line->text.length = place.length;
	line->text.cut = place.cut;
	line->text.at[place.length] = 0;
}
