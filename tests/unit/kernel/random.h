/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers, and words of kernel calls, most of which are meaningful. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include "machine.h"

void random_seed(unsigned long seed);
unsigned long random_next(void);
unsigned long below(unsigned long end);
bool chance(unsigned int percent);

/* The first returns a slot of the current component's table, mostly a used one. The second returns any word. */
word random_slot(void);
word random_word(void);
/* Stores valid words for call `op`, in most cases. */
void random_words(word op, word w[6]);

/* random_guest.c: makes a random step of a guest. */
void random_guest(void);

#endif
