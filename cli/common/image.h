/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the records of a checked image. */
#ifndef CLI_IMAGE_H
#define CLI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/image.h>

struct image {
	unsigned char *bytes; /* contents of a checked image, or NULL */
	size_t size;
};

/* Reads and checks a file. Returns false after it has reported an error. */
bool image_open(struct image *image, const char *path);
/*
 * Takes ownership of the records of a loaded image, which the module has checked. If a table or the strings are outside
 * of `bytes`, it frees them and the image stays empty.
 */
void image_take(struct image *image, unsigned char *bytes, size_t size);
void image_close(struct image *image);

/* Returns the header, or NULL. */
const struct limpet_image *image_header(const struct image *image);
/* Returns the record of a component, or NULL. */
const struct limpet_image_component *image_component(const struct image *image, unsigned int index);
/* Return the record of a wire or of a channel, or NULL. */
const struct limpet_image_wire *image_wire(const struct image *image, unsigned int index);
const struct limpet_image_channel *image_channel(const struct image *image, unsigned int index);
/* Return the record of a segment, an argument or a resource, or NULL. */
const struct limpet_image_segment *image_segment(const struct image *image, unsigned int index);
const struct limpet_image_arg *image_arg(const struct image *image, unsigned int index);
const struct limpet_image_resource *image_resource(const struct image *image, unsigned int index);
/* Returns the string at an offset of a record, or "?" if the offset is outside. The image must not be empty. */
const char *image_string(const struct image *image, uint32_t at);
/* Return the name of a component in the system file, and the name of its image. "?" if unknown. */
const char *image_component_name(const struct image *image, unsigned int index);
const char *image_component_image(const struct image *image, unsigned int index);
/* Returns the name of the first channel through which Linux can send to a component, or NULL. */
const char *image_input_channel(const struct image *image, unsigned int component);
/*
 * Returns the name of the function at an address of a component, and sets *begin to its start. Returns NULL if it is
 * unknown.
 */
const char *image_function(const struct image *image, unsigned int component, uint64_t address,
			   uint64_t *begin);
/* Returns the name of the system, or "?" if unknown. */
const char *image_system_name(const struct image *image);

#endif
