// SPDX-License-Identifier: GPL-2.0
/* The same as a guest of a probe alone: tracers. */
#include "tests/system/guest/guest-signals/steps.c"
