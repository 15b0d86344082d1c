/* SPDX-License-Identifier: GPL-2.0 */
/* A checked image in memory. */
#ifndef CLI_IMAGE_H
#define CLI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/image.h>

struct image {
	unsigned char *bytes; /* of a checked image, or NULL */
	size_t size;
};

/* Reads and checks a file. False: a line that says why was reported. */
bool image_open(struct image *image, const char *path);
/*
 * Takes the records of a loaded image over, which the module has checked; it looks whether names are inside. Without
 * effect (an image without names) if they are not.
 */
void image_take(struct image *image, unsigned char *bytes, size_t size);
void image_close(struct image *image);

/* The header, or NULL. */
const struct limpet_image *image_header(const struct image *image);
/* Record of a component, or NULL. */
const struct limpet_image_component *image_component(const struct image *image, unsigned int index);
/* Record of a wire or of a channel, or NULL. */
const struct limpet_image_wire *image_wire(const struct image *image, unsigned int index);
const struct limpet_image_channel *image_channel(const struct image *image, unsigned int index);
/* Returns the string at an offset of a record; "?" if it is outside. */
const char *image_string(const struct image *image, uint32_t at);
/* Name of a component in the system file, and of what it is an instance of; "?" if unknown. */
const char *image_component_name(const struct image *image, unsigned int index);
const char *image_component_image(const struct image *image, unsigned int index);
/* Returns the name of the first channel through which Linux can send to a component, or NULL. */
const char *image_input_channel(const struct image *image, unsigned int component);
/* Name of the system; "?" if unknown. */
const char *image_system_name(const struct image *image);

#endif
