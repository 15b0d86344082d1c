/* SPDX-License-Identifier: GPL-2.0 */
/* The output of `limpet ps`. It is separate from the device, so that it can be tested. */
#ifndef CLI_PS_PRINT_H
#define CLI_PS_PRINT_H

#include <stdio.h>

#include <cli/common/snapshot.h>

void ps_print(FILE *out, const struct snapshot *snapshot);
void ps_print_json(FILE *out, const struct snapshot *snapshot);

#endif
