/* SPDX-License-Identifier: GPL-2.0 */
/* Compares the module's expectations with the running kernel, for kernels that Limpet was not tried on. */
#ifndef DOCTOR_COMPARE_H
#define DOCTOR_COMPARE_H

#include "doctor.h"

/* Adds the checks `symbols`, `entries` and `structures` as notes with the text "not compared". */
void doctor_compare_later(struct doctor *doctor);
/*
 * Makes these checks. Reads the file `module`, and the kernel's symbols, entries and type information below the root.
 * `module` is NULL if the module's file is missing. A check with a difference is refused. A check that cannot read a
 * file is refused if `all` is set, and unknown otherwise. Takes about a second.
 */
void doctor_compare(struct doctor *doctor, const char *module, bool all);

#endif
