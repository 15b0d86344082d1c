/* SPDX-License-Identifier: BSD-2-Clause */
/* A start function for executives that import log. */
#ifndef EXECUTIVE_START_H
#define EXECUTIVE_START_H

#include <runtime/types.h>

/*
 * Calls executive_serve(), and prints a line with the number of handler threads or with the reason of a failure.
 * Returns whether the component is an executive now. Context: the component's own thread, once.
 */
bool executive_start(word kinds);

#endif
