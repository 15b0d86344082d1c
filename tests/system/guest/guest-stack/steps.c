// SPDX-License-Identifier: GPL-2.0
/* Runs the test of tracers of guest-signals with several executives. */
#include "tests/system/guest/guest-signals/steps.c"
