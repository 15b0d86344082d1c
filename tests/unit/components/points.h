/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points of preemption. Code that is built with -fsanitize=thread calls a hook before each memory access. points.c
 * has these hooks, in place of the library that detects races.
 */
#ifndef POINTS_H
#define POINTS_H

/* Defined by the test. Called before each access of the code under test. */
void fake_point(void);

#endif
