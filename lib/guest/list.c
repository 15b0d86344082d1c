// SPDX-License-Identifier: BSD-2-Clause
/* Lists in the traced program's memory. */
#include <guest/put.h>

#define ENVIRONMENT_MAX 4096u /* variables that are counted */
#define CPUS_MAX 1024u
#define ENTRIES_MAX 4096u /* directory entries that are counted */

static void put_rest(struct guest_line *line, word address)
{
	text_add(&line->text, "... /* 0x%lx */", address);
}

void put_list(struct guest_line *line, word address, word count, word size, put_element *element,
	      void *context)
{
	struct place start = place_of(line);
	word i;

	if (!address) {
		put_address(line, address);
		return;
	}
	text_add(&line->text, "[");
	for (i = 0; i < count && i < TEXT_MAX; i++) {
		text_add(&line->text, i ? ", " : "");
		if (element(line, address + i * size, context))
			continue;
		if (i) {
			put_rest(line, address + i * size);
			break;
		}
		place_return(line, start);
		put_address(line, address);
		return;
	}
	text_add(&line->text, i == TEXT_MAX && i < count ? ", ...]" : "]");
}

void put_strings(struct guest_line *line, word address)
{
	struct place start = place_of(line);
	word text;

	text_add(&line->text, "[");
	for (word i = 0;; i++) {
		if (!address ||
		    !guest_read(line, &text, address + i * sizeof(text), sizeof(text))) {
			if (i) {
				text_add(&line->text, ", ");
				put_rest(line, address + i * sizeof(text));
				break;
			}
			place_return(line, start);
			put_address(line, address);
			return;
		}
		if (!text)
			break;
		text_add(&line->text, i == TEXT_MAX ? ", ..." : i ? ", " : "");
		if (i == TEXT_MAX)
			break;
		put_string(line, text, TEXT_MAX);
	}
	text_add(&line->text, "]");
}

void put_environment(struct guest_line *line, word address)
{
	word count = 0, text = 1;
	bool readable = true;

	put_address(line, address);
	while (readable && count < ENVIRONMENT_MAX) {
		readable = guest_read(line, &text, address + count * sizeof(text), sizeof(text));
		if (readable && !text)
			break;
		count += readable;
	}
	if (!readable && !count)
		return;
	text_add(&line->text, " /* %lu var%s%s */", count, count == 1 ? "" : "s",
		 readable && !text ? "" : ", unterminated");
}

/*
 * Counts entries by their lengths, which are at the same place in struct linux_dirent and
 * struct linux_dirent64. Prints no count if a length cannot be right.
 */
void put_dirents(struct guest_line *line, word address, word length)
{
	const struct guest_value *field = &guest_values[guest_structs[GUEST_STRUCT_dirent].fields];
	unsigned short size;
	word count = 0, at = 0;

	put_address(line, address);
	for (; at < length && count < ENTRIES_MAX; at += size, count++)
		if (!guest_read(line, &size, address + at + field->at, sizeof(size)) ||
		    size < field->at + sizeof(size))
			return;
	if (at == length)
		text_add(&line->text, " /* %lu entr%s */", count, count == 1 ? "y" : "ies");
}

void put_cpuset(struct guest_line *line, word address, word length)
{
	unsigned char set[CPUS_MAX / 8];
	const char *between = "";
	word size = length < sizeof(set) ? length : sizeof(set);

	if (!address || !guest_read(line, set, address, size)) {
		put_address(line, address);
		return;
	}
	text_add(&line->text, "[");
	for (unsigned int cpu = 0; cpu < size * 8; cpu++) {
		if (!(set[cpu / 8] >> cpu % 8 & 1))
			continue;
		text_add(&line->text, "%s%u", between, cpu);
		between = " ";
	}
	text_add(&line->text, "]");
}
