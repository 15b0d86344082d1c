// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <dds/ddsc/dds_opcodes.h>

#include <cli/command/bridge/table.h>
#include <cli/common/report.h>

#define LINE 1024
/* The conversion of sscanf() for a name: its width is TABLE_NAME - 1. */
#define NAME_255 "%255s"

static const struct element elements[] = {
	{ "boolean", 1, DDS_OP_VAL_BLN, 0 },
	{ "octet", 1, DDS_OP_VAL_1BY, 0 },
	{ "char", 1, DDS_OP_VAL_1BY, DDS_OP_FLAG_SGN },
	{ "int8", 1, DDS_OP_VAL_1BY, DDS_OP_FLAG_SGN },
	{ "uint8", 1, DDS_OP_VAL_1BY, 0 },
	{ "int16", 2, DDS_OP_VAL_2BY, DDS_OP_FLAG_SGN },
	{ "uint16", 2, DDS_OP_VAL_2BY, 0 },
	{ "int32", 4, DDS_OP_VAL_4BY, DDS_OP_FLAG_SGN },
	{ "uint32", 4, DDS_OP_VAL_4BY, 0 },
	{ "int64", 8, DDS_OP_VAL_8BY, DDS_OP_FLAG_SGN },
	{ "uint64", 8, DDS_OP_VAL_8BY, 0 },
	{ "float", 4, DDS_OP_VAL_4BY, DDS_OP_FLAG_FP },
	{ "double", 8, DDS_OP_VAL_8BY, DDS_OP_FLAG_FP },
	{ NULL, 0, 0, 0 },
};

static const char *const kinds[] = {
	[FIELD_VALUE] = "value",
	[FIELD_ARRAY] = "array",
	[FIELD_STRING] = "string",
	[FIELD_SEQUENCE] = "sequence",
};

/* Sets a flag from one of two words. Returns false for any other word. */
static bool choice_read(bool *flag, const char *word, const char *yes, const char *no)
{
	*flag = !strcmp(word, yes);
	return *flag || !strcmp(word, no);
}

static bool row_read(struct table *table, const char *line)
{
	char direction[16], reliability[16], durability[16], history[16];
	struct row *row = &table->row[table->rows];
	int end = 0;

	if (table->rows == TABLE_ROWS ||
	    sscanf(line,
		   "bridge %" SCNu32 " %15s %15s %15s %15s %" SCNu32 " " NAME_255 " " NAME_255
		   " " NAME_255 " %n",
		   &row->size, direction, reliability, durability, history, &row->depth,
		   row->channel, row->topic, row->type, &end) != 9 ||
	    line[end])
		return false;
	table->rows++;
	return choice_read(&row->publish, direction, "publish", "subscribe") &&
	       choice_read(&row->reliable, reliability, "reliable", "best_effort") &&
	       choice_read(&row->transient_local, durability, "transient_local", "volatile") &&
	       choice_read(&row->keep_all, history, "keep_all", "keep_last") && row->size &&
	       row->size <= TABLE_MESSAGE && row->depth && row->depth <= TABLE_DEPTH;
}

/* Returns the offset after a field. It cannot overflow, because `count` and `at` are bounded. */
static uint64_t field_end(const struct field *field)
{
	if (field->kind == FIELD_STRING)
		return (uint64_t)field->at + field->count;
	return (uint64_t)field->count * field->element->size +
	       (field->kind == FIELD_SEQUENCE ? field_elements_at(field) : field->at);
}

static uint32_t field_alignment(const struct field *field)
{
	if (field->kind == FIELD_STRING)
		return 1;
	return field->kind == FIELD_SEQUENCE ? sizeof(uint32_t) : field->element->size;
}

static bool field_kind_read(struct field *field, const char *word)
{
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i], word))
			continue;
		field->kind = (enum field_kind)i;
		return true;
	}
	return false;
}

/* Sets the field's element. The type must be `string` for a string, and is not allowed for another kind. */
static bool field_type_read(struct field *field, const char *word)
{
	const struct element *element = elements;

	if (field->kind == FIELD_STRING)
		return !strcmp(word, "string");
	while (element->name && strcmp(element->name, word))
		element++;
	field->element = element;
	return element->name;
}

static bool field_read(struct table *table, const char *line)
{
	struct row *row = table->rows ? &table->row[table->rows - 1] : NULL;
	char type[16], kind[16];
	struct field *field;
	int end = 0;

	if (!row || row->fields == TABLE_FIELDS)
		return false;
	field = &row->field[row->fields++];
	return sscanf(line, "field %15s %15s %" SCNu32 " %" SCNu32 " %n", type, kind, &field->count,
		      &field->at, &end) == 4 &&
	       !line[end] && field_kind_read(field, kind) && field_type_read(field, type) &&
	       field->count && field->count <= TABLE_MESSAGE && field->at < row->size &&
	       !(field->at % field_alignment(field)) && field_end(field) <= row->size &&
	       (field->kind != FIELD_VALUE || field->count == 1);
}

static bool line_read(struct table *table, unsigned int number, const char *line)
{
	unsigned int version;
	int end = 0;

	if (number == 1)
		return sscanf(line, "limpet-bridge %u %n", &version, &end) == 1 && !line[end] &&
		       version == TABLE_VERSION;
	if (!strncmp(line, "bridge ", 7))
		return row_read(table, line);
	return !strncmp(line, "field ", 6) && field_read(table, line);
}

/* Returns whether the table has topics, and each topic has fields. */
static bool table_is_whole(const struct table *table)
{
	for (unsigned int i = 0; i < table->rows; i++)
		if (!table->row[i].fields)
			return false;
	return table->rows;
}

bool table_read(struct table *table, const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned int number = 0;
	char line[LINE];

	memset(table, 0, sizeof(*table));
	if (!file) {
		report("%s: %s. Give the table that limpet-compose writes next to an image.", path,
		       strerror(errno));
		return false;
	}
	errno = 0;
	while (fgets(line, sizeof(line), file)) {
		if (line_read(table, ++number, line))
			continue;
		report("%s:%u: This is not a line of a table of version %d. Make the table again with "
		       "limpet-compose.",
		       path, number, TABLE_VERSION);
		fclose(file);
		return false;
	}
	if (ferror(file)) {
		report("%s: %s. Give the table that limpet-compose writes next to an image.", path,
		       strerror(errno));
		fclose(file);
		return false;
	}
	fclose(file);
	if (!table_is_whole(table))
		report("%s: The table has no topic, or a topic without fields. Add a [[bridge]] to the system "
		       "file.",
		       path);
	return table_is_whole(table);
}
