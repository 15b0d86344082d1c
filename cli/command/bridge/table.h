/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of `limpet bridge`, which limpet-compose writes from the [[bridge]] tables of a system file. It is a text
 * file. Single spaces separate the words of a line:
 *
 *   limpet-bridge 1
 *   bridge SIZE DIRECTION RELIABILITY DURABILITY HISTORY DEPTH CHANNEL TOPIC TYPE
 *   field TYPE KIND COUNT OFFSET
 *
 * A `bridge` line describes a topic, and the `field` lines after it describe its message in the channel. SIZE is the
 * size of that message and OFFSET the place of a field in it, in bytes. docs/reference/bridge.md has the values.
 */
#ifndef CLI_BRIDGE_TABLE_H
#define CLI_BRIDGE_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TABLE_VERSION 1
#define TABLE_ROWS 64
#define TABLE_FIELDS 128
#define TABLE_NAME 256	    /* bytes of a name, with the terminating 0 */
#define TABLE_MESSAGE 65536 /* bytes of a message */
#define TABLE_DEPTH 1000000
#define DOMAIN_MAX 232 /* maximum of DDS on UDP */

enum field_kind {
	FIELD_VALUE,
	FIELD_ARRAY,	/* `count` elements */
	FIELD_STRING,	/* `count` bytes, with the terminating 0 */
	FIELD_SEQUENCE, /* a uint32_t with the number of elements, then `count` elements, aligned */
};

/* A primitive type of IDL, with its code in <dds/ddsc/dds_opcodes.h>. */
struct element {
	const char *name;
	uint32_t size; /* size and alignment */
	uint32_t code; /* enum dds_stream_typecode */
	uint32_t flags;
};

struct field {
	enum field_kind kind;
	const struct element *element; /* NULL for a string */
	uint32_t count;
	uint32_t at;	    /* offset in the message of the channel */
	uint32_t sample_at; /* offset in the sample of DDS; layout_make() sets it */
};

struct row {
	bool publish; /* direction from the channel to DDS; otherwise from DDS to the channel */
	bool reliable, transient_local, keep_all;
	uint32_t depth; /* depth of history keep_last */
	uint32_t size;
	char channel[TABLE_NAME]; /* a name below /dev/limpet, or a path if it contains a / */
	char topic[TABLE_NAME], type[TABLE_NAME];
	struct field field[TABLE_FIELDS];
	unsigned int fields;
};

struct table {
	struct row row[TABLE_ROWS];
	unsigned int rows;
};

/* Reads a table. Reports the first mistake with its line and returns false. */
bool table_read(struct table *table, const char *path);

static inline uint32_t align_up(uint32_t value, uint32_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

/* Returns the offset of the first element of a sequence. */
static inline uint32_t field_elements_at(const struct field *field)
{
	return align_up(field->at + (uint32_t)sizeof(uint32_t), field->element->size);
}

#endif
