/* SPDX-License-Identifier: BSD-2-Clause */
/* What a request asks for. */
#ifndef TARGET_H
#define TARGET_H

#include "parsed.h"
#include "span.h"

/*
 * The path of a request's target, "/a%20b?query" or "http://host/path", into the request: decoded, without
 * query, without the / at its beginning and those that are double, without "." and "..". REQUEST_GOOD;
 * 400: it is none, or it leads out of the root; 414: it is too long.
 */
unsigned int target_path(struct span target, struct request *request);

#endif
