// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/command/debug/packet.h>

#define INTERRUPT '\003'
#define ESCAPE_FLIP 0x20

static const char digits[] = "0123456789abcdef";

int packet_digit(char c)
{
	const char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
	const char *found = c ? strchr(digits, lower) : NULL;

	return found ? (int)(found - digits) : -1;
}

static enum packet_event outside_take(struct packet_reader *reader, char byte)
{
	if (byte == '$') {
		reader->state = READ_CONTENTS;
		reader->length = 0;
		reader->sum = 0;
	}
	return byte == INTERRUPT ? PACKET_INTERRUPT : byte == '-' ? PACKET_REPEAT : PACKET_NONE;
}

/* Contents that are too long are counted up to PACKET_MAX + 1 and not stored. */
static void contents_add(struct packet_reader *reader, char byte)
{
	if (reader->length < PACKET_MAX)
		reader->data[reader->length] = byte;
	if (reader->length <= PACKET_MAX)
		reader->length++;
}

static enum packet_event packet_end(struct packet_reader *reader)
{
	reader->state = READ_OUTSIDE;
	if (reader->sum != reader->given)
		return PACKET_DAMAGED;
	if (reader->length > PACKET_MAX)
		return PACKET_LONG;
	reader->data[reader->length] = 0;
	return PACKET_WHOLE;
}

static enum packet_event sum_take(struct packet_reader *reader, char byte)
{
	const int digit = packet_digit(byte);

	if (digit < 0) {
		reader->state = READ_OUTSIDE;
		return PACKET_DAMAGED;
	}
	reader->given = (unsigned char)(reader->given << 4 | digit);
	if (reader->state == READ_SUM_LAST)
		return packet_end(reader);
	reader->state = READ_SUM_LAST;
	return PACKET_NONE;
}

enum packet_event packet_take(struct packet_reader *reader, char byte)
{
	if (reader->state == READ_OUTSIDE || (byte == '$' && reader->state == READ_CONTENTS))
		return outside_take(reader, byte);
	if (reader->state == READ_SUM || reader->state == READ_SUM_LAST)
		return sum_take(reader, byte);
	if (byte == '#' && reader->state == READ_CONTENTS) {
		reader->state = READ_SUM;
		reader->given = 0;
		return PACKET_NONE;
	}
	reader->sum = (unsigned char)(reader->sum + (unsigned char)byte);
	if (reader->state == READ_ESCAPED) {
		contents_add(reader, (char)(byte ^ ESCAPE_FLIP));
		reader->state = READ_CONTENTS;
	} else if (byte == '}') {
		reader->state = READ_ESCAPED;
	} else {
		contents_add(reader, byte);
	}
	return PACKET_NONE;
}

size_t packet_make(char to[PACKET_MAX + PACKET_FRAME], const char *contents, size_t length)
{
	unsigned char sum = 0;

	to[0] = '$';
	for (size_t i = 0; i < length; i++) {
		to[1 + i] = contents[i];
		sum = (unsigned char)(sum + (unsigned char)contents[i]);
	}
	to[1 + length] = '#';
	to[2 + length] = digits[sum >> 4];
	to[3 + length] = digits[sum & 15];
	return length + PACKET_FRAME;
}
