// SPDX-License-Identifier: BSD-2-Clause
/* Results: numbers, errors, and the additional text of some calls. */
#include <guest/put.h>

#define ERROR_MAX 4095 /* results from -4095 are errors */

bool result_is_restart(long result)
{
	return result <= -GUEST_ERESTARTSYS && result >= -GUEST_ERESTART_RESTARTBLOCK;
}

static void put_error(struct guest_line *line, long number)
{
	for (unsigned int i = 0; i < guest_error_count; i++) {
		const struct guest_error *error = &guest_errors[i];

		if (error->number != number)
			continue;
		text_add(&line->text, "%s %s (%s)", result_is_restart(-number) ? "?" : "-1",
			 error->name, error->text);
		return;
	}
	text_add(&line->text, "-1 (errno %ld)", number);
}

static void put_result_flags(struct guest_line *line)
{
	put_hex(line, (word)line->result);
	if (!line->result && !guest_sets[line->of].base_count)
		return;
	text_add(&line->text, " (flags ");
	put_flags(line, line->of, (word)line->result);
	text_add(&line->text, ")");
}

static void put_result_named(struct guest_line *line)
{
	text_add(&line->text, "%ld (", line->result);
	put_symbol(line, line->of, (word)line->result);
	text_add(&line->text, ")");
}

static void put_success(struct guest_line *line)
{
	switch (line->returns) {
	case GUEST_RETURNS_ADDRESS:
	case GUEST_RETURNS_HEX:
		put_hex(line, (word)line->result);
		break;
	case GUEST_RETURNS_MODE:
		text_add(&line->text, "0");
		put_octal(line, (unsigned int)line->result, 1);
		break;
	case GUEST_RETURNS_FLAGS:
		put_result_flags(line);
		break;
	case GUEST_RETURNS_NAMED:
		put_result_named(line);
		break;
	default:
		text_add(&line->text, "%ld", line->result);
	}
}

void put_result(struct guest_line *line)
{
	text_add(&line->text, " = ");
	if (line->result < 0 && line->result >= -ERROR_MAX) {
		put_error(line, -line->result);
		return;
	}
	put_success(line);
	if (line->returns == GUEST_RETURNS_POLL)
		put_polled(line);
	else if (line->returns == GUEST_RETURNS_SELECT)
		put_selected(line);
}
