/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks whether a machine and its kernel can take Limpet. They only read files and change nothing.
 */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include "doctor.h"

/* Clears the list and runs all checks of the machine below `root`. */
void doctor_run(struct doctor *doctor, const char *root, bool thorough);

/* The groups of checks, each in a file of its own. Each adds its checks to the list. */
void doctor_processor(struct doctor *doctor);
void doctor_guest(struct doctor *doctor);
void doctor_kernel(struct doctor *doctor);
void doctor_security(struct doctor *doctor);
void doctor_mitigations(struct doctor *doctor);
void doctor_realtime(struct doctor *doctor);
void doctor_beneath(struct doctor *doctor);
void doctor_limpet(struct doctor *doctor);

#endif
