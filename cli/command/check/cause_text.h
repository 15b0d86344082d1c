/* SPDX-License-Identifier: GPL-2.0 */
/* The sentences of a cause, which cause.c and hardware.c set. */
#ifndef CLI_CHECK_CAUSE_TEXT_H
#define CLI_CHECK_CAUSE_TEXT_H

#include <cli/command/check/check.h>

/* Set the kind of a cause with the sentence about the measurement, and the sentence about what to do. */
__attribute__((format(printf, 3, 4))) void cause_set(struct cause *cause, enum cause_kind kind,
						     const char *found, ...);
__attribute__((format(printf, 2, 3))) void cause_remedy(struct cause *cause, const char *remedy,
							...);

#endif
