/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes frames that reach deep into a network stack: of each protocol, with correct checksums, and with the next
 * segment of a TCP connection. world_seed() is the only source of randomness.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include "world.h"

extern uint8_t mac_own[6]; /* destination; its link-local address is derived from it */

/* Returns a random number below n, which is not 0. */
uint32_t below(uint32_t n);
void fill(uint8_t *at, uint64_t length);
/* Makes a complete frame of at most 1518 bytes, without struct limpet_frame. Returns its length. */
uint64_t frame_make(uint8_t *at);
/* Changes some bytes of a frame. The frame may become shorter, or longer by at most 39 bytes. */
void frame_damage(uint8_t *at, uint64_t *length);
/* A wire_judge that records from the component's answers which segment it expects next. It drops the frames. */
bool frame_answer(const struct stack *from, uint8_t *message, uint64_t *length);

#endif
