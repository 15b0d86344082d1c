/* SPDX-License-Identifier: GPL-2.0 */
/* The screen of `limpet top`, apart from where its snapshots come from, so that it can be tested. */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include <cli/command/top/top.h>

/*
 * Runs until the user ends it, or `take` fails, which reports why. Returns enum command_exit. The screen is
 * given back before anything is reported.
 */
int screen_run(bool (*take)(struct snapshot *snapshot), int interval_ms, enum top_sort sort);

#endif
