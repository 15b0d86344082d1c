/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of the booter: an image, a boot of it, and what every component must have afterwards. */
#ifndef BOOTER_CHECK_H
#define BOOTER_CHECK_H

#include "booter.h"
#include "booter_fake.h"

/* booter_image.c: the image that was loaded last, and its size. */
extern char *image;
extern long image_size;

const struct limpet_image *header(void);
void load(const char *path);
/*
 * Stores tables of resources and channels, with these sizes in bytes, in an image without such tables. They replace
 * symbols and unwind records. The remaining space becomes part of the strings, so that later parts do not move.
 */
void records_put(const void *resource, uint64_t resources, const void *channel, uint64_t channels);
/* Boots it on a CPU with that many free frames. */
void boot_with(unsigned int cpu, word frames);
const struct limpet_image_component *record_of(uint32_t index);
uint32_t index_of(const char *name);
/* The record of a component, to be changed; then changed() makes the check sum right. */
struct limpet_image_component *change(const char *name);
void changed(void);

/* booter_check.c. */

/* The component whose thread it is, and whether that is spare; 0: no component. */
uint32_t owner_of(unsigned int id, bool *spare);
/* Returns whether a slot of its table holds a capability. */
bool has(const struct fake_object *c, unsigned int slot);
/* The root scheduler. */
bool is_root(const struct limpet_image_component *record);
/* Its info page. */
const struct limpet_info *check_info(const struct fake_object *c,
				     const struct limpet_image_component *record);
/* Its rights to its own endpoint. */
void check_endpoint(const struct fake_object *c, uint32_t flags, const struct limpet_info *info);
/* All else of a component: memory, stacks, gates, capabilities. */
void check_component(uint32_t index);
/* All threads that were started. */
void check_threads(void);
/* Boots it on each of its CPUs, with frames enough: nothing is said, and each component is right; `more` looks, too. */
void check_boots(void (*more)(uint32_t index));

#endif
