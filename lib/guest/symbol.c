// SPDX-License-Identifier: BSD-2-Clause
/* Plain numbers, and numbers with names. */
#include <guest/put.h>

void put_address(struct guest_line *line, word value)
{
	if (value)
		text_add(&line->text, "0x%lx", value);
	else
		text_add(&line->text, "NULL");
}

void put_hex(struct guest_line *line, word value)
{
	text_add(&line->text, value ? "0x%lx" : "%lu", value);
}

void put_octal(struct guest_line *line, unsigned int value, unsigned int width)
{
	char digits[12];
	unsigned int at = sizeof(digits);

	digits[--at] = 0;
	for (unsigned int i = 0; i < width || value; i++) {
		digits[--at] = (char)('0' + value % 8);
		value /= 8;
	}
	text_add(&line->text, "%s", digits + at);
}

const char *symbol_name(const struct guest_symbol *symbols, unsigned int count, word value)
{
	for (unsigned int i = 0; i < count; i++)
		if (symbols[i].value == value)
			return symbols[i].name;
	return NULL;
}

static void put_unknown(struct guest_line *line, const struct guest_set *set, word value)
{
	put_hex(line, value);
	if (*set->unknown)
		text_add(&line->text, " /* %s */", set->unknown);
}

void put_symbol(struct guest_line *line, unsigned int of, word value)
{
	const struct guest_set *set = &guest_sets[of];
	const char *name = symbol_name(set->symbols, set->symbol_count, value);

	if (name)
		text_add(&line->text, "%s", name);
	else
		put_unknown(line, set, value);
}

void put_flags(struct guest_line *line, unsigned int of, word value)
{
	const struct guest_set *set = &guest_sets[of];
	const char *base = symbol_name(set->base, set->base_count, value & set->mask),
		   *between = "";
	word left = value;

	if (base) {
		text_add(&line->text, "%s", base);
		left &= ~set->mask;
		between = "|";
	} else if (!value) {
		text_add(&line->text, "%s", set->zero ? set->zero : "0");
	}
	for (unsigned int i = 0; i < set->symbol_count; i++) {
		const struct guest_symbol *symbol = &set->symbols[i];

		if (!symbol->value || (left & symbol->value) != symbol->value)
			continue;
		text_add(&line->text, "%s%s", between, symbol->name);
		left &= ~symbol->value;
		between = "|";
	}
	if (left && !*between)
		put_unknown(line, set, left);
	else if (left)
		text_add(&line->text, "|0x%lx", left);
}
