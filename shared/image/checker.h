/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a check of an image. Only check.c and check_*.c include it. */
#ifndef LIMPET_IMAGE_CHECKER_H
#define LIMPET_IMAGE_CHECKER_H

#include <limpet/call.h>
#include <limpet/component.h>
#include <limpet/image.h>

#include "check.h"
#include "text.h"

#define PAGE ((uint64_t)LIMPET_PAGE)
#define STACK_SHIFT_MAX 20

/* Sums over the components of one CPU. */
struct cpu_sum {
	uint32_t root; /* index of its root scheduler; 0: not found yet */
	uint32_t threads, channels;
	uint64_t bytes; /* of memory that the booter will fill */
};

struct checker {
	const struct limpet_image *image;
	const struct limpet_image_component *component;
	const struct limpet_image_segment *segment;
	const struct limpet_image_wire *wire;
	const struct limpet_image_arg *arg;
	const struct limpet_image_resource *resource;
	const struct limpet_image_channel *channel;
	const struct limpet_image_symbol *symbol;
	const struct limpet_image_unwind *unwind;
	const char *strings;
	uint64_t payload; /* offset at which the next contents must begin */
	/* Records that belong to the components so far. */
	uint32_t segments, wires, args, symbols, unwinds;
	struct cpu_sum cpu[LIMPET_CPUS_MAX];
	struct limpet_image_error *error;
};

static inline int refuse(struct checker *checker, const char *field, uint32_t index,
			 const char *reason)
{
	checker->error->field = field;
	checker->error->index = index;
	checker->error->reason = reason;
	return -1;
}

static inline uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

static inline bool string_fits(const struct checker *checker, uint32_t offset, uint32_t max)
{
	return text_fits(checker->strings, checker->image->strings, offset, max);
}

/* Returns whether `address` is in an executable segment of the component. */
static inline bool executable(const struct checker *checker,
			      const struct limpet_image_component *in, uint64_t address)
{
	const struct limpet_image_segment *segment = &checker->segment[in->segment];

	for (uint32_t i = 0; i < in->segments; i++)
		if (segment[i].rights & LIMPET_EXEC &&
		    address - segment[i].address < segment[i].file_size)
			return true;
	return false;
}

static inline int check_entry(struct checker *checker, uint32_t index)
{
	const struct limpet_image_wire *wire = &checker->wire[index];

	if (!executable(checker, &checker->component[wire->server], wire->entry))
		return refuse(checker, "wire.entry", index,
			      "must be in an executable segment of the server");
	return 0;
}

/* Returns true for the root scheduler of a CPU: no other scheduler schedules its thread. */
static inline bool is_root(const struct limpet_image_component *component)
{
	return component->flags & LIMPET_COMPONENT_SCHEDULER && !component->scheduler;
}

/*
 * Each function returns 0, or -1 after it has filled the error. They are called in this order, the
 * second and third for each component, in the order of the components.
 */
int image_check_header(struct checker *checker, uint64_t size, uint32_t crc);
int image_check_component(struct checker *checker, uint32_t index);
int image_check_cpu(struct checker *checker, uint32_t index);
int image_check_relations(struct checker *checker);
int image_check_resources(struct checker *checker);
int image_check_channels(struct checker *checker);

/*
 * Functions for check_component. Each checks the record with that index of the image's table, of
 * component `component` or `importer`.
 */
int image_check_segment(struct checker *checker, const struct limpet_image_component *component,
			uint32_t index);
int image_check_arg(struct checker *checker, uint32_t index);
int image_check_wire(struct checker *checker, uint32_t importer, uint32_t index);
int image_check_symbol(struct checker *checker, const struct limpet_image_component *component,
		       uint32_t index);
int image_check_unwind(struct checker *checker, const struct limpet_image_component *component,
		       uint32_t index);

#endif
