/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEST_METRICS_CHECK_H
#define TEST_METRICS_CHECK_H

/*
 * NULL when `text` is Prometheus' text exposition format and follows its conventions: each metric once, HELP,
 * then TYPE, then its samples; names and labels of the right letters, values of labels UTF-8 and escaped, no
 * series twice, all series of a metric with the same labels, a counter's name, and no other, ending in
 * _total, which only grows from 0; no unit but a base one. Else what is wrong, with the line's beginning.
 */
const char *metrics_wrong(const char *text);

#endif
