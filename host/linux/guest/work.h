/* SPDX-License-Identifier: GPL-2.0 */
/* work.c includes headers of Linux whose names collide with the kernel's, so it includes nothing else of Limpet. */
#ifndef HOST_LINUX_GUEST_WORK_H
#define HOST_LINUX_GUEST_WORK_H

/*
 * Called before the entry code returns to user level by itself: Linux gets another chance for the work that it does on
 * its own way there, and the thread gets its vector registers. Interrupts disabled.
 */
void guest_work_keep(void);

/* Linux's switch_fpu_return(): loads the vector registers that it has saved. Interrupts are off. guard.S. */
void linux_load_fpu(void);

#endif
