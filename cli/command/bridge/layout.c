// SPDX-License-Identifier: GPL-2.0
#include <stdalign.h>
#include <string.h>

#include <cli/command/bridge/layout.h>

/* Positions of the two types in an instruction of the serializer. */
#define SUBTYPE 8
#define TYPE 16

/* --- the sample's structure */

static uint32_t sample_align(const struct field *field)
{
	if (field->kind == FIELD_STRING)
		return alignof(char *);
	return field->kind == FIELD_SEQUENCE ? alignof(dds_sequence_t) : field->element->size;
}

static uint32_t sample_bytes(const struct field *field)
{
	if (field->kind == FIELD_STRING)
		return sizeof(char *);
	if (field->kind == FIELD_SEQUENCE)
		return sizeof(dds_sequence_t);
	return field->count * field->element->size;
}

static void layout_put(struct layout *layout, uint32_t word)
{
	layout->ops[layout->words++] = word;
}

static uint32_t type_operation(const struct field *field)
{
	const struct element *element = field->element;

	switch (field->kind) {
	case FIELD_VALUE:
		return element->code << TYPE | element->flags;
	case FIELD_ARRAY:
		return DDS_OP_TYPE_ARR | element->code << SUBTYPE | element->flags;
	case FIELD_SEQUENCE:
		return DDS_OP_TYPE_SEQ | element->code << SUBTYPE | element->flags;
	case FIELD_STRING:
		break;
	}
	return DDS_OP_TYPE_STR;
}

static void layout_put_field(struct layout *layout, const struct field *field)
{
	layout_put(layout, DDS_OP_ADR | type_operation(field));
	layout_put(layout, field->sample_at);
	if (field->kind == FIELD_ARRAY)
		layout_put(layout, field->count);
}

void layout_make(struct layout *layout, struct row *row)
{
	memset(layout, 0, sizeof(*layout));
	for (unsigned int i = 0; i < row->fields; i++) {
		struct field *field = &row->field[i];

		field->sample_at = align_up(layout->size, sample_align(field));
		layout->size = field->sample_at + sample_bytes(field);
		layout_put_field(layout, field);
	}
	layout_put(layout, DDS_OP_RTS);
	layout->size = align_up(layout->size, alignof(max_align_t));
}

dds_entity_t layout_topic(const struct layout *layout, const struct row *row,
			  dds_entity_t participant)
{
	const dds_topic_descriptor_t descriptor = {
		.m_size = layout->size,
		.m_align = alignof(max_align_t),
		.m_typename = row->type,
		.m_nops = row->fields + 1,
		.m_ops = layout->ops,
		.m_meta = "",
	};

	return dds_create_topic(participant, &descriptor, row->topic, NULL, NULL);
}

/* --- from the channel */

static void booleans_correct(const struct field *field, unsigned char *at, uint32_t count)
{
	if (field->element->code != DDS_OP_VAL_BLN)
		return;
	for (uint32_t i = 0; i < count; i++)
		at[i] = !!at[i];
}

static const char *string_to_sample(const struct field *field, char *text, void *to)
{
	if (!memchr(text, 0, field->count))
		return "a string has no terminating 0";
	memcpy(to, &text, sizeof(text));
	return NULL;
}

static const char *sequence_to_sample(const struct field *field, unsigned char *message, void *to)
{
	dds_sequence_t sequence = { ._buffer = message + field_elements_at(field) };

	memcpy(&sequence._length, message + field->at, sizeof(sequence._length));
	if (sequence._length > field->count)
		return "a sequence is longer than its bound";
	sequence._maximum = sequence._length;
	booleans_correct(field, sequence._buffer, sequence._length);
	memcpy(to, &sequence, sizeof(sequence));
	return NULL;
}

static const char *field_to_sample(const struct field *field, unsigned char *message,
				   unsigned char *sample)
{
	unsigned char *from = message + field->at;

	if (field->kind == FIELD_STRING)
		return string_to_sample(field, (char *)from, sample + field->sample_at);
	if (field->kind == FIELD_SEQUENCE)
		return sequence_to_sample(field, message, sample + field->sample_at);
	booleans_correct(field, from, field->count);
	memcpy(sample + field->sample_at, from, (size_t)field->count * field->element->size);
	return NULL;
}

const char *layout_to_sample(const struct row *row, void *message, void *sample)
{
	const char *wrong = NULL;

	for (unsigned int i = 0; i < row->fields && !wrong; i++)
		wrong = field_to_sample(&row->field[i], message, sample);
	return wrong;
}

/* --- to the channel */

static const char *string_to_message(const struct field *field, const void *from, char *to)
{
	const char *text;
	size_t length;

	memcpy(&text, from, sizeof(text));
	length = text ? strlen(text) : 0;
	if (length >= field->count)
		return "a string is longer than its bound";
	if (length)
		memcpy(to, text, length);
	return NULL;
}

static const char *sequence_to_message(const struct field *field, const void *from,
				       unsigned char *message)
{
	dds_sequence_t sequence;

	memcpy(&sequence, from, sizeof(sequence));
	if (sequence._length > field->count)
		return "a sequence is longer than its bound";
	memcpy(message + field->at, &sequence._length, sizeof(sequence._length));
	if (sequence._length)
		memcpy(message + field_elements_at(field), sequence._buffer,
		       (size_t)sequence._length * field->element->size);
	return NULL;
}

static const char *field_to_message(const struct field *field, const unsigned char *sample,
				    unsigned char *message)
{
	const unsigned char *from = sample + field->sample_at;

	if (field->kind == FIELD_STRING)
		return string_to_message(field, from, (char *)message + field->at);
	if (field->kind == FIELD_SEQUENCE)
		return sequence_to_message(field, from, message);
	memcpy(message + field->at, from, (size_t)field->count * field->element->size);
	return NULL;
}

const char *layout_to_message(const struct row *row, const void *sample, void *message)
{
	const char *wrong = NULL;

	memset(message, 0, row->size);
	for (unsigned int i = 0; i < row->fields && !wrong; i++)
		wrong = field_to_message(&row->field[i], sample, message);
	return wrong;
}
