/* SPDX-License-Identifier: GPL-2.0 */
/* What the exporter offers: the metrics of now. */
#ifndef EXPORTER_PAGE_H
#define EXPORTER_PAGE_H

#include <stddef.h>

/* The metrics as text, `*size` bytes; free() it. NULL: no memory. */
char *page_metrics(size_t *size);

#endif
