/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the program. */
#pragma once
#include <string>

/* Prints what the language does. */
void language();
/* Prints what the standard library does. */
void library();
/* Throws an exception that no function catches: in the first thread for "main", else in another one. */
void fail(const std::string &kind);
