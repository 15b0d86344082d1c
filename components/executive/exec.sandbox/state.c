// SPDX-License-Identifier: BSD-2-Clause
/* The policy, which policy*.c fill and the checks consult. */
#include "sandbox.h"

struct policy policy;
