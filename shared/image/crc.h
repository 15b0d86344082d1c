/* SPDX-License-Identifier: BSD-2-Clause */
/* The checksum of an image. */
#ifndef LIMPET_IMAGE_CRC_H
#define LIMPET_IMAGE_CRC_H

#include <limpet/call.h>
#include <limpet/image.h>
#ifdef __KERNEL__
#include <linux/sched.h>
#endif

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

/* In Linux, lets other threads run. */
static inline void crc_pause(void)
{
#ifdef __KERNEL__
	cond_resched();
#endif
}

/*
 * Returns the CRC-32 (IEEE 802.3) of an image, with the fields `crc`, `real_ns` and `real_stamp`
 * taken as 0, because the last two are set when the image is loaded. Returns 0 for a size that an image cannot have.
 */
static inline uint32_t limpet_image_crc(const void *image, uint64_t size)
{
	struct limpet_image header;
	uint64_t at, bytes;
	uint32_t table[256], crc;

	if (size < sizeof(header) || size > LIMPET_IMAGE_MAX)
		return 0;
	header = *(const struct limpet_image *)image;
	header.crc = 0;
	header.real_ns = header.real_stamp = 0;
	crc_table_fill(table);
	crc = crc_add(table, ~0u, (const uint8_t *)&header, sizeof(header));
	for (at = sizeof(header); at < size; at += bytes, crc_pause()) {
		bytes = size - at < LIMPET_PAGE ? size - at : LIMPET_PAGE;
		crc = crc_add(table, crc, (const uint8_t *)image + at, bytes);
	}
	return ~crc;
}

#endif
