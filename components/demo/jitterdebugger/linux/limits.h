/* SPDX-License-Identifier: BSD-2-Clause */
/* musl's compiler does not see Linux's headers; the limits are those of the C library. */
#include <limits.h>
