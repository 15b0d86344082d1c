/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the log of a system that does not run any more. */
#ifndef CLI_LOG_ENDED_H
#define CLI_LOG_ENDED_H

#include <stdbool.h>

#include <cli/common/system.h>

/* Finds the log with the latest text of a system by its name. Returns false if no log since boot has such text. */
bool log_ended_find(const char *system, struct log_names *names);

#endif
