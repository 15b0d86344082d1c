/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of a scheduler that are numbered, such as reserve-0. */
#ifndef SCHED_ARGUMENT_H
#define SCHED_ARGUMENT_H

#include <runtime/types.h>

/* Reads the `count` numbers of an argument "THREAD US US ...". Returns false if the text has another form. */
bool numbers_read(const char *text, uint64_t *number, unsigned int count);
/* Prints why an argument is refused, on the console in at most 39 bytes. Returns LIMPET_ERANGE. */
long argument_refuse(const char *name, const char *why);

#endif
