/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the program. */
#pragma once
#include <string>

/* Prints the results of the language's tests. */
void language();
/* Prints the results of the standard library's tests. */
void library();
/* Throws an exception that no function catches: in the first thread for "main", else in another one. */
void fail(const std::string &kind);
