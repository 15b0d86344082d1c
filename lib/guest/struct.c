// SPDX-License-Identifier: BSD-2-Clause
/* Structures, field by field, from a copy of the whole structure. */
#include <guest/put.h>

/* Returns the number in a field; 0 for an array of more than 8 bytes. */
static word field_load(const struct guest_value *field, const unsigned char *from,
		       unsigned int index)
{
	if (field->size > sizeof(word))
		return 0;
	return number_load(from + field->at + index * field->size, field->size, field->sign);
}

word struct_load(unsigned int of, unsigned int index, const unsigned char *from)
{
	return field_load(&guest_values[guest_structs[of].fields + index], from, 0);
}

static bool field_shown(struct guest_line *line, const struct guest_value *field,
			const struct guest_value *fields, const unsigned char *from)
{
	if (field->kind == GUEST_FILESIZE)
		return !mode_is_device(line->mode);
	if (field->kind == GUEST_DEVICE)
		return mode_is_device(line->mode);
	return field->only < 0 || field_load(&fields[field->only], from, 0) & field->bits;
}

static void put_epolldata(struct guest_line *line, word data)
{
	text_add(&line->text, "{u32=%u, u64=%lu}", (unsigned int)data, data);
}

static void put_ticks(struct guest_line *line, word ticks)
{
	text_add(&line->text, "%lu", ticks);
	if (ticks)
		text_add(&line->text, " /* %lu.%02lu s */", ticks / GUEST_HZ, ticks % GUEST_HZ);
}

static unsigned int from_network(word number, unsigned int size)
{
	return __builtin_bswap32((unsigned int)number) >> (32 - size * 8);
}

/* Prints one element of a field from the copy at `from`. */
static void put_field(struct guest_line *line, const struct guest_value *field,
		      const unsigned char *from)
{
	word number = field->size > sizeof(word) ? 0 : number_load(from, field->size, field->sign);

	switch (field->kind) {
	case GUEST_STRUCT:
		put_fields(line, field->of, from);
		break;
	case GUEST_TEXT:
		put_quoted(line, from, field->size, true);
		break;
	case GUEST_ADDRESS:
		put_address(line, number);
		break;
	case GUEST_FILEMODE:
		line->mode = (unsigned int)number;
		put_filemode(line, line->mode);
		break;
	case GUEST_LIMIT:
		put_limit(line, number);
		break;
	case GUEST_EPOLLDATA:
		put_epolldata(line, number);
		break;
	case GUEST_HANDLER:
		put_handler(line, number);
		break;
	case GUEST_SIGSET:
		put_sigset(line, number);
		break;
	case GUEST_PORT:
		text_add(&line->text, "htons(%u)", from_network(number, field->size));
		break;
	case GUEST_FLOWINFO:
		text_add(&line->text, "htonl(%u)", from_network(number, field->size));
		break;
	case GUEST_GROUPS:
		text_add(&line->text, number ? "0x%06lx" : "%08lx", number);
		break;
	case GUEST_TICKS:
		put_ticks(line, number);
		break;
	case GUEST_INET:
		put_inet(line, from);
		break;
	case GUEST_INET6:
		put_inet6(line, from);
		break;
	default:
		put_number(line, field, number);
	}
}

static void put_elements(struct guest_line *line, const struct guest_value *field,
			 const unsigned char *from)
{
	const char *between = "[";

	for (unsigned int i = 0; i < field->count; i++) {
		text_add(&line->text, "%s", between);
		put_field(line, field, from + i * field->size);
		between = ", ";
	}
	text_add(&line->text, "]");
}

void put_fields(struct guest_line *line, unsigned int of, const unsigned char *from)
{
	const struct guest_struct *type = &guest_structs[of];
	const struct guest_value *fields = &guest_values[type->fields];
	const char *between = "{";

	if (!type->named) {
		put_elements(line, fields, from);
		return;
	}
	for (unsigned int i = 0; i < type->count; i++) {
		const struct guest_value *field = &fields[i];

		if (!field_shown(line, field, fields, from))
			continue;
		text_add(&line->text, field->kind == GUEST_INET6 ? "%s" : "%s%s=", between,
			 field->name);
		if (field->count > 1)
			put_elements(line, field, from + field->at);
		else
			put_field(line, field, from + field->at);
		between = ", ";
	}
	text_add(&line->text, type->more ? ", ...}" : "}");
}

void put_struct(struct guest_line *line, unsigned int of, word address)
{
	unsigned char copy[GUEST_SIZE_MAX];

	if (address && guest_read(line, copy, address, guest_structs[of].size))
		put_fields(line, of, copy);
	else
		put_address(line, address);
}

static bool struct_element(struct guest_line *line, word address, void *context)
{
	unsigned int of = *(unsigned int *)context;
	const struct guest_struct *type = &guest_structs[of];
	unsigned char copy[GUEST_SIZE_MAX];

	if (!guest_read(line, copy, address, type->size))
		return false;
	if (type->named)
		put_fields(line, of, copy);
	else
		put_field(line, &guest_values[type->fields], copy);
	return true;
}

void put_structs(struct guest_line *line, unsigned int of, word address, word count)
{
	put_list(line, address, count, guest_structs[of].size, struct_element, &of);
}
