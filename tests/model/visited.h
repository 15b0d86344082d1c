/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States that were visited, by keys of 127 bits: that two of 10^8 states share one has a probability of
 * 10^-22.
 */
#ifndef MODEL_VISITED_H
#define MODEL_VISITED_H

#include <stddef.h>
#include <stdint.h>

enum visited_state { VISITED_NEVER, VISITED_ON_THE_WAY, VISITED };

struct visited;

struct visited *visited_new(void);
void visited_free(struct visited *v);
/* Computes the key of `size` bytes, a multiple of 8. */
void visited_key(const void *data, size_t size, uint64_t *key);
/* Returns the previous mark of the state, and marks it as being explored. */
enum visited_state visited_enter(struct visited *v, const uint64_t *key);
/* Marks it as explored. */
void visited_leave(struct visited *v, const uint64_t *key);

#endif
