/* SPDX-License-Identifier: BSD-2-Clause */
/* As in a C library that declares basename() here, too: musl from 1.2.5 on does so in <libgen.h> alone. */
#include_next <string.h>
#include <libgen.h>
