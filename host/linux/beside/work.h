/* SPDX-License-Identifier: GPL-2.0 */
/* work.c includes headers of Linux whose names collide with the kernel's, so it includes nothing else of Limpet. */
#ifndef HOST_LINUX_BESIDE_WORK_H
#define HOST_LINUX_BESIDE_WORK_H

/* Linux's work on a thread before it may leave Linux without Linux's return to user level. */
enum work {
	WORK_NONE = 0,
	WORK_SCHEDULE = 1, /* switch to another thread */
	WORK_RETURN = 2,   /* done by Linux at a return to user level, as the delivery of signals */
};
/*
 * Returns Linux's work on the current thread. Loads the vector registers that Linux has saved for the thread. Called
 * with interrupts off.
 */
enum work work_check(void);

/* Linux's switch_fpu_return(): loads the vector registers that it has saved. Interrupts are off. guard.S. */
void linux_load_fpu(void);

#endif
