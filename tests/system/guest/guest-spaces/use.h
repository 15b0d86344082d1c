/* SPDX-License-Identifier: GPL-2.0 */
#ifndef USE_H
#define USE_H

#include "tests/system/lib/guest.h"

#include "components/executive/exec.spaces/spaces.h"

/* The stack of all spaces that this one creates. Each of them has its own copy of it. */
static char stack[1 << 16] __attribute__((aligned(16)));
#define TOP (stack + sizeof(stack))

#endif
