/* SPDX-License-Identifier: GPL-2.0 */
/* The screen of `limpet top`. The source of its snapshots is an argument, so that it can be tested. */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include <cli/command/top/top.h>

/*
 * Runs until the user ends it, or until `take` fails and reports the reason. Returns enum command_exit. The terminal is
 * restored before an error is reported.
 */
int screen_run(bool (*take)(struct snapshot *snapshot), int interval_ms, enum top_sort sort);

#endif
