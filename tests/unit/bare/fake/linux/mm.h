/* SPDX-License-Identifier: GPL-2.0 */
/* In place of Linux's header. */
#include <stdint.h>
#include <string.h>

#define WARN_ON(condition) (condition)

typedef int32_t s32;
