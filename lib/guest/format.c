// SPDX-License-Identifier: BSD-2-Clause
#include <guest/put.h>
#include <runtime/memory.h>

/* Returns the variant of a call that fits its arguments, or NULL. */
static const struct guest_variant *variant_find(const struct guest_line *line)
{
	for (unsigned int i = 0; i < line->call->variant_count; i++) {
		const struct guest_variant *variant = &guest_variants[line->call->variants + i];

		if (((unsigned int)line->arguments[variant->by] & variant->mask) == variant->value)
			return variant;
	}
	return NULL;
}

/* Chooses the arguments that are printed, and the kind of the result. */
static void shown_find(struct guest_line *line)
{
	const struct guest_variant *variant = variant_find(line);

	line->shown = &guest_values[variant ? variant->arguments : line->call->arguments];
	line->count = variant ? variant->count : line->call->count;
	line->returns = variant ? variant->returns : line->call->returns;
	line->of = variant ? variant->of : line->call->of;
}

/* Reads the number at the call's GUEST_LENGTH, because the call itself changes it. */
static void length_keep(struct guest_line *line)
{
	for (unsigned int i = 0; i < line->call->count; i++) {
		const struct guest_value *value = guest_call_argument(line->call, i);
		word address = line->arguments[i];

		if (value->kind != GUEST_LENGTH || !address)
			continue;
		line->length_at = address;
		line->length_known = guest_read(line, &line->length, address, sizeof(line->length));
		line->length_after = line->length;
	}
}

/* Reads the number after the call, once, because the program can change it at any time. */
static void length_update(struct guest_line *line)
{
	int now;

	if (line->length_known && line->result >= 0 &&
	    guest_read(line, &now, line->length_at, sizeof(now)))
		line->length_after = now;
}

static bool is_shown(const struct guest_line *line, const struct guest_value *value)
{
	return value->only < 0 || line->arguments[(unsigned int)value->only] & value->bits;
}

/* Prints an argument. Returns false if a second part of it, which clone3 writes, must be printed after the call. */
static bool argument_whole(struct guest_line *line, const struct guest_value *value)
{
	if (!line->half) {
		text_add(&line->text, line->next ? ", " : "");
		if (value->label)
			text_add(&line->text, "%s=", value->name);
		put_argument(line, value);
	}
	line->half = value->kind == GUEST_CLONEARGS && !line->ended;
	if (value->kind == GUEST_CLONEARGS && line->ended)
		put_clone_written(line);
	return !line->half;
}

/* Prints arguments up to the first one that is read only after the call. */
static void arguments_put(struct guest_line *line)
{
	for (; line->next < line->count; line->next++) {
		const struct guest_value *value = &line->shown[line->next];

		if (!is_shown(line, value))
			continue;
		if (!line->ended && (value->way != GUEST_IN || value->kind == GUEST_LENGTH))
			return;
		if (!argument_whole(line, value))
			return;
	}
}

/* Prints a call of which only the number is known. */
static void unknown_put(struct guest_line *line)
{
	if (line->call)
		text_add(&line->text, "%s(", line->call->name);
	else
		text_add(&line->text, "syscall_0x%lx(", line->number);
	for (unsigned int i = 0; i < GUEST_ARGUMENTS; i++)
		text_add(&line->text, line->arguments[i] ? "%s0x%lx" : "%s%lu", i ? ", " : "",
			 line->arguments[i]);
}

void guest_line_begin(struct guest_line *line, char *at, size_t size,
		      const struct guest_memory *memory, long number,
		      const word arguments[GUEST_ARGUMENTS])
{
	*line = (struct guest_line){ .text = text_in(at, size),
				     .memory = *memory,
				     .number = number };
	line->call = guest_call_at(number);
	memcpy(line->arguments, arguments, sizeof(line->arguments));
	if (!line->call || !line->call->implemented) {
		unknown_put(line);
		return;
	}
	shown_find(line);
	length_keep(line);
	text_add(&line->text, "%s(", line->call->name);
	arguments_put(line);
}

void guest_line_end(struct guest_line *line, long result)
{
	line->ended = true;
	line->result = result;
	length_update(line);
	arguments_put(line);
	text_add(&line->text, ")");
	put_result(line);
}

void guest_line_lost(struct guest_line *line)
{
	line->ended = true;
	line->result = -1;
	arguments_put(line);
	text_add(&line->text, ") = ?");
}

void guest_line_unfinished(struct guest_line *line)
{
	text_add(&line->text, " <unfinished ...>");
}
