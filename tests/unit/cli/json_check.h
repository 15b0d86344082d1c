/* SPDX-License-Identifier: GPL-2.0 */
/* A strict JSON parser (RFC 8259) that stores nothing. It checks that a text is one value. */
#ifndef TEST_JSON_CHECK_H
#define TEST_JSON_CHECK_H

#include <stdbool.h>

bool json_is_valid(const char *text);

#endif
