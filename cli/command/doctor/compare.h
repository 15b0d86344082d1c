/* SPDX-License-Identifier: GPL-2.0 */
/* Compares what the module relies on with the running kernel, for kernels that Limpet was not tried on. */
#ifndef DOCTOR_COMPARE_H
#define DOCTOR_COMPARE_H

#include "doctor.h"

/* Adds the checks `symbols`, `entries` and `structures` as notes that nothing has been compared. */
void doctor_compare_later(struct doctor *doctor);
/*
 * Makes these checks: reads the module's file, and the kernel's symbols, entries and type information below the root.
 * A difference is a refusal. What cannot be read is one, too, if `all`, and otherwise unknown. `module` may be NULL: it
 * does not exist. Takes about a second.
 */
void doctor_compare(struct doctor *doctor, const char *module, bool all);

#endif
