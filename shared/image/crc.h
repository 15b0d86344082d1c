/* SPDX-License-Identifier: BSD-2-Clause */
/* The checksum of an image. */
#ifndef LIMPET_IMAGE_CRC_H
#define LIMPET_IMAGE_CRC_H

#include <limpet/image.h>

/* Remainders of all bytes, made when they are needed, so that they need no initialisation. */
static inline void crc_table_fill(uint32_t table[256])
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		table[byte] = crc;
	}
}

static inline uint32_t crc_add(const uint32_t table[256], uint32_t crc, const uint8_t *data,
			       uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
	return crc;
}

/*
 * Returns the CRC-32 (IEEE 802.3) of an image, with the fields `crc`, `real_ns` and `real_stamp`
 * taken as 0, because the last two are set when the image is loaded. `size` is at least the
 * header's.
 */
static inline uint32_t limpet_image_crc(const void *image, uint64_t size)
{
	struct limpet_image header = *(const struct limpet_image *)image;
	uint32_t table[256], crc;

	header.crc = 0;
	header.real_ns = header.real_stamp = 0;
	crc_table_fill(table);
	crc = crc_add(table, ~0u, (const uint8_t *)&header, sizeof(header));
	return ~crc_add(table, crc, (const uint8_t *)image + sizeof(header), size - sizeof(header));
}

#endif
