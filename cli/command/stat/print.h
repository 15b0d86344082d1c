/* SPDX-License-Identifier: GPL-2.0 */
/* The output of `limpet stat`. It is separate from the device, so that it can be tested. */
#ifndef CLI_STAT_PRINT_H
#define CLI_STAT_PRINT_H

#include <stdio.h>

#include <cli/common/snapshot.h>

void stat_print(FILE *out, const struct snapshot *snapshot);
void stat_print_json(FILE *out, const struct snapshot *snapshot);

#endif
