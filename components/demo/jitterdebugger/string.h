/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares basename() in <string.h>, as other C libraries do. musl 1.2.5 and later declare it only in <libgen.h>. */
#include_next <string.h>
#include <libgen.h>
