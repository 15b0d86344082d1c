// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <cli/command/exporter/page.h>
#include <cli/common/prometheus.h>

char *page_metrics(size_t *size)
{
	static struct snapshot snapshot;
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	int error;

	if (!out)
		return NULL;
	error = snapshot_read(&snapshot);
	if (error) /* of a module of another version, it is there; of no device, it is not */
		prometheus_print_none(out, error != -ENOENT && error != -ENODEV && error != -ENXIO);
	else
		prometheus_print(out, &snapshot);
	snapshot_release(&snapshot);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
