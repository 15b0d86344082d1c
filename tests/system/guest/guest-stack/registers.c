// SPDX-License-Identifier: GPL-2.0
/* The same as a guest of a probe alone. */
#include "tests/system/guest/guest-calls/registers.c"
