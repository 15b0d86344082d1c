/* SPDX-License-Identifier: GPL-2.0 */
/* The pages that the exporter offers. Each function returns `*size` bytes that the caller frees, or NULL if there is no memory. */
#ifndef EXPORTER_PAGE_H
#define EXPORTER_PAGE_H

#include <stddef.h>

/* Makes the metrics of the present moment as text. */
char *page_metrics(size_t *size);
/* Makes a page with a link to the metrics. */
char *page_home(size_t *size);
/* Makes the live page, which asks for events. */
char *page_live(size_t *size);
/* Makes one server-sent event with the counters of the present moment (event.h). */
char *page_event(size_t *size);

#endif
