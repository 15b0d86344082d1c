// SPDX-License-Identifier: BSD-2-Clause
/* Frames, ETG.1000.4 clause 5. All fields but the Ethernet type are little endian, as the processor is. */
#include <runtime/memory.h>

#include "ethercat.h"

#define ETHERNET 14	/* bytes of an Ethernet header */
#define FRAME_MIN 60	/* bytes without checksum */
#define TYPE_HIGH 0x88u /* high byte of the Ethernet type 0x88a4 */
#define TYPE_LOW 0xa4u
#define HEADER 2 /* the EtherCAT header: length, and type 1 */
#define HEADER_TYPE 0x1000u
#define LENGTH 0x7ffu
#define MORE 0x8000u /* another datagram follows */
#define COUNTER 2

struct head {
	uint8_t command, index;
	uint16_t address, offset;
	uint16_t length; /* length and MORE */
	uint16_t interrupt;
} __attribute__((packed));

static uint8_t *datagram_put(uint8_t *at, const struct head *head, const uint8_t *data)
{
	uint32_t length = head->length & LENGTH;

	memcpy(at, head, sizeof(*head));
	memcpy(at + sizeof(*head), data, length);
	memset(at + sizeof(*head) + length, 0, COUNTER);
	return at + sizeof(*head) + length + COUNTER;
}

static struct head exchange_head(uint8_t index, const struct exchange *exchange)
{
	return (struct head){ COMMAND_LRW, index, 0, 0, (uint16_t)(exchange->length | MORE), 0 };
}

static struct head datagram_head(uint8_t index, const struct datagram *datagram)
{
	return (struct head){ (uint8_t)datagram->command, index,
			      datagram->address,	  datagram->offset,
			      datagram->length,		  0 };
}

uint32_t frame_make(uint8_t frame[FRAME_MAX], uint8_t index, const struct exchange *exchange,
		    const struct datagram *datagram)
{
	static const uint8_t ethernet[ETHERNET] = { 0xff, 0xff, 0xff,	   0xff,    0xff,
						    0xff, 0x02, 0,	   0,	    0,
						    0,	  1,	TYPE_HIGH, TYPE_LOW };
	uint8_t *at = frame + ETHERNET + HEADER;
	struct head head;
	uint16_t header;
	uint32_t length;

	memcpy(frame, ethernet, sizeof(ethernet));
	if (exchange->length) {
		head = exchange_head(index, exchange);
		at = datagram_put(at, &head, exchange->data);
	}
	head = datagram_head(index, datagram);
	at = datagram_put(at, &head, datagram->data);
	length = (uint32_t)(at - frame);
	header = (uint16_t)(HEADER_TYPE | (length - ETHERNET - HEADER));
	memcpy(frame + ETHERNET, &header, sizeof(header));
	if (length < FRAME_MIN)
		memset(at, 0, FRAME_MIN - length);
	return length < FRAME_MIN ? FRAME_MIN : length;
}

/* A position of the frame, and its end. */
struct place {
	const uint8_t *at, *end;
};

/* Moves behind a datagram that equals `sent` but for index, address and interrupt. Returns its data, or NULL. */
static const uint8_t *datagram_take(struct place *place, const struct head *sent, uint8_t *index)
{
	const uint8_t *data = place->at + sizeof(*sent);
	uint32_t size = sizeof(*sent) + (sent->length & LENGTH) + COUNTER;
	struct head head;

	if ((uint64_t)(place->end - place->at) < size)
		return NULL;
	memcpy(&head, place->at, sizeof(head));
	place->at += size;
	if (head.command != sent->command || head.offset != sent->offset ||
	    (head.length & (MORE | LENGTH)) != sent->length)
		return NULL;
	*index = head.index;
	return data;
}

/*
 * Finds the datagrams' data in a frame with an EtherCAT header. Returns false if the frame has others than those sent.
 */
static bool parts_find(struct place place, const struct exchange *exchange,
		       const struct datagram *datagram, const uint8_t *data[2], uint8_t *index)
{
	const struct head exchanged = exchange_head(0, exchange), sent = datagram_head(0, datagram);

	if (exchange->length) {
		data[0] = datagram_take(&place, &exchanged, index);
		if (!data[0])
			return false;
	}
	data[1] = datagram_take(&place, &sent, index);
	return data[1] && place.at == place.end;
}

/* Returns the index of the first datagram, or -1 if the frame has none. */
static int index_of(struct place place)
{
	return place.end - place.at < (long)sizeof(struct head) ? -1 : place.at[1];
}

static void data_copy(const uint8_t *from, uint8_t *to, uint32_t length, uint16_t *counter)
{
	memcpy(to, from, length);
	memcpy(counter, from + length, sizeof(*counter));
}

enum frame_kind frame_read(const uint8_t *frame, uint32_t length, uint8_t index,
			   struct exchange *exchange, struct datagram *datagram)
{
	const uint8_t *data[2] = { NULL };
	struct place place;
	uint16_t header;
	uint8_t last = 0;

	if (length < ETHERNET + HEADER || frame[12] != TYPE_HIGH || frame[13] != TYPE_LOW)
		return FRAME_OTHER;
	memcpy(&header, frame + ETHERNET, sizeof(header));
	place.at = frame + ETHERNET + HEADER;
	place.end = place.at + (header & LENGTH);
	if ((header & ~LENGTH) != HEADER_TYPE || length - ETHERNET - HEADER < (header & LENGTH) ||
	    index_of(place) < 0)
		return FRAME_INVALID;
	if (index_of(place) != index)
		return FRAME_LATE;
	if (!parts_find(place, exchange, datagram, data, &last) || last != index)
		return FRAME_INVALID;
	if (exchange->length)
		data_copy(data[0], exchange->data, exchange->length, &exchange->counter);
	data_copy(data[1], datagram->data, datagram->length, &datagram->counter);
	return FRAME_ANSWER;
}
