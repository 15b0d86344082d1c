/* SPDX-License-Identifier: BSD-2-Clause */
/* For entry.S, which cannot include <limpet/call.h>; executive.c asserts that both are the same. */
#ifndef EXECUTIVE_ANSWER_H
#define EXECUTIVE_ANSWER_H

#define EXECUTIVE_ANSWER -4140 /* LIMPET_CALL(LIMPET_CALL_GUEST_ANSWER) */

#endif
