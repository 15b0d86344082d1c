/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether a machine and its kernel can run Limpet. The checks only read files. */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include "doctor.h"

/* Clears the list and runs all checks of the machine below `root`. */
void doctor_run(struct doctor *doctor, const char *root, bool thorough);

/* Groups of checks, each in its own file. Each adds its checks to the list. */
void doctor_processor(struct doctor *doctor);
void doctor_guest(struct doctor *doctor);
void doctor_kernel(struct doctor *doctor);
void doctor_security(struct doctor *doctor);
void doctor_mitigations(struct doctor *doctor);
void doctor_realtime(struct doctor *doctor);
void doctor_kvm(struct doctor *doctor);
void doctor_beneath(struct doctor *doctor);
void doctor_limpet(struct doctor *doctor);

#endif
