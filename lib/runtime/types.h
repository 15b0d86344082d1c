/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines types and macros that all files of components use. */
#ifndef RUNTIME_TYPES_H
#define RUNTIME_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <limpet/call.h>
#include <limpet/component.h>
#include <limpet/error.h>

typedef unsigned long word; /* a machine word, the size of a register */

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define array_size(a) (sizeof(a) / sizeof((a)[0]))

#endif
