/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEST_METRICS_CHECK_H
#define TEST_METRICS_CHECK_H

/*
 * Returns NULL if `text` is valid Prometheus text exposition and follows its conventions. Each metric occurs once,
 * with HELP, then TYPE, then its samples. Names and labels use valid characters. Label values are UTF-8 and escaped.
 * Each series is unique, and all series of a metric have the same labels. Only counters have names that end in
 * _total, and they are not negative. Units are base units. Otherwise returns the mistake, with the start of the
 * line.
 */
const char *metrics_wrong(const char *text);

#endif
