/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points of preemption: what is built with -fsanitize=thread calls a hook before each memory access.
 * points.c has these hooks, in place of the library that would look for races.
 */
#ifndef POINTS_H
#define POINTS_H

/* The test's: called before each access of what it tests. */
void fake_point(void);

#endif
