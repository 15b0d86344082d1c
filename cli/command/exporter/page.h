/* SPDX-License-Identifier: GPL-2.0 */
/* The exporter's pages. Each function returns `*size` bytes that the caller frees, or NULL if memory runs out. */
#ifndef EXPORTER_PAGE_H
#define EXPORTER_PAGE_H

#include <stddef.h>

/* Makes the current metrics as text. */
char *page_metrics(size_t *size);
/* Makes a page with a link to the metrics. */
char *page_home(size_t *size);
/* Makes the live page, which requests events. */
char *page_live(size_t *size);
/* Makes one server-sent event with the current counters (event.h). */
char *page_event(size_t *size);
/* Makes a JSON object with the pictures of the systems' wiring (event.h). */
char *page_wiring(size_t *size);

#endif
