// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <cli/command/exporter/page.h>
#include <cli/common/prometheus.h>
#include <cli/common/system.h>

struct systems {
	struct snapshot snapshot[LIMPET_SYSTEMS_MAX];
	unsigned int count;
};

/* A system that has ended meanwhile is left out. */
static int system_add(int fd, void *to)
{
	struct systems *systems = to;
	struct snapshot *snapshot = &systems->snapshot[systems->count];

	if (snapshot_read_from(snapshot, fd))
		snapshot_release(snapshot);
	else
		systems->count++;
	return 0;
}

/* Reads the system that was chosen, or all. Returns 0 or a negative errno. */
static int systems_read(struct systems *systems)
{
	int error;

	systems->count = 0;
	if (!system_choice())
		return systems_each(system_add, systems);
	error = snapshot_read(systems->snapshot);
	if (error)
		snapshot_release(systems->snapshot);
	systems->count = !error;
	return error;
}

char *page_metrics(size_t *size)
{
	static struct systems systems;
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	int error;

	if (!out)
		return NULL;
	error = systems_read(&systems);
	if (!systems.count) /* of a module of another version, it is there; of no device, it is not */
		prometheus_print_none(out, error != -ENOENT && error != -ENODEV && error != -ENXIO);
	else
		prometheus_print_all(out, systems.snapshot, systems.count);
	for (unsigned int n = 0; n < systems.count; n++)
		snapshot_release(&systems.snapshot[n]);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
