/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes each piece of lwIP's memory a separate allocation, which the test counts. */
#ifndef PIECES_H
#define PIECES_H

#include <stddef.h>

void *world_piece(size_t size);
void world_piece_end(void *piece);
#define mem_clib_malloc(size) world_piece(size)
#define mem_clib_free(piece) world_piece_end(piece)

#endif
