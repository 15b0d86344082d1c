// SPDX-License-Identifier: BSD-2-Clause
/* Sets of descriptors, and the results of poll and select. */
#include <guest/put.h>

#define BITS 64u
#define POLLED_EVENTS 1 /* field `revents` of GUEST_STRUCT_polled */

/* Reads a set of `count` descriptors; at most FD_MAX. Returns false if they cannot be read. */
static bool fdset_read(struct guest_line *line, word *set, word address, unsigned int *count,
		       long wanted)
{
	*count = wanted < FD_MAX ? (unsigned int)wanted : FD_MAX;
	return address && wanted >= 0 &&
	       guest_read(line, set, address, (*count + BITS - 1) / BITS * sizeof(*set));
}

/* Prints the descriptors of a set, the first after `between`. Returns whether there is one. */
static bool put_members(struct guest_line *line, const word *set, unsigned int count,
			const char *between)
{
	bool any = false;

	for (unsigned int fd = 0; fd < count; fd++) {
		if (!(set[fd / BITS] >> fd % BITS & 1))
			continue;
		text_add(&line->text, "%s%u", any ? " " : between, fd);
		any = true;
	}
	return any;
}

void put_fdset(struct guest_line *line, word address, long wanted)
{
	word set[FD_MAX / BITS];
	unsigned int count;

	if (!fdset_read(line, set, address, &count, wanted)) {
		put_address(line, address);
		return;
	}
	if (!put_members(line, set, count, "["))
		text_add(&line->text, "[");
	text_add(&line->text, "]");
}

/* Prints the time that is left, if the call has changed its timeout. */
static void put_left(struct guest_line *line, const struct guest_value *timeout,
		     const char *between)
{
	unsigned char copy[GUEST_SIZE_MAX];
	word address = line->arguments[timeout->at];

	if (timeout->kind != GUEST_STRUCT || !address ||
	    !guest_read(line, copy, address, guest_structs[timeout->of].size))
		return;
	text_add(&line->text, "%sleft ", between);
	put_fields(line, timeout->of, copy);
}

static bool polled_element(struct guest_line *line, word address, const char *between)
{
	unsigned char copy[GUEST_SIZE_polled];

	if (!guest_read(line, copy, address, GUEST_SIZE_polled) ||
	    !struct_load(GUEST_STRUCT_polled, POLLED_EVENTS, copy))
		return false;
	text_add(&line->text, "%s", between);
	put_fields(line, GUEST_STRUCT_polled, copy);
	return true;
}

void put_polled(struct guest_line *line)
{
	word address = line->arguments[0], count = (unsigned int)line->arguments[1], shown = 0;
	word size = GUEST_SIZE_polled;

	if (!line->result) {
		text_add(&line->text, " (Timeout)");
		return;
	}
	text_add(&line->text, " ([");
	for (word i = 0; i < count && i < FD_MAX && shown < TEXT_MAX && shown < (word)line->result;
	     i++)
		shown += polled_element(line, address + i * size, shown ? ", " : "");
	if (shown < (word)line->result)
		text_add(&line->text, shown ? ", ..." : "...");
	text_add(&line->text, "]");
	put_left(line, &line->shown[2], ", ");
	text_add(&line->text, ")");
}

void put_selected(struct guest_line *line)
{
	static const char *const names[] = { "in", "out", "except" };
	word set[FD_MAX / BITS];
	const char *between = "";
	unsigned int count;

	if (!line->result) {
		text_add(&line->text, " (Timeout)");
		return;
	}
	text_add(&line->text, " (");
	for (unsigned int i = 0; i < array_size(names); i++) {
		struct place place = place_of(line);

		text_add(&line->text, "%s%s ", between, names[i]);
		if (!fdset_read(line, set, line->arguments[1 + i], &count,
				(int)line->arguments[0]) ||
		    !put_members(line, set, count, "[")) {
			place_return(line, place);
			continue;
		}
		text_add(&line->text, "]");
		between = ", ";
	}
	put_left(line, &line->shown[4], between);
	text_add(&line->text, ")");
}
