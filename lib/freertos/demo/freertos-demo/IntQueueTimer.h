/* SPDX-License-Identifier: BSD-2-Clause */
/* IntQueue.c includes this header of the port's demo. */
#ifndef INT_QUEUE_TIMER_H
#define INT_QUEUE_TIMER_H

/* Starts the interrupts that call xFirstTimerHandler() and xSecondTimerHandler(). */
void vInitialiseTimerForIntQueueTest(void);

#endif
