/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the files of hal/x86 share. */
#ifndef HAL_X86_REGS_H
#define HAL_X86_REGS_H

#include <hal.h>

/*
 * Sets which XSAVE states threads have, and which ones user level can load and each switch of
 * threads clears. Both masks have bits below 32. Called before the first thread runs.
 */
void hal_regs_setup(word mask, word clear);

#endif
