/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of hal/x86 tell each other. */
#ifndef HAL_X86_REGS_H
#define HAL_X86_REGS_H

#include <hal.h>

extern struct hal_setup hal_config; /* what hal_setup() was given */

#endif
