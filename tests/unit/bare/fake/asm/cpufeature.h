/* SPDX-License-Identifier: GPL-2.0 */
/* In place of Linux's header: features that a test sets. */
#include <stdbool.h>

enum feature {
	X86_FEATURE_UNRET,
	X86_FEATURE_SRSO,
	X86_FEATURE_SRSO_ALIAS,
	X86_FEATURE_RETPOLINE,
	X86_FEATURE_RSB_VMEXIT,
	FEATURES
};

bool boot_cpu_has(enum feature feature);
