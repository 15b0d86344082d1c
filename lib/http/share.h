/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocates memory that one other component may attach. For components that import mem under this
 * name.
 */
#ifndef HTTP_SHARE_H
#define HTTP_SHARE_H

#include <runtime/types.h>

/*
 * Allocates `size` bytes, 1 to 1 MiB, rounded up to pages, and lets `component` attach them with
 * `rights`, LIMPET_READ or that and LIMPET_WRITE. Errors are those of mem's allocate and grant;
 * then there is no memory.
 */
long http_share(word size, word component, word rights, word *address);

#endif
