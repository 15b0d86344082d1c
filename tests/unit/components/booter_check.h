/* SPDX-License-Identifier: BSD-2-Clause */
/* Boots an image with the booter, and checks the objects of every component. */
#ifndef BOOTER_CHECK_H
#define BOOTER_CHECK_H

#include "booter.h"
#include "booter_fake.h"

/* booter_image.c: the last loaded image and its size. */
extern char *image;
extern long image_size;

const struct limpet_image *header(void);
void load(const char *path);
/*
 * Stores tables of resources and channels, with these sizes in bytes, in an image without such tables. They replace
 * symbols and unwind records. The remaining space becomes part of the strings, so that later parts do not move.
 */
void records_put(const void *resource, uint64_t resources, const void *channel, uint64_t channels);
/* Boots the image on a CPU with that many free frames. */
void boot_with(unsigned int cpu, word frames);
const struct limpet_image_component *record_of(uint32_t index);
uint32_t index_of(const char *name);
/* Returns the record of a component to change. The caller then calls changed() to correct the checksum. */
struct limpet_image_component *change(const char *name);
void changed(void);

/* booter_check.c. */

/* Returns the component that owns a thread, or 0. `spare` is set if the thread is spare. */
uint32_t owner_of(unsigned int id, bool *spare);
/* Returns whether a slot of its table holds a capability. */
bool has(const struct fake_object *c, unsigned int slot);
/* Returns whether the component is the root scheduler. */
bool is_root(const struct limpet_image_component *record);
/* Checks and returns the component's info page. */
const struct limpet_info *check_info(const struct fake_object *c,
				     const struct limpet_image_component *record);
/* Checks the component's rights to its own endpoint. */
void check_endpoint(const struct fake_object *c, uint32_t flags, const struct limpet_info *info);
/* Checks all other parts of a component: memory, stacks, gates, capabilities. */
void check_component(uint32_t index);
/* Checks all threads that were started. */
void check_threads(void);
/*
 * Boots on each of the image's CPUs with enough frames. Checks that nothing is printed, and each component, also
 * with `more`.
 */
void check_boots(void (*more)(uint32_t index));

#endif
