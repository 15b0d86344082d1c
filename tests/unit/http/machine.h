/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements what components need besides a network, with POSIX: threads, time, locks, memory, the
 * log.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <runtime/component.h>

/*
 * Fills the info page: each word is an argument, NAME=VALUE; ramdisk=FILE is the archive. `spare`: how many
 * threads can be created.
 */
const struct limpet_info *machine_begin(int count, char **words, unsigned int spare);

#endif
