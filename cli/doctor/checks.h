/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether a machine and its kernel can run Limpet. The checks only read files. */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include "doctor.h"

/* Clears the list and runs all checks of the machine below `root`. */
void doctor_run(struct doctor *doctor, const char *root, bool thorough);

/*
 * Completes the check `module-signature`. It refuses if the kernel accepts only signed modules and the file `path` has no
 * signature. Linux verifies the signature when it loads the module. `path` is NULL if the module was not found.
 */
void doctor_module(struct doctor *doctor, const char *path);
/* Returns whether the kernel is locked down, as with Secure Boot: see kernel_lockdown(7). */
bool doctor_locked(const struct doctor *doctor);

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
