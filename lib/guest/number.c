// SPDX-License-Identifier: BSD-2-Clause
/* Numbers: modes, limits, devices, and the kinds of values. */
#include <guest/put.h>

#define MODE_SPECIAL (GUEST_S_ISUID | GUEST_S_ISGID | GUEST_S_ISVTX)

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
