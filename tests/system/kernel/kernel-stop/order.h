/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of the thread at the end of the chain, and their possible results. */
#define DO_STOP 0  /* stops a link itself */
#define DO_SPIN 1  /* computes until a time, while the thread stop-timer may stop a link */
#define DO_SLEEP 2 /* sleeps until a time, while a link is stopped */

#define NOBODY_STOPPED 1000
