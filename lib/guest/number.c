// SPDX-License-Identifier: BSD-2-Clause
/* Numbers: addresses, modes, and values with names. */
#include <guest/put.h>

#define MODE_SPECIAL (GUEST_S_ISUID | GUEST_S_ISGID | GUEST_S_ISVTX)

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

/* Permissions: octal with a leading 0, and at least three digits. */
static void put_mode(struct guest_line *line, unsigned int mode)
{
	if (mode > 077)
		text_add(&line->text, "0");
	put_octal(line, mode, 3);
}

bool mode_is_device(unsigned int mode)
{
	return (mode & GUEST_S_IFMT) == GUEST_S_IFCHR || (mode & GUEST_S_IFMT) == GUEST_S_IFBLK;
}

void put_filemode(struct guest_line *line, unsigned int mode)
{
	const struct guest_set *types = &guest_sets[GUEST_SET_S];
	const char *type = symbol_name(types->symbols, types->symbol_count, mode & GUEST_S_IFMT);

	if (!type) {
		put_mode(line, mode);
		return;
	}
	text_add(&line->text, "%s|", type);
	if (mode & MODE_SPECIAL) {
		put_flags(line, GUEST_SET_MODE_BITS, mode & MODE_SPECIAL);
		text_add(&line->text, "|");
	}
	put_mode(line, mode & ~(GUEST_S_IFMT | MODE_SPECIAL));
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

void put_limit(struct guest_line *line, word value)
{
	if (value == ~0ul)
		text_add(&line->text, "RLIM64_INFINITY");
	else if (value > 1024 && value % 1024 == 0)
		text_add(&line->text, "%lu*1024", value / 1024);
	else
		text_add(&line->text, "%lu", value);
}

static void put_device(struct guest_line *line, word device)
{
	text_add(&line->text, "makedev(0x%lx, 0x%lx)",
		 (device >> 8 & 0xfff) | (device >> 32 & ~0xffful),
		 (device & 0xff) | (device >> 12 & 0xffffff00));
}

static void put_dirfd(struct guest_line *line, int fd)
{
	if (fd == GUEST_AT_FDCWD)
		text_add(&line->text, "AT_FDCWD");
	else
		text_add(&line->text, "%d", fd);
}

void put_number(struct guest_line *line, const struct guest_value *value, word number)
{
	switch (value->kind) {
	case GUEST_SIGNED:
		text_add(&line->text, "%ld", (long)number);
		break;
	case GUEST_HEX:
		put_hex(line, number);
		break;
	case GUEST_FD:
	case GUEST_PID:
		text_add(&line->text, "%d", (int)number);
		break;
	case GUEST_DIRFD:
		put_dirfd(line, (int)number);
		break;
	case GUEST_ID:
		text_add(&line->text, (int)number == -1 ? "%d" : "%u", (int)number);
		break;
	case GUEST_MODE:
		put_mode(line, (unsigned short)number);
		break;
	case GUEST_FILEMODE:
		put_filemode(line, (unsigned short)number);
		break;
	case GUEST_DEVICE:
		put_device(line, number);
		break;
	case GUEST_SIGNAL:
		put_signal(line, number, true);
		break;
	case GUEST_FLAGS:
		put_flags(line, value->of, number);
		break;
	case GUEST_VALUE:
		put_symbol(line, value->of, number);
		break;
	default:
		text_add(&line->text, value->sign ? "%ld" : "%lu", number);
	}
}
