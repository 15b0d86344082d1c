/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the functions that components need, except a network, with POSIX: threads, time,
 * locks, memory, the log.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <runtime/component.h>

/*
 * Fills the info page. Each word is an argument NAME=VALUE, and ramdisk=FILE is the archive. `spare` is the number
 * of threads that can be created.
 */
const struct limpet_info *machine_begin(int count, char **words, unsigned int spare);

#endif
