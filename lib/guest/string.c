// SPDX-License-Identifier: BSD-2-Clause
/* Text and bytes of the traced program, in quotes. Bytes that cannot be printed are escaped as in C. */
#include <guest/put.h>

#define CHUNK 64u
#define PAGE 4096u
#define NOTHING (-1)

/* The form of an octal escape depends on the next byte, so the last one waits. */
struct quotes {
	struct guest_line *line;
	int octal; /* a byte that waits, or NOTHING */
};

static void octal_end(struct quotes *quotes, bool digit_follows)
{
	if (quotes->octal == NOTHING)
		return;
	text_add(&quotes->line->text, "\\");
	put_octal(quotes->line, (unsigned int)quotes->octal, digit_follows ? 3 : 1);
	quotes->octal = NOTHING;
}

static const char *escape_of(unsigned char byte)
{
	switch (byte) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\f':
		return "\\f";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	case '\v':
		return "\\v";
	default:
		return NULL;
	}
}

static void quotes_add(struct quotes *quotes, unsigned char byte)
{
	const char *escape = escape_of(byte);

	octal_end(quotes, byte >= '0' && byte <= '9');
	if (escape)
		text_add(&quotes->line->text, "%s", escape);
	else if (byte >= ' ' && byte <= '~')
		text_add(&quotes->line->text, "%c", byte);
	else
		quotes->octal = byte;
}

static struct quotes quotes_begin(struct guest_line *line)
{
	text_add(&line->text, "\"");
	return (struct quotes){ line, NOTHING };
}

static void quotes_end(struct quotes *quotes, bool more)
{
	octal_end(quotes, false);
	text_add(&quotes->line->text, more ? "\"..." : "\"");
}

void put_quoted(struct guest_line *line, const void *from, word length, bool terminated)
{
	struct quotes quotes = quotes_begin(line);
	const unsigned char *bytes = from;

	for (word i = 0; i < length && !(terminated && !bytes[i]); i++)
		quotes_add(&quotes, bytes[i]);
	quotes_end(&quotes, false);
}

/* Adds bytes up to a 0 or up to `max`. Returns whether that was reached; `*done` counts. */
static bool chunk_add(struct quotes *quotes, const unsigned char *bytes, word size, word max,
		      word *done, bool *more)
{
	for (word i = 0; i < size; i++) {
		if (!bytes[i])
			return true;
		if (*done == max) {
			*more = true;
			return true;
		}
		quotes_add(quotes, bytes[i]);
		++*done;
	}
	return false;
}

/* A copy does not cross a page, because the text may end before a page that cannot be read. */
static word chunk_size(word address, word max)
{
	word page = PAGE - address % PAGE, size = max < CHUNK ? max : CHUNK;

	return page < size ? page : size;
}

void put_string(struct guest_line *line, word address, word max)
{
	struct place place = place_of(line);
	struct quotes quotes;
	unsigned char bytes[CHUNK];
	word done = 0, size;
	bool more = false;

	if (!address) {
		put_address(line, address);
		return;
	}
	quotes = quotes_begin(line);
	do {
		size = chunk_size(address + done, max + 1 - done);
		if (!guest_read(line, bytes, address + done, size)) {
			place_return(line, place);
			put_address(line, address);
			return;
		}
	} while (!chunk_add(&quotes, bytes, size, max, &done, &more));
	quotes_end(&quotes, more);
}

void put_bytes(struct guest_line *line, word address, word length)
{
	unsigned char bytes[TEXT_MAX];
	word shown = length < TEXT_MAX ? length : TEXT_MAX;

	if (!address || !guest_read(line, bytes, address, shown)) {
		put_address(line, address);
		return;
	}
	put_quoted(line, bytes, shown, false);
	if (shown < length)
		text_add(&line->text, "...");
}
