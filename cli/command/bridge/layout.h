/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts between a message of a channel and a sample of DDS.
 *
 * The message is a C structure of fixed size that a component fills. The sample is the structure that idlc would
 * generate for the same type: it has pointers to strings and elements. The functions trust neither side, and check each
 * length against the table.
 */
#ifndef CLI_BRIDGE_LAYOUT_H
#define CLI_BRIDGE_LAYOUT_H

#include <dds/dds.h>

#include <cli/command/bridge/table.h>

struct layout {
	uint32_t size; /* size of the sample */
	uint32_t ops[1 + 3 * TABLE_FIELDS];
	uint32_t words;
};

/* Places the fields in the sample, and writes the serializer's program for these fields. */
void layout_make(struct layout *layout, struct row *row);

/*
 * Creates the topic of a row in a participant. Returns the entity, or a negative DDS_RETCODE_. The descriptor has no
 * type information of XTypes, so that the other side compares the names of types, as ROS 2 does.
 */
dds_entity_t layout_topic(const struct layout *layout, const struct row *row,
			  dds_entity_t participant);

/*
 * Fills a sample, which then points into the message. The message has row->size bytes, aligned to 8. The function sets
 * its nonzero booleans to 1, because other values are invalid in DDS. Returns NULL, or the reason why the message is
 * invalid.
 */
const char *layout_to_sample(const struct row *row, void *message, void *sample);

/* Fills a message of row->size bytes. Returns NULL, or the reason why the sample does not fit. */
const char *layout_to_message(const struct row *row, const void *sample, void *message);

#endif
