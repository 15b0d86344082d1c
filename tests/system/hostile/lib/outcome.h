/* SPDX-License-Identifier: BSD-2-Clause */
/* Outcomes of a piece of code. */
#ifndef OUTCOME_H
#define OUTCOME_H

/* Outcomes are bits. Bits 0 to 31 are the exception's vector, others are: */
#define OUT_SYSCALL 32 /* a fault of kind LIMPET_FAULT_SYSCALL */
#define OUT_MODE 33    /* a fault of kind LIMPET_FAULT_MODE */
#define OUT_DONE 40    /* it completed */
#define OUT_STATUS 41  /* it returned another status, because it saw a wrong value */
#define OUT_STOPPED 42 /* it was stopped, or crashed without a fault */

#define OUTCOME_DONE 77 /* status at the end of each piece. Pieces define 78 and up */

#endif
