// SPDX-License-Identifier: GPL-2.0
/* Runs the test of registers for a guest of one probe with several executives. */
#include "tests/system/guest/guest-calls/registers.c"
