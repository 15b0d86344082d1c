/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events for the live page. One answer contains one event, and tells the browser to ask again after a second. The exporter
 * therefore needs no connections that stay open.
 */
#ifndef EXPORTER_EVENT_H
#define EXPORTER_EVENT_H

#include <stdbool.h>
#include <stdio.h>

#include <cli/common/snapshot.h>

#define EVENT_CONTENT "text/event-stream; charset=utf-8"

/*
 * Prints one server-sent event: a JSON object with `attached` and `systems`. Counters are since the start of a system, times
 * are in µs.
 */
void event_print(FILE *out, const struct snapshot *snapshots, unsigned int count, bool attached);

#endif
