// SPDX-License-Identifier: GPL-2.0
/* Runs the test of stops, tracers and the freezer of guest-signals while the executive in the middle works. */
#include "tests/system/guest/guest-signals/stops.c"
