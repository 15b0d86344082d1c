/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of hal/x86 tell each other. */
#ifndef HAL_X86_REGS_H
#define HAL_X86_REGS_H

#include <hal.h>

/* Which vector state components threads have: an XSAVE mask. Before the first thread runs. */
void hal_regs_setup(word mask);

#endif
