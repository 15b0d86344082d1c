/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that reach deep into a network stack: of each protocol, with right checksums, and of a TCP connection
 * what would come next. Nothing is random but by world_seed().
 */
#ifndef FRAMES_H
#define FRAMES_H

#include "world.h"

extern uint8_t mac_own[6]; /* whom they go to; its link-local address follows from it */

/* Any number below n, which is not 0. */
uint32_t below(uint32_t n);
void fill(uint8_t *at, uint64_t length);
/* A whole one, at most 1518 bytes, without struct limpet_frame. Returns its length. */
uint64_t frame_make(uint8_t *at);
/* Some bytes become others; it may become shorter, or longer by 39 bytes at most. */
void frame_damage(uint8_t *at, uint64_t *length);
/* A wire_judge: what the component answers says what would fit next. Delivers nothing. */
bool frame_answer(const struct stack *from, uint8_t *message, uint64_t *length);

#endif
