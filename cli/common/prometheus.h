/* SPDX-License-Identifier: GPL-2.0 */
/* Prometheus' text exposition format, version 0.0.4: docs/reference/metrics.md. */
#ifndef CLI_PROMETHEUS_H
#define CLI_PROMETHEUS_H

#include <stdio.h>

#include <cli/common/snapshot.h>

#define PROMETHEUS_CONTENT "text/plain; version=0.0.4; charset=utf-8"

/*
 * Prints all metrics of `count` systems, at least one. The label `id` names the system of a sample.
 */
void prometheus_print_all(FILE *out, const struct snapshot *snapshots, unsigned int count);
/* Prints all metrics of one system. */
void prometheus_print(FILE *out, const struct snapshot *snapshot);
/*
 * Prints the metrics that exist without a system. `attached`: the module or the layer is present.
 */
void prometheus_print_none(FILE *out, bool attached);

#endif
