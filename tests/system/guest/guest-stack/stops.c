// SPDX-License-Identifier: GPL-2.0
/* The same as a guest of a probe alone: stops, tracers and the freezer, while the executive in the middle works. */
#include "tests/system/guest/guest-signals/stops.c"
