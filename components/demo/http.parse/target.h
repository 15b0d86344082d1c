/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the target of a request. */
#ifndef TARGET_H
#define TARGET_H

#include "parsed.h"
#include "span.h"

/*
 * Decodes the path of a request's target, "/a%20b?query" or "http://host/path", into the request:
 * without query, leading /, double /, "." and "..". Returns REQUEST_GOOD. 400: the target is
 * invalid, or leads out of the root. 414: it is too long.
 */
unsigned int target_path(struct span target, struct request *request);

#endif
