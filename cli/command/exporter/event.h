/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events for the live page. One answer contains one event, and makes the browser connect again after a second. The
 * exporter therefore keeps no connection open.
 */
#ifndef EXPORTER_EVENT_H
#define EXPORTER_EVENT_H

#include <stdbool.h>
#include <stdio.h>

#include <cli/common/snapshot.h>

#define EVENT_CONTENT "text/event-stream; charset=utf-8"

/*
 * Prints one server-sent event: a JSON object with `attached` and `systems`. Counters start at the start of a system.
 * Times are in µs. Counters of network devices are read below `root`, which is "" for this machine.
 */
void event_print(FILE *out, const struct snapshot *snapshots, unsigned int count, bool attached,
		 const char *root);
/* Prints a JSON object with the picture of each system's wiring, as SVG. It does not change while the system runs. */
void wirings_print(FILE *out, const struct snapshot *snapshots, unsigned int count);

#endif
